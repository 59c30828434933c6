"""
The shape of `script.db.prompt_overrides`, and what is done with one that has another.

`{"templates": {name: text}, "components": {id: {"content", "enabled", ...}},
"contexts": {type: {field: value}}, "version": 1}`

"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import ConfigError
from ..mind.contexts import CONTEXTS
from ..mind.narrowing import narrowed
from .components import STATIC_COMPONENTS, pluggable, usable_text
from .templates import DEFAULT_TEMPLATE, template_name

_PARTS = ("templates", "components", "contexts")
_FIELDS = ("key", "name", "description", "role")


def empty_overrides() -> dict[str, Any]:
    """What an NPC has whose operator changed nothing."""
    return {"templates": {}, "components": {}, "contexts": {}, "version": 1}


def repaired(raw: Any) -> tuple[dict[str, Any], str | None]:
    """
    The usable part of what stands in the Attribute.

    Returns:
        It, and what is wrong with the rest in one line; None when all of it is sound.

    """
    sound = empty_overrides()
    if not isinstance(raw, Mapping):
        return sound, "no dict"
    problems = [f"unknown part {str(part)[:40]!r}" for part in raw if part not in sound]
    for part, read in zip(_PARTS, (_template, _component, _context), strict=True):
        held = raw.get(part, {})
        if not isinstance(held, Mapping):
            problems.append(f"{part} is no dict")
            continue
        for key, value in held.items():
            try:
                name, kept = read(key, value)
            except (ConfigError, TypeError, ValueError) as err:
                problems.append(f"{part} {str(key)[:40]!r}: {str(err)[:200]}")
            else:
                sound[part][name] = kept
    return sound, f"partly unusable ({'; '.join(problems)})" if problems else None


def _template(name: Any, words: Any) -> tuple[str, str]:
    if not isinstance(name, str) or not isinstance(words, str):
        raise ConfigError("it is no text")
    kept = template_name(name)
    if kept == DEFAULT_TEMPLATE:
        raise ConfigError("that name is ours")
    return kept, usable_text(words)


def _component(number: Any, record: Any) -> tuple[int, dict[str, Any]]:
    if not isinstance(record, Mapping):
        raise ConfigError("it is no dict")
    number = int(number)
    kept: dict[str, Any] = {}
    if "content" in record:
        kept["content"] = usable_text(str(record["content"]))
    if isinstance(record.get("enabled"), bool):
        kept["enabled"] = record["enabled"]
    if number in STATIC_COMPONENTS:
        return number, kept
    kept |= {name: str(record[name]) for name in _FIELDS if record.get(name)}
    if "content" not in kept:
        raise ConfigError("it has no content")
    pluggable(number, **kept)
    return number, kept


def _context(kind: Any, changes: Any) -> tuple[str, dict[str, Any]]:
    if kind not in CONTEXTS:
        raise ConfigError("there is no such context")
    if not isinstance(changes, Mapping) or not all(isinstance(name, str) for name in changes):
        raise ConfigError("it is no dict of fields")
    narrowed(CONTEXTS[kind], **changes)
    return kind, dict(changes)
