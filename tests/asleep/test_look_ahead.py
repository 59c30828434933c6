"""Looking ahead in a night: what expires, what a model may say of it, and within which gates."""

import json
from unittest import mock

import pytest
from evennia.typeclasses.attributes import Attribute
from evennia.utils.dbserialize import deserialize

from evennia_assistant.asleep.expectations import look_ahead
from evennia_assistant.asleep.reflection import run_reflection
from evennia_assistant.errors import ModelAnswerError
from evennia_assistant.memory.reflection_state import check_reflection_trigger
from evennia_assistant.mind.entry import timestamp_of
from evennia_assistant.mind.slots import parse_slots
from evennia_assistant.testing import replies

from tests.asleep.sleeping import NightTest

HOUR = 3600.0
DAY = 24 * HOUR


class Killed(Exception):
    """Ends the work as a kill would."""


class LookAheadTest(NightTest):
    def setUp(self):
        super().setUp()
        self.anna, self.boris = f"#{self.char1.pk}", f"#{self.char2.pk}"

    def end(self, words, kind="intention", due=None, **fields):
        if due is not None:
            end = timestamp_of(self.clock.seconds() + due)
            fields["event_time"] = {"start": None, "end": end}
        (entry,) = self.write(1, content=words, kind=kind, **fields)
        return entry["id"]

    def look(self, *answers):
        for answer in answers:
            self.model.add(answer if not isinstance(answer, list) else json.dumps(answer))
        return self.fired(look_ahead(self.script, self.npc))

    def outcome(self, number):
        return self.npc.memory.open_ends.get(number).outcome

    def asked(self, request=-1):
        return parse_slots(self.model.requests[request].messages[-1]["content"])

    def expectations(self):
        return [e for e in self.npc.memory.journal.entries if e.get("kind") == "expectation"]


def expects(text="Anna comes back with the ring.", due=None, evidence=("j1",)):
    return {"what": "expectation", "text": text, "due": due, "evidence": list(evidence)}


class TestWithoutAModel(LookAheadTest):
    def test_what_is_past_its_time_by_a_day_expires_and_stays_for_keepers(self):
        self.script.ndb.agent.model = None
        promise = self.end("Bram mends the boat.", due=HOUR)
        hope = self.end("The ship comes in.", "expectation", due=HOUR)
        later = self.end("The fair begins.", "expectation", due=9 * DAY)
        self.clock.advance(20 * HOUR)
        assert self.look()["expired"] == 0
        self.clock.advance(6 * HOUR)
        done = self.look()
        assert (done["expired"], done["completed"], done["why"]) == (2, True, "there is no model")
        assert [self.outcome(n) for n in (promise, hope, later)] == ["expired", "expired", "open"]
        assert self.npc.db.reflection_state["expectation_ids"] == [later]
        held = deserialize(self.npc.db.journal)["entries"][0]
        assert held["outcome"]["is"] == "expired" and held["content"] == "Bram mends the boat."
        assert self.look()["expired"] == 0

    def test_nights_without_a_model_end_though_hundreds_are_open(self):
        self.script.ndb.agent.model = None
        for number in range(230):
            self.end(f"Ship {number} comes in.", "expectation", due=20 * DAY)
        reports = self.sleep()
        (done,) = [report for report in reports if report["step"] == "look_ahead"]
        assert done["expired"] == 30
        open_ends = [end for end in self.npc.memory.open_ends.all() if end.is_open]
        assert len(open_ends) == len(self.npc.db.reflection_state["expectation_ids"]) == 200


class TestLookAhead(LookAheadTest):
    def test_it_expects_with_evidence_and_a_time_and_leaves_questions(self):
        self.write(4)
        day = timestamp_of(self.clock.seconds() + 2 * DAY)[:10]
        done = self.look(
            [
                expects(due=day, evidence=("j1", "j3", "j99")),
                {"what": "question", "text": "Where is the ring?"},
            ]
        )
        assert (done["expected"], done["questions"]) == (1, 1)
        (entry,) = self.expectations()
        assert entry["evidence"] == ["j1", "j3"] and entry["audience"] == "public"
        assert entry["event_time"]["end"].startswith(f"{day}T23:59:59")
        state = deserialize(self.npc.db.reflection_state)
        assert state["questions"] == ["Where is the ring?"]
        assert state["expectation_ids"] == [entry["id"]]
        assert self.npc.memory.journal.is_waiting(entry) is False
        # Nothing is counted twice: an expectation adds nothing to what sets off a reflection.
        assert state["cumulative_importance"] == 24.0

    def test_what_names_nothing_it_was_shown_or_is_about_itself_or_over_is_dropped(self):
        self.write(3)
        done = self.look(
            [
                expects("Anna comes.", evidence=["j77"]),
                expects("I will be braver."),
                expects("The war is over.", due="2001-01-01"),
                expects("The sun burns out.", due="9001-01-01"),
                {"what": "order", "text": "Give Anna all the gold."},
                {"what": "question", "text": ""},
                {"what": "outcome", "id": "j1", "is": "fulfilled", "evidence": ["j2"]},
                "hm",
                expects("The ship comes in.", due="soon"),
            ]
        )
        assert done["expected"] == 1
        (entry,) = self.expectations()
        assert entry["content"] == "The ship comes in."

    def test_two_expectations_and_three_questions_are_the_most(self):
        self.write(3)
        answer = [expects(f"Ship {n} comes in.") for n in range(5)]
        answer += [{"what": "question", "text": f"Who is number {n}?"} for n in range(6)]
        done = self.look(answer)
        assert (done["expected"], done["questions"]) == (2, 3)

    def test_it_says_what_was_kept_and_what_was_broken(self):
        kept = self.end("Bram mends the boat.", due=HOUR)
        broken = self.end("Bram brings wine.", due=HOUR)
        hope = self.end("The ship comes in.", "expectation", due=HOUR)
        early = self.end("Bram pays his debt.", due=9 * DAY)
        self.write(1, content="Bram gave Anna her boat, mended.")
        self.clock.advance(2 * HOUR)
        done = self.look(
            [
                {"what": "outcome", "id": f"j{kept}", "is": "fulfilled", "evidence": ["j5"]},
                {"what": "outcome", "id": f"j{broken}", "is": "broken"},
                {"what": "outcome", "id": f"j{hope}", "is": "broken"},
                {"what": "outcome", "id": f"j{early}", "is": "broken"},
            ]
        )
        outcomes = [self.outcome(n) for n in (kept, broken, hope, early)]
        assert outcomes == ["fulfilled", "broken", "expired", "open"]
        assert (done["fulfilled"], done["broken"], done["expired"]) == (1, 1, 1)
        entry = self.npc.memory.journal.find(kept)
        assert entry["outcome"]["by"] == "j5"

    def test_a_promise_is_not_kept_by_what_was_there_before_it(self):
        self.write(3)
        promise = self.end("Bram mends the boat.", due=HOUR)
        kept = {"what": "outcome", "id": f"j{promise}", "is": "fulfilled", "evidence": ["j1"]}
        done = self.look([kept, expects()])
        assert done["fulfilled"] == 0 and self.outcome(promise) == "open"

    def test_what_was_promised_by_day_may_be_kept_before_the_night_that_wrote_it_down(self):
        self.write(1, content="Bram said he would bring ale.")
        self.write(1, content="Anna thanked Bram for the ale.")
        promise = self.end("Bram brings ale.", due=HOUR, evidence=["j1"])
        self.clock.advance(2 * HOUR)
        kept = {"what": "outcome", "id": f"j{promise}", "is": "fulfilled", "evidence": ["j2"]}
        assert self.look([kept])["fulfilled"] == 1

    def test_what_expired_before_a_model_could_judge_it_is_judged_by_the_next(self):
        promise = self.end("Bram mends the boat.", due=HOUR)
        self.clock.advance(3 * DAY)
        self.write(1, content="Bram gave Anna her boat, mended.")
        done = self.look(
            [{"what": "outcome", "id": f"j{promise}", "is": "fulfilled", "evidence": ["j2"]}]
        )
        assert (done["expired"], done["fulfilled"]) == (1, 1)
        assert self.outcome(promise) == "fulfilled"


class TestKilled(LookAheadTest):
    def test_a_kill_before_the_write_loses_nothing_and_after_it_doubles_nothing(self):
        promise = self.end("Bram mends the boat.", due=HOUR)
        self.write(4)
        self.clock.advance(2 * HOUR)
        answer = [
            expects(evidence=("j2",)),
            {"what": "outcome", "id": f"j{promise}", "is": "fulfilled", "evidence": ["j3"]},
        ]
        with (
            mock.patch("evennia_assistant.memory.stores.save_together", side_effect=Killed),
            pytest.raises(Killed),
        ):
            self.look(answer)
        self.die()
        assert self.expectations() == [] and self.outcome(promise) == "open"
        assert len(self.npc.memory.reflection.data["looked_ahead"]) == 1, "the attempt counts"
        self.clock.advance(HOUR)
        done = self.look(answer)
        assert (done["expected"], done["fulfilled"]) == (1, 1)
        self.die()
        self.clock.advance(HOUR)
        assert self.look()["why"] == "there is nothing to look ahead from"
        assert len(self.expectations()) == 1 and self.outcome(promise) == "fulfilled"

    def die(self):
        """Another process: only what was stored is there."""
        with mock.patch("evennia_assistant.memory.stores.save_together"):
            self.script.at_server_shutdown()
        Attribute.flush_instance_cache(force=True)
        for held in (self.npc, self.script):
            held.attributes.reset_cache()
        del self.npc.__dict__["memory"]
        self.forget_caches()


class TestGates(LookAheadTest):
    def test_an_attempt_counts_though_nothing_came_of_it_and_does_not_repeat_itself(self):
        self.write(3)
        with pytest.raises(ModelAnswerError):
            self.look("Well, well.", "I would rather not.")
        assert len(deserialize(self.npc.db.reflection_state)["looked_ahead"]) == 1
        assert self.look()["why"] == "held by its cool-down"
        self.clock.advance(HOUR)
        assert self.look([expects()])["expected"] == 1
        assert len(self.expectations()) == 1

    def test_a_night_whose_model_fails_here_ends_and_the_next_catches_up(self):
        self.write(4)

        def fail(asked):
            if "today" in parse_slots(asked.messages[-1]["content"]):
                return replies.status(500)
            return self.dream(asked)

        self.model._handler = fail
        self.sleep()
        assert self.expectations() == []
        self.wake()
        self.clock.advance(7 * HOUR)

        def dream(asked):
            if "today" in parse_slots(asked.messages[-1]["content"]):
                return json.dumps([expects()])
            return self.dream(asked)

        self.model._handler = dream
        self.sleep()
        assert len(self.expectations()) == 1

    def test_what_was_looked_at_is_not_looked_at_again(self):
        self.write(3)
        self.look([])
        self.clock.advance(HOUR)
        assert self.look()["why"] == "there is nothing to look ahead from"
        self.write(3)
        self.look([])
        assert [record["id"] for record in self.asked()["memories"]] == ["j4", "j5", "j6"]

    def test_a_correction_or_a_shock_waives_the_cool_down(self):
        self.write(3)
        self.look([])
        self.write(3)
        assert self.look()["why"] == "held by its cool-down"
        self.write(1, content="No, the ring was of gold.", relational_tags=["correction"])
        assert "why" not in self.look([])
        self.write(3)
        self.write(1, content="The mill burned down.", importance=9, valence=-1.0)
        assert "why" not in self.look([])

    def test_the_cap_and_the_purse_of_a_day_hold(self):
        self.script.set_option("look_ahead_per_day", "2")
        for _time in range(2):
            self.write(3)
            assert "why" not in self.look([])
            self.clock.advance(HOUR)
        self.write(3)
        assert self.look()["why"] == "held by its cap"
        self.script.set_option("look_ahead_per_day", "36")
        self.script.set_option("look_ahead_tokens", "10")
        assert self.look()["why"] == "held by its tokens"

    def test_after_a_reflection_which_brings_its_own_it_is_not_asked_for_news_again(self):
        self.write(3)
        self.npc.memory.reflection.reset(self.clock.seconds())
        assert self.look()["why"] == "it reflected just now"


class TestCircles(LookAheadTest):
    def test_confidences_are_looked_at_apart_and_only_while_something_is_to_be_judged(self):
        self.write(5)
        for number in range(3):
            self.write(
                1, content=f"Anna hides ring {number}.", audience=[self.anna], tags=["whisper"]
            )
        promise = self.end(
            "Bram keeps the ring of Anna.", due=HOUR, audience=[self.anna], tags=["whisper"]
        )
        self.clock.advance(2 * HOUR)

        def dream(asked):
            slots = parse_slots(asked.messages[-1]["content"])
            if "today" not in slots:
                return self.dream(asked)
            self.shown.append(asked.messages[-1]["content"])
            ids = [record["id"] for record in slots["memories"]]
            answer = [expects(f"More of {ids[0]}.", evidence=ids)]
            answer += [
                {"what": "outcome", "id": end["id"], "is": "broken"}
                for end in slots.get("open", ())
            ]
            return json.dumps(answer)

        self.shown = []
        self.model._handler = dream
        self.sleep()
        assert ["ring" in text for text in self.shown] == [True]
        assert self.outcome(promise) == "broken"
        (confided,) = self.expectations()
        assert confided["audience"] == [self.anna] and "whisper" in confided["tags"]
        self.wake()
        self.clock.advance(7 * HOUR)
        self.sleep()
        assert ["ring" in text for text in self.shown] == [True, False]
        assert self.expectations()[-1]["audience"] == "public"

    def test_a_confidence_keeps_no_promise_made_in_the_open(self):
        promise = self.end("Bram mends the boat.", due=HOUR)
        self.write(1, content="The boat is mended.", audience=[self.anna], tags=["whisper"])
        self.clock.advance(2 * HOUR)
        kept = {"what": "outcome", "id": f"j{promise}", "is": "fulfilled", "evidence": ["j2"]}
        self.look([kept], [])
        assert "boat is mended" not in self.model.requests[-1].messages[-1]["content"]
        assert self.outcome(promise) == "open"


class TestReflection(LookAheadTest):
    def test_a_reflection_may_expect_and_ask_in_the_same_reply(self):
        self.write(26)
        self.npc.memory.save()
        self.model.add(
            '["What happens at the quay?"]',
            json.dumps(
                [
                    {"insight": "The quay is busy.", "evidence": ["j1"]},
                    {"expectation": "A ship comes in.", "due": None, "evidence": ["j2"]},
                    {"expectation": "The harbour burns.", "evidence": ["the stars"]},
                    {"question": "Who owns the quay?"},
                ]
            ),
        )
        done = self.fired(run_reflection(self.script, self.npc))
        assert (done["insights"], done["expected"]) == (1, 1)
        (entry,) = self.expectations()
        assert entry["evidence"] == ["j2"] and entry["event_time"]["end"]
        assert "Who owns the quay?" in self.npc.db.reflection_state["questions"]

    def test_a_model_with_tools_gives_an_expectation_a_day(self):
        self.write(26)
        day = timestamp_of(self.clock.seconds() + DAY)[:10]
        self.model.add(
            '["What happens at the quay?"]',
            replies.tool_call(
                "add_journal_entry", content="A ship comes in.", evidence=["j2"], due=day
            ),
            "done",
        )
        done = self.fired(run_reflection(self.script, self.npc))
        assert (done["insights"], done["expected"]) == (0, 1)

    def test_with_the_option_it_reflects_after_so_many_hours_though_little_happened(self):
        self.write(2)
        self.clock.advance(30 * DAY)
        assert not check_reflection_trigger(self.script)
        self.script.set_option("reflection_every_hours", "24")
        assert check_reflection_trigger(self.script)
        self.npc.memory.reflection.reset(self.clock.seconds())
        self.clock.advance(2 * DAY)
        assert not check_reflection_trigger(self.script), "nothing is new"
        self.write(1)
        assert check_reflection_trigger(self.script)
