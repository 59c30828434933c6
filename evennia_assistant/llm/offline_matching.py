"""
Which of the given memories answers a question, by the words they share.

Words are compared by their stems, rare ones weigh more, and what the question asks for ("when",
"where", "how many") is looked for in the memory. A proper name in the question must stand in the
memory, so that a question about one ship is not answered with another.

"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..mind.text import content_terms, is_question, speaks_of_self, stem, words
from .offline_retelling import said_by_me, same_name
from .offline_situation import Memory
from .offline_vocabulary import ASKED_WITH, KINDRED, VAGUE

#: Share of a question's weight that an answer must carry.
ENOUGH = 0.34
#: Below this share the answer is offered as no more than a part; above the next, others may differ.
HALF = 0.55
WHOLE = 0.6

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
#: Turns of speech whose words are not meant.
_IDIOM = re.compile(r"\bin any weather\b|\bof course\b|\bby the way\b", re.IGNORECASE)
#: Words that two lines share by chance.
_TOO_COMMON = VAGUE | frozenset(
    content_terms(
        "north south east west dark light deep high low hot cold black white red blue green go "
        "come take give bring keep put walk run sit stand live work turn leave help try start "
        "old new little big small great long short nice bad first last own man woman boy girl "
        "people hand head eye name word house home ship boat two three four "
        "five six seven eight nine ten"
    )
)
#: Least score of a line that a statement calls to mind: a word of its own, or two that few share.
_CALLS_TO_MIND = 0.45
#: Where who asks is not who is asked about.
_MAY_I = re.compile(
    r"\b(?:can|could|may|might|should|do|would|must|shall) (?:i|we)\b|"
    r"\b(?:tell|show|give|help|let|for|teach) (?:me|us)\b"
)
_DO_YOU_KNOW = re.compile(
    r"\b(?:can|could|do|did|have|has|will|would) you (?:still |ever |please )?(?:tell|know|"
    r"remember|recall|say|hear|heard|think)\b|\b(?:tell|told|say|said|ask|asked) you\b"
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
        yours: True when it asks the NPC about itself, which nothing the asker said can answer.
        opening: What a good answer begins with, "" for anything; it decides between equals.

    """

    terms: frozenset[str]
    names: frozenset[str] = frozenset()
    needs: re.Pattern[str] | None = None
    own: bool = False
    hints: frozenset[str] = frozenset()
    opening: str = ""
    yours: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """
    A memory that answers.

    Args:
        memory: It.
        share: How much of the question it answers.
        partly: True when it lacks what was asked for.
        akin: True when it has none of the words of the question, only words that go with them.

    """

    memory: Memory
    share: float
    partly: bool = False
    akin: bool = False


def ask(text: str, *, me: str = "", hints: Iterable[str] = ()) -> Question:
    """
    A question as what its answer must look like.

    Args:
        text: The question as it was said.
        me: The NPC's name, which asks for nothing.
        hints: Earlier lines, for a question like "and when?".

    """
    mine = set(content_terms(me))
    text = text.capitalize() if text.isupper() else text
    low = text.lower()
    opening = "To " if re.search(r"\bhow (?:do|can|to|would|should|does)\b", low) else ""
    text = _IDIOM.sub(" ", text)
    said = re.sub(r"\bhow (?:old|many|much|long|far|late|soon)\b", "how", text, flags=re.IGNORECASE)
    key = frozenset(content_terms(said)) - ASKED_WITH - mine
    if re.search(r"\bhow many (?:people|folk)\b", low):
        key |= {stem("person")}
    named = frozenset(term for name in _NAME.findall(text) for term in content_terms(name))
    needs = None
    if re.search(r"\bwhen\b|\bwhat (?:time|day|hour|date)\b|\bhow (?:soon|late|long)\b", low):
        needs = _WHEN
    elif re.search(r"\bwhere\b|\bwhat place\b", low):
        needs = _WHERE
    elif re.search(r"\bhow (?:many|much|old|far)\b|\bwhat (?:price|cost)\b", low):
        needs = _COUNT
    earlier = frozenset(term for line in hints for term in content_terms(line)) - ASKED_WITH - mine
    pronoun = re.search(r"\b(?:it|that|there|he|she|they|them|him|her)\b", low)
    if not key and (pronoun or (len(low.split()) <= 3 and "you" not in low)):
        key = earlier
    if pronoun is None and len(key) > 1:
        earlier = frozenset()
    own = speaks_of_self(_MAY_I.sub(" ", low))
    yours = not own and bool(re.search(r"\b(?:you|your|yours)\b", _DO_YOU_KNOW.sub(" ", low)))
    return Question(key, (named & key) - DATES, needs, own, earlier, opening, yours)


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
    texts = [frozenset(content_terms(_IDIOM.sub(" ", memory.text))) for memory in usable]
    sources = [frozenset(content_terms(memory.who)) for memory in usable]
    weight = {
        term: 0.2
        + math.log((len(usable) + 1) / (sum(bool(_forms(term) & text) for text in texts) + 0.5))
        for term in question.terms
    }
    whole = sum(weight.values())
    found: list[tuple[float, int, Found]] = []
    for rank, (memory, text, source) in enumerate(zip(usable, texts, sources, strict=True)):
        if question.names and not question.names & (text | source):
            continue
        exact = question.terms & text
        shared = frozenset(term for term in question.terms if _forms(term) & text)
        said_by = (question.terms & source) - text
        share = (
            sum(weight[t] * (1.0 if t in exact else 0.9) for t in shared)
            + 0.5 * sum(weight[t] for t in said_by)
        ) / whole
        fits = question.needs is None or bool(question.needs.search(_undated(memory, question)))
        if not shared - DATES:
            continue
        if question.needs is not None:
            share = share + 0.15 if fits else share * 0.7
        if question.yours and same_name(memory.who, asker):
            continue
        if memory.who and question.own != same_name(memory.who, asker):
            share *= 0.7
        if share >= ENOUGH:
            hinted = 0.1 * len(question.hints & text) / (len(question.hints) or 1)
            # What it is comes after what it knows.
            sure = {"keeper": 0.02}.get(memory.how, 0.0) - (0.15 if memory.kind == "persona" else 0)
            apt = 0.1 if question.opening and memory.text.startswith(question.opening) else 0.0
            beside = question.terms - question.names
            partly = not fits or bool(question.names and beside and not shared & beside)
            item = Found(memory, min(share, 1.0), partly=partly, akin=not exact)
            found.append((share + hinted + sure + apt, -rank, item))
    found.sort(key=lambda scored: scored[:2], reverse=True)
    return [scored[2] for scored in found]


def brought_up(text: str, memories: Sequence[Memory], besides: Iterable[str] = ()) -> Memory | None:
    """
    The memory that a statement calls to mind, by a rare word or two that both have.

    Args:
        text: What was told.
        memories: What may be told.
        besides: Names and the like that call nothing to mind, for everything here has them.

    Returns:
        None when nothing shares a word that is rare among the memories.

    """
    common = frozenset(term for name in besides for term in content_terms(name)) | _TOO_COMMON
    terms = frozenset(content_terms(text)) - common - DATES - ASKED_WITH
    named = frozenset(term for name in _NAME.findall(text) for term in content_terms(name))
    texts = [frozenset(content_terms(_IDIOM.sub(" ", memory.text))) for memory in memories]
    best: tuple[float, int] | None = None
    for at, mine in enumerate(texts):
        # What stands in most lines, or is only akin, says less.
        weights = []
        # "The Sea Wolf" has nothing to do with the sea.
        for term in terms if named <= mine else terms - named:
            forms = {term} if term in mine else KINDRED.get(term, frozenset()) & mine
            if forms:
                spread = sum(bool(forms & other) for other in texts)
                weights.append(1.0 / spread if term in mine else 0.8 / math.sqrt(spread))
        score = sum(weights)
        if score > _CALLS_TO_MIND and (best is None or score > best[0]):
            best = (score, at)
    return memories[best[1]] if best else None


def _forms(term: str) -> frozenset[str]:
    """A stem and those that may answer for it."""
    return KINDRED.get(term, frozenset()) | {term}


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
        if any(term not in ASKED_WITH and term not in mine for term in content_terms(word))
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
