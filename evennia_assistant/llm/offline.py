"""
The offline brain: rules instead of a model, behind the same interface.

It is what answers when no key is set. It reads the prompt a model would get and answers with tool
calls where tools are offered, so that the whole turn (memory, tools, loop, output gate) is the same
for it and for a model. It knows what the prompt tells it and invents nothing. Its parts, in the
order they work:

==========================  ====================================================================
`offline_situation`         reads the prompt
`offline_intents`           says what a line is after, by `offline_patterns`, `offline_wants`
`offline_nonsense`          tells words from none; `offline_vocabulary` has the words it goes by
`offline_gestures`          says what a pose is, and what is done in return
`offline_matching`          finds the memory that answers
`offline_retelling`         passes on somebody's words; `offline_own_words`, the keeper's
`offline_wording`           chooses among its own few lines, `offline_lines`
`offline_recollection`      answers from memory
`offline_acquaintance`      answers about people, and keeps messages between them
`offline_volunteering`      tells news, and what a statement calls to mind
`offline_surroundings`      answers from the scene
`offline_manners`           greets, takes in what it is told, returns a gesture
`offline_answers`           puts it together for everyone who spoke
`offline_initiative`        does what it was set to do while nobody speaks
==========================  ====================================================================

Example:
    ::

        brain = OfflineBrain()
        brain.complete(messages, tools).tool_calls[0].arguments   # '{"text": "Well met, ..."}'

"""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from .offline_answers import Answer, Composer
from .offline_initiative import own_accord
from .offline_lines import LINES
from .offline_phrases import bare
from .offline_situation import SPEAKING, Situation, read_situation
from .response import LLMResponse, ToolCall, Usage

#: How it names itself as a model.
MODEL = "offline"

#: Tries at a line that was not the last one said.
_TRIES = 4


class OfflineBrain:
    """
    Answers a prompt by rule; the same prompt and seed give the same answer.

    Args:
        seed: Varies the choice of lines where a call gives no seed of its own.

    """

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] | None = None,
        *,
        temperature: float | None = None,
        seed: int | None = None,
        **kw: Any,
    ) -> LLMResponse:
        """
        The answer to a prompt, whatever is missing in it.

        Args:
            messages: Chat-completion messages with the data slots of a turn.
            tools: Function schemas; only these are called. None for a plain text answer.
            temperature: Accepted and unused, like any other option of a model.
            seed: Varies the choice of lines.
            **kw: Options of other providers, unused.

        Returns:
            Tool calls where a fitting tool is offered, else content.

        """
        now = read_situation(messages, tools)
        chosen = self.seed if seed is None else seed
        return _response(
            messages, *_act(now, _answer(now, chosen, messages), _count_calls(messages))
        )


def _answer(now: Situation, seed: int, messages: Sequence[Mapping[str, Any]]) -> Answer:
    """An answer that is not the line said last, as far as the rules have another."""
    text = "\n".join(str(m.get("content")) for m in messages if isinstance(m, Mapping))
    mark = zlib.crc32(text.encode("utf-8", "surrogatepass"))
    if now.occasion is not None and not now.heard:
        return own_accord(now, now.occasion, random.Random(f"{seed}|{mark}"))
    last = now.spoken[-1] if now.spoken else ""
    for attempt in range(_TRIES):
        answer = Composer(now, random.Random(f"{seed}|{mark}|{attempt}")).answer()
        if not answer.said or answer.in_one() != last:
            return answer
    if not _asked_again(now):
        return answer
    again = next(lead for lead in LINES["again"] if not last.startswith(lead))
    first, *rest = answer.said
    words = first[1]
    for lead in LINES["again"]:
        words = words.removeprefix(lead)
    return Answer(
        said=((first[0], again + words), *rest),
        look_up=answer.look_up,
        look_around=answer.look_around,
        notes=answer.notes,
        gesture=answer.gesture,
    )


def _asked_again(now: Situation) -> bool:
    """Whether the same was asked just before; another question may well have the same answer."""
    earlier = {bare(line.text) for line in now.before[-1:]}
    return not now.before or any(bare(line.text) in earlier for line in now.heard)


def _act(now: Situation, answer: Answer, called: int) -> tuple[str, tuple[ToolCall, ...]]:
    """An answer as content and tool calls, by the tools there are."""
    calls: list[tuple[str, dict[str, Any]]] = []
    if SPEAKING & now.results.keys() or (answer.silent and now.tools):
        # It spoke, or tried to, in this very turn: once is enough.
        return _numbered("", [("noop", {})] if "noop" in now.tools else [], called)
    if answer.look_up and "recall_memories" in now.tools and "recall_memories" not in now.results:
        return _numbered("", [("recall_memories", {"query": answer.look_up[:200]})], called)
    if answer.look_around and "inspect_location" in now.tools:
        return _numbered("", [("inspect_location", {})], called)
    if "add_journal_entry" in now.tools and "add_journal_entry" not in now.results:
        calls += [("add_journal_entry", _note(now, note)) for note in answer.notes]
    if answer.gesture and "emote" not in now.results:
        calls.append(("emote", {"text": answer.gesture}))
    if not answer.said:
        if "noop" in now.tools:
            calls.append(("noop", {}))
        return _numbered("", calls, called)
    if now.manner == "whisper":
        if "whisper" not in now.tools:
            return _numbered(answer.in_one(), calls, called)
        calls += [("whisper", {"to": name, "text": words}) for name, words in answer.said]
    elif "say" in now.tools:
        calls.append(("say", _say(now, answer)))
    else:
        return _numbered(answer.in_one(), calls, called)
    return _numbered("", calls, called)


def _say(now: Situation, answer: Answer) -> dict[str, Any]:
    arguments = {"text": answer.in_one()}
    if "to" in now.tools["say"] and len(answer.said) == 1 and answer.said[0][0]:
        arguments["to"] = answer.said[0][0]
    return arguments


def _note(now: Situation, note: str) -> dict[str, Any]:
    arguments: dict[str, Any] = {"content": note}
    if "tags" in now.tools["add_journal_entry"]:
        arguments["tags"] = ["asked to remember"]
    return arguments


def _numbered(
    content: str, calls: Sequence[tuple[str, dict[str, Any]]], called: int
) -> tuple[str, tuple[ToolCall, ...]]:
    """Calls with ids that no earlier call of the conversation has."""
    return content, tuple(
        ToolCall(f"offline_{called + n}", name, json.dumps(arguments, ensure_ascii=False))
        for n, (name, arguments) in enumerate(calls, start=1)
    )


def _count_calls(messages: Sequence[Mapping[str, Any]]) -> int:
    calls = (m.get("tool_calls") for m in messages if isinstance(m, Mapping))
    return sum(len(found) for found in calls if isinstance(found, list))


def _response(
    messages: Sequence[Mapping[str, Any]], content: str, calls: tuple[ToolCall, ...]
) -> LLMResponse:
    """With tokens estimated at four characters each, so that the ledger has something to show."""
    asked = sum(len(str(m.get("content") or "")) for m in messages if isinstance(m, Mapping))
    said = len(content) + sum(len(call.arguments) for call in calls)
    return LLMResponse(
        content=content,
        tool_calls=calls,
        usage=Usage(prompt_tokens=asked // 4, completion_tokens=said // 4),
        model=MODEL,
        finish_reason="tool_calls" if calls else "stop",
    )
