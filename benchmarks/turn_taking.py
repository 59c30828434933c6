"""
How well an NPC knows when a line is for it.

::

    python -m benchmarks.turn_taking                  # tests/data/turn_taking.jsonl
    python -m benchmarks.turn_taking lines.jsonl      # another file of the same form
    python -m benchmarks.turn_taking --json           # only the last line, one JSON object

Precision and recall are of TRIGGER. The form of the file is described in docs/turn-taking.md.

"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, get_args

from evennia_assistant.mind.classification import (
    ChannelMode,
    Classification,
    Kind,
    ListenerOptions,
    ListenerState,
    classify_message,
)
from evennia_assistant.mind.name_forms import Addressee
from evennia_assistant.mind.percept import Manner, Percept, SpeakerKind
from evennia_assistant.mind.speech_line import extract_words, strip_markup
from evennia_assistant.mind.turn_taking import FULL_ENERGY, Energy, Engagement

DEFAULT_PATH = Path(__file__).parent.parent / "tests" / "data" / "turn_taking.jsonl"

_NOW = 1_000_000.0
_REQUIRED = ("npc", "speaker", "label")
_KEYS = {
    *_REQUIRED,
    *("id", "note", "words", "line", "manner", "present", "engaged_with", "engaged_seconds_ago"),
    *("to", "channel", "channels", "energy", "enabled", "options"),
}


class MalformedLine(ValueError):
    """A line of the file is not of the documented form; the text says where and why."""


@dataclass(frozen=True, slots=True)
class Scene:
    """One labelled line: what was perceived, by whom, and the verdict a player would expect."""

    number: int
    label: Kind
    note: str
    percept: Percept
    listener: ListenerState


@dataclass(frozen=True, slots=True)
class Scored:
    """A scene with the verdict it got."""

    scene: Scene
    verdict: Classification


def read_scenes(path: Path) -> Iterator[Scene]:
    """
    The scenes of a labelled file.

    Args:
        path: A file of the form in docs/turn-taking.md.

    Yields:
        Each scene in order.

    Raises:
        MalformedLine: If a line does not fit, or the file holds none.
    """
    number = 0
    found = False
    for number, text in enumerate(path.read_text(encoding="utf-8-sig").split("\n"), start=1):
        if not text.strip():
            continue
        found = True
        try:
            yield read_scene(json.loads(text), number)
        except json.JSONDecodeError as error:
            raise MalformedLine(f"{path}:{number}: not JSON: {error}") from error
        except MalformedLine as error:
            raise MalformedLine(f"{path}:{number}: {error}") from error
    if not found:
        raise MalformedLine(f"{path}: holds no lines")


def read_scene(data: Any, number: int = 0) -> Scene:
    """
    One scene from its JSON object.

    Raises:
        MalformedLine: If the object is not of the documented form.
    """
    if not isinstance(data, dict):
        raise MalformedLine(f"expected an object, found {type(data).__name__}")
    for key in _REQUIRED:
        if key not in data:
            raise MalformedLine(f'"{key}" is missing')
    unknown = sorted(set(data) - _KEYS)
    if unknown:
        raise MalformedLine(f"unknown key {unknown[0]!r}; known are {', '.join(sorted(_KEYS))}")
    label = _one_of(data, "label", get_args(Kind))
    manner = _one_of({"manner": "say", **data}, "manner", get_args(Manner))
    npc = _entity(data["npc"], "npc", kind="assistant")
    speaker = _speaker(data["speaker"])
    present = [_entity(each, "present") for each in _list(data.get("present"), "present")]
    listener = ListenerState(
        id=npc.id,
        names=npc.names,
        aliases=npc.aliases,
        enabled=_typed(data, "enabled", bool, True),
        present=tuple(each for each in present if each.id not in (npc.id, speaker.id)),
        engagement=_engagement(data),
        energy=Energy(_typed(data, "energy", int, FULL_ENERGY)),
        channels=_channels(data),
        options=_options(data),
    )
    percept = _percept(data, manner, speaker, npc, present)
    return Scene(number, label, str(data.get("note") or ""), percept, listener)


def score(scenes: Iterator[Scene]) -> list[Scored]:
    """The verdict on each scene."""
    return [Scored(scene, classify_message(scene.percept, scene.listener)) for scene in scenes]


def summary(scored: list[Scored]) -> dict[str, Any]:
    """The figures of a run: lines, precision and recall of TRIGGER, accuracy, counts per rule."""
    hits = sum(each.scene.label == each.verdict.kind == "TRIGGER" for each in scored)
    said = sum(each.verdict.kind == "TRIGGER" for each in scored)
    wanted = sum(each.scene.label == "TRIGGER" for each in scored)
    right = sum(each.scene.label == each.verdict.kind for each in scored)
    return {
        "lines": len(scored),
        "precision": round(hits / said, 4) if said else 1.0,
        "recall": round(hits / wanted, 4) if wanted else 1.0,
        "accuracy": round(right / len(scored), 4) if scored else 1.0,
        "triggers": wanted,
        "rules": dict(Counter(each.verdict.rule for each in scored).most_common()),
    }


def report(scored: list[Scored]) -> str:
    """The figures and every mistake, for people."""
    figures = summary(scored)
    parts = [f"{figures['lines']} lines, {figures['triggers']} of them TRIGGER", ""]
    labels = get_args(Kind)
    table = Counter((each.scene.label, each.verdict.kind) for each in scored)
    parts.append(f"{'expected':<10}" + "".join(f"{kind:>9}" for kind in labels))
    for label in labels:
        parts.append(f"{label:<10}" + "".join(f"{table[label, kind]:>9}" for kind in labels))
    parts += ["", *(f"{count:>5}  {rule}" for rule, count in figures["rules"].items()), ""]
    for each in scored:
        if each.scene.label != each.verdict.kind:
            percept = each.scene.percept
            parts.append(
                f"line {each.scene.number}: expected {each.scene.label}, got {each.verdict.kind} "
                f"({each.verdict.rule}: {each.verdict.reason})\n    {percept.line}"
                + (f"\n    {each.scene.note}" if each.scene.note else "")
            )
    return "\n".join(parts)


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; 2 when the file cannot be used."""
    parser = argparse.ArgumentParser(prog="benchmarks.turn_taking", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("path", nargs="?", type=Path, default=DEFAULT_PATH)
    parser.add_argument("--json", action="store_true", help="print only the JSON object")
    options = parser.parse_args(arguments)
    try:
        scored = score(read_scenes(options.path))
    except (MalformedLine, OSError, UnicodeDecodeError) as error:
        print(f"turn_taking: {error}", file=sys.stderr)
        return 2
    if not options.json:
        print(report(scored))
    print(json.dumps(summary(scored)))
    return 0


def _id(name: str) -> str:
    return name.strip().casefold()


def _entity(value: Any, where: str, *, kind: SpeakerKind = "player") -> Addressee:
    """An entity from its name, its names, or an object."""
    if isinstance(value, str):
        value = {"names": [value]}
    elif isinstance(value, list):
        value = {"names": value}
    if not isinstance(value, dict):
        raise MalformedLine(f'"{where}": expected a name or an object, found {json.dumps(value)}')
    unknown = sorted(set(value) - {"name", "names", "aliases", "kind", "privileged"})
    if unknown:
        raise MalformedLine(f'"{where}": unknown key {unknown[0]!r}')
    names = _names(value.get("names", value.get("name")), f"{where}.names")
    if not names:
        raise MalformedLine(f'"{where}": a name is missing')
    found = _one_of({"kind": kind, **value}, "kind", get_args(SpeakerKind))
    return Addressee(_id(names[0]), names, _names(value.get("aliases"), f"{where}.aliases"), found)


def _speaker(value: Any) -> Addressee:
    """The speaker; the system has no name."""
    system = isinstance(value, dict) and value.get("kind") == "system"
    if value is None or (system and not value.get("name")):
        return Addressee("", ("",), (), "system")
    return _entity(value, "speaker")


def _percept(
    data: Mapping[str, Any],
    manner: Manner,
    speaker: Addressee,
    npc: Addressee,
    present: list[Addressee],
) -> Percept:
    """What the listener perceived."""
    name = speaker.names[0]
    words, line = data.get("words"), data.get("line")
    for key, value in (("words", words), ("line", line)):
        if value is not None and not isinstance(value, str):
            raise MalformedLine(f'"{key}": expected a text, found {json.dumps(value)}')
    exact = words is not None
    gesture = manner in ("pose", "emote", "arrive", "leave")
    if words is None and line is None:
        raise MalformedLine('one of "words" and "line" is needed')
    if words is not None:
        words = strip_markup(words)
    if line is None:
        assert words is not None
        if gesture:
            line = words if words.casefold().startswith(name.casefold()) else f"{name} {words}"
        else:
            line = f'{name} says, "{words}"'
    if words is None or gesture:
        words, exact = extract_words(line, speaker.names, manner)
    known = {_id(alias): each.id for each in (npc, *present) for alias in each.names + each.aliases}
    receivers = tuple(known.get(_id(each), _id(each)) for each in _names(data.get("to"), "to"))
    channel = data.get("channel", "Public" if manner == "channel" else None)
    privileged = isinstance(data["speaker"], dict) and bool(data["speaker"].get("privileged"))
    return Percept(
        manner=manner,
        speaker=speaker.id or None,
        speaker_name=name,
        words=words,
        line=strip_markup(line),
        when=_NOW,
        receivers=receivers,
        exact=exact,
        speaker_kind=speaker.kind,
        privileged=privileged,
        channel=channel,
    )


def _engagement(data: Mapping[str, Any]) -> Engagement:
    ago = _typed(data, "engaged_seconds_ago", (int, float), 5.0)
    partners = _names(data.get("engaged_with"), "engaged_with")
    return Engagement({_id(name): _NOW - ago for name in partners})


def _channels(data: Mapping[str, Any]) -> dict[str, ChannelMode]:
    channels = _typed(data, "channels", dict, {})
    return {name.lower(): _one_of(channels, name, get_args(ChannelMode)) for name in channels}


def _options(data: Mapping[str, Any]) -> ListenerOptions:
    options = _typed(data, "options", dict, {})
    known = {each.name for each in fields(ListenerOptions)}
    for name in options:
        if name not in known:
            raise MalformedLine(
                f'"options": unknown {name!r}; known are {", ".join(sorted(known))}'
            )
    return ListenerOptions(**options)


def _one_of(data: Mapping[str, Any], key: str, allowed: tuple[Any, ...]) -> Any:
    if data[key] not in allowed:
        choices = ", ".join(map(str, allowed))
        raise MalformedLine(f'"{key}": {json.dumps(data[key])} is none of {choices}')
    return data[key]


def _typed(data: Mapping[str, Any], key: str, kind: Any, default: Any) -> Any:
    value = data.get(key, default)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise MalformedLine(f'"{key}": {json.dumps(value)} is of the wrong type')
    return value


def _list(value: Any, where: str) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise MalformedLine(f'"{where}": expected a list, found {json.dumps(value)}')
    return value


def _names(value: Any, where: str) -> tuple[str, ...]:
    """A name or a list of names; nothing is none."""
    names = [value] if isinstance(value, str) else _list(value, where)
    for name in names:
        if not isinstance(name, str) or not name.strip():
            raise MalformedLine(f'"{where}": {json.dumps(name)} is no name')
    return tuple(names)


if __name__ == "__main__":
    sys.exit(main())
