"""Percepts as an Attribute keeps them, and back."""

from __future__ import annotations

import dataclasses
from typing import Any

from ..mind.percept import Percept

_FIELDS = tuple(field.name for field in dataclasses.fields(Percept))


def percept_from(stored: Any) -> Percept | None:
    """The percept of a stored event, None when it cannot be read."""
    try:
        values = stored["percept"]
        made: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value
            for key, value in values.items()
            if key in _FIELDS
        }
        return Percept(**made)
    except (KeyError, TypeError, AttributeError):
        return None


def plain_percept(percept: Percept) -> dict[str, Any]:
    """A percept as plain data, without what it does not have."""
    fields = ((name, getattr(percept, name)) for name in _FIELDS)
    return {
        name: value
        for name, value in fields
        if value not in (None, "", (), False) or name in ("speaker", "audience", "words")
    }
