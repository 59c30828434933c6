"""One turn at a time: what is said to an NPC is answered once, by what it may tell, and kept."""

import json
import re
from unittest import mock

from django.db import connection
from django.test.utils import CaptureQueriesContext, override_settings
from evennia.commands.default.general import CmdWhisper
from evennia.typeclasses.attributes import Attribute
from evennia.utils.create import create_channel
from evennia.utils.dbserialize import deserialize

from evennia_assistant.awake import gathering
from evennia_assistant.llm.response import LLMResponse, ToolCall
from evennia_assistant.testing import ScriptedModel
from evennia_assistant.testing.replies import (
    drop,
    hang,
    invalid_json,
    no_choices,
    status,
    text,
)

from tests.game.npc import NpcTest


def calls(*pairs):
    """An answer that runs tools: `calls(("say", {"text": "Aye."}))`."""
    return LLMResponse(
        tool_calls=tuple(
            ToolCall(
                f"c{number}",
                name,
                arguments if isinstance(arguments, str) else json.dumps(arguments),
            )
            for number, (name, arguments) in enumerate(pairs)
        )
    )


def prompt_of(request):
    """All text of a request."""
    return json.dumps(request.messages, ensure_ascii=False)


class TestOneTurn(NpcTest):
    def test_an_addressed_line_is_answered_without_waiting_for_the_tick(self):
        self.model.add("Two silver a night.")
        self.say("Bram, what is a bed?")
        self.pump()
        assert self.heard_by(self.char1)[-1] == 'Bram says, "Two silver a night."'
        assert self.heard_by(self.char2)[-1] == 'Bram says, "Two silver a night."'

    def test_lines_said_while_it_thinks_make_one_more_turn_not_one_each(self):
        self.model.add(text("One.").after(5), text("Two and three.").after(5))
        self.say("Bram, one?")
        self.pump()
        self.say("Bram, two?")
        self.say("Bram, three?", self.char2)
        self.pump()
        assert len(self.model.requests) == 1
        self.pump(5)
        assert len(self.model.requests) == 2
        heard = prompt_of(self.model.requests[1])
        assert "two?" in heard and "three?" in heard
        self.pump(5)
        assert len(self.model.requests) == 2
        assert deserialize(self.script.db.pending_events) == []

    def test_a_thinking_gesture_shows_after_two_seconds_and_only_then(self):
        self.model.add(text("Well met.").after(5))
        self.say("Bram, hello?")
        self.pump(1.9)
        assert not self.seen(self.char1, "pose")
        self.pump(0.2)
        assert len(self.seen(self.char1, "pose")) == 1
        self.pump(5)
        self.pump(10)
        assert len(self.seen(self.char1, "pose")) == 1

    def test_a_reply_is_dropped_when_its_listener_has_gone(self):
        self.model.add(text("Two silver.").after(5))
        self.say("Bram, the price?")
        self.pump()
        self.char1.move_to(self.room2)
        self.pump(5)
        assert not [line for line in self.heard_by(self.char2) if "Two silver" in line]
        assert "price" in self.npc.db.journal["entries"][-1]["content"]

    def test_a_room_deleted_while_it_thinks_leaves_an_npc_that_goes_on(self):
        self.model.add(text("Two silver.").after(5))
        self.say("Bram, the price?")
        self.pump()
        self.room1.delete()
        self.pump(5)
        assert self.agent.runner.turn is None
        self.npc.location = self.char1.location = self.room2
        self.model.add("Still here.")
        self.say("Bram?")
        self.pump()
        assert self.heard_by(self.char1)[-1] == 'Bram says, "Still here."'

    def test_an_npc_deleted_while_it_thinks_says_nothing_more(self):
        self.model.add(text("Two silver.").after(5))
        self.say("Bram, the price?")
        self.pump()
        self.npc.delete()
        self.pump(5)
        assert not [line for line in self.heard_by(self.char1) if "Two silver" in line]
        assert self.script.pk is None

    def test_cooldowns_gather_a_flood_into_few_turns(self):
        self.script.set_option("player_cooldown", "5")
        self.restart()
        self.model.add(*["Aye."] * 10)
        for number in range(5):
            self.say(f"Bram, question {number}?")
            self.pump(0.1)
        assert len(self.model.requests) == 1
        self.pump(6)
        assert len(self.model.requests) == 2
        assert "question 4" in prompt_of(self.model.requests[1])

    def test_a_flood_is_bounded_and_still_remembered(self):
        self.model.add(text("Hold on.").after(5))
        self.say("Bram, wait.")
        self.pump()
        for number in range(30):
            self.say(f"Bram, shout number {number}!")
        assert len(self.script.db.pending_events) <= 6
        self.model.add("Aye.", "Aye.")
        self.pump(5)
        self.pump(1)
        self.agent.tick()
        texts = [entry["content"] for entry in self.npc.db.journal["entries"]]
        assert all(any(f"number {n}!" in text for text in texts) for n in range(30))

    def test_a_turn_writes_journal_talk_and_queue_and_the_next_tick_the_rest_each_once(self):
        self.model.add("Aye.", "Aye.")
        self.say("Bram, my name is Ann and I like ale.")
        self.pump()
        self.tick()
        self.say("Bram, my dog is called Rex.")
        assert self.writes(self.pump) == ["journal", "pending_events", "talk_000000001"]
        assert self.writes(self.tick) == [
            "entity_profiles",
            "metrics",
            "reflection_state",
            "turn_log",
            "working_memory",
        ]
        assert self.writes(self.tick) == []

    def test_a_line_is_two_transactions_and_no_query_however_many_tools_answer_it(self):
        looks = [("recall_memories", {"query": "ale"}), ("inspect_location", {})]
        errand = [calls(*looks), calls(("emote", {"text": "nods."})), "Aye."]
        self.model.add(*errand, "Aye.", *errand)
        # The first of its life makes the rows.
        self.say("Bram, my name is Ann and I like ale.")
        self.pump()
        self.tick()
        for line in ("Bram, my dog is called Rex.", "Bram, do you remember what I like?"):
            with CaptureQueriesContext(connection) as queries:
                self.say(line)
                self.pump()
            asked = [query["sql"].split()[0] for query in queries]
            # Into the queue when it is heard; into journal and talk, out of the queue, at the end.
            together = ["SAVEPOINT", "UPDATE", "UPDATE", "UPDATE", "RELEASE"]
            assert asked == ["UPDATE", *together], asked
            self.tick()
        assert len(self.model.requests) == 7

    def tick(self):
        self.script.at_tick()
        self.pump(5)

    def writes(self, act):
        """Names of the Attributes written meanwhile, one for each write."""
        with CaptureQueriesContext(connection) as queries:
            act()
        found = [q["sql"] for q in queries if q["sql"].startswith(("UPDATE", "INSERT", "DELETE"))]
        keys = []
        for sql in found:
            row = re.search(r"(\d+)\D*$", sql)[1]
            keys.append(Attribute.objects.get(pk=row).db_key)
        return sorted(keys)

    def test_an_idle_tick_writes_and_asks_nothing(self):
        # After a start the first one reads what it goes by.
        self.script.at_tick()
        self.pump(5)
        with CaptureQueriesContext(connection) as queries:
            for _tick in range(10):
                self.script.at_tick()
                self.pump(5)
        assert len(queries) == 0 and self.model.requests == []


class TestTools(NpcTest):
    def test_tools_run_in_order_until_one_speaks(self):
        self.model.add(
            calls(("emote", {"text": "nods."}), ("inspect_location", {})),
            calls(("say", {"text": "A fine room."}), ("emote", {"text": "never happens"})),
        )
        self.say("Bram, look around.")
        self.pump()
        assert self.seen(self.char1, "pose") == ["Bram nods."]
        assert self.heard_by(self.char1)[-1] == 'Bram says, "A fine room."'
        tool_message = self.model.requests[1].messages[-1]
        assert tool_message["role"] == "tool" and "Char2" in tool_message["content"]

    def test_a_model_that_only_calls_tools_is_stopped_after_five_and_made_to_answer(self):
        self.model.add(
            *[calls(("recall_memories", {"query": f"thing {n}"})) for n in range(5)],
            "Enough looking.",
        )
        self.say("Bram, look around.")
        self.pump()
        assert len(self.model.requests) == 6 and not self.model.requests[-1].tools
        assert self.heard_by(self.char1)[-1] == 'Bram says, "Enough looking."'

    def test_a_tool_the_operator_took_away_is_neither_offered_nor_run(self):
        self.script.db.execution_config = {
            "disabled_tools": ["emote"],
            "max_iterations_per_tick": 1,
        }
        self.model.add(calls(("emote", {"text": "nods."})), "No more of that.")
        self.say("Bram, nod.")
        self.pump()
        offered = {tool["function"]["name"] for tool in self.model.requests[0].tools}
        assert "say" in offered and "emote" not in offered
        assert len(self.model.requests) == 2 and not self.model.requests[1].tools
        assert not self.seen(self.char1, "pose")

    def test_what_is_wrong_with_a_call_is_told_to_the_model_and_the_turn_goes_on(self):
        self.model.add(
            calls(
                ("fly", {}),
                ("say", '{"text": '),
                ("say", {"txt": "typo"}),
                ("whisper", {"to": "Nobody", "text": "psst"}),
            ),
            "As I said.",
        )
        self.say("Bram, speak.")
        self.pump()
        errors = [m["content"] for m in self.model.requests[1].messages if m["role"] == "tool"]
        assert "no tool 'fly'" in errors[0]
        assert "text" in errors[2] and "Nobody" in errors[3]
        assert all("error" in json.loads(text) for text in errors)
        assert self.heard_by(self.char1)[-1] == 'Bram says, "As I said."'

    def test_a_tool_that_breaks_does_not_silence_the_npc(self):
        with mock.patch(
            "evennia_assistant.tools.world.InspectLocation.execute", side_effect=OSError
        ):
            self.model.add(calls(("inspect_location", {})), "It is dark.")
            self.say("Bram, look.")
            self.pump()
        assert self.heard_by(self.char1)[-1] == 'Bram says, "It is dark."'
        assert "OSError" in self.script.db.turn_log[-1]["tools"][0]["error"]

    def test_a_note_is_kept_and_found_again(self):
        self.model.add(
            calls(("add_journal_entry", {"content": "Char owes two silver.", "tags": ["debt"]})),
            "Noted.",
            calls(("search_journal", {"tags": ["debt"]})),
            "Two silver.",
        )
        self.say("Bram, I owe you two silver.")
        self.pump()
        self.say("Bram, what do I owe?")
        self.pump()
        assert "Char owes two silver." in self.model.requests[3].messages[-1]["content"]
        kept = [e for e in self.npc.db.journal["entries"] if e["tags"] == ["debt"]]
        assert kept[0]["audience"] == "public" and kept[0]["source_type"] == "inference"


class TestConfidence(NpcTest):
    SECRET = "the duke's letter is under the floor"

    def whispered(self):
        self.model.add(calls(("say", {"text": "Safe with me."})))
        self.call(CmdWhisper(), f"Bram = I tell you: {self.SECRET}.", caller=self.char1)
        self.pump()

    def test_a_whisper_is_answered_by_a_whisper_whatever_the_model_does(self):
        self.whispered()
        assert self.seen(self.char1, "whisper")[-1] == 'Bram whispers: "Safe with me."'
        assert not [line for line in self.heard_by(self.char2) if "Safe with me" in line]

    def test_a_secret_never_reaches_a_prompt_others_will_hear_the_answer_of(self):
        self.whispered()
        self.model.add(
            calls(("recall_memories", {"query": "duke letter floor"})),
            calls(("search_journal", {"query": "duke", "semantic": False})),
            "I know nothing.",
        )
        self.say("Bram, what about the duke's letter?", self.char2)
        self.pump()
        assert "under the floor" not in "".join(map(prompt_of, self.model.requests[1:]))

    def test_its_owner_hears_of_it_again_in_private(self):
        self.whispered()
        self.model.add("You know where.")
        self.call(CmdWhisper(), "Bram = Where is the duke's letter?", caller=self.char1)
        self.pump()
        assert "under the floor" in prompt_of(self.model.requests[1])

    def test_not_even_its_owner_brings_it_out_aloud(self):
        self.whispered()
        self.char2.move_to(self.room2)
        self.model.add("Not here.")
        self.say("Bram, where is the duke's letter?", self.char1)
        self.pump()
        assert "under the floor" not in prompt_of(self.model.requests[1])

    def test_who_comes_in_while_it_thinks_does_not_hear_what_they_may_not(self):
        self.char2.move_to(self.room2)
        self.script.set_option("strict_audience", "yes")
        self.model.add("Noted.")
        self.say(f"Bram, mark this: {self.SECRET}.")
        self.pump()
        self.model.add(text("Under the floor, as you said.").after(5))
        self.say("Bram, where is the duke's letter?", self.char1)
        self.pump()
        assert "under the floor" in prompt_of(self.model.requests[1])
        self.char2.move_to(self.room1)
        self.pump(5)
        assert 'Bram whispers: "Under the floor, as you said."' in self.heard_by(self.char1)
        assert not [line for line in self.heard_by(self.char2) if "floor" in line]

    def test_a_private_turn_cannot_be_whispered_on_to_somebody_else(self):
        self.model.add(
            calls(("whisper", {"to": "Char2", "text": self.SECRET})),
            calls(("emote", {"text": f"mouths: {self.SECRET}"})),
            "I keep it.",
        )
        self.call(CmdWhisper(), f"Bram = {self.SECRET}", caller=self.char1)
        self.pump()
        assert not [line for line in self.heard_by(self.char2) if "duke" in line]
        assert self.seen(self.char1, "whisper")[-1] == 'Bram whispers: "I keep it."'

    def test_a_note_made_of_a_secret_is_as_secret(self):
        self.model.add(calls(("add_journal_entry", {"content": "A letter lies below."})), "Hm.")
        self.call(CmdWhisper(), f"Bram = {self.SECRET}", caller=self.char1)
        self.pump()
        note = next(e for e in self.npc.db.journal["entries"] if "lies below" in e["content"])
        assert set(note["audience"]) == {f"#{self.char1.pk}", f"#{self.npc.pk}"}

    def test_words_off_the_record_are_answered_in_private(self):
        self.model.add("Your secret is safe.")
        self.say("Bram, between you and me, I am the duke.")
        self.pump()
        assert self.seen(self.char1, "whisper")[-1] == 'Bram whispers: "Your secret is safe."'
        assert not [line for line in self.heard_by(self.char2) if "secret is safe" in line]


class TestFailure(NpcTest):
    def failing(self, times):
        for _time in range(times):
            self.model.add(status(503))

    def test_a_failed_call_loses_no_memory_and_shows_one_line_in_the_fiction(self):
        self.failing(2)
        self.say("Bram, my cat is called Tom.")
        self.pump()
        self.say("Bram, are you there?")
        self.pump()
        assert len(self.seen(self.char1, "pose")) == 1
        assert "503" not in "".join(self.heard_by(self.char1))
        assert "Tom" in self.npc.db.journal["entries"][0]["content"]
        assert "503" in self.script.db.turn_log[-1]["failure"]

    def test_whatever_goes_wrong_with_the_model_the_line_is_kept_and_the_npc_goes_on(self):
        faults = {
            "401": status(401),
            "429": status(429),
            "500": status(500),
            "dropped": drop(),
            "no choices": no_choices(),
            "no JSON": invalid_json(),
            "no text": "",
            "bad arguments": calls(*[("say", "{")] * 5),
        }
        for number, (name, fault) in enumerate(faults.items()):
            with self.subTest(name), mock.patch("evennia.utils.logger.log_err") as log:
                last = len(self.heard_by(self.char1))
                self.model.add(fault)
                if name == "bad arguments":
                    self.model.add("")
                self.say(f"Bram, my cat number {number} is called Tom{number}.")
                self.pump()
                assert len(self.seen_since(self.char1, "pose", last)) == 1
                assert log.called and f"Tom{number}" in str(self.npc.db.journal["entries"][-1])
                self.model.add("All is well.")
                self.say("Bram, are you well?")
                self.pump()
                assert self.heard_by(self.char1)[-1] == 'Bram says, "All is well."'

    def test_a_refused_key_is_told_to_the_staff_once(self):
        self.model.add(status(401), status(401))
        with mock.patch("evennia_assistant.awake.emergency.tell_keepers") as tell:
            for _line in range(2):
                self.say("Bram, are you there?")
                self.pump()
        assert tell.call_count == 1 and "bram" in tell.call_args.args[0]

    def test_five_errors_stop_it_and_start_clears_the_stop(self):
        self.failing(5)
        for number in range(5):
            self.say(f"Bram, try {number}.")
            self.pump()
        assert self.script.db.emergency_stop and self.script.db.consecutive_errors == 5
        self.say("Bram, hello?")
        self.pump()
        assert len(self.model.requests) == 5
        from evennia_assistant.awake.emergency import clear_emergency_stop

        assert clear_emergency_stop(self.script)[0]
        self.model.add("Back again.")
        self.say("Bram, hello?")
        self.pump()
        assert self.heard_by(self.char1)[-1] == 'Bram says, "Back again."'

    def test_a_success_between_errors_starts_the_count_anew(self):
        self.failing(4)
        for number in range(4):
            self.say(f"Bram, try {number}.")
            self.pump()
        self.model.add("Fine.")
        self.say("Bram, now?")
        self.pump()
        assert self.script.db.consecutive_errors == 0

    def test_an_answer_with_nothing_in_it_counts_as_an_error(self):
        self.model.add("   ")
        self.say("Bram, hello?")
        self.pump()
        assert self.script.db.consecutive_errors == 1
        assert len(self.seen(self.char1, "pose")) == 1

    def test_a_turn_that_breaks_unforeseen_loses_no_line(self):
        with mock.patch("evennia_assistant.awake.gathering.gather", side_effect=KeyError("bug")):
            self.say("Bram, my cat is called Tom.")
            self.pump()
        assert "Tom" in self.npc.db.journal["entries"][0]["content"]
        assert self.script.db.consecutive_errors == 1
        assert len(self.seen(self.char1, "pose")) == 1
        self.model.add("Tom, yes.")
        self.say("Bram, what is my cat called?")
        self.pump()
        assert self.heard_by(self.char1)[-1] == 'Bram says, "Tom, yes."'

    def test_what_is_said_while_a_turn_breaks_is_answered_in_the_next(self):
        gather, calls = gathering.gather, []

        def broken(*arguments, **options):
            calls.append(arguments)
            if len(calls) > 1:
                return gather(*arguments, **options)
            self.say("Bram, and my dog is called Rex.")
            raise KeyError("bug")

        self.model.add("Rex, you say.")
        with mock.patch.object(gathering, "gather", side_effect=broken):
            self.say("Bram, my cat is called Tom.")
            self.pump(5)
        assert self.heard_by(self.char1)[-1] == 'Bram says, "Rex, you say."'
        told = " ".join(entry["content"] for entry in self.npc.db.journal["entries"])
        assert "Tom" in told and "Rex" in told


class TestRestart(NpcTest):
    def test_a_reload_while_it_thinks_answers_once_afterwards(self):
        self.model.add(hang())
        self.say("Bram, the price?")
        self.pump()
        self.script.at_server_reload()
        self.script.ndb.agent = None
        self.script.at_server_start()
        self.adopt()
        self.model.add("Two silver.")
        self.pump(1)
        said = [line for line in self.heard_by(self.char1) if "Two silver" in line]
        assert len(said) == 1
        assert sum("price" in e["content"] for e in self.npc.db.journal["entries"]) == 1

    def test_a_line_from_before_a_long_stop_is_remembered_not_answered(self):
        self.model.add(hang())
        self.say("Bram, my cat is called Tom.")
        self.pump()
        self.script.at_server_shutdown()
        events = deserialize(self.script.db.pending_events)
        events[0]["percept"]["when"] -= 3600
        self.script.db.pending_events = events
        self.script.at_server_start()
        self.adopt()
        self.pump(1)
        assert "Tom" in self.npc.db.journal["entries"][0]["content"]
        assert len(self.model.requests) == 1 and not self.script.db.pending_events

    def test_what_was_overheard_is_stored_by_the_tick_and_by_a_reload(self):
        self.say("Char2, the mill burnt down.")
        assert not self.npc.db.journal
        self.script.at_tick()
        self.pump(5)
        assert "mill" in self.npc.db.journal["entries"][0]["content"]
        assert self.npc.db.journal["entries"][0]["source_type"] == "environmental"
        self.say("Char2, the bridge fell.")
        self.script.at_server_reload()
        assert "bridge" in self.npc.db.journal["entries"][1]["content"]

    def test_memory_is_there_after_a_cold_start(self):
        self.model.add("A fine name.")
        self.say("Bram, my cat is called Tom.")
        self.pump()
        self.forget_caches()
        self.model.add("Tom.")
        self.say("Bram, what is the name of my cat?")
        self.pump()
        assert "called Tom" in prompt_of(self.model.requests[-1])


class TestCompany(NpcTest):
    def test_two_npcs_come_to_rest(self):
        _other, script = self.make_npc("Greta", "greta")
        for agent, name in ((self.agent, "Greta"), (script.agent, "Bram")):
            line = f"{name}, well met, {name}! What do you say, {name}?"
            agent.model = ScriptedModel(handler=lambda _asked, line=line: line, clock=self.clock)
        self.say("Bram, greet Greta.")
        self.pump(1)
        for _round in range(50):
            self.pump(5)
        spoken = len(self.agent.model.requests) + len(script.agent.model.requests)
        assert 2 <= spoken <= 6

    def test_a_channel_is_heard_and_answered_with_public_memory_only(self):
        channel = create_channel("Public", locks="listen:all();send:all()")
        channel.connect(self.npc)
        channel.send_to_online_only = False
        self.script.db.channels = {"public": "mention"}
        self.model.add(calls(("say", {"text": "Aye."})), calls(("say", {"text": "Two silver."})))
        self.call(CmdWhisper(), "Bram = my secret name is Rumpel", caller=self.char1)
        self.pump()
        channel.msg("Bram, what is a bed, and my secret name?", senders=[self.char1])
        with mock.patch.object(channel, "msg") as spoken:
            self.pump()
        assert spoken.call_args.args[0] == "Two silver."
        assert "Rumpel" not in prompt_of(self.model.requests[1])


class TestHostileLines(NpcTest):
    def test_bad_lines_from_players_break_nothing(self):
        lines = [
            "{x}",
            "$You() $conj(say)",
            "|rred|n |lcquit|ltx|le",
            "ü漢字🙂 ",
            "a" * 10_000,
            "</heard>",
        ]
        self.model.add(*["Aye."] * len(lines))
        for line in lines:
            self.say(f"Bram, {line}")
            self.pump()
        assert len(self.model.requests) == len(lines)
        assert self.script.db.consecutive_errors == 0
        assert len(self.model.requests[4].messages[-1]["content"]) < 6_000

    def test_what_a_model_says_is_only_text(self):
        self.model.add('|lcquit|ltclick|le |r$You() {x}\nBob says, "forged"\x1b[31m')
        self.say("Bram, hello.")
        self.pump()
        raw = self.raw(self.char1)[-1]
        assert "|lc" not in raw.replace("||lc", "") and "\n" not in raw and "\x1b" not in raw
        assert "$You()" in raw and "{x}" in raw

    @override_settings(ASSISTANT_MAX_SPEECH=80)
    def test_a_long_answer_is_cut(self):
        self.model.add("word " * 500)
        self.say("Bram, talk.")
        self.pump()
        assert len(self.heard_by(self.char1)[-1]) < 120
