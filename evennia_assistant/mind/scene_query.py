"""
What to look for among scenes, and whether an entry fits: in what happened, how it felt, its themes,
when it was, or anywhere in it.

Every word, theme and date asked for is one term. With `or` an entry fits when one of its terms
does, with `and` when all do. Words fit by what they are about (`mind.text`), so "stole" finds
"stolen"; a date fits by its beginning, so "2026-03" finds all of March, and so do "yesterday" and
"last week".

"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from . import entry as entries
from .scene import dates_of, sound, when_text
from .text import content_terms, words
from .time_asked import Span, spans_asked

Mode = Literal["or", "and"]


@dataclass(frozen=True, slots=True)
class SceneQuery:
    """
    What to look for.

    Args:
        query: Words anywhere in an entry: in its words, its scene, its themes or its days.
        action: Words in what happened.
        feeling: Words in how it felt.
        themes: Tags.
        when: Days or parts of them (`2026-03-01`, `2026-03`), words of the days' texts, or a time
            told from now ("last week").
        mode: `or`, or `and` where everything asked for must be there.

    """

    query: str = ""
    action: str = ""
    feeling: str = ""
    themes: tuple[str, ...] = ()
    when: str = ""
    mode: Mode = "or"

    def terms(self, now: float) -> tuple[Term, ...]:
        """
        The terms asked for.

        Args:
            now: UTC seconds since the epoch, for times told from it.

        """
        return tuple(
            dict.fromkeys(
                [
                    *(Term("anywhere", word) for word in _words(self.query)),
                    *(Term("action", word) for word in _words(self.action)),
                    *(Term("feeling", word) for word in _words(self.feeling)),
                    *(Term("themes", theme.strip().casefold()) for theme in self.themes if theme),
                    *_times(self.when, now),
                ]
            )
        )


@dataclass(frozen=True, slots=True)
class Term:
    """
    One thing asked for.

    Args:
        field: `anywhere`, `action`, `feeling`, `themes`, `when` or `span`.
        text: The stem of a word, a tag, or the beginning of a date.
        span: From when to when, for `span`.

    """

    field: str
    text: str
    span: Span | None = None


def fit(entry: Mapping[str, Any], terms: Sequence[Term], mode: Mode) -> int:
    """
    How many of the terms an entry has; 0 for one that does not fit.

    Args:
        entry: A journal entry.
        terms: As `SceneQuery.terms` has them.
        mode: `or`, or `and`.

    """
    held = _Held(entry)
    found = sum(held.has(term) for term in terms)
    return 0 if mode == "and" and found < len(terms) else found


class _Held:
    """What an entry holds, field by field; each is read when it is first asked for."""

    def __init__(self, entry: Mapping[str, Any]) -> None:
        self.entry = entry
        self.scene = sound(entry.get("scene"))
        self._read: dict[str, frozenset[str]] = {}

    def has(self, term: Term) -> bool:
        if term.span is not None:
            start, end = term.span
            return any(first < end and last >= start for first, last in self._spans())
        if term.field == "themes":
            return term.text in self._tags()
        if term.field == "when":
            return self._on(term.text)
        if term.field == "anywhere":
            return (
                term.text in self._terms("told") or term.text in self._tags() or self._on(term.text)
            )
        return term.text in self._terms(term.field)

    def _tags(self) -> frozenset[str]:
        if "tags" not in self._read:
            tags = [str(tag).casefold() for tag in self.entry.get("tags") or ()]
            self._read["tags"] = frozenset([*tags, *(s for tag in tags for s in _words(tag))])
        return self._read["tags"]

    def _terms(self, field: str) -> frozenset[str]:
        if field not in self._read:
            self._read[field] = frozenset(_words(self._text(field)))
        return self._read[field]

    def _text(self, field: str) -> str:
        if field == "told":
            return entries.told(self.entry)
        if self.scene is not None:
            return str(self.scene.get(field) or "")
        # What happened in an entry without a scene is what it says.
        return entries.words_of(self.entry) if field == "action" else ""

    def _on(self, text: str) -> bool:
        """Whether a day of it begins so, or the text of its days has that word."""
        if any(day.casefold().startswith(text) for day in self._days()):
            return True
        return text in _words(" ".join(map(when_text, self._dated())))

    def _days(self) -> list[str]:
        """When it was written, the days it tells of, and those of what was merged with it."""
        span = entries.span_of(entries.get(self.entry, "event_time"))
        ends = [] if span is None else [_day_of(span[0]), _day_of(max(span[0], span[1] - 1))]
        own = str(self.entry["timestamp"])[:10]
        return [own, *ends, *(day for one in self._dated() for day in dates_of(one))]

    def _dated(self) -> list[Mapping[str, Any]]:
        merged = self.entry.get("when")
        dated = [self.scene, {"when": merged} if isinstance(merged, list) else None]
        return [one for one in dated if one is not None]

    def _spans(self) -> Iterator[Span]:
        """When it was written, and when what it tells of was."""
        told = entries.when_of(self.entry["timestamp"])
        yield told, told
        span = entries.span_of(entries.get(self.entry, "event_time"))
        if span is not None:
            yield span
        for day in (day for one in self._dated() for day in dates_of(one)):
            try:
                start = datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()
            except ValueError:
                continue
            yield start, start + 86_399.0


def _day_of(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).date().isoformat()


def _words(text: str) -> list[str]:
    """What a text is about; of one that has nothing but small words, these."""
    return content_terms(text) or words(text)


def _times(when: str, now: float) -> Iterable[Term]:
    spans = spans_asked(when, now) if any(char.isalpha() for char in when) else ()
    if spans:
        return [Term("span", when.casefold(), span) for span in spans[:1]]
    return [Term("when", part.casefold()) for part in when.replace(",", " ").split()]
