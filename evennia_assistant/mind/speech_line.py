"""
The words inside a line of speech.

Evennia hands a listener the line a client would show (`Bob says, "hello"`), translated and
formatted as the game likes, and never the words alone. This reads the words back out, tolerantly:

>>> extract_words('|cBob|n says, "|wHello|n there"', ("Bob",), "say")
('Hello there', True)
>>> extract_words("Bob sagt: „Guten Abend“", ("Bob",), "say")
('Guten Abend', True)
>>> extract_words("Bob mumbles incomprehensibly", ("Bob",), "say")
('Bob mumbles incomprehensibly', False)

Every pattern here is linear in the length of the line.

"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from evennia_assistant.mind.percept import SPOKEN, Manner

# ruff: noqa: RUF001 - quotation marks of many languages are data here

#: Which characters may close a quotation that a character opens.
QUOTES: dict[str, str] = {
    '"': '"',
    "“": "”“",
    "”": "”",
    "„": '“”"',
    "‟": "”",
    "«": "»",
    "»": "«»",
    "‹": "›",
    "›": "‹",
    "「": "」",
    "『": "』",
    "《": "》",
    "〈": "〉",
    "＂": "＂",
    "'": "'",
    "‘": "’",
    "‚": "‘’",
    "’": "’",
    "`": "'`",
}

#: Characters that are apostrophes as well, so that they open a quotation only at a word's edge.
_APOSTROPHES = frozenset("'‘’`")

_ESCAPES = re.compile(
    r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]{0,500}(?:\x07|\x1b\\)|\x1b[@-Z\\-_]"
)
_CODES = re.compile(
    r"\|(?:"
    r"(?P<pipe>\|)"
    r"|(?P<space>[/\->_])"
    r"|(?P<link>l[cu])|(?P<text>lt)|(?P<end>le)"
    r"|\[?[0-5]{3}|\[?=[a-z]|\[?#[0-9a-fA-F]{6}|![RGYBMCWX]|\[[rgybmcwxRGYBMCWX]"
    r"|[nrgybmcwxRGYBMCWXhHuUiIsS*^]"
    r")"
)
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_OPENERS = re.compile("[" + re.escape("".join(QUOTES)) + "]")
_AFTER_CLOSE = re.compile(r"[\s.!?…)\]*~]*\Z")
#: Words in apostrophes that are a sentence, wherever they stand: `shouted 'Run!' and ran`.
_SENTENCE_IN_APOSTROPHES = re.compile(
    r"['‘](?=[^\W\d_a-z])(?:[^'’]|['’](?=\w)){1,200}?[.,!?…]['’](?!\w)"
)
_COLON = re.compile(r"[^:：]{0,40}?[:：]\s*(?=\S)")


@dataclass(frozen=True, slots=True)
class Piece:
    """A quoted piece of a line: the words, and where the quotation marks stand."""

    words: str
    start: int
    end: int


def strip_markup(line: str) -> str:
    """
    The line as plain text: no Evennia colour codes, links, ANSI escapes or control characters.

    Args:
        line: What the client would have been sent.

    Returns:
        The readable text. `||` becomes the `|` it stands for, a link becomes its text.

    """
    line = _ESCAPES.sub("", line)
    parts: list[str] = []
    position = 0
    last_text = line.rfind("|lt")
    for code in _CODES.finditer(line):
        if code.start() < position:
            continue
        parts.append(line[position : code.start()])
        position = code.end()
        if code["pipe"]:
            parts.append("|")
        elif code["space"]:
            parts.append(" ")
        elif code["link"] and last_text >= position:
            position = line.index("|lt", position) + 3
    parts.append(line[position:])
    return _CONTROL.sub("", "".join(parts).replace("\t", " ")).strip()


def quoted_pieces(line: str) -> list[Piece]:
    """
    The quotations of a line, outermost only, in order.

    An apostrophe opens one only after a comma, a colon, at the start of the line or around a whole
    sentence, so that "the guards' boots" and "'tis late" stay plain text.

    Args:
        line: Plain text.

    Returns:
        The pieces. A quotation that is never closed runs to the end of the line.

    """
    pieces: list[Piece] = []
    position = 0
    while (opening := _OPENERS.search(line, position)) is not None:
        start = opening.start()
        position = opening.end()
        if not _opens(line, start):
            continue
        end = _closing(line, start)
        words = line[start + 1 : end].strip()
        if words:
            pieces.append(Piece(words, start, min(end + 1, len(line))))
        position = max(position, end + 1)
    return pieces


def outside_quotes(line: str) -> str:
    """The line with its quotations taken out: what was done, not what was said."""
    parts: list[str] = []
    position = 0
    for piece in quoted_pieces(line):
        parts.append(line[position : piece.start])
        position = piece.end
    parts.append(line[position:])
    return " ".join(part.strip() for part in parts if part.strip())


def extract_words(line: str, speaker_names: Iterable[str], manner: Manner) -> tuple[str, bool]:
    """
    The words of a line, and whether they are surely the speaker's own.

    Args:
        line: The line as received, markup and all.
        speaker_names: Names the speaker may stand under in it; they are never read as speech.
        manner: How it came. A pose or emote yields the quoted pieces it holds.

    Returns:
        The words, and True when the line's shape leaves no doubt. When nothing can be told apart
        the whole line comes back with False; an empty line is `("", False)`.

    """
    text = strip_markup(line)
    if not text:
        return "", False
    head, colon, paged = text.partition(": ")
    if manner == "page" and colon and "page" in head.casefold() and paged.strip():
        return paged.strip(), True
    if manner in SPOKEN:
        return _spoken(text, tuple(name for name in speaker_names if name))
    if manner in ("pose", "emote"):
        pieces = quoted_pieces(text)
        if pieces:
            return " ".join(piece.words for piece in pieces), True
    return text, False


def _spoken(text: str, speaker_names: tuple[str, ...]) -> tuple[str, bool]:
    """The words of a line that is speech as a whole."""
    tag_end, named = _speaker(text, speaker_names)
    # A colon straight after the name is older than any quotation inside the words.
    if named and (bare := re.match(r"[\])>]*\s*[:：]\s*", text[tag_end:])) is not None:
        words = text[tag_end + bare.end() :].strip()
        inner = _whole_quotation(words)
        return (inner or words, True) if words else (text, False)
    if named and text[tag_end : tag_end + 1] in (">", "]") and text[:1] in ("<", "["):
        words = text[tag_end + 1 :].strip()
        if words:
            return _whole_quotation(words) or words, True
    for opening in _OPENERS.finditer(text, tag_end):
        start = opening.start()
        if not _opens(text, start):
            continue
        outer = _last_closing(text, start)
        if outer is not None and _AFTER_CLOSE.match(text, outer + 1):
            words = text[start + 1 : outer].strip()
            if start > 0 or not named:
                pieces = quoted_pieces(text)
                if len(pieces) < 2 or not _interrupted(text, pieces, speaker_names):
                    return (words, True) if words else (text, False)
        break
    pieces = quoted_pieces(text)
    if pieces and (named is False or pieces[0].start >= tag_end or pieces[0].start == 0):
        single = len(pieces) == 1
        return " ".join(piece.words for piece in pieces), single
    if named and (colon := _COLON.match(text, tag_end)) is not None:
        return text[colon.end() :].strip(), False
    return text, False


def _speaker(text: str, names: tuple[str, ...]) -> tuple[int, bool]:
    """Where the speaker's name ends, and whether it was found near the start of the line."""
    lowered = text[:200].casefold()
    best = 0
    for name in names:
        at = lowered.find(name.casefold())
        if at < 0:
            continue
        before = _OPENERS.search(text, 0, at)
        if before is not None and _opens(text, before.start()):
            continue
        best = max(best, at + len(name))
    return best, best > 0


def _interrupted(text: str, pieces: list[Piece], names: tuple[str, ...]) -> bool:
    """True when the speaker is named between two pieces: `"Ah," says Bob, "you."`"""
    for left, right in pairwise(pieces):
        between = text[left.end : right.start].casefold()
        if any(name.casefold() in between for name in names):
            return True
    return False


def _whole_quotation(words: str) -> str:
    """The inside of a text that is one quotation, else ""."""
    pieces = quoted_pieces(words)
    if len(pieces) == 1 and pieces[0].start == 0 and _AFTER_CLOSE.match(words, pieces[0].end):
        return pieces[0].words
    return ""


def _opens(line: str, at: int) -> bool:
    """True when the quotation mark at `at` may begin a quotation."""
    if line[at] not in _APOSTROPHES:
        return not (line[at] in "”»›" and at > 0 and line[at - 1].isalnum())
    if at + 1 >= len(line) or line[at + 1].isspace():
        return False
    before = line[max(0, at - 3) : at].rstrip()
    if not before or before[-1] in ",:，：>]":
        return True
    return line[at - 1].isspace() and _SENTENCE_IN_APOSTROPHES.match(line, at) is not None


def _is_closing(line: str, at: int) -> bool:
    """True when an apostrophe at `at` stands at the end of a word or sentence."""
    if line[at] not in _APOSTROPHES:
        return True
    return at + 1 >= len(line) or not line[at + 1].isalnum()


def _closing(line: str, start: int) -> int:
    """Where the quotation opened at `start` ends, the line's end when nothing closes it."""
    opener = line[start]
    closers = QUOTES[opener]
    depth = 1
    for at in range(start + 1, len(line)):
        character = line[at]
        if character in closers and _is_closing(line, at):
            depth -= 1
            if depth == 0:
                return at
        elif character == opener and character not in _APOSTROPHES:
            depth += 1
    return len(line)


def _last_closing(line: str, start: int) -> int | None:
    """The last place where the quotation opened at `start` could end."""
    for at in range(len(line) - 1, start, -1):
        if line[at] in QUOTES[line[start]] and _is_closing(line, at):
            return at
    return None
