"""
The conversation with a model in which insights come about, and what it expects from now on.

Its first prompt is that of the context `reflection`, each further one of `reflection_cont`.
The model gets memories of one audience and the tools of the journal. What it wants to write down is
gathered here and checked (its evidence must be among what it was shown, and it must not be about
the NPC itself); it is stored by `asleep.reflection`, all at once. Any model may answer with the
insights as JSON instead; one without a tool interface is told of the tools in the prompt.

"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from twisted.internet.defer import Deferred, inlineCallbacks

from ..errors import AssistantError, InvalidArguments, ModelAnswerError, UnknownTool
from ..llm.asking import REPAIR, Ask
from ..llm.json_items import parse_items
from ..llm.response import LLMResponse, ToolCall
from ..llm.structured import parse_arguments
from ..llm.tool_forms import JsonTools, NativeTools, ToolForm
from ..mind.contexts import CONTEXT_REFLECTION, CONTEXT_REFLECTION_CONT
from ..mind.persona_protection import is_self_referential
from ..mind.slots import parse_slots
from ..prompts.assembly import build_messages
from ..prompts.layout import Layout
from ..prompts.parts import TurnContext
from ..prompts.registry import registry_of
from ..tools import get_tool, load_tools
from .foresight import (
    MOST_EXPECTATIONS,
    MOST_QUESTIONS,
    Expected,
    checked_expectation,
    checked_text,
)

MOST_INSIGHTS = 3
MAX_LENGTH = 500
#: Times the model is asked to go on after its tools.
CONTINUED = 2

#: Finds memories of the same audience by a question.
Search = Callable[[str], list[dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Insight:
    """
    A conclusion.

    Args:
        text: In one sentence or two.
        evidence: Ids of the memories it rests on, at least one.

    """

    text: str
    evidence: tuple[str, ...]


class Desk:
    """
    Where a model writes while it reflects; nothing is stored from here.

    Args:
        search: Finds more memories of the same audience.
        now: UTC seconds since the epoch.

    """

    def __init__(self, search: Search, now: float = 0.0) -> None:
        #: The memories the model sees, `{"id", "text"}`, by id.
        self.shown: dict[str, Mapping[str, Any]] = {}
        self.search = search
        self.now = now
        self.insights: list[Insight] = []
        self.expected: list[Expected] = []
        self.questions: list[str] = []
        #: What was not kept, and why.
        self.refused: list[str] = []

    def write(self, text: object, evidence: object) -> dict[str, Any]:
        """
        Note an insight.

        Returns:
            What the model is told.

        """
        words = str(text or "").strip().removeprefix("[SYNTHESIS]").strip()[:MAX_LENGTH]
        named = evidence if isinstance(evidence, list) else [evidence]
        known = tuple(dict.fromkeys(str(name) for name in named if str(name) in self.shown))
        why = None
        if not words:
            why = "there is nothing in it"
        elif is_self_referential(words):
            why = "it is about yourself, not about the world or others"
        elif not known:
            why = "its evidence is none of the memories you were shown"
        elif len(self.insights) >= MOST_INSIGHTS:
            why = f"{MOST_INSIGHTS} insights are enough"
        if why is not None:
            self.refused.append(f"{words[:80]}: {why}")
            return {"error": f"Not written down: {why}."}
        if all(held.text.casefold() != words.casefold() for held in self.insights):
            self.insights.append(Insight(words, known))
        return {"noted": words, "evidence": list(known)}

    def expect(self, text: object, due: object, evidence: object) -> dict[str, Any]:
        """
        Note an expectation.

        Returns:
            What the model is told.

        """
        try:
            found = checked_expectation(text, due, evidence, self.shown, self.now)
            if len(self.expected) >= MOST_EXPECTATIONS:
                raise ValueError(f"{MOST_EXPECTATIONS} expectations are enough")
        except ValueError as err:
            self.refused.append(f"{str(text)[:80]}: {err}")
            return {"error": f"Not written down: {err}."}
        if all(held.text.casefold() != found.text.casefold() for held in self.expected):
            self.expected.append(found)
        return {"noted": found.text, "evidence": list(found.evidence)}

    def ask(self, text: object) -> None:
        """Note a question that stays open."""
        try:
            words = checked_text(text, "a question")
        except ValueError as err:
            self.refused.append(f"{str(text)[:80]}: {err}")
            return
        if words not in self.questions:
            self.questions = [*self.questions, words][:MOST_QUESTIONS]

    @property
    def has_something(self) -> bool:
        """Whether anything was written down."""
        return bool(self.insights or self.expected or self.questions)

    def use(self, call: ToolCall, offered: Sequence[str]) -> dict[str, Any]:
        """Run one tool call; whatever is wrong with it becomes text for the model."""
        try:
            if call.name not in offered:
                raise UnknownTool(f"There is no tool {call.name[:60]!r} here.")
            arguments = parse_arguments(call.arguments)
            if call.name == "search_journal":
                query = arguments.get("query")
                if not isinstance(query, str) or not query.strip():
                    raise InvalidArguments("search_journal needs a query here.")
                found = self.search(query[:500])
                self.shown.update((record["id"], record) for record in found)
                result: dict[str, Any] = {"entries": found}
            elif call.name == "review_journal":
                # It concludes from all that was reviewed, which is what was shown.
                result = self.write(arguments.get("synthesis"), list(self.shown))
            elif arguments.get("due"):
                result = self.expect(
                    arguments.get("content"), arguments["due"], arguments.get("evidence")
                )
            else:
                result = self.write(arguments.get("content"), arguments.get("evidence"))
        except AssistantError as err:
            result = {"error": str(err)}
        return {"tool": call.name[:60], **result}

    def read(self, content: str) -> bool:
        """
        Take insights out of an answer in words.

        Returns:
            Whether the answer says anything: an empty list and `done` do.

        """
        if content.strip().strip(".`*\"'").lower() in ("done", ""):
            return True
        try:
            found, _problems = parse_items(content, "insights")
        except ModelAnswerError:
            return False
        for record in found:
            if not isinstance(record, Mapping):
                continue
            if record.get("expectation"):
                self.expect(record["expectation"], record.get("due"), record.get("evidence"))
            elif record.get("question"):
                self.ask(record["question"])
            else:
                text = record.get("insight") or record.get("content") or record.get("text")
                self.write(text, record.get("evidence"))
        return not found or self.has_something or bool(self.refused)


@inlineCallbacks
def converse(
    script: Any, memories: Sequence[Mapping[str, Any]], desk: Desk, ask: Ask
) -> Generator[Deferred[Any], Any, None]:
    """
    Let a model write insights on a desk.

    Args:
        script: The AssistantScript.
        memories: What it sees first: questions and evidence.
        desk: Takes what it writes.
        ask: Asks the model.

    Raises:
        ModelError: If it could not be asked, or nothing it answered could be used.

    """
    load_tools()
    native = script.agent.takes_tools()
    results: list[dict[str, Any]] = []
    for turn in range(1 + CONTINUED):
        context = CONTEXT_REFLECTION_CONT if turn else CONTEXT_REFLECTION
        offered, schemas = _tools(script, context)
        form: ToolForm = NativeTools(schemas) if native else JsonTools(offered)
        layout = registry_of(script).layout(context, schemas, native=native)
        messages = build_messages(_context(script, layout, memories, results), form.schemas)
        if not turn:
            # What had no room in the prompt was not shown, and is nobody's evidence.
            seen = parse_slots(messages[-1]["content"]).get("memories", [])
            desk.shown = {record["id"]: record for record in seen if "id" in record}
        answer: LLMResponse = yield ask(messages, form.schemas or None)  # type: ignore[arg-type]
        calls = form.read(answer).calls
        if not calls:
            if not desk.read(answer.content):
                yield _repaired(messages, answer, desk, ask)
            return
        most = registry_of(script).pattern(context).max_iterations
        results = [desk.use(call, offered) for call in calls[:most]]
        if len(desk.insights) >= MOST_INSIGHTS:
            return


@inlineCallbacks
def _repaired(
    messages: list[dict[str, Any]], answer: LLMResponse, desk: Desk, ask: Ask
) -> Generator[Deferred[Any], Any, None]:
    """Ask once more for an answer that can be read; none is needed where something is there."""
    if desk.has_something:
        return
    why = 'it is neither a tool call, nor a JSON list of {"insight", "evidence"}, nor "done"'
    again = [
        *messages,
        {"role": "assistant", "content": answer.content[:2000]},
        {"role": "user", "content": REPAIR.format(why=why)},
    ]
    answer = yield ask(again, None)
    if not desk.read(answer.content):
        raise ModelAnswerError("The model's reflection could not be used: there is no JSON in it.")


def _tools(script: Any, context: str) -> tuple[list[str], list[dict[str, Any]]]:
    """Names and schemas of the tools a context offers; insights are to name their evidence."""
    pattern = registry_of(script).pattern(context)
    names = registry_of(script).context(context).tool_filter or ()
    tools = [get_tool(name, names) for name in names]
    offered = [tool for tool in tools if pattern.allows(tool.name, tool.category.value)]
    return [tool.name for tool in offered], [_with_evidence(tool.schema()) for tool in offered]


def _with_evidence(schema: dict[str, Any]) -> dict[str, Any]:
    function = schema["function"]
    if function["name"] != "add_journal_entry":
        return schema
    parameters = {
        "type": "object",
        "properties": {
            "content": function["parameters"]["properties"]["content"],
            "evidence": {"type": "array", "items": {"type": "string"}},
            "due": {"type": "string", "description": "of what you expect: the day, YYYY-MM-DD"},
        },
        "required": ["content", "evidence"],
    }
    return {**schema, "function": {**function, "parameters": parameters}}


def _context(
    script: Any,
    layout: Layout,
    memories: Sequence[Mapping[str, Any]],
    results: Sequence[Mapping[str, Any]],
) -> TurnContext:
    return TurnContext(
        persona_of(script),
        memories=[dict(record) for record in memories],
        tool_results=list(results),
        layout=layout,
    )


def persona_of(script: Any) -> dict[str, Any]:
    """The NPC's name and description; the rest of a persona is for speaking."""
    npc = script.character
    return {
        "name": npc.key,
        "description": str(npc.memory_of_persona().get("description", "")),
    }
