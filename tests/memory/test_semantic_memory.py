"""
Semantic memory does the same in a folder and in PostgreSQL, with the real Mem0 on both.

What is stored comes back whole, to its owner only, also after the process ended.

"""

import pytest
from evennia.utils import logger

from evennia_assistant.errors import MemoryFault, SemanticMemoryError
from evennia_assistant.memory import embedders
from evennia_assistant.memory.embedders import HashingEmbedder
from evennia_assistant.mind.fact import Fact

from tests.facts import fact

FULL = fact(
    7,
    'Åsa "the Owl" keeps 3 rings: {gold}, $silver & \\tin; 銀の指輪 %s',
    audience=("#5", "#7"),
    importance=9,
    importance_method="llm",
    source_type="inference",
    source_trust=0.55,
    source_entity="Åsa",
    source_id="#5",
    tags=("whisper", "ring"),
    entities=("#5", "#9"),
    place="#2",
    kind="event",
)


def test_a_fact_comes_back_whole_after_the_process_ended(memory, opened, wait):
    (fact_id,) = wait(memory.add("bram", [FULL]))
    memory.close()
    (kept,) = wait(opened().all("bram"))
    assert kept.id == fact_id
    assert {**as_dict(kept), "id": ""} == as_dict(FULL)


def test_nobody_sees_or_removes_the_facts_of_another(memory, wait):
    (mine,) = wait(memory.add("bram", [fact(1)]))
    (hers,) = wait(memory.add("mary", [fact(1, user="mary")]))
    assert [kept.id for kept in wait(memory.all("bram"))] == [mine]
    assert wait(memory.get("bram", [hers])) == []
    assert wait(memory.find_by_keys("bram", [fact(1, user="mary").key])) == {}
    assert [kept.id for kept, _ in wait(memory.search("bram", "ring mary"))] == [mine]
    wait(memory.delete("bram", [hers]))
    assert [kept.id for kept in wait(memory.all("mary"))] == [hers]
    assert wait(memory.all("nobody")) == [] == wait(memory.search("nobody", "ring"))


def test_nearer_facts_of_another_do_not_hide_mine(memory, wait):
    wait(memory.add("mary", [fact(n, "Where is the gold ring?", "mary") for n in range(400)]))
    (mine,) = wait(memory.add("bram", [fact(1, "The gold ring lies in the well.")]))
    found = wait(memory.search("bram", "Where is the gold ring?", top_k=3))
    assert [kept.id for kept, _ in found] == [mine]


def test_a_search_gives_true_cosines_best_first(memory, wait):
    texts = ["The ferry leaves at dawn.", "The gold ring is in the well.", "Gold, gold, a ring!"]
    wait(memory.add("bram", [fact(n, text) for n, text in enumerate(texts)]))
    query = "a gold ring"
    found = wait(memory.search("bram", query))
    embedder = HashingEmbedder()
    asked, *vectors = embedder.embed([query, *texts])
    expected = {text: float(vector @ asked) for text, vector in zip(texts, vectors, strict=True)}
    assert [kept.text for kept, _ in found] == sorted(texts, key=lambda text: -expected[text])
    for kept, cosine in found:
        assert cosine == pytest.approx(max(0.0, expected[kept.text]), abs=1e-4)
    assert len(wait(memory.search("bram", query, top_k=1))) == 1


@pytest.mark.parametrize("query", ["", "   ", "\x00", "x" * 20_000, "'; DROP TABLE facts; --"])
def test_no_query_breaks_a_search(memory, wait, query):
    wait(memory.add("bram", [fact(1)]))
    assert len(wait(memory.search("bram", query))) <= 1
    assert len(wait(memory.all("bram"))) == 1


def test_the_read_back_finds_what_is_there_and_of_doubles_the_oldest(memory, opened, wait):
    first, _second = wait(memory.add("bram", [fact(1), fact(2)]))
    wait(memory.add("bram", [fact(1, "The same evidence once more.")]))
    keys = [fact(n).key for n in (1, 2, 3)]
    assert list(wait(memory.find_by_keys("bram", keys))) == [fact(1).key, fact(2).key]
    assert wait(memory.find_by_keys("bram", keys))[fact(1).key] == first
    memory.close()
    reopened = opened()
    assert wait(reopened.find_by_keys("bram", keys))[fact(1).key] == first
    assert wait(reopened.find_by_keys("bram", [])) == {}


def test_all_are_given_latest_first_as_many_as_wanted(memory, wait):
    wait(memory.add("bram", [fact(n) for n in (3, 1, 2)]))
    assert [kept.entry_ids for kept in wait(memory.all("bram"))] == [(3,), (2,), (1,)]
    assert [kept.entry_ids for kept in wait(memory.all("bram", limit=2))] == [(3,), (2,)]


def test_what_is_removed_is_gone_and_once_more_is_no_failure(memory, wait):
    one, two = wait(memory.add("bram", [fact(1), fact(2)]))
    wait(memory.delete("bram", [one, "no such id"]))
    wait(memory.delete("bram", [one]))
    assert [kept.id for kept in wait(memory.get("bram", [one, two, "?"]))] == [two]
    assert wait(memory.find_by_keys("bram", [fact(1).key])) == {}
    (again,) = wait(memory.add("bram", [fact(1)]))
    assert wait(memory.find_by_keys("bram", [fact(1).key])) == {fact(1).key: again}


def test_a_text_is_stored_as_it_is_or_refused_by_name(memory, wait):
    texts = ["", " ", "a\nb\tc", "x" * 50_000, "\U0001f600 e\u0301", "|rred|n $You()", "nul\x00"]
    texts.append("half a pair \ud83d")
    stored = []
    for number, text in enumerate(texts):
        try:
            wait(memory.add("bram", [fact(number, text or " ")]))
        except SemanticMemoryError as err:
            assert err.fault is MemoryFault.REFUSED, err
        else:
            stored.append(text or " ")
    assert {kept.text for kept in wait(memory.all("bram"))} == set(stored)
    assert set(stored) >= {*texts[1:6]}


def test_a_row_that_cannot_be_read_is_named_and_the_others_are_given(
    memory, wait, monkeypatch, place
):
    wait(memory.add("bram", [fact(1)]))

    class Strange(Fact):
        def to_metadata(self):
            return {"key": "?", "importance": "much"}

    (strange,) = wait(memory.add("bram", [Strange("?", "odd", 1.0, "public", (1,))]))
    said = []
    monkeypatch.setattr(logger, "log_err", said.append)
    assert len(wait(memory.all("bram"))) == 1
    assert len(wait(memory.all("bram"))) == 1
    assert len(said) == 1 and strange in said[0] and "aimemory/verify bram" in said[0]
    problems = {row.id: row.problem for row in wait(memory.inspect("bram"))}
    assert "cannot be read" in problems[strange] or "has no" in problems[strange]


def test_another_embedder_never_compares_with_the_vectors_of_the_first(
    memory, opened, wait, settings, monkeypatch
):
    class Other(HashingEmbedder):
        name, dimensions = "other", 64

    monkeypatch.setitem(embedders._MAKERS, "other", Other)
    wait(memory.add("bram", [fact(1)]))
    memory.close()
    settings.ASSISTANT_EMBEDDER = "other"
    changed = opened()
    assert wait(changed.all("bram")) == []
    wait(changed.add("bram", [fact(2)]))
    assert len(wait(changed.search("bram", "a ring"))) == 1
    changed.close()
    settings.ASSISTANT_EMBEDDER = None
    assert [kept.entry_ids for kept in wait(opened().all("bram"))] == [(1,)]


def as_dict(one):
    return {name: getattr(one, name) for name in Fact.__dataclass_fields__}
