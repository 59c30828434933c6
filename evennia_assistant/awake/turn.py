"""
One turn: one coherent answer to the lines that were said.

The same code runs for the offline brain and for a real model: what may be done, the prompt, and the
loop (`awake.react`) until a tool that speaks has run. Between two steps the world may change, so
everything is fetched anew after each `yield`, and an answer nobody is left to hear is dropped.

"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from twisted.internet.defer import Deferred, inlineCallbacks

from ..errors import InvalidArguments, ModelAnswerError, ToolError, ToolRefused
from ..llm.response import LLMResponse, ToolCall
from ..llm.tool_forms import JsonTools, NativeTools
from ..memory.journal import RECALLED
from ..mind.contexts import determine_context_type
from ..mind.extraction import at_their_word, repeats
from ..mind.percept import Percept
from ..mind.scene_query import SceneQuery
from ..perception.hearing import entity_id, sentient, those_present
from ..prompts.assembly import build_messages
from ..prompts.registry import registry_of
from ..tools import Tool, ToolCategory, get_tool, load_tools, offered_to
from . import gathering, recalling, speech
from . import material as materials
from .assessing import assess
from .dropped import TurnDropped
from .execution import Outcome
from .react import Ended, execute_react_loop
from .scene_search import search_scenes
from .talk_lines import search_talks
from .tool_cache import ToolCache
from .topic_recall import list_topics, open_topic


class Turn:
    """
    One answer of one NPC.

    Args:
        agent: The NPC's `Agent`.
        percepts: The lines to answer, all of one kind (aloud, in confidence, or on one channel).
        number: Of its record in the trace; None for a turn that gets none.

    """

    #: Tools offered besides those the NPC has in every conversation.
    also_offered: tuple[str, ...] = ()

    def __init__(
        self,
        agent: Any,
        percepts: Sequence[Percept],
        material: materials.Material | None = None,
        *,
        number: int | None = None,
    ) -> None:
        self.agent = agent
        self.percepts = tuple(percepts)
        self.number = number
        self.started = agent.now()
        self.context_type = determine_context_type(has_pending_events=bool(percepts))
        self.material = material or materials.begin(agent.npc, percepts)
        self.place = agent.npc.location
        self.cache = ToolCache()
        #: DANGEROUS tools that were run.
        self.dangerous = 0
        self.said: list[dict[str, Any]] = []
        self.tools: list[dict[str, Any]] = []
        self.tokens = {"prompt": 0, "completion": 0}
        self.model = ""
        self.calls = 0
        self.assessed: dict[str, Any] = {}
        self.ended: Ended | None = None
        self.closed: str | None = None

    @classmethod
    def of_itself(cls, agent: Any, material: materials.Material) -> Turn:
        """A turn that nobody spoke for: the NPC acts, or does nothing, of its own accord."""
        turn = cls(agent, (), material)
        # The goal it acts for may be reached by it.
        turn.also_offered = ("complete_goal",)
        return turn

    # Running --------------------------------------------------------------------------------

    @inlineCallbacks
    def run(self) -> Generator[Deferred[Any], Any, None]:
        """
        Think and answer.

        Raises:
            TurnDropped: If nobody is left to hear the answer, or the turn was closed.
            ModelError: If the model could not be asked or its answer not used.

        """
        yield self.agent.npc.memory.prepare()
        npc = self._npc()
        yield npc.memory.warm(gathering.query_of(npc, self.material))
        npc = self._npc()
        npc.ndb.assistant_turn = self
        try:
            load_tools()
            assessment = yield assess(self)
            npc, registry = self._npc(), registry_of(self.agent.script)
            pattern = registry.pattern(self.context_type, assessment)
            offered = [
                tool.name
                for tool in offered_to(npc, self.also_offered)
                if pattern.allows(tool.name, tool.category.value) and self._may_have(tool)
            ]
            schemas = [get_tool(name, offered).schema() for name in offered]
            native = self.agent.takes_tools()
            form = NativeTools(schemas) if native else JsonTools(offered)
            layout = registry.layout(self.context_type, schemas, native=native)
            context = gathering.gather(npc, self.material, self.agent.now(), form.schemas, layout)
            messages = build_messages(context, form.schemas)
            yield execute_react_loop(self, messages, form, offered, pattern)
        finally:
            if self.agent.exists and self.agent.npc.ndb.assistant_turn is self:
                del self.agent.npc.ndb.assistant_turn

    def _may_have(self, tool: Tool) -> bool:
        """Where nobody's words led here, nobody's rights would hold a DANGEROUS tool back."""
        return bool(self.percepts) or tool.category is not ToolCategory.DANGEROUS

    @inlineCallbacks
    def ask(
        self, messages: list[dict[str, Any]], schemas: list[dict[str, Any]] | None
    ) -> Generator[Deferred[Any], Any, LLMResponse]:
        """Ask the model; what it costs is counted."""
        self.calls += 1
        answer: LLMResponse = yield self.agent.ask(messages, schemas)
        self.check_open()
        self.tokens["prompt"] += answer.usage.prompt_tokens
        self.tokens["completion"] += answer.usage.completion_tokens
        self.model = answer.model
        return answer

    def answer_plainly(self, words: str) -> None:
        """
        Say what the model answered without a tool.

        Raises:
            ModelAnswerError: If there is nothing in it to say, and nothing was said or shown.

        """
        if self.spoken or (self.said and not words.strip()):
            return
        if not self.percepts and not words.strip(" \n.()*"):
            # Nobody waits for an answer, and nothing is one as well.
            return
        try:
            self.say(words)
        except ToolError as err:
            raise ModelAnswerError(f"The model's answer could not be said: {err}") from err

    # What the loop and its tools leave behind -----------------------------------------------------

    @property
    def spoken(self) -> bool:
        """Whether anything was said; a gesture is no speech."""
        return any(line["manner"] != "emote" for line in self.said)

    def noted(self, name: str, written: str, outcome: Outcome) -> None:
        """Keep a tool call for the trace."""
        trace: dict[str, Any] = {"tool": name, "arguments": written}
        if outcome.ok:
            trace["ok"] = True
        else:
            told = outcome.result.get("error") or outcome.result.get("waiting")
            trace["error"] = str(told)[:300]
        self.tools.append(trace)

    def noted_unrun(self, call: ToolCall, why: str) -> None:
        """Keep for the trace that a call was not run."""
        self.tools.append(
            {"tool": call.name[:60], "arguments": str(call.arguments)[:300], "error": why}
        )

    def unreadable(self, written: str, why: str) -> None:
        """Keep for the trace what was meant as a call."""
        self.tools.append({"tool": "(unreadable)", "arguments": written[:300], "error": why[:300]})

    # Whether it goes on --------------------------------------------------------------------

    def check_open(self) -> None:
        """
        Go on if the turn may.

        Raises:
            TurnDropped: If it was closed, or the NPC is gone.

        """
        if self.closed:
            raise TurnDropped(self.closed)
        if not self.agent.exists:
            raise TurnDropped("the NPC is gone")

    def somebody_listens(self) -> bool:
        """Whether one of those it speaks to is still there; not asked where the NPC itself went."""
        npc = self._npc()
        if self.material.manner == "channel" or npc.location != self.place:
            return True
        partners = [self.agent.find(who) for who in self.material.partners]
        return any(who is not None and who.location == npc.location for who in partners)

    def drop(self, ended: Ended, why: str) -> None:
        """
        End the turn without an answer.

        Raises:
            TurnDropped: Always.

        """
        self.ended = ended
        raise TurnDropped(why)

    def _npc(self) -> Any:
        """The NPC as it is now."""
        self.check_open()
        return self.agent.npc

    def close(self, reason: str) -> None:
        """Let nothing more come of this turn."""
        self.closed = self.closed or reason

    # What tools ask of a turn ------------------------------------------------------------------

    def say(self, text: str, to: str | None = None) -> dict[str, Any]:
        """
        Answer in the manner of this turn: aloud, by whisper, or on the channel.

        Raises:
            ToolRefused: If nothing in the text can be said.
            TurnDropped: If nobody is left to hear it.

        """
        if self.material.manner == "whisper":
            return self._whisper_to(self._partners(), text)
        npc = self._npc()
        words = self._words(npc, text)
        if self.material.manner == "channel":
            channel = self.agent.channel(self.percepts[0].channel)
            if channel is None:
                raise TurnDropped("the channel is gone")
            speech.on_channel(npc, words, channel)
            return self._spoken("channel", words, self.material.listeners)
        partners = self._partners()
        hearers = those_present(npc.location, npc, "say")
        me = entity_id(npc)
        if not self.material.may_be_told_to([who for who in hearers if who != me]):
            # Someone came in who may not know what this answer draws on.
            return self._whisper_to(partners, text)
        if not speech.say(npc, words):
            raise ToolRefused("You cannot speak here.")
        return self._spoken("say", words, hearers)

    def whisper(self, text: str, to: str) -> dict[str, Any]:
        """
        Whisper to one person.

        Raises:
            ToolRefused: If there is nobody of that name here, or they may not be told.
            TurnDropped: If nobody is left to hear it.

        """
        partners = self._partners()
        wanted = to.strip().casefold()
        npc = self._npc()
        target = next(
            (
                who
                for who in [*partners, *self._others_present(npc)]
                if wanted in (who.key.casefold(), who.get_display_name(npc).casefold())
            ),
            None,
        )
        if target is None:
            raise ToolRefused(f"There is nobody called {to} here.")
        if not self.material.may_be_told_to([entity_id(target) or ""]):
            raise ToolRefused(f"{to} may not be told that.")
        return self._whisper_to([target], text)

    def emote(self, text: str) -> dict[str, Any]:
        """
        Show a gesture.

        Raises:
            ToolRefused: If the turn is a private one that others must not notice.

        """
        npc = self._npc()
        words = self._words(npc, text)
        hearers = [h for h in those_present(npc.location, npc, "emote") if h != entity_id(npc)]
        if self.material.manner == "channel":
            raise ToolRefused("Nobody on a channel sees what you do.")
        if not self.material.may_be_told_to(hearers):
            raise ToolRefused("This is a private word; a gesture would show it to others.")
        speech.emote(npc, words)
        self.said.append({"manner": "emote", "text": words})
        return {"shown": words}

    def recall_topic(self, topic: str, *, query: str = "", limit: int) -> dict[str, Any]:
        """
        What a topic holds, or which topics there are, as far as the listeners may be told.

        Raises:
            ToolRefused: If there is no such topic.

        """
        now = self.agent.now()
        if not topic:
            return list_topics(self._npc(), self.material)
        return open_topic(self._npc(), self.material, topic, now=now, query=query, limit=limit)

    def recall(self, query: str, *, limit: int, deep: bool = False) -> list[dict[str, Any]]:
        """Memories on a question, as far as the listeners of this turn may be told."""
        return recalling.recall_for(
            self._npc(), self.material, query, now=self.agent.now(), limit=limit, deep=deep
        )

    def fragments(self, query: str, *, limit: int) -> str:
        """Pieces of memories in no order, as far as the listeners of this turn may be told."""
        return recalling.fragments_for(
            self._npc(), self.material, query, now=self.agent.now(), limit=limit, seed=self.started
        )

    def search_journal(self, **criteria: Any) -> dict[str, Any]:
        """Journal entries by words, tags and age, as far as the listeners may be told."""
        return recalling.search_for(self._npc(), self.material, self.agent.now(), **criteria)

    def search_memory(self, asked: SceneQuery, *, limit: int) -> Deferred[list[dict[str, Any]]]:
        """What was lived through, by scene, as far as the listeners of this turn may be told."""
        self._npc()
        return search_scenes(self, asked, limit=limit)

    def search_talks(self, query: str, *, partner: str | None, limit: int) -> list[dict[str, Any]]:
        """What was said in earlier talks, as far as the listeners of this turn may be told."""
        return search_talks(
            self._npc(), self.material, self.agent.now(), query, partner=partner, limit=limit
        )

    def note(self, content: str, **fields: Any) -> dict[str, Any]:
        """
        Write a journal entry that only those may be told of who may be told all it rests on.

        One that only repeats what this turn recalled is marked, so that no night makes a second
        fact of it.

        Raises:
            ValueError: As `Journal.add` does.

        """
        partner, name = next(iter(self.material.speakers.items()), (None, None))
        witnesses = self.percepts[0].witnesses if self.percepts else self.material.listeners
        fields.setdefault("source_type", "inference")
        fields.setdefault("source_entity", name)
        if partner is not None:
            fields.update(at_their_word(fields, self.material.speakers.values()))
        memory = self._npc().memory
        recalled = [memory.index.get_for_keeper(key) for key in self.material.recalled]
        if repeats(content, [item.text for item in recalled if item is not None]):
            fields["tags"] = [*fields.get("tags", ()), RECALLED]
        if self.material.confidential:
            # As a whisper is one: it is never said aloud, before its owner alone neither.
            fields["tags"] = [*fields.get("tags", ()), "whisper"]
        return memory.write(
            content,
            when=self.agent.now(),
            audience=self.material.audience(),
            witnesses=list(witnesses),
            source_id=partner,
            **fields,
        )

    # Speaking --------------------------------------------------------------------------------

    def _partners(self) -> list[Any]:
        """Those who spoke, or are spoken to, and are still within earshot."""
        npc = self._npc()
        found = [self.agent.find(who) for who in self.material.partners]
        here = [who for who in found if who is not None and who.location == npc.location]
        if self.material.manner != "channel" and (npc.location is None or not here):
            self.drop(Ended.LISTENER_GONE, "nobody is left to hear the answer")
        return here

    def _others_present(self, npc: Any) -> list[Any]:
        return [who for who in npc.location.contents if sentient(who) and who is not npc]

    def _words(self, npc: Any, text: str) -> str:
        words = speech.sayable(npc, text, others=list(self.material.partners.values()))
        if not words:
            raise InvalidArguments("There is nothing in that text that could be said.")
        return words

    def _whisper_to(self, receivers: list[Any], text: str) -> dict[str, Any]:
        npc = self._npc()
        words = self._words(npc, text)
        allowed = [who for who in receivers if self.material.may_be_told_to([entity_id(who) or ""])]
        if not allowed:
            raise ToolRefused("Nobody here may be told that.")
        if not speech.whisper(npc, words, allowed):
            raise ToolRefused("You cannot whisper here.")
        return self._spoken("whisper", words, [entity_id(who) or "" for who in allowed])

    def _spoken(self, manner: str, words: str, hearers: Sequence[str]) -> dict[str, Any]:
        self.said.append({"manner": manner, "text": words, "hearers": list(hearers)})
        return {"said": words, "manner": manner}
