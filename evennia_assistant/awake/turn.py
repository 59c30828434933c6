"""
One turn: one coherent answer to the lines that were said.

The same code runs for the offline brain and for a real model: prompt, answer, tools, answer, until
a tool that speaks has run. Between two steps the world may change, so everything is fetched anew
after each `yield`, and an answer nobody is left to hear is dropped.

"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from twisted.internet.defer import Deferred, inlineCallbacks, maybeDeferred
from twisted.internet.defer import TimeoutError as DeferredTimeout
from twisted.python.failure import Failure

from ..errors import AssistantError, InvalidArguments, ModelAnswerError, ToolError, ToolRefused
from ..llm.response import LLMResponse, ToolCall
from ..llm.structured import parse_arguments
from ..memory.journal import RECALLED
from ..mind.audience import frozen
from ..mind.contexts import CONTEXT_TICK_EVENT
from ..mind.entry import in_confidence
from ..mind.extraction import repeats
from ..mind.percept import Percept
from ..mind.slots import render_record
from ..perception.hearing import entity_id, sentient, those_present
from ..prompts.assembly import build_messages
from ..prompts.registry import registry_of
from ..tools import ToolCategory, get_tool, load_tools, offered_to
from . import material as materials
from . import speech

#: Categories a model may use in a conversation; DANGEROUS tools are run by hand, with `aiexec`.
OPEN_CATEGORIES = (
    ToolCategory.SAFE_CHAIN,
    ToolCategory.TERMINAL,
    ToolCategory.ASYNC_REQUIRED,
)


class TurnDropped(AssistantError):
    """The turn ended without an answer, for a reason that is nobody's fault."""


class Turn:
    """
    One answer of one NPC.

    Args:
        agent: The NPC's `Agent`.
        percepts: The lines to answer, all of one kind (aloud, in confidence, or on one channel).

    """

    def __init__(self, agent: Any, percepts: Sequence[Percept]) -> None:
        self.agent = agent
        self.percepts = tuple(percepts)
        self.started = agent.now()
        self.material = materials.begin(agent.npc, percepts)
        self.said: list[dict[str, Any]] = []
        self.tools: list[dict[str, Any]] = []
        self.tokens = {"prompt": 0, "completion": 0}
        self.model = ""
        self.calls = 0
        self.closed: str | None = None

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
        yield npc.memory.warm(materials.query_of(npc, self.material))
        npc = self._npc()
        npc.ndb.assistant_turn = self
        try:
            load_tools()
            pattern = registry_of(self.agent.script).pattern(CONTEXT_TICK_EVENT)
            offered = [
                tool.name
                for tool in offered_to(npc)
                if tool.category in OPEN_CATEGORIES
                and pattern.allows(tool.name, tool.category.value)
            ]
            schemas = [get_tool(name, offered).schema() for name in offered]
            context = materials.gather(npc, self.material, self.agent.now(), schemas)
            messages = build_messages(context, schemas)
            yield self._loop(messages, schemas, offered, pattern.max_iterations)
        finally:
            if self.agent.exists and self.agent.npc.ndb.assistant_turn is self:
                del self.agent.npc.ndb.assistant_turn

    @inlineCallbacks
    def _loop(
        self,
        messages: list[dict[str, Any]],
        schemas: list[dict[str, Any]],
        offered: list[str],
        limit: int,
    ) -> Generator[Deferred[Any], Any, None]:
        used = 0
        while used < limit:
            answer: LLMResponse = yield self._ask(messages, schemas)
            if not answer.tool_calls:
                self._plain_answer(answer)
                return
            messages.append(
                {
                    "role": "assistant",
                    "content": answer.content or "",
                    "tool_calls": [call.as_message() for call in answer.tool_calls],
                }
            )
            for call in answer.tool_calls:
                if used >= limit:
                    result, ended = {"error": "No more tools in this turn; answer now."}, False
                else:
                    used += 1
                    result, ended = yield self._run_tool(call, offered)
                messages.append(
                    {
                        "role": "tool",
                        "tool_call_id": call.id,
                        "content": render_record(result),
                    }
                )
                if ended:
                    return
        answer = yield self._ask(messages, None)
        self._plain_answer(answer)

    @inlineCallbacks
    def _ask(
        self, messages: list[dict[str, Any]], schemas: list[dict[str, Any]] | None
    ) -> Generator[Deferred[Any], Any, LLMResponse]:
        self.calls += 1
        answer: LLMResponse = yield self.agent.ask(messages, schemas)
        self._npc()
        self.tokens["prompt"] += answer.usage.prompt_tokens
        self.tokens["completion"] += answer.usage.completion_tokens
        self.model = answer.model
        return answer

    def _plain_answer(self, answer: LLMResponse) -> None:
        if self.said:
            return
        try:
            self.say(answer.content)
        except ToolError as err:
            raise ModelAnswerError(f"The model's answer could not be said: {err}") from err

    @inlineCallbacks
    def _run_tool(
        self, call: ToolCall, offered: list[str]
    ) -> Generator[Deferred[Any], Any, tuple[dict[str, Any], bool]]:
        """Run one tool; whatever goes wrong with it becomes text for the model."""
        trace: dict[str, Any] = {"tool": call.name[:60], "arguments": call.arguments[:300]}
        self.tools.append(trace)
        npc = self._npc()
        try:
            tool = get_tool(call.name, offered)
            arguments = parse_arguments(call.arguments)
            tool.validate(arguments)
            for who in self._requesters():
                tool.permit(npc, who)
            running = maybeDeferred(tool.execute, npc, **arguments)
            result = yield running.addTimeout(
                min(tool.timeout, self.agent.option("default_tool_timeout")), self.agent.clock
            )
            if not isinstance(result, dict):
                raise ToolError(f"{tool.name} gave no usable result.")
            trace["ok"] = True
            return result, tool.category is ToolCategory.TERMINAL
        except ToolError as err:
            trace["error"] = str(err)[:300]
        except DeferredTimeout:
            trace["error"] = f"{call.name} took too long and was given up."
        except TurnDropped:
            raise
        # A tool is somebody else's code. Whatever it raises is named in the log and told to the
        # model; it must not silence the NPC.
        except Exception as err:
            self.agent.log_failure(f"tool {call.name}", Failure())
            trace["error"] = f"{call.name} failed ({type(err).__name__})."
        self._npc()
        return {"error": trace["error"]}, False

    def _requesters(self) -> list[Any]:
        found = [self.agent.find(who) for who in self.material.speakers]
        return [who for who in found if who is not None] or [None]

    def _npc(self) -> Any:
        """The NPC as it is now."""
        if self.closed:
            raise TurnDropped(self.closed)
        if not self.agent.exists:
            raise TurnDropped("the NPC is gone")
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

    def recall(self, query: str, *, limit: int) -> list[dict[str, Any]]:
        """Memories on a question, as far as the listeners of this turn may be told."""
        return materials.recall_for(
            self._npc(), self.material, query, now=self.agent.now(), limit=limit
        )

    def search_journal(self, **criteria: Any) -> list[dict[str, Any]]:
        """Journal entries by words, tags and age, as far as the listeners may be told."""
        found = self._npc().memory.search(
            listeners=self.material.listeners, now=self.agent.now(), **criteria
        )
        if self.material.manner == "say":
            found = [entry for entry in found if not in_confidence(entry)]
        for entry in found:
            self.material.audiences.append(frozen(entry.get("audience")))
            self.material.recalled[f"j{entry['id']}"] = {"score": None}
        return [
            {key: entry[key] for key in ("id", "timestamp", "content", "importance", "tags")}
            for entry in found
        ]

    def note(self, content: str, **fields: Any) -> dict[str, Any]:
        """
        Write a journal entry that only those may be told of who may be told all it rests on.

        One that only repeats what this turn recalled is marked, so that no night makes a second
        fact of it.

        Raises:
            ValueError: As `Journal.add` does.

        """
        partner, name = next(iter(self.material.speakers.items()), (None, None))
        fields.setdefault("source_type", "inference")
        fields.setdefault("source_entity", name)
        memory = self._npc().memory
        recalled = [memory.index.get_for_keeper(key) for key in self.material.recalled]
        if repeats(content, [item.text for item in recalled if item is not None]):
            fields["tags"] = [*fields.get("tags", ()), RECALLED]
        return memory.write(
            content,
            when=self.agent.now(),
            audience=self.material.audience(),
            witnesses=list(self.percepts[0].witnesses),
            source_id=partner,
            **fields,
        )

    # Speaking --------------------------------------------------------------------------------

    def _partners(self) -> list[Any]:
        """Those who spoke and are still within earshot."""
        npc = self._npc()
        found = [self.agent.find(who) for who in self.material.speakers]
        here = [who for who in found if who is not None and who.location == npc.location]
        if self.material.manner != "channel" and (npc.location is None or not here):
            raise TurnDropped("nobody is left to hear the answer")
        return here

    def _others_present(self, npc: Any) -> list[Any]:
        return [who for who in npc.location.contents if sentient(who) and who is not npc]

    def _words(self, npc: Any, text: str) -> str:
        words = speech.sayable(npc, text, others=list(self.material.speakers.values()))
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
