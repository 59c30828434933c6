"""Semantic memory in every place it is tested in, and waiting for its answers."""

import threading

import pytest

from evennia_assistant.memory.mem0_memory import Mem0Memory

from tests.llm.conftest import spin_until, wait  # noqa: F401
from tests.postgres import new_database


def pgvector_config(address):
    return {"vector_store": {"provider": "pgvector", "config": {"connection_string": address}}}


def thread_is_gone():
    return not any(thread.name == "assistant-memory" for thread in threading.enumerate())


@pytest.fixture
def folder(tmp_path):
    """Where the folders of NPCs are."""
    return tmp_path / "facts"


@pytest.fixture(params=["folders", "pgvector"])
def place(request, settings, folder):
    """The settings name one of the places facts may be kept in."""
    settings.ASSISTANT_MEM0_CONFIG = (
        {"path": str(folder)} if request.param == "folders" else pgvector_config(new_database())
    )
    return request.param


@pytest.fixture
def in_folders(settings, folder):
    """The settings name a folder."""
    settings.ASSISTANT_MEM0_CONFIG = {"path": str(folder)}


@pytest.fixture
def opened():
    """`opened()` gives a semantic memory by the settings; all are closed after the test."""
    made = []

    def make(**options):
        made.append(Mem0Memory(**options))
        return made[-1]

    yield make
    for memory in made:
        memory.close()
    spin_until(thread_is_gone)


@pytest.fixture
def memory(place, opened):
    return opened()
