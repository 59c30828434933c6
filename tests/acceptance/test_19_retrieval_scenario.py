"""Whoever asks after the cat is brought what is known of the cat, with and without an embedder."""

import pytest

from evennia_assistant.errors import ConfigError
from evennia_assistant.memory.embedders import get_embedder
from evennia_assistant.memory.index import MemoryIndex
from evennia_assistant.memory.items import MemoryItem
from evennia_assistant.memory.recall import recall

from tests.scenarios.files import scenario
from tests.scenarios.own import RETRIEVALS

NOW = 1_780_000_000.0
EMBEDDERS = [None, "hashing", "wordllama", "minilm"]
LISTENER = "#5"


def found_in(told, name, preset):
    """What recall brings first, of the events a scenario starts with."""
    try:
        embedder = get_embedder(name)
    except ConfigError as err:
        pytest.skip(f"{told['fixture_id']} with {name}: {err}")
    index = MemoryIndex(embedder)
    events = told["seed"]["seed_events"]
    items = [
        MemoryItem(f"j{number}", event["description"], None, "", NOW - 60.0, "public")
        for number, event in enumerate(events)
    ]
    index.add(items)
    asked = told["retrieve"]
    vector = None
    if embedder is not None and embedder.slow:
        index.attach([item.id for item in items], embedder.embed([item.text for item in items]))
        vector = embedder.embed([asked["query"]])[0]
    found = recall(
        index,
        asked["query"],
        listeners=[LISTENER],
        now=NOW,
        limit=asked["top_k"],
        preset=preset,
        vector=vector,
    )
    return [hit.item.text for hit in found.hits]


def holds(told, texts):
    wanted = told["invariants"]["top3_description_contains_any"]
    relevant = [text for text in texts if any(word in text for word in wanted)]
    assert len(relevant) >= told["invariants"]["top3_relevant_min"], texts


@pytest.mark.parametrize("preset", ["dialogue", "companion"])
@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_e6_retrieval_relevance(embedder, preset):
    told = scenario("e6_retrieval_relevance")
    holds(told, found_in(told, embedder, preset))


@pytest.mark.parametrize("preset", ["dialogue", "companion"])
@pytest.mark.parametrize("embedder", EMBEDDERS)
@pytest.mark.parametrize("told", RETRIEVALS, ids=lambda told: told["fixture_id"])
def test_scenarios_of_our_own(told, embedder, preset):
    holds(told, found_in(told, embedder, preset))
