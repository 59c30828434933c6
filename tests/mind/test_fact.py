"""A fact goes into semantic memory and comes back as it was, or says why it cannot."""

import pytest

from evennia_assistant.mind.fact import Fact, fact_key

FACT = Fact(
    key=fact_key("bram", "fact", [4, 2]),
    text="The well is dry.",
    when=1_700_000_000.0,
    audience=("#5", "#6"),
    entry_ids=(2, 4),
    importance=7,
    source_entity="Anna",
    source_id="#5",
    tags=("say",),
    entities=("#5",),
    place="the inn",
)


def test_a_fact_comes_back_as_it_was_with_its_audience():
    back = Fact.from_metadata("m1", FACT.text, FACT.to_metadata())
    assert back == Fact(**{**{f: getattr(FACT, f) for f in Fact.__slots__}, "id": "m1"})


def test_the_documented_metadata_is_there_under_its_names():
    documented = {
        "source", "entry_id", "tags", "source_type", "source_trust", "source_entity", "importance",
        "importance_method",
    }  # fmt: skip
    assert documented <= set(FACT.to_metadata())
    assert FACT.to_metadata()["source"] == "journal"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("key", None),
        ("importance", 11),
        ("importance", "high"),
        ("source_trust", float("nan")),
        ("timestamp", "yesterday"),
        ("entry_ids", 4),
    ],
)
def test_a_changed_memory_is_refused_by_name_and_not_guessed_at(field, value):
    metadata = FACT.to_metadata()
    if value is None:
        del metadata[field]
    else:
        metadata[field] = value
    with pytest.raises(ValueError, match="memory m1"):
        Fact.from_metadata("m1", FACT.text, metadata)


def test_a_memory_without_an_audience_is_told_to_nobody():
    metadata = {**FACT.to_metadata(), "audience": "#5"}
    assert Fact.from_metadata("m1", FACT.text, metadata).audience is None


def test_the_same_evidence_makes_the_same_key_and_other_evidence_another():
    key = fact_key("bram", "fact", [2, 4])
    assert key == fact_key("bram", "fact", (4, 2, 2))
    others = {
        fact_key("bram", "fact", [24]),
        fact_key("bram", "fact", [2, 4], ordinal=1),
        fact_key("bram", "fact", [2, 4], version=2),
        fact_key("bram", "synthesis", [2, 4]),
        fact_key("cora", "fact", [2, 4]),
    }
    assert len(others) == 5 and key not in others
