"""
What a line spoken to an NPC is after: a greeting, a question about someone, an order, a secret.

A line is cut into sentences, greetings and the NPC's own name are taken off, and each sentence
gets the first intent whose pattern fits. What fits nothing is a question when it asks, gibberish
when it has no words, another tongue when its small words are foreign, else a statement.

"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from ..mind.confidence import is_off_the_record
from ..mind.instruction_like import INJECTION
from ..mind.text import is_question, name_keys
from .offline_nonsense import is_foreign, is_nonsense
from .offline_patterns import PATTERNS
from .offline_wants import (
    ASKING,
    FILLER,
    HELLO,
    INDIRECT,
    ONLY_WHEN_TOLD,
    SENTENCE,
    TWO_QUESTIONS,
    Want,
)

#: Longer lines get a puzzled answer.
MOST_CHARACTERS = 700


@dataclass(frozen=True, slots=True)
class Intent:
    """
    One sentence and what it is after.

    Args:
        want: The kind.
        text: The sentence, greeting and vocative taken off.
        focus: What the pattern singled out: the topic, the name, the verb.
        asks: Whether it ends by asking.

    """

    want: Want
    text: str = ""
    focus: str = ""
    asks: bool = False


@lru_cache(maxsize=2048)
def read_line(text: str, me: str) -> tuple[Intent, ...]:
    """
    Everything a line is after, in the order it was said.

    Args:
        text: The words, of any length, in any language.
        me: The NPC's name, taken off where it is called by it.

    Returns:
        At least one intent; a greeting comes first and apart from what follows it.

    """
    text = text.replace("’", "'").replace("`", "'").strip()  # noqa: RUF001
    if not any(char.isalnum() for char in text):
        return (Intent(Want.CALLED if "?" in text else Want.NOTHING, text, asks="?" in text),)
    if INJECTION.search(text):
        return (Intent(Want.ODD, text),)
    if len(text) > MOST_CHARACTERS:
        return (Intent(Want.LONG, text),)
    intents: list[Intent] = []
    if is_off_the_record(text):
        intents.append(Intent(Want.SECRET, text))
    for sentence in SENTENCE.split(text):
        for part in _questions(sentence.strip()):
            intents += _read_sentence(part, me)
    if not intents:
        return (Intent(Want.CALLED, text),)
    return tuple(intents)


def _questions(sentence: str) -> list[str]:
    """The questions that stand in one sentence ("How much is it, and where do I pay?")."""
    parts = TWO_QUESTIONS.split(sentence) if is_question(sentence) else [sentence]
    return [f"{part}?" for part in parts[:-1]] + parts[-1:]


def without_address(sentence: str, me: str) -> tuple[str, bool]:
    """
    A sentence without the greeting it begins with and without the NPC's name.

    Args:
        sentence: What was said.
        me: The NPC's name.

    Returns:
        The rest, and whether there was a greeting.

    """
    names = "|".join(re.escape(key) for key in sorted(name_keys(me), key=len, reverse=True))
    called = re.compile(rf"@?(?:{names})(?=\W|$)[\s,.!;:~-]*", re.IGNORECASE) if names else None
    greeted = False
    for _ in range(3):
        hello = HELLO.match(sentence)
        if hello:
            greeted, sentence = True, sentence[hello.end() :]
        match = called.match(sentence) if called else None
        if match and _addresses(sentence, match):
            sentence = sentence[match.end() :]
        elif not hello:
            break
    if names:
        sentence = re.sub(rf",\s*@?(?:{names})\s*(?=[?!.…]*$)", "", sentence, flags=re.IGNORECASE)
    return sentence.strip(), greeted


def _addresses(sentence: str, match: re.Match[str]) -> bool:
    """Whether a name at the start calls someone ("Bram, ...") and is not told about ("Bram is")."""
    if re.search(r"\W$", match[0]) and match[0].rstrip() != match[0].rstrip(",.!;:~-? "):
        return True
    rest = sentence[match.end() :].lower()
    return not rest or not re.match(
        r"(?:'s|is|was|has|had|will|would|and|or|says?|said|told)\b", rest
    )


def _read_sentence(sentence: str, me: str) -> list[Intent]:
    """The intents of one sentence: a greeting, what it is after, or both; none for a bare name."""
    rest, greeted = without_address(sentence, me)
    intents = [Intent(Want.GREET, sentence)] if greeted else []
    if not any(char.isalnum() for char in rest):
        if not greeted and sentence:
            intents.append(Intent(Want.CALLED, sentence, asks="?" in sentence))
        return intents
    return [*intents, _intent(rest)]


def _intent(sentence: str) -> Intent:
    """The first intent whose pattern fits."""
    low = " ".join(sentence.lower().split()).rstrip(".!?… ")
    low = FILLER.sub("", low)
    asks = is_question(sentence) or bool(ASKING.match(low) or INDIRECT.match(low))
    if is_nonsense(low):
        return Intent(Want.GIBBERISH, sentence, asks=asks)
    if is_foreign(low):
        return Intent(Want.FOREIGN, sentence, asks=asks)
    low = INDIRECT.sub("", low)
    for want, pattern in PATTERNS:
        match = pattern.match(low)
        if match is None or (want in ONLY_WHEN_TOLD and is_question(sentence)):
            continue
        focus = next((group for group in match.groupdict().values() if group), "")
        if want is Want.REMEMBER_THAT and (is_question(sentence) or focus.startswith("me")):
            continue
        if want is Want.TELL_ABOUT and not asks and not low.startswith(("tell", "please", "teach")):
            continue
        return Intent(want, sentence, _as_written(focus, sentence), asks)
    return Intent(Want.QUESTION if asks else Want.STATEMENT, sentence, asks=asks)


def _as_written(focus: str, sentence: str) -> str:
    """The focus with the capitals it was said with."""
    flat = " ".join(sentence.split())
    at = flat.lower().find(focus)
    return flat[at : at + len(focus)].strip(" .,!?") if focus and at >= 0 else focus
