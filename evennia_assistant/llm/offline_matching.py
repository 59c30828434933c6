"""
Which of the given memories answers a question, by the words they share.

Words are compared by their stems, rare ones weigh more, and what the question asks for ("when",
"where", "how many") is looked for in the memory. A proper name in the question must stand in the
memory, so that a question about one ship is not answered with another.

"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..mind.text import content_terms, is_question, speaks_of_self, stem, words
from .offline_retelling import said_by_me, same_name
from .offline_situation import Memory

#: Share of a question's weight that an answer must carry.
ENOUGH = 0.34
#: Below this share the answer is offered as no more than a part.
WHOLE = 0.6

#: Words a question is asked with, not about.
_ASKED_WITH = frozenset(
    stem(word)
    for word in """
    tell know remember recall hear say ask mention whisper talk speak think believe anything
    something everything nothing please time day place person anyone someone anybody somebody
    thing kind sort again ever still maybe perhaps also much many like go get have want need see
    mean happen really well good friend sir madam
    """.split()  # noqa: SIM905
)
_WHEN = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:january|february|march|april|june|july|"
    r"august|september|october|november|december|spring|summer|autumn|winter|dawn|dusk|noon|"
    r"midnight|sunrise|sunset|morning|evening|night|tonight|today|tomorrow|yesterday|soon|week|"
    r"month|year|hour|o'clock|before|after|during|new moon|full moon|\d+(?:am|pm|:\d\d))\b",
    re.IGNORECASE,
)
#: Stems of days and times, which two lines may share by chance.
DATES = frozenset(
    content_terms(
        "monday tuesday wednesday thursday friday saturday sunday january february march april "
        "june july august september october november december morning evening night today tomorrow "
        "yesterday week month year dawn dusk noon"
    )
)
_WHERE = re.compile(
    r"\b(?:in|at|near|by|under|behind|beneath|beside|below|above|inside|outside|on|from|to|"
    r"between|across|past|along|here|there|north|south|east|west|upstairs|downstairs)\b",
    re.IGNORECASE,
)
_COUNT = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|"
    r"fifty|hundred|thousand|dozen|a pair|half|few|several|no|none)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<![.!?] )(?<!^)\b[A-Z][^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Question:
    """
    What is asked for.

    Args:
        terms: Stems the answer should share, asking words left out.
        names: Stems of proper names among them.
        needs: What the answer must contain, None for anything.
        own: True when the asker asks about themselves.
        hints: Stems of what was talked about before; they decide between equals.

    """

    terms: frozenset[str]
    names: frozenset[str] = frozenset()
    needs: re.Pattern[str] | None = None
    own: bool = False
    hints: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Found:
    """A memory that answers, the share of the question it answers, and whether it falls short."""

    memory: Memory
    share: float
    partly: bool = False


def ask(text: str, *, me: str = "", hints: Iterable[str] = ()) -> Question:
    """
    A question as what its answer must look like.

    Args:
        text: The question as it was said.
        me: The NPC's name, which asks for nothing.
        hints: Earlier lines, for a question like "and when?".

    """
    mine = set(content_terms(me))
    said = re.sub(r"\bhow (?:old|many|much|long|far|late|soon)\b", "how", text, flags=re.IGNORECASE)
    key = frozenset(content_terms(said)) - _ASKED_WITH - mine
    named = frozenset(term for name in _NAME.findall(text) for term in content_terms(name))
    low = text.lower()
    needs = None
    if re.search(r"\bwhen\b|\bwhat (?:time|day|hour|date)\b|\bhow (?:soon|late|long)\b", low):
        needs = _WHEN
    elif re.search(r"\bwhere\b|\bwhat place\b", low):
        needs = _WHERE
    elif re.search(r"\bhow (?:many|much|old|far)\b|\bwhat (?:price|cost)\b", low):
        needs = _COUNT
    earlier = frozenset(term for line in hints for term in content_terms(line)) - _ASKED_WITH - mine
    pronoun = re.search(r"\b(?:it|that|there|he|she|they|them|him|her)\b", low)
    if not key and (pronoun or (len(low.split()) <= 3 and "you" not in low)):
        key = earlier
    if pronoun is None and len(key) > 1:
        earlier = frozenset()
    return Question(key, (named & key) - DATES, needs, speaks_of_self(text), earlier)


def answers(question: Question, memories: Sequence[Memory], asker: str = "") -> list[Found]:
    """
    The memories that answer, best first.

    Args:
        question: From `ask`.
        memories: What may be told, best ranked first.
        asker: Name of who asks.

    Returns:
        Nothing when no memory shares enough. What the NPC said itself and what others asked are no
        answers.

    """
    usable = [
        memory for memory in memories if not said_by_me(memory) and not is_question(memory.text)
    ]
    if not question.terms or not usable:
        return []
    texts = [frozenset(content_terms(memory.text)) for memory in usable]
    sources = [frozenset(content_terms(memory.who)) for memory in usable]
    count = Counter(term for text in texts for term in text)
    weight = {
        term: 0.2 + math.log((len(usable) + 1) / (count[term] + 0.5)) for term in question.terms
    }
    whole = sum(weight.values())
    found: list[tuple[float, int, Found]] = []
    for rank, (memory, text, source) in enumerate(zip(usable, texts, sources, strict=True)):
        if question.names and not question.names & (text | source):
            continue
        shared = question.terms & text
        said_by = (question.terms & source) - text
        share = (sum(weight[t] for t in shared) + 0.5 * sum(weight[t] for t in said_by)) / whole
        fits = question.needs is None or bool(question.needs.search(_undated(memory, question)))
        if not shared - DATES:
            continue
        if question.needs is not None:
            share = share + 0.15 if fits else share * 0.7
        if question.own and not same_name(memory.who, asker):
            share *= 0.8
        if share >= ENOUGH:
            hinted = 0.1 * len(question.hints & text) / (len(question.hints) or 1)
            sure = 0.02 if memory.how == "keeper" else 0.0
            found.append((share + hinted + sure, -rank, Found(memory, min(share, 1.0), not fits)))
    found.sort(key=lambda item: item[:2], reverse=True)
    return [item[2] for item in found]


def distinct(found: Iterable[Found], most: int) -> list[Found]:
    """The first so many that do not say nearly the same."""
    kept: list[Found] = []
    for item in found:
        mine = set(content_terms(item.memory.text))
        if all(_alike(mine, set(content_terms(other.memory.text))) < 0.6 for other in kept):
            kept.append(item)
        if len(kept) == most:
            break
    return kept


def key_words(text: str, me: str = "") -> str:
    """The words of a question worth searching for, as they were written; all when none are."""
    mine = set(content_terms(me))
    kept = [
        word
        for word in re.findall(r"[^\W_]+(?:['’-][^\W_]+)*", text)  # noqa: RUF001
        if any(term not in _ASKED_WITH and term not in mine for term in content_terms(word))
    ]
    return " ".join(kept) or " ".join(words(text))


def _undated(memory: Memory, question: Question) -> str:
    """A memory's text; without "on Friday" and the like when a place is asked for."""
    if question.needs is not _WHERE:
        return memory.text
    return re.sub(
        rf"\b(?:in|at|on|by|from) (?:the )?(?:{_WHEN.pattern})", "", memory.text, flags=re.I
    )


def _alike(one: set[str], other: set[str]) -> float:
    return len(one & other) / (len(one | other) or 1)
