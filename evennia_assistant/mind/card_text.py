"""
Texts that people wrote for people, cut to what an NPC can use: blocks of a persona, and lines.

What comes out are words of the text, in its order; nothing is reworded or made up.

"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

#: Longest line of knowledge made of a longer text: two of them fit what a turn recalls.
MAX_PIECE = 300
_SENTENCE = re.compile(r"(?<=[.!?\u3002\uff01\uff1f])[\"'\u201d\u2019)\]]*\s+")
_BULLET = re.compile(r"\s*(?:[-*+\u2022]|\d{1,3}[.)])\s+")
_HEADING = re.compile(r"(#{1,6})\s+(.+?)\s*#*\Z")
_NARRATION = re.compile(r"\*[^*]*\*")
_SPEECH = re.compile(r"\"([^\"]+)\"|\u201c([^\u201c\u201d]+)\u201d|\u300c([^\u300c\u300d]+)\u300d")
#: Line breaks, and what joins letters in scripts that need it.
_KEPT = "\n\u200c\u200d"


class _Seen(dict[int, str | None]):
    """A translation table that looks each character up once."""

    def __missing__(self, code: int) -> str | None:
        char = chr(code)
        kept = char in _KEPT or unicodedata.category(char) not in ("Cc", "Cf", "Cs")
        self[code] = char if kept else None
        return self[code]


_SEEN = _Seen()


def cleaned(text: str) -> str:
    """A text without characters that cannot be seen, its line breaks and words kept."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", " ")
    return text.translate(_SEEN).strip()


def one_line(text: str) -> str:
    """A text as one line."""
    return " ".join(text.split())


def pieces(text: str, most: int = MAX_PIECE) -> list[str]:
    """
    A text as lines of knowledge, none longer than `most`.

    Cut between paragraphs and lines first, then between sentences, then between words.

    """
    made: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text):
        held = ""
        for unit in _units(paragraph, most):
            if held and len(held) + 1 + len(unit) > most:
                made.append(held)
                held = ""
            held = f"{held} {unit}".strip()
        if held:
            made.append(held)
    return made


def _units(paragraph: str, most: int) -> Iterator[str]:
    for line in paragraph.splitlines():
        for sentence in _SENTENCE.split(line) if len(line) > most else (line,):
            words = one_line(sentence)
            while len(words) > most:
                at = words.rfind(" ", 0, most + 1)
                at = at if at > 0 else most
                yield words[:at].strip()
                words = words[at:].strip()
            if words:
                yield words


def divided(text: str, most: int) -> tuple[str, list[str]]:
    """
    The beginning of a text, of whole paragraphs or sentences, and the rest of it as lines.

    Args:
        text: The text.
        most: Most characters of the beginning.

    """
    if len(text) <= most:
        return text, []
    if not most:
        return "", pieces(text)
    parts = re.split(r"(\n\s*\n)", text)
    kept = ""
    while parts and len(kept) + len(parts[0]) <= most:
        kept += parts.pop(0)
    rest = "".join(parts)
    if not kept.strip():
        first, *others = pieces(rest, most)
        return first, [piece for other in others for piece in pieces(other)]
    return kept.strip(), pieces(rest)


def is_bullet(line: str) -> bool:
    """Whether a line is one of a list."""
    return _BULLET.match(line) is not None


def listed(text: str) -> list[str]:
    """The items of a list, or the paragraphs of what is none, each as one line."""
    made: list[str] = []
    begun = False
    for line in text.splitlines():
        if not line.strip():
            begun = False
        elif is_bullet(line) or not begun:
            made.append(_BULLET.sub("", line, count=1).strip())
            begun = True
        else:
            made[-1] += f" {line.strip()}"
    return [one_line(each) for each in made if each.strip()]


def sections(text: str) -> list[tuple[int, str, str]]:
    """
    Level, heading and text of each part of a Markdown text; what stands before all has none.

    Lines between fences are text, whatever they begin with.

    """
    found: list[tuple[int, str, list[str]]] = [(0, "", [])]
    fenced = False
    for line in text.splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
            continue
        heading = None if fenced else _HEADING.match(line.strip())
        if heading:
            found.append((len(heading[1]), heading[2].strip(), []))
        else:
            found[-1][2].append(line)
    return [(level, name, "\n".join(lines).strip()) for level, name, lines in found]


def has_headings(text: str) -> bool:
    """Whether a text is laid out with Markdown headings."""
    return any(_HEADING.match(line.strip()) for line in text.splitlines())


def greeting_in(text: str, most: int) -> str:
    """
    What somebody says in the first message of a card, in whole sentences; "" when that is nothing.

    Such a message is a scene: what is told between asterisks is no greeting, and where words stand
    in quotes, these are what is said.

    """
    told = _NARRATION.sub(" ", text)
    said = ["".join(groups) for groups in _SPEECH.findall(told)]
    if not said and _SPEECH.search(text):
        return ""
    words = one_line(" ".join(said) if said else told)
    kept = ""
    for sentence in _SENTENCE.split(words):
        if len(kept) + 1 + len(sentence) > most:
            break
        kept = f"{kept} {sentence}".strip()
    return kept


def spoken_by(text: str, name: str, others: tuple[str, ...]) -> list[str]:
    """
    What one of the speakers of an example dialogue says, message by message.

    Args:
        text: Lines `Name: words`; a message goes on until the next speaker or `<START>`.
        name: Whose words.
        others: Who else speaks.

    """
    found: list[str] = []
    theirs = False
    for line in text.splitlines():
        who, colon, words = line.partition(":")
        if line.strip().upper() == "<START>":
            theirs = False
        elif colon and who.strip() == name:
            theirs = True
            found.append(words)
        elif colon and who.strip() in others:
            theirs = False
        elif theirs:
            found[-1] += f" {line}"
    return [one_line(each) for each in found if each.strip()]
