"""Who answers to which name, counted, so that a name is known as long as a memory uses it."""

from __future__ import annotations

from collections import Counter

from evennia_assistant.mind.text import name_keys, names_in


class NameBook:
    """The names of everyone a set of memories is from."""

    def __init__(self) -> None:
        self._ids: dict[str, Counter[str]] = {}

    def add(self, name: str, entity: str) -> None:
        """Note one use of a name."""
        for key in name_keys(name):
            self._ids.setdefault(key, Counter())[entity] += 1

    def remove(self, name: str, entity: str) -> None:
        """Take one use of a name back; a name no longer used is forgotten."""
        for key in name_keys(name):
            uses = self._ids[key]
            uses[entity] -= 1
            if not uses[entity]:
                del uses[entity]
            if not uses:
                del self._ids[key]

    def named_in(self, text: str) -> dict[str, frozenset[str]]:
        """Each name a text uses, folded, to the ids of all who answer to it."""
        return {key: frozenset(ids) for key, ids in names_in(text, self._ids).items()}
