"""Whether something stored is from what is to be forgotten: by its words, names or hearers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .forgetting import Choice


def texts_in(value: object) -> Iterable[str]:
    """Every text anywhere in plain data, keys of mappings included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, held in value.items():
            yield from texts_in(key)
            yield from texts_in(held)
    elif isinstance(value, list | tuple | set | frozenset):
        for held in value:
            yield from texts_in(held)


def is_touched(value: object, choice: Choice) -> bool:
    """Whether anything in plain data is from what goes: its words, its names, its entity id."""
    entity = choice.subject.entity
    return any(text == entity or choice.gives_away(text) for text in texts_in(value))


def is_theirs(record: object, choice: Choice) -> bool:
    """Whether they, and nobody else, may be told of it, or gave cause to it."""
    entity = choice.subject.entity
    if entity is None or not isinstance(record, Mapping):
        return False
    audience = record.get("audience")
    alone = isinstance(audience, list | tuple) and set(audience) - {choice.subject.npc} == {entity}
    return alone or entity in (record.get("asked_by") or ())
