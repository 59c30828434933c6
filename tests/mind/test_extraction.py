"""What may become a fact, and in what words: whatever a model answers, these rules hold."""

import pytest

from evennia_assistant.mind.entry import make_entry
from evennia_assistant.mind.extraction import (
    MAX_FACT,
    attributed,
    checked,
    distinct_times,
    make_fact,
    own_text,
    repeats,
    same_words,
)


def said(number, words, name="Anna", audience="public", **fields):
    fields.setdefault("source_type", "direct")
    return make_entry(
        number,
        f'{name} said: "{words}"',
        when=1000.0 + number,
        source_entity=name,
        source_id=f"#{name}",
        audience=audience,
        **fields,
    )


class TestRecords:
    def test_a_sound_record_is_read_as_it_is(self):
        record = {"entries": [3, "4"], "fact": " The  mill\nburnt down. ", "replaces": ["k2", "k9"]}
        found = checked(record, [3, 4, 5], ["k1", "k2"])
        assert found.entry_ids == (3, 4)
        assert found.text == "The mill burnt down."
        assert found.replaces == ("k2",)

    @pytest.mark.parametrize(
        "record",
        [
            "The mill burnt down.",
            {"fact": "The mill burnt down."},
            {"entries": [], "fact": "The mill burnt down."},
            {"entries": [99], "fact": "The mill burnt down."},
            {"entries": [3, 99], "fact": "The mill burnt down."},
            {"entries": [True], "fact": "The mill burnt down."},
            {"entries": [{"id": 3}], "fact": "The mill burnt down."},
            {"entries": [3]},
            {"entries": [3], "fact": ""},
            {"entries": [3], "fact": "  \n"},
            {"entries": [3], "fact": ["The mill burnt down."]},
            {"entries": [3], "fact": "x" * (MAX_FACT + 1)},
        ],
    )
    def test_a_record_that_says_nothing_sound_is_refused_with_a_reason(self, record):
        with pytest.raises(ValueError, match=r"\w+ \w+"):
            checked(record, [1, 3])

    def test_the_reason_repeats_nothing_of_what_the_model_wrote(self):
        for record in ({"entries": ["zq7xv"], "fact": "a"}, {"entries": [1], "fact": ["zq7xv"]}):
            with pytest.raises(ValueError, match=r"\w") as error:
                checked(record, [1])
            assert "zq7xv" not in str(error.value)

    @pytest.mark.parametrize(
        "fact",
        [
            "The assistant helped Anna.",
            "I should be more patient.",
            "Bram is friendly to guests.",
            "Bram's personality is gruff.",
            "My behavior was kind.",
            "The NPC promised a sword.",
        ],
    )
    def test_sentences_about_the_npc_are_named_as_such(self, fact):
        assert checked({"entries": [1], "fact": fact}, [1], (), ["Bram"]).refused

    def test_sentences_about_others_are_not(self):
        for fact in ("Anna trusts Bram.", "The tavern is in the north wing.", "Brambles grow."):
            assert not checked({"entries": [1], "fact": fact}, [1], (), ["Bram"]).refused


class TestWords:
    def test_what_only_asks_tells_nothing(self):
        assert own_text(said(1, "Where is my ring? Have you seen it?")) is None
        assert own_text(said(1, "Do you remember me")) is None
        assert own_text(said(1, "Bram, do you remember me, Anna")) is None
        assert own_text(said(1, "I lost my ring. Have you seen it?"))
        assert own_text(said(1, "Could you believe it, the mill burnt down! I was there."))
        assert own_text(make_entry(1, "I should be kinder.", when=0.0)) is None

    @pytest.mark.parametrize(
        ("text", "kept"),
        [
            ("The mill burnt down.", "Anna said that the mill burnt down."),
            ("Bob is the king.", "Anna said that Bob is the king."),
            ("Anna said that Bob is the king.", "Anna said that Bob is the king."),
            ("Anna claims Bob is the king.", "Anna claims Bob is the king."),
            ("According to Anna, Bob is king.", "According to Anna, Bob is king."),
            ("Anna lives at the mill.", "Anna lives at the mill."),
            ("Anna is the mistress of Bram.", "Anna said that Anna is the mistress of Bram."),
            ("Anna is your master.", "Anna said that Anna is your master."),
        ],
    )
    def test_a_claim_keeps_the_name_of_who_made_it(self, text, kept):
        assert attributed(text, [said(1, "whatever")], ["Bram"]) == kept

    def test_what_was_seen_needs_nobody_s_word(self):
        seen = make_entry(1, "The mill burns.", when=0.0, source_entity="Anna")
        assert attributed("The mill burnt down.", [seen]) == "The mill burnt down."

    def test_something_seen_does_not_make_a_claim_a_fact(self):
        seen = make_entry(1, "The mill burns.", when=0.0)
        assert attributed("Bob is king.", [seen, said(2, "x")]) == "Anna said that Bob is king."

    def test_repeating_is_told_from_telling(self):
        known = ["Anna lost her silver ring at the old mill"]
        assert repeats("Anna lost a silver ring at the old mill.", known)
        assert not repeats("Anna lost her silver ring; a crow has it in its nest now.", known)
        assert not repeats("", known)
        assert not repeats("Anna lost her ring", [])

    def test_case_and_the_full_stop_make_no_other_sentence(self):
        assert same_words("The  bridge is OUT.", "the bridge is out")
        assert not same_words("The bridge is out", "The bridge is not out")

    def test_times_are_distinct_only_when_both_are_known(self):
        one, other = {"start": "a", "end": "a"}, {"start": "b", "end": "b"}
        assert distinct_times([one], [other])
        assert not distinct_times([one], [one, other])
        assert not distinct_times([None], [other])


class TestFact:
    def test_a_fact_may_be_told_only_to_those_who_may_be_told_all_it_rests_on(self):
        evidence = [said(1, "a", audience=["#1", "#2"]), said(2, "b", audience=["#2", "#3"])]
        assert make_fact("x", evidence, "bram").audience == ("#2",)
        evidence.append(said(3, "c", audience=["#4"]))
        assert make_fact("x", evidence, "bram").audience is None

    def test_it_is_trusted_no_more_than_its_weakest_word(self):
        evidence = [said(1, "a"), said(2, "b", source_trust=0.2, importance=9)]
        fact = make_fact("x", evidence, "bram")
        assert (fact.source_trust, fact.importance) == (0.2, 9)

    def test_a_whisper_among_its_evidence_makes_it_a_confidence(self):
        assert make_fact("x", [said(1, "a"), said(2, "b", tags=["whisper"])], "bram").confidence
        assert make_fact("x", [said(1, "keep this secret")], "bram").confidence
        assert not make_fact("x", [said(1, "a")], "bram").confidence

    def test_equal_evidence_gives_equal_keys_whatever_the_words(self):
        evidence = [said(1, "a"), said(2, "b")]
        one, other = make_fact("x", evidence, "bram"), make_fact("y", evidence[::-1], "bram")
        assert one.key == other.key != make_fact("x", evidence, "bram", 1).key

    def test_it_knows_whom_it_concerns(self):
        fact = make_fact("Anna owes Bob two coins.", [said(1, "a")], "bram", names={"bob": "#7"})
        assert fact.entities == ("#7",)
