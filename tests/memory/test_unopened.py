"""At a start all facts of all NPCs are read; none of them needs a Qdrant of its own for that."""

import sqlite3

import pytest

from evennia_assistant.errors import MemoryFault, SemanticMemoryError
from evennia_assistant.memory.mem0_config import Mem0Config
from evennia_assistant.memory.mem0_places import Folders

from tests.facts import fact


@pytest.fixture
def config(tmp_path):
    store = {"collection_name": "facts", "embedding_model_dims": 512}
    return Mem0Config(path=tmp_path, store=store)


@pytest.fixture
def kept(config):
    """Three facts of one NPC and one of somebody else in the same folder, as a game left them."""
    folders = Folders(config)
    ids = folders.do("bram", "add", [fact(n, audience="public") for n in (1, 2, 3)])
    folders.do("bram", "add", [fact(4, audience=("#1", "#2"))])
    folders.close()
    return ids


def storage(config):
    return config.path / "bram" / "collection" / "facts" / "storage.sqlite"


def test_a_start_reads_the_same_rows_as_an_open_folder_and_opens_nothing(config, kept):
    folders = Folders(config)
    unopened = folders.do("bram", "rows")
    assert not folders._open
    folders.do("bram", "search", "ring", 1)
    assert folders._open
    opened = folders.do("bram", "rows")
    folders.close()
    assert unopened == opened and len(opened) == 4
    assert opened[0].fact.audience == ("#1", "#2")


def test_what_is_deleted_or_added_before_the_next_start_is_seen_by_it(config, kept):
    folders = Folders(config)
    folders.do("bram", "delete", kept[:1])
    folders.do("bram", "add", [fact(9)])
    folders.close()
    texts = [row.fact.text for row in Folders(config).do("bram", "rows")]
    assert len(texts) == 4 and "ring 9" in texts[0] and not any("ring 1." in t for t in texts)


def test_a_folder_that_another_process_has_open_is_left_to_it(config, kept):
    other = Folders(config)
    other.do("bram", "search", "ring", 1)
    with pytest.raises(SemanticMemoryError) as caught:
        Folders(config, sleep=lambda _seconds: None).do("bram", "rows")
    other.close()
    assert caught.value.fault is MemoryFault.LOCKED


@pytest.mark.parametrize("damage", [b"no pickle", b"\x80\x04cos\nsystem\n."])
def test_a_point_of_an_unknown_form_is_left_to_qdrant_and_never_run(config, kept, damage):
    with sqlite3.connect(storage(config)) as connection:
        connection.execute("UPDATE points SET point = ? WHERE rowid = 1", (damage,))
    connection.close()
    folders = Folders(config)
    try:
        folders.do("bram", "rows")
    except SemanticMemoryError as err:
        assert err.fault is MemoryFault.CORRUPT
    else:
        assert folders._open, "it was opened, as Qdrant knows what to do with it"
        folders.close()


def test_an_npc_without_facts_has_none(config):
    folders = Folders(config)
    assert folders.do("nobody", "rows") == []
    folders.close()
