"""
What an NPC may do to the game itself, where its operator listed it.

Both tools are DANGEROUS: the option `allowed_tools` must name them, an allow-list says what they
may touch, and whoever asked must have the right themselves.

"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any

from twisted.internet.defer import Deferred, inlineCallbacks

from ..errors import InvalidArguments, ToolRefused
from ..mind.speech_line import strip_markup
from . import around
from .base import Tool, ToolCategory, listed, register
from .rights import check_open, requesters

#: Commands that speak. What an NPC says goes through the output gate of its own speech tools.
SPEAKING = frozenset(
    {"say", "whisper", "talk", "pose", "emote", "page", "tell", "channel", "mail", "shout"}
)
#: Attributes that are the NPC's mind; no word of anybody's changes them.
MIND = frozenset(
    {
        "assistant_key",
        "context_buffer",
        "entity_profiles",
        "journal",
        "knowledge",
        "memory_links",
        "persona",
        "projects",
        "session_memory",
        "working_memory",
    }
)
MOST_TEXT = 1500


@register
class ExecuteCommand(Tool):
    """Type one of the commands its operator listed."""

    name = "execute_command"
    description = "Type one of the game's commands as a player would, if you are allowed to."
    category = ToolCategory.DANGEROUS
    everyday = False
    parameters = {
        "properties": {
            "command": {"type": "string", "minLength": 1, "maxLength": 60},
            "arguments": {"type": "string", "maxLength": 500},
        },
        "required": ["command"],
    }
    refuses = (
        "every command whose key the option `command_allowlist` does not name, that the NPC does "
        "not have itself, that it or the one who asks has no `cmd` lock for, or that speaks; "
        "arguments in a turn that draws on a confidence"
    )

    @inlineCallbacks
    def execute(
        self, character: Any, **kwargs: Any
    ) -> Generator[Deferred[Any], Any, dict[str, Any]]:
        """Type it; see `Tool.execute`."""
        key = kwargs["command"].strip().casefold()
        arguments = " ".join(strip_markup(kwargs.get("arguments", "")).split())
        command = _own_command(character, key)
        if arguments:
            check_open(character, "a command")
        with overhearing(character) as received:
            yield character.execute_cmd(
                f" {arguments}" if arguments else "", cmdobj=command, cmdobj_key=command.key
            )
        return {"typed": f"{command.key} {arguments}".strip(), "shown": _joined(received)}


@register
class SetAttribute(Tool):
    """Set one of the Attributes its operator listed."""

    name = "set_attribute"
    description = "Set an attribute of yourself or of a thing here, if you are allowed to."
    category = ToolCategory.DANGEROUS
    everyday = False
    parameters = {
        "properties": {
            "target": {"type": "string", "minLength": 1, "maxLength": 100},
            "attribute": {"type": "string", "minLength": 1, "maxLength": 60},
            "value": {
                "type": ["string", "number", "boolean", "null"],
                "maxLength": 500,
                "minimum": -1e15,
                "maximum": 1e15,
            },
        },
        "required": ["attribute", "value"],
    }
    refuses = (
        "every attribute the option `attribute_allowlist` does not name; things that are not here; "
        "what the one who asks has neither the lock `assistant_edit` nor `edit` for; texts with "
        "markup; the NPC's persona and memory; texts in a turn that draws on a confidence"
    )

    def execute(self, character: Any, **kwargs: Any) -> dict[str, Any]:
        """Set it; see `Tool.execute`."""
        target, attribute = self._target(character, kwargs), kwargs["attribute"].strip()
        entry = _entry_for(character, target, attribute)
        if entry is None or attribute.casefold() in MIND:
            raise ToolRefused(f"You may not set {attribute} of {around.shown(character, target)}.")
        for who in requesters(character):
            may_edit = target.access(who, "edit")
            if not target.access(who, "assistant_edit", default=may_edit):
                raise ToolRefused(f"{who.key} may not do that, so you do not do it for them.")
        value = _plain_value(kwargs["value"])
        if isinstance(value, str):
            check_open(character, "such a text")
        before = target.attributes.get(attribute)
        target.attributes.add(attribute, value)
        return {
            "set": attribute,
            "of": around.shown(character, target),
            "to": value,
            "was": before if isinstance(before, str | int | float | bool | None) else "something",
        }

    def _target(self, character: Any, kwargs: dict[str, Any]) -> Any:
        if not kwargs.get("target"):
            return character
        place = character.location
        here = [] if place is None else [*place.contents, place]
        return around.named(
            character, kwargs["target"], [*here, character, *character.contents], "here"
        )


@contextmanager
def overhearing(character: Any) -> Iterator[list[str]]:
    """Collect what a character is sent, while it goes on being sent."""
    own = character.__dict__.get("msg")
    send, received = character.msg, []

    def msg(text: Any = None, *args: Any, **kwargs: Any) -> Any:
        line = text[0] if isinstance(text, tuple | list) and text else text
        if isinstance(line, str):
            received.append(line)
        return send(text, *args, **kwargs)

    character.msg = msg
    try:
        yield received
    finally:
        if own is None:
            character.__dict__.pop("msg", None)
        else:
            character.msg = own


def _own_command(character: Any, key: str) -> Any:
    """A command of the character's own that is listed and open to it and to whoever asked."""
    names = {name.casefold() for name in listed(character, "command_allowlist")}
    if key not in names:
        raise ToolRefused(
            f"You may not type {key!r}; you may type {', '.join(sorted(names)) or 'nothing'}."
        )
    if key in SPEAKING:
        raise ToolRefused(f"{key!r} speaks; use your own say, whisper, emote or page.")
    own = [
        command for command in character.cmdset.current.commands if command.key.casefold() == key
    ]
    if not own:
        raise ToolRefused(f"You have no command {key!r}.")
    command = copy(own[0])
    if not command.lockhandler.check(character, "cmd", no_superuser_bypass=True):
        raise ToolRefused(f"You may not type {key!r}.")
    for who in requesters(character):
        if not command.access(who, "cmd"):
            raise ToolRefused(f"{who.key} may not type {key!r}, so you do not do it for them.")
    return command


def _joined(received: list[str]) -> str:
    text = "\n".join(strip_markup(line) for line in received).strip()
    return text[:MOST_TEXT] or "nothing was shown"


def _entry_for(character: Any, target: Any, attribute: str) -> str | None:
    """What in the allow-list names an attribute of an object, None when nothing does."""
    names = {f"{target.key}:{attribute}".casefold(), f"#{target.pk}:{attribute}".casefold()}
    if target is character:
        names.add(attribute.casefold())
    for entry in listed(character, "attribute_allowlist"):
        if entry.casefold() in names:
            return entry
    return None


def _plain_value(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidArguments("A value must be a finite number.")
    if isinstance(value, str) and (not value.isprintable() or set(value) & set("|{}$\\")):
        raise InvalidArguments("A text must be plain: one line, and no | { } $ or \\.")
    return value
