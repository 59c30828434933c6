"""Whose turn it is: what players would complain of if the nine rules failed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evennia_assistant.mind.classification import (
    RULES,
    Classification,
    ListenerOptions,
    ListenerState,
    classify_message,
    engagement_after,
)
from evennia_assistant.mind.name_forms import Addressee
from evennia_assistant.mind.percept import Manner, Percept
from evennia_assistant.mind.turn_taking import Energy, Engagement

from benchmarks import turn_taking as benchmark

ANNA = Addressee("#9", ("Anna",))
MIRA = Addressee("#6", ("Mira",), (), "assistant")
ALONE = ListenerState("#7", ("Old Bram the Innkeeper",), ("barkeep",))
COMPANY = replace(ALONE, present=(Addressee("#8", ("Bob",)), ANNA))
TALKING = replace(COMPANY, engagement=Engagement().exchanged("#8", 95.0))


def heard(words: str, manner: Manner = "say", **changes: object) -> Percept:
    """Bob says something at second 100."""
    gesture = manner in ("pose", "emote", "arrive", "leave")
    line = f"Bob {words}" if gesture else f'Bob says, "{words}"'
    percept = Percept(manner, "#8", "Bob", line if gesture else words, line, 100.0)
    return replace(percept, **changes)  # type: ignore[arg-type]


def verdict(words: str, listener: ListenerState, manner: Manner = "say", **changes: object) -> str:
    return classify_message(heard(words, manner, **changes), listener).kind


def test_the_nine_rules_stand_in_the_documented_order_with_their_names() -> None:
    names = [(rule.__doc__ or "").split(":")[0] for rule in RULES]
    assert names == [
        "0. disabled-state check",
        "1. self-message handling",
        "2. direct addressing",
        "3. direct messages",
        "4. assistant cross-talk",
        "5. permission-based trigger",
        "6. channel configuration",
        "7. room-message default",
        "8. default fallback",
    ]


def test_a_stopped_npc_stays_silent_even_when_called() -> None:
    found = classify_message(heard("Bram!"), replace(ALONE, enabled=False))
    assert (found.kind, found.rule) == ("IGNORE", "disabled-state check")


def test_an_npc_never_answers_itself() -> None:
    own = heard("Bram is my name", speaker="#7", speaker_kind="assistant")
    assert classify_message(own, ALONE).kind == "IGNORE"


@pytest.mark.parametrize(
    "words", ["((brb))", "ooc: bram is a great npc", "OOC - lag", "[ooc] later", "", "   "]
)
def test_what_is_not_said_in_the_world_is_ignored(words: str) -> None:
    assert verdict(words, ALONE) == "IGNORE"
    assert verdict(words, ALONE, "whisper") == "IGNORE"


def test_a_server_message_is_not_speech() -> None:
    assert verdict("Server restarted", ALONE, speaker=None, speaker_kind="system") == "IGNORE"


@pytest.mark.parametrize("words", ["...", "?", "!!!", ":)"])
def test_punctuation_alone_asks_for_no_answer(words: str) -> None:
    assert verdict(words, ALONE) == "CONTEXT"


@pytest.mark.parametrize("words", ["Hello.", "thanks!", "42", "I like Bram's stew", "今晩は"])
def test_alone_with_the_npc_every_word_is_for_it(words: str) -> None:
    assert verdict(words, ALONE) == "TRIGGER"


@pytest.mark.parametrize("words", ["thanks!", "hello", "how much is it?", "I like Bram's stew"])
def test_two_players_chatting_are_left_alone(words: str) -> None:
    assert verdict(words, COMPANY) == "CONTEXT"


def test_a_called_npc_answers_and_can_say_by_which_name() -> None:
    found = classify_message(heard("hey innkeeper"), COMPANY)
    assert (found.kind, found.rule) == ("TRIGGER", "direct addressing")
    assert found.metadata["classification"] == "direct_addressing"
    assert found.reason == 'Bob called it "innkeeper"'


@pytest.mark.parametrize("manner", ["whisper", "page", "talk"])
def test_a_direct_message_is_answered_and_one_to_another_only_overheard(manner: Manner) -> None:
    found = classify_message(heard("psst", manner, receivers=("#7",)), COMPANY)
    assert (found.kind, found.metadata["classification"]) == ("TRIGGER", "direct_message")
    assert verdict("Bram, psst", COMPANY, manner, receivers=("#9",)) == "CONTEXT"


def test_a_follow_up_in_a_conversation_needs_no_name() -> None:
    assert verdict("and how much is it?", TALKING) == "TRIGGER"
    assert verdict("and how much is it?", COMPANY) == "CONTEXT"


def test_turning_to_a_friend_ends_the_conversation() -> None:
    percept = heard("Anna, did you hear?")
    found = classify_message(percept, TALKING)
    assert found.kind == "CONTEXT"
    after = engagement_after(TALKING.engagement, percept, found, TALKING)
    assert after.current(100.0) == frozenset()


def test_a_partner_called_by_somebody_else_is_answering_them_next() -> None:
    percept = heard("Bob, are you coming?", speaker="#9", speaker_name="Anna")
    listener = replace(TALKING, present=(Addressee("#8", ("Bob",)),))
    found = classify_message(percept, listener)
    assert engagement_after(TALKING.engagement, percept, found, listener).partners == {}


def test_leaving_ends_the_conversation_and_a_call_begins_one() -> None:
    leave = heard("leaves.", "leave")
    found = classify_message(leave, TALKING)
    assert engagement_after(TALKING.engagement, leave, found, TALKING).partners == {}
    call = heard("Bram, an ale")
    found = classify_message(call, COMPANY)
    assert engagement_after(Engagement(), call, found, COMPANY).partners == {"#8": 100.0}


def test_a_line_to_all_does_not_tie_the_npc_to_the_speaker() -> None:
    percept = heard("Good evening, everyone!")
    found = classify_message(percept, COMPANY)
    assert (found.kind, found.metadata["weak"]) == ("TRIGGER", True)
    assert engagement_after(Engagement(), percept, found, COMPANY).partners == {}


def test_a_lapsed_conversation_is_over() -> None:
    old = replace(COMPANY, engagement=Engagement().exchanged("#8", 1.0))
    assert verdict("and how much is it?", old) == "CONTEXT"
    patient = replace(old, options=ListenerOptions(idle_seconds=300.0))
    assert verdict("and how much is it?", patient) == "TRIGGER"


@pytest.mark.parametrize(
    ("pose", "expected"),
    [
        ("waves at Bram.", "TRIGGER"),
        ("hands you a coin.", "TRIGGER"),
        ("grins.", "CONTEXT"),
        ("tells Anna about Bram.", "CONTEXT"),
        ('shrugs. "And how much?"', "TRIGGER"),
        ('turns to Anna. "And how much?"', "CONTEXT"),
        ('grins. "Bram, you fox!"', "TRIGGER"),
    ],
)
def test_in_a_conversation_only_gestures_for_the_npc_call_it(pose: str, expected: str) -> None:
    assert verdict(pose, TALKING, "pose") == expected


def test_a_name_in_the_frame_of_the_line_tells_whom_it_is_to() -> None:
    to_bram = heard("How much?", line='Bob says to Bram, "How much?"')
    to_anna = heard("How much?", line='Bob says to Anna, "How much?"')
    assert classify_message(to_bram, COMPANY).kind == "TRIGGER"
    assert classify_message(to_anna, TALKING).kind == "CONTEXT"


def test_another_npc_is_answered_only_when_it_calls_and_energy_lasts() -> None:
    listener = replace(ALONE, present=(MIRA,), energy=Energy(1))
    mira = {"speaker": "#6", "speaker_name": "Mira", "speaker_kind": "assistant"}
    assert verdict("Bram, more water?", listener, **mira) == "TRIGGER"
    assert verdict("What a night.", listener, **mira) == "CONTEXT"
    tired = replace(listener, energy=Energy(0))
    assert verdict("Bram, more water?", tired, **mira) == "CONTEXT"
    assert verdict("psst", tired, "whisper", receivers=("#7",), **mira) == "CONTEXT"


@given(st.text(max_size=60), st.sampled_from(["say", "whisper", "talk", "pose", "page", "channel"]))
def test_no_line_of_another_npc_can_start_a_turn_without_energy(words: str, manner: Manner) -> None:
    listener = replace(ALONE, present=(MIRA,), energy=Energy(0), channels={"public": "all"})
    for text in (words, f"Bram, {words}", f"@bram {words}"):
        percept = heard(
            text,
            manner,
            speaker="#6",
            speaker_kind="assistant",
            channel="Public",
            receivers=("#7",),
        )
        assert classify_message(percept, listener).kind != "TRIGGER"


def test_a_keeper_is_answered_unnamed_only_when_the_npc_is_set_so() -> None:
    assert verdict("Report.", COMPANY, privileged=True) == "CONTEXT"
    obedient = replace(COMPANY, options=ListenerOptions(answers_keepers=True))
    found = classify_message(heard("Report.", privileged=True), obedient)
    assert (found.kind, found.metadata["classification"]) == ("TRIGGER", "trust")
    assert verdict("Anna, follow me.", obedient, privileged=True) == "CONTEXT"
    assert verdict("Report.", obedient) == "CONTEXT"


@pytest.mark.parametrize(
    ("mode", "words", "expected"),
    [
        ("mention", "anyone up?", "CONTEXT"),
        ("mention", "bram, are you open?", "TRIGGER"),
        ("mention", "Bram's stew is best", "CONTEXT"),
        ("all", "anyone up?", "TRIGGER"),
        ("all", "Bram's stew is best", "CONTEXT"),
        ("never", "@bram hello", "IGNORE"),
        (None, "@bram hello", "IGNORE"),
    ],
)
def test_a_channel_is_answered_as_its_keeper_set_it(
    mode: str | None, words: str, expected: str
) -> None:
    listener = replace(ALONE, channels={"public": mode} if mode else {})  # type: ignore[dict-item]
    assert verdict(words, listener, "channel", channel="Public") == expected


def test_arrivals_are_greeted_only_when_the_keeper_wants_it() -> None:
    assert verdict("arrives.", ALONE, "arrive") == "CONTEXT"
    greeter = replace(ALONE, options=ListenerOptions(greets_arrivals=True))
    assert verdict("arrives.", greeter, "arrive") == "TRIGGER"
    assert verdict("arrives.", greeter, "arrive", speaker_kind="assistant") == "CONTEXT"
    assert verdict("leaves.", greeter, "leave") == "CONTEXT"


def test_a_lone_player_greeting_a_room_of_npcs_is_answered_by_one() -> None:
    listener = replace(ALONE, present=(MIRA,))
    found = classify_message(heard("Good evening!"), listener)
    assert (found.kind, found.metadata["weak"]) == ("TRIGGER", True)


def test_a_busy_npc_still_takes_the_line_for_its_next_turn() -> None:
    found = classify_message(heard("Bram!"), replace(COMPANY, busy=True))
    assert (found.kind, found.metadata["queued"]) == ("TRIGGER", True)


@given(
    st.text(max_size=80),
    st.sampled_from(
        ["say", "whisper", "talk", "pose", "emote", "arrive", "leave", "page", "channel"]
    ),
    st.sampled_from(["player", "assistant", "npc", "object", "system"]),
)
def test_every_line_gets_a_verdict_with_a_reason(words: str, manner: Manner, kind: str) -> None:
    found = classify_message(heard(words, manner, speaker_kind=kind), TALKING)
    assert isinstance(found, Classification)
    assert found.rule and found.reason and found.metadata["classification"]


@pytest.mark.parametrize(
    "unit",
    ["Bram ", "Bram, ", "hey ", "@bram ", '"', "'A ", "a, ", "老王", "well ", "(", "and Bram "],
)
def test_a_line_of_ten_thousand_characters_is_decided(unit: str) -> None:
    words = unit * (10_000 // len(unit))
    for manner in ("say", "pose"):
        assert verdict(words, COMPANY, manner) in ("TRIGGER", "CONTEXT", "IGNORE")  # type: ignore[arg-type]


def test_the_labelled_lines_are_read_as_players_mean_them() -> None:
    scored = benchmark.score(benchmark.read_scenes(benchmark.DEFAULT_PATH))
    figures = benchmark.summary(scored)
    assert figures["lines"] >= 320
    assert figures["precision"] >= 0.97
    assert figures["recall"] >= 0.97


def test_the_benchmark_ends_with_one_json_object(capsys: pytest.CaptureFixture[str]) -> None:
    assert benchmark.main([]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert {"lines", "precision", "recall"} <= set(json.loads(last))


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{", ":2: not JSON"),
        ("[]", ":2: expected an object, found list"),
        ('{"npc": "Bram", "speaker": "Bob", "words": "hi"}', ':2: "label" is missing'),
        (
            '{"npc": "Bram", "speaker": "Bob", "words": "hi", "label": "YES"}',
            ':2: "label": "YES" is none of TRIGGER, CONTEXT, IGNORE',
        ),
        (
            '{"npc": "Bram", "speaker": "Bob", "label": "IGNORE"}',
            ':2: one of "words" and "line" is needed',
        ),
        (
            '{"npc": "Bram", "speaker": "Bob", "words": "hi", "label": "IGNORE", "engaged": 1}',
            ":2: unknown key 'engaged'",
        ),
        (
            '{"npc": "Bram", "speaker": "Bob", "words": 3, "label": "IGNORE"}',
            ':2: "words": expected a text, found 3',
        ),
        (
            '{"npc": "", "speaker": "Bob", "words": "hi", "label": "IGNORE"}',
            ':2: "npc.names": "" is no name',
        ),
    ],
)
def test_a_malformed_labelled_line_is_named_with_its_number(
    line: str, complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = '{"npc": "Bram", "speaker": "Bob", "words": "hi", "label": "TRIGGER"}'
    path = tmp_path / "lines.jsonl"
    path.write_text(f"{good}\n{line}\n", encoding="utf-8")
    assert benchmark.main([str(path), "--json"]) == 2
    assert complaint in capsys.readouterr().err
