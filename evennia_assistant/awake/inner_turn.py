"""
A turn without a listener: the NPC alone with lines of a conversation, writing in its journal.

It has what the journal tools ask of a turn. What they write is held back until the loop is over, so
that a model that fails half-way leaves nothing behind; it then goes into the journal in the write
that marks the lines as looked through.

It is not run by `awake.react`: nobody listens here whose leaving would end it, nothing is said, and
its tools write into no log, for a night tried on a copy must leave no trace in the NPC.

"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from twisted.internet.defer import Deferred, inlineCallbacks
from twisted.python.failure import Failure

from ..errors import ModelAnswerError, ToolError, ToolRefused
from ..llm.response import LLMResponse, ToolCall
from ..llm.structured import parse_arguments
from ..llm.tool_forms import JsonTools, NativeTools, ToolForm
from ..memory.conversation_notes import evidence_of, manner_tags
from ..mind.audience import ANYONE
from ..mind.contexts import CONTEXT_PRE_COMPACTION, JOURNAL_TOOLS
from ..mind.conversation import Part
from ..mind.entry import all_texts, make_entry, words_of
from ..mind.persona_protection import is_self_referential
from ..mind.text import content_terms
from ..prompts.registry import registry_of
from ..tools import get_tool, load_tools
from .material import Material
from .recalling import search_for

#: What a model answers when it has nothing to write down.
DONE = frozenset({"done", "done.", "noop", "nothing", "nothing.", "none", "none."})


@dataclass(frozen=True, slots=True)
class Offer:
    """
    The tools of such a turn.

    Args:
        names: Of the tools.
        schemas: Theirs, in the function form.
        form: How the model is told of them and calls them.
        most: How many of them may run.

    """

    names: Sequence[str]
    schemas: Sequence[dict[str, Any]]
    form: ToolForm
    most: int


def offer_of(script: Any, *, native: bool) -> Offer:
    """
    What an NPC's operator lets the occasion `pre_compaction` have.

    Args:
        script: The AssistantScript.
        native: Whether the model has a tool interface; see `Agent.takes_tools`.

    """
    load_tools()
    pattern = registry_of(script).pattern(CONTEXT_PRE_COMPACTION)
    tools = [get_tool(name, JOURNAL_TOOLS) for name in JOURNAL_TOOLS]
    names = [tool.name for tool in tools if pattern.allows(tool.name, tool.category.value)]
    schemas = [tool.schema() for tool in tools if tool.name in names]
    form = NativeTools(schemas) if native else JsonTools(names)
    return Offer(names, schemas, form, pattern.max_iterations)


class InnerTurn:
    """
    The extraction of one part of a conversation.

    Args:
        agent: The NPC's `Agent`.
        entity_id: The partner.
        part: The lines.
        offer: Its tools.

    """

    def __init__(self, agent: Any, entity_id: str, part: Part, offer: Offer) -> None:
        self.agent = agent
        self.entity_id = entity_id
        self.part = part
        self.offer = offer
        self.percepts = ()
        listeners = part.audience if isinstance(part.audience, tuple) else (ANYONE,)
        self.material = Material((), "whisper" if part.confidential else "say", listeners)
        self.material.audiences.append(part.audience)
        self.problems: list[str] = []
        self._notes: list[tuple[str, dict[str, Any]]] = []
        self._found: set[frozenset[str]] = set()

    @property
    def notes(self) -> int:
        """How many entries are held back."""
        return len(self._notes)

    @inlineCallbacks
    def run(self, messages: list[dict[str, Any]], ask: Any) -> Generator[Deferred[Any], Any, int]:
        """
        Let the model write down what it wants to, with the tools of its context.

        Args:
            messages: The prompt.
            ask: As `Agent.ask`.

        Returns:
            How often the model was asked.

        Raises:
            ModelError: If it could not be asked, or neither used a tool nor said that it is done.

        """
        form = self.offer.form
        used = calls = worked = 0
        while used < self.offer.most:
            answer: LLMResponse = yield ask(messages, form.schemas or None)
            calls += 1
            wanted = form.read(answer)
            if not wanted.calls and not wanted.problems:
                if not worked and wanted.text.strip().casefold() not in DONE:
                    raise ModelAnswerError(
                        "The model was to write in the journal and only talked: "
                        f"{self.problems[-1] if self.problems else 'it used no tool'}"
                    )
                return calls
            results: list[dict[str, Any]] = []
            for call in wanted.calls:
                used += 1
                results.append(self._use(call, used <= self.offer.most))
            worked += sum("error" not in result for result in results)
            for problem in wanted.problems:
                used += 1
                self.problems.append(problem[:200])
                results.append({"error": f"That could not be read: {problem}."})
            messages += form.record(answer, wanted.calls, results)
        if not worked:
            raise ModelAnswerError(f"None of the model's tool calls was of use: {self.problems[0]}")
        return calls

    def _use(self, call: ToolCall, may: bool) -> dict[str, Any]:
        """Run one tool; whatever goes wrong with it becomes text for the model."""
        if not may:
            return {"error": "No more tools now."}
        npc = self.agent.npc
        try:
            tool = get_tool(call.name, self.offer.names)
            arguments = parse_arguments(call.arguments)
            tool.validate(arguments)
            tool.permit(npc, None)
            with self._lent_to(npc):
                result = tool.execute(npc, **arguments)
            if not isinstance(result, dict):
                raise ToolError(f"{tool.name} gave no usable result.")
        except ToolError as err:
            # What a model wrote may be a confidence, and the problems go to a log.
            self.problems.append(f"{type(err).__name__} of a tool")
            return {"error": str(err)[:300]}
        # A tool is somebody else's code: what it raises must not cost the lines their place.
        except Exception as err:
            self.agent.log_failure(f"tool {call.name[:60]}", Failure())
            self.problems.append(f"{call.name[:60]} failed ({type(err).__name__})")
            return {"error": f"{call.name[:60]} failed ({type(err).__name__})."}
        return result

    @contextmanager
    def _lent_to(self, npc: Any) -> Iterator[None]:
        """Be the NPC's turn while a tool runs; a turn that is thinking meanwhile stays its own."""
        before = npc.ndb.assistant_turn
        npc.ndb.assistant_turn = self
        try:
            yield
        finally:
            npc.ndb.assistant_turn = before

    # What the journal tools ask of a turn ---------------------------------------------------------

    def note(self, content: str, **fields: Any) -> dict[str, Any]:
        """
        Hold an entry back for the journal.

        Returns:
            The entry as it will be, without a number.

        Raises:
            ValueError: As `make_entry` does.
            ToolRefused: If it is about the NPC itself, or says what was looked up in the journal.

        """
        texts = all_texts({"content": content, "scene": fields.get("scene")})
        if any(map(is_self_referential, texts)):
            raise ToolRefused("Write about the world or about others, not about yourself.")
        if frozenset(content_terms(content)) in self._found:
            raise ToolRefused("That stands in your journal already.")
        fields.setdefault("source_type", "inference")
        fields.setdefault("source_entity", self.part.partner)
        evidence = list(fields.pop("evidence", ()))
        fields["tags"] = [*fields.get("tags", ()), *manner_tags(self.part)]
        fields["evidence"] = list(dict.fromkeys([*evidence, *evidence_of(self.part.messages)]))
        fields["entities"] = [self.entity_id]
        entry = make_entry(
            0, content, when=self.agent.now(), audience=self.material.audience(), **fields
        )
        self._notes.append((content, {**fields, "audience": entry["audience"]}))
        return {**entry, "id": None}

    def search_journal(self, **criteria: Any) -> dict[str, Any]:
        """As `Turn.search_journal`, as far as those may be told who were there."""
        npc = self.agent.npc
        found = search_for(npc, self.material, self.agent.now(), **criteria)
        for shown in found["entries"]:
            entry = npc.memory.journal.find_anywhere(shown["id"])
            if entry is not None:
                self._found.add(frozenset(content_terms(words_of(entry))))
        return found

    def write_notes(self, memory: Any) -> int:
        """Put what was held back into the journal; the caller saves. How many entries there are."""
        for content, fields in self._notes:
            memory.write(content, when=self.agent.now(), **fields)
        return len(self._notes)
