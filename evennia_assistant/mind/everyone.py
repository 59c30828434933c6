"""
Lines to everybody, or to whoever will answer.

>>> addresses_everyone("Good evening, all!"), addresses_everyone("Does anyone know the way?")
(True, True)
>>> addresses_everyone("Everyone knows that.")
False

"""

from __future__ import annotations

import re

from evennia_assistant.mind import address_words as words
from evennia_assistant.mind.addressing import find_addressees
from evennia_assistant.mind.cut_line import CONTINUES, CutLine
from evennia_assistant.mind.name_forms import Addressee


def addresses_everyone(text: str, others: int = 0) -> bool:
    """
    Whether a line is to all who are there, or to whoever will answer.

    Args:
        text: The words of the line.
        others: How many are there besides the speaker; "you two" means all of exactly two.

    Returns:
        True for "Good evening, all", "Everyone, listen!", "Does anyone know ...?"; False for
        "everyone knows that".

    """
    line = CutLine(text)
    phrases = words.ALL_OF_YOU + (words.BOTH_OF_YOU if others == 2 else ())
    for first, end in line.sentences():
        if not any(line.reported[first:end]) and _is_to_all(line, first, end, phrases):
            return True
    everyone = Addressee("*", ("everyone", "everybody", "ladies and gentlemen"), _EVERYONE_ALIASES)
    return any(
        naming.how == "vocative" and not _RELATIVE.match(line.text, naming.start + len(naming.text))
        for naming in find_addressees(text, [everyone])
    )


_RELATIVE = re.compile(r"\s+(?:i|we|you|they|he|she|that's|it's|got)\b", re.IGNORECASE)
_EVERYONE_ALIASES = (
    *("folks", "friends", "gentlemen", "lads", "y'all", "yall"),
    *("alle", "leute", "tout le monde", "todos", "tutti", "все"),
    *("大家", "みんな", "皆さん", "여러분"),
)


def _is_to_all(line: CutLine, first: int, end: int, phrases: tuple[str, ...]) -> bool:
    """Whether one sentence is to everybody, or to whoever knows the answer."""
    sentence = [token.base for token in line.tokens[first:end]]
    greets = len(sentence) <= 9 and (
        bool(words.GREETINGS & set(sentence[:2])) or tuple(sentence[:2]) in words.GREETING_PAIRS
    )
    everyone = words.EVERYONE | {"all"}
    if greets and sentence[-1] in everyone:
        return True
    for at in range(1, min(6, len(sentence))):
        led = words.GREETINGS & set(sentence[:at])
        if led and sentence[at] in everyone and line.breaks[first + at + 1] != CONTINUES:
            return set(sentence[:at]) <= words.GREETINGS | words.GREETING_TAIL
    opening = 0
    while opening < len(sentence) and sentence[opening] in words.SOFT | words.GREETINGS:
        opening += 1
    head = sentence[opening:]
    said = " ".join(head)
    if any(said == phrase or (greets and said.endswith(phrase)) for phrase in phrases):
        return True
    for phrase in phrases:
        length = len(phrase.split())
        if said.startswith(f"{phrase} "):
            called = line.breaks[first + opening + length] != CONTINUES
            if called or (phrase.endswith("of you") and head[length] in words.IMPERATIVES):
                return True
        asked = head[0] if head else ""
        if asked in words.AUXILIARIES | {"what"} and f" {phrase} " in f"{said} "[:40]:
            return line.question[first] and not phrase.startswith("you all")
    if head[1:2] == ["there"] and head[0] in words.AUXILIARIES and head[2:3]:
        return head[2] in words.ANYONE
    if len(head) > 1 and head[0] in words.AUXILIARIES and head[1] in words.ANYONE:
        return head[1] not in words.EVERYONE or head[0] not in ("did", "does", "has", "was")
    if head and head[0] in words.ANYONE:
        asks = len(head) > 1 and head[1] in words.IMPERATIVES
        clitic = line.tokens[first + opening].clitic
        # "Everybody freeze!", but not "Everybody lies!"
        shouted = head[0].startswith("every") and "!" in line.gap(end) and len(head) in (2, 3)
        if shouted and not head[1].endswith(("s", "ed")):
            return True
        return asks or (line.question[first] and not clitic and head[0] not in words.EVERYONE)
    return False
