"""
How much a memory matters to what is asked now: one weighted sum, with presets.

A preset is a row of weights over the same parts, so an answer can always be explained part by
part (`aiwhy`):

========== ============================================================================
part       what it says of a memory, 0 to 1
========== ============================================================================
relevance  how well its words, and those said around it, fit the question
recency    how fresh it is, by the preset's kernel
importance importance / 10
speaker    1 when the one who said it is named in the question (or is asking of themself)
entity     1 when it concerns someone named in the question
time       1 when it is from a time the question names ("yesterday", "in March")
question   1 when it ends by asking; weighed below zero, since a question answers nothing
length     how much it says, on a log scale
impact     how much it stirred: |valence|, whichever way; 0 where nothing says
relational 0.5 when it carries a relational tag ("commitment", "turning-point", ...)
========== ============================================================================

`dialogue` is the default for recall. `episodic` is the formula of the Evennia assistant's journal
(equal weights, keyword overlap, `exp(-0.99 * hours)`), whose recency drowns everything else after
some hours; it is kept because it is documented. `companion` is EchoVessel's: what stirs and what
binds counts beside what fits. There, a peak of feeling would come up whatever was asked, so
`impact` and `relational` count only for what is relevant enough (`Weights.floor`), and what is not
is left out altogether unless it concerns somebody the question names.

"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, Literal, Protocol

from evennia_assistant.mind.text import content_terms, is_question
from evennia_assistant.mind.time_asked import spans_asked

#: A line of this many terms counts as saying all a line can say.
FULL_LENGTH = 30

_HOUR = 3600.0
_DAY = 86400.0


class Scorable(Protocol):
    """What `score_memory` reads of a memory; `memory.index.MemoryItem` is one."""

    @property
    def text(self) -> str: ...
    @property
    def speaker(self) -> str | None: ...
    @property
    def when(self) -> float: ...
    @property
    def importance(self) -> int: ...
    @property
    def entities(self) -> tuple[str, ...]: ...
    @property
    def valence(self) -> float: ...
    @property
    def relational_tags(self) -> tuple[str, ...]: ...
    @property
    def event_time(self) -> tuple[float, float] | None: ...


@dataclass(frozen=True, slots=True)
class Parts:
    """What speaks for a memory, each from 0 to 1; see the table above."""

    relevance: float = 0.0
    recency: float = 0.0
    importance: float = 0.0
    speaker: float = 0.0
    entity: float = 0.0
    time: float = 0.0
    question: float = 0.0
    length: float = 0.0
    impact: float = 0.0
    relational: float = 0.0


@dataclass(frozen=True, slots=True)
class Weights:
    """
    What each part counts for, and how recency fades.

    Args:
        half_life_days: Days after which recency is a half; None for the documented kernel
            `exp(-0.99 * hours)`.
        matching: Where relevance comes from: "overlap" is the documented share of the question's
            words, "ranked" is what the index found, 1 for the best, and "cosine" the true cosine
            of the two texts (what the index found, where there are no vectors).
        floor: What is less relevant is left out, and stirs nothing, unless it concerns somebody
            named; None for no floor. It is of what the index found by words; a true cosine counts
            from where it begins to say anything, by embedder (`memory.thresholds`).

    """

    relevance: float = 1.0
    recency: float = 0.0
    importance: float = 0.0
    speaker: float = 0.0
    entity: float = 0.0
    time: float = 0.0
    question: float = 0.0
    length: float = 0.0
    impact: float = 0.0
    relational: float = 0.0
    half_life_days: float | None = 14.0
    matching: Literal["overlap", "ranked", "cosine"] = "ranked"
    floor: float | None = None
    mean: bool = False


@dataclass(frozen=True, slots=True)
class Context:
    """
    What is asked, by whom, and when.

    Args:
        query: The question as it stands.
        now: UTC, seconds since the epoch.
        named: Entity ids the question names, the asker included when asking of themself.
        relevance: What the index found for this memory; None to use keyword overlap.

    """

    query: str
    now: float
    named: Collection[str] = ()
    relevance: float | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """A memory's score and the parts it was made of."""

    total: float
    parts: Parts


PRESETS: Mapping[str, Weights] = MappingProxyType(
    {
        "dialogue": Weights(
            relevance=1.0,
            recency=0.02,
            importance=0.05,
            speaker=0.4,
            entity=0.2,
            time=0.3,
            question=-0.15,
            length=0.25,
        ),
        "episodic": Weights(
            recency=1.0,
            importance=1.0,
            relevance=1.0,
            half_life_days=None,
            matching="overlap",
            mean=True,
        ),
        "companion": Weights(
            recency=0.5,
            relevance=3.0,
            impact=2.0,
            relational=1.0,
            entity=1.5,
            matching="cosine",
            floor=0.4,
        ),
    }
)

#: What the part `relational` is for a memory that carries any relational tag.
RELATIONAL = 0.5

_PART_NAMES = tuple(field.name for field in fields(Parts))


def score_memory(item: Scorable, ctx: Context, weights: Weights) -> Score:
    """
    How much `item` matters to what is asked, with the parts that say why.

    Args:
        item: The memory.
        ctx: The question and its circumstances.
        weights: A preset of `PRESETS`, or weights of your own.

    Returns:
        The weighted sum and its parts.

    """
    relevance = ctx.relevance
    if relevance is None or weights.matching == "overlap":
        relevance = keyword_overlap(ctx.query, item.text)
    stirs = weights.floor is None or relevance >= weights.floor
    parts = Parts(
        relevance=relevance,
        recency=recency(max(ctx.now - item.when, 0.0) / _HOUR, weights.half_life_days),
        importance=item.importance / 10.0,
        speaker=float(item.speaker is not None and item.speaker in ctx.named),
        entity=float(any(entity in ctx.named for entity in item.entities)),
        time=float(any(is_from(item, *span) for span in spans_asked(ctx.query, ctx.now))),
        question=float(is_question(item.text)),
        length=length_share(len(content_terms(item.text))),
        impact=abs(item.valence) * stirs,
        relational=RELATIONAL * bool(item.relational_tags) * stirs,
    )
    return Score(combine({name: getattr(parts, name) for name in _PART_NAMES}, weights), parts)


def combine(parts: Mapping[str, Any], weights: Weights) -> Any:
    """
    The weighted sum of `parts`, for numbers or for numpy arrays of them alike.

    Args:
        parts: Part name to its value; a part left out counts as 0.
        weights: What each counts for.

    Returns:
        A number, or an array when a part is one.

    """
    total: Any = 0.0
    for name, value in parts.items():
        weight = getattr(weights, name)
        if weight:
            total = total + weight * value
    if weights.mean:
        total = total / sum(abs(getattr(weights, name)) for name in _PART_NAMES)
    return total


def recency(age_hours: float, half_life_days: float | None) -> float:
    """How fresh a memory of that age is, from 1 now towards 0; see `Weights.half_life_days`."""
    if half_life_days is None:
        return math.exp(-0.99 * age_hours)
    return float(0.5 ** (age_hours * _HOUR / _DAY / half_life_days))


def is_from(item: Scorable, start: float, end: float) -> bool:
    """Whether a memory was made in a stretch of time, or is about something that is in it."""
    if start <= item.when < end:
        return True
    return item.event_time is not None and item.event_time[0] < end and start <= item.event_time[1]


def length_share(term_count: float) -> float:
    """How much a line of that many terms says, 1 from `FULL_LENGTH` on."""
    return min(1.0, math.log1p(term_count) / math.log1p(FULL_LENGTH))


def keyword_overlap(query: str, content: str) -> float:
    """The documented relevance: the share of the question's words that the content has too."""
    query_words = keywords(query)
    return len(query_words & keywords(content)) / max(len(query_words), 1)


def keywords(text: str) -> set[str]:
    """The words of a text as the documented relevance has them."""
    return set(text.lower().split())


def score_episodic_memory(
    entry: Mapping[str, Any],
    query: str,
    now: datetime | float,
    alpha_recency: float = 1.0,
    alpha_importance: float = 1.0,
    alpha_relevance: float = 1.0,
) -> float:
    """
    The documented score of a journal entry: recency, importance and keyword overlap, averaged.

    Args:
        entry: A journal entry; `timestamp` (a datetime, an ISO string or epoch seconds),
            `importance` and `content` are read.
        query: The question.
        now: The time it is asked.
        alpha_recency: Weight of `exp(-0.99 * age in hours)`.
        alpha_importance: Weight of importance / 10.
        alpha_relevance: Weight of keyword overlap.

    Returns:
        A score from 0 to 1. An entry dated after `now` counts as new.

    Raises:
        ValueError: All weights are 0, or a timestamp is no time.

    """
    weights = episodic_weights(alpha_recency, alpha_importance, alpha_relevance)
    item = _Entry(
        text=str(entry["content"]),
        when=_epoch(entry["timestamp"]),
        importance=entry["importance"],
    )
    return float(score_memory(item, Context(query=query, now=_epoch(now)), weights).total)


def episodic_weights(
    alpha_recency: float = 1.0, alpha_importance: float = 1.0, alpha_relevance: float = 1.0
) -> Weights:
    """
    The preset `episodic` with weights of its own.

    Raises:
        ValueError: All weights are 0.

    """
    if alpha_recency + alpha_importance + alpha_relevance == 0:
        raise ValueError("score_episodic_memory needs a weight above 0")
    return Weights(
        recency=alpha_recency,
        importance=alpha_importance,
        relevance=alpha_relevance,
        half_life_days=None,
        matching="overlap",
        mean=True,
    )


@dataclass(frozen=True, slots=True)
class _Entry:
    text: str
    when: float
    importance: int
    speaker: str | None = None
    entities: tuple[str, ...] = ()
    valence: float = 0.0
    relational_tags: tuple[str, ...] = ()
    event_time: tuple[float, float] | None = None


def _epoch(moment: datetime | str | float) -> float:
    """Seconds since the epoch; a time without a zone is UTC, wherever the server stands."""
    if isinstance(moment, str):
        moment = datetime.fromisoformat(moment)
    if isinstance(moment, datetime):
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return float(moment)
