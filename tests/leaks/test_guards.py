"""The suite of canaries is awake: each guard taken away makes it fail."""

from unittest import mock

import pytest

from tests.leaks.stage import LeakTest

P = "evennia_assistant."
ALWAYS = {"public": "public"}


def _open(*_args, **_kwargs):
    return True


def _public(*_args, **_kwargs):
    return "public"


def _no(*_args, **_kwargs):
    return False


#: What is taken away, by the patches that do it.
GUARDS = {
    "who may be told, in the index": [(P + "memory.index.may_be_told", _open)],
    "who may be told, in the journal's search": [(P + "memory.journal_search.may_be_told", _open)],
    "who may be told, of a conversation": [(P + "mind.audience.may_be_told", _open)],
    "who may be told, in commands": [(P + "commands.gate.may_be_told", _open)],
    "the audience when it is heard": [(P + "perception.hearing.audience_of", _public)],
    "discretion in words": [(P + "perception.hearing.is_off_the_record", _no)],
    "facts for all their evidence": [(P + "mind.extraction.intersect", _public)],
    "entries of one prompt for the same people": [
        (P + "asleep.consolidation._circle", lambda entry: None)
    ],
    "conclusions of one audience": [
        (P + "asleep.reflection.frozen", _public),
    ],
    "a diary for each audience": [(P + "asleep.diary_material.frozen", _public)],
    "attributes of one audience": [(P + "asleep.entities.frozen", _public)],
    "lines of one audience": [(P + "mind.conversation.frozen", _public)],
    "the audience of a turn": [
        (P + "awake.material.Material.audience", lambda self: "public"),
    ],
    "a note stays a confidence": [(P + "awake.material.Material.confidential", False)],
    "what is aloud is no confidence": [
        (P + "mind.entry.in_confidence", _no),
        (P + "memory.live_index.entries.in_confidence", _no),
    ],
    "errors in our own words": [
        (P + "asleep.extraction.checked", lambda record, *_shown: _repeat(record)),
    ],
}


def _repeat(item):
    raise ValueError(str(item))


class GuardTest(LeakTest):
    """A short life: each act, a night, and a few who ask."""

    __test__ = False
    seed = 5

    def live(self):
        everybody = self.people
        planted = [
            self.plant(act, owner=everybody[0], witness=everybody[1], lines=3)
            for act in ("whisper", "open", "strict npc", "whisper", "off the record", "open")
        ]
        self.compact()
        self.night()
        for number in (0, 1, 2, 4):
            self.ask("present", planted[number])
            self.ask("in company", planted[number])
        self.ask("the owner aloud", planted[0])
        for reader in everybody[1:3]:
            self.look_into_it(reader)
        self.look_at_the_stores()


@pytest.mark.slow
class TestGuards(GuardTest):
    __test__ = True

    def test_with_every_guard_in_place_nothing_leaks(self):
        self.live()
        self.check(planned=18, reached=4)


def _without(name, patches):
    def test(self):
        for target, guardless in patches:
            patch = mock.patch(target, guardless)
            patch.start()
            self.addCleanup(patch.stop)
        self.live()
        with pytest.raises(AssertionError, match=r"\('"):
            self.check(planned=0, reached=0)

    return test


for _name, _patches in GUARDS.items():
    _test = f"test_the_canaries_are_seen_without_{_name.replace(' ', '_').replace(',', '')}"
    _test = _test.replace("'", "")
    setattr(TestGuards, _test, _without(_name, _patches))


def test_a_dozen_guards_and_more_are_taken_away():
    assert len(GUARDS) >= 12
