"""Every NPC of these tests keeps its facts in the process, so that none writes into a real game."""

import pytest

from evennia_assistant.memory import semantic
from evennia_assistant.testing import FakeSemanticMemory


@pytest.fixture(autouse=True)
def semantic_memory():
    with semantic.stand_in(FakeSemanticMemory()) as memory:
        yield memory
