"""
What the offline brain knows in a turn, read from the very messages a model is sent.

Nothing else reaches it: what is not in the messages it cannot say.

"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..mind.name_forms import Addressee
from ..mind.slots import parse_slots
from ..mind.substance import has_substance
from ..mind.without_call import without_call

#: Tools that end a turn by speaking.
SPEAKING: frozenset[str] = frozenset({"say", "whisper"})

#: A line of speech with its frame: `Anna said: "..."`.
_SPEECH = re.compile(
    r"(?P<who>[^\",:]{1,60}?) (?:says?|said|whispers?|whispered|told me|asks?|asked)[,:]? "
    r"[\"“](?P<words>[^\"“”]+)[\"”]"
)

#: How it knows what it heard in this conversation, by how it came.
_KNOWN_BY = {"whisper": "told me in confidence", "pose": "saw", "emote": "saw"}


@dataclass(frozen=True, slots=True)
class Line:
    """Something said to the NPC, or near it."""

    speaker: str
    text: str
    how: str = "say"
    to_you: bool = True
    assistant: bool = False


@dataclass(frozen=True, slots=True)
class Memory:
    """One recalled memory; `who` is "you" when the NPC itself said it."""

    text: str
    who: str = ""
    when: str = ""
    how: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Relation:
    """How well the NPC knows a speaker."""

    state: str = "stranger"
    meetings: int = 0
    last_seen: str = ""


@dataclass(frozen=True, slots=True)
class Occasion:
    """Why the NPC may act though nobody has spoken to it."""

    why: str = ""
    goal: str = ""
    step: str = ""
    present: tuple[str, ...] = ()
    asked_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Situation:
    """Everything a turn is answered from, as plain data."""

    name: str = ""
    description: str = ""
    voice: tuple[str, ...] = ()
    greeting: str = ""
    farewell: str = ""
    unknown: tuple[str, ...] = ()
    digest: tuple[str, ...] = ()
    place: str = ""
    time: str = ""
    present: tuple[str, ...] = ()
    manner: str = "say"
    things: tuple[str, ...] = ()
    relations: Mapping[str, Relation] = field(default_factory=dict)
    memories: tuple[Memory, ...] = ()
    #: What went on around the NPC of late, as memories of what was overheard.
    recent: tuple[Memory, ...] = ()
    heard: tuple[Line, ...] = ()
    #: None in a turn that answers somebody.
    occasion: Occasion | None = None
    #: What was heard before, oldest first, and what the NPC said, oldest first.
    before: tuple[Line, ...] = ()
    spoken: tuple[str, ...] = ()
    #: Tools already called in this turn, and the last result of each.
    results: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    #: JSON schema properties of each tool offered.
    tools: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def relation(self, speaker: str) -> Relation:
        """How well the speaker is known; a stranger when nothing is recorded."""
        return self.relations.get(speaker.casefold(), Relation())


def read_situation(
    messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]] | None = None
) -> Situation:
    """
    The situation a prompt describes, whatever is missing or misshapen in it.

    Args:
        messages: Chat-completion messages.
        tools: The function schemas offered, None or empty for none.

    """
    messages = [message for message in messages if isinstance(message, Mapping)]
    last_user = max((i for i, m in enumerate(messages) if m.get("role") == "user"), default=-1)
    system: dict[str, list[dict[str, Any]]] = {}
    for message in messages:
        if message.get("role") == "system":
            system.update(parse_slots(_text(message)))
    now = parse_slots(_text(messages[last_user])) if last_user >= 0 else {}
    persona, scene = _first(system.get("persona")), _first(now.get("scene"))
    me = Addressee("", (_str(persona.get("name")),), _strings(persona.get("also")))
    earlier, this_turn = messages[: max(last_user, 0)], messages[last_user + 1 :]
    results = _results(this_turn)
    recalled = [_memory(record) for record in _recalled(results)]
    before = tuple(
        _line(record, me)
        for message in earlier
        if message.get("role") == "user"
        for record in parse_slots(_text(message)).get("heard", [])
    )
    known = [*map(_memory, now.get("memories", [])), *recalled]
    return Situation(
        name=_str(persona.get("name")),
        description=_str(persona.get("description")),
        voice=_strings(persona.get("voice")),
        greeting=_str(persona.get("greeting")),
        farewell=_str(persona.get("farewell")),
        unknown=_strings(persona.get("unknown")),
        digest=tuple(filter(None, (_str(r.get("text")) for r in system.get("digest", [])))),
        place=_str(scene.get("place")),
        time=_str(scene.get("time")),
        present=_strings(scene.get("present")),
        manner=_str(scene.get("manner")) or "say",
        things=_strings(scene.get("things")),
        relations={
            _str(record.get("name")).casefold(): _relation(record)
            for message in messages[: last_user + 1]
            if message.get("role") == "user"
            for record in parse_slots(_text(message)).get("relationship", [])
        },
        memories=tuple(memory for memory in (*known, *_told(before, known)) if memory.text),
        recent=tuple(filter(None, (_overheard(record) for record in now.get("recent", [])))),
        heard=tuple(_line(record, me) for record in now.get("heard", [])),
        occasion=_occasion(now.get("occasion")),
        before=before,
        spoken=tuple(_spoken(earlier)),
        results=results,
        tools=_tools(tools),
    )


def _text(message: Mapping[str, Any]) -> str:
    """The text of a message, whose content may be a list of parts."""
    content = message.get("content")
    if isinstance(content, list):
        return "\n".join(_str(part.get("text")) for part in content if isinstance(part, Mapping))
    return content if isinstance(content, str) else ""


def _str(value: object) -> str:
    """A text on one line; anything that is neither text nor number is none."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return " ".join(str(value).split())


def _strings(value: object) -> tuple[str, ...]:
    values = value if isinstance(value, list) else [value]
    return tuple(filter(None, map(_str, values)))


def _first(records: list[dict[str, Any]] | None) -> dict[str, Any]:
    return records[0] if records else {}


def _line(record: Mapping[str, Any], me: Addressee) -> Line:
    return Line(
        speaker=_str(record.get("from")),
        text=without_call(_str(record.get("text")), me),
        how=_str(record.get("how")) or "say",
        to_you=record.get("to_you", True) is not False,
        assistant="assistant" in (record.get("kind"), record.get("speaker_kind")),
    )


def _occasion(records: list[dict[str, Any]] | None) -> Occasion | None:
    if not records:
        return None
    record = records[0]
    return Occasion(
        why=_str(record.get("why")),
        goal=_str(record.get("goal")),
        step=_str(record.get("step")),
        present=_strings(record.get("present", [])),
        asked_by=_strings(record.get("asked_by", [])),
    )


def _memory(record: Mapping[str, Any]) -> Memory:
    fields = ("text", "who", "when", "how", "kind")
    memory = Memory(**{key: _str(record.get(key)) for key in fields})
    spoken = _SPEECH.fullmatch(memory.text)
    if spoken and spoken["who"].casefold() == memory.who.casefold():
        memory = replace(memory, text=spoken["words"])
    if memory.who and memory.who.casefold() != "you" and "how" not in record:
        return replace(memory, how="told me")
    return memory


def _overheard(record: Mapping[str, Any]) -> Memory | None:
    """A line somebody spoke near the NPC; None for what is no speech in plain form."""
    spoken = _SPEECH.fullmatch(_str(record.get("text")))
    return Memory(spoken["words"], spoken["who"], how="overheard") if spoken else None


def _told(lines: Iterable[Line], known: Iterable[Memory]) -> Iterable[Memory]:
    """What was said earlier in the conversation: memories that are not recalled a second time."""
    texts = {memory.text for memory in known}
    for line in lines:
        if line.text not in texts and has_substance(line.text):
            how = _KNOWN_BY.get(line.how, "told me")
            yield Memory(line.text, line.speaker, "just now", how)


def _relation(record: Mapping[str, Any]) -> Relation:
    meetings = record.get("meetings")
    return Relation(
        state=_str(record.get("state")) or "stranger",
        meetings=meetings if isinstance(meetings, int) else 0,
        last_seen=_str(record.get("last_seen")),
    )


def _calls(message: Mapping[str, Any]) -> Iterable[tuple[str, str, Mapping[str, Any]]]:
    """Id, name and arguments of each tool call of an assistant message."""
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else []:
        function = call.get("function") if isinstance(call, Mapping) else None
        if isinstance(function, Mapping):
            arguments = _json(function.get("arguments"))
            yield _str(call.get("id")), _str(function.get("name")), arguments


def _json(value: object) -> Mapping[str, Any]:
    """The object in a JSON text, empty when it holds none: a tool may answer in prose."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, Mapping) else {}


def _results(messages: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """The last result of every tool called in these messages, empty where it failed."""
    names: dict[str, str] = {}
    results: dict[str, Mapping[str, Any]] = {}
    for message in messages:
        for call_id, name, _arguments in _calls(message):
            names[call_id] = name
            results.setdefault(name, {})
        if message.get("role") == "tool":
            name = names.get(_str(message.get("tool_call_id"))) or _str(message.get("name"))
            results[name] = _json(_text(message))
    return results


def _recalled(results: Mapping[str, Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    records = results.get("recall_memories", {}).get("memories")
    return [r for r in records if isinstance(r, Mapping)] if isinstance(records, list) else []


def _spoken(messages: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    """What the NPC said, oldest first, by plain answer or by tool."""
    for message in messages:
        if message.get("role") == "assistant":
            if _text(message).strip():
                yield _str(_text(message))
            for _id, name, arguments in _calls(message):
                if name in SPEAKING and _str(arguments.get("text")):
                    yield _str(arguments.get("text"))


def _tools(tools: Sequence[Mapping[str, Any]] | None) -> dict[str, Mapping[str, Any]]:
    offered: dict[str, Mapping[str, Any]] = {}
    for tool in tools or ():
        function = tool.get("function") if isinstance(tool, Mapping) else None
        if isinstance(function, Mapping) and isinstance(function.get("name"), str):
            parameters = function.get("parameters")
            properties = parameters.get("properties") if isinstance(parameters, Mapping) else None
            offered[function["name"]] = properties if isinstance(properties, Mapping) else {}
    return offered
