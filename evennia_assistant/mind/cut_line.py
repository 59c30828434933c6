"""
A line cut into words and sentences, with what stands between them worked out once.

Every question the reading of addresses asks of a line is answered here in constant time, so that a
line of any length is read in one pass.

"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from copy import copy
from functools import lru_cache

from evennia_assistant.mind import address_words as words
from evennia_assistant.mind.name_forms import Token, tokenize
from evennia_assistant.mind.speech_line import quoted_pieces

# ruff: noqa: RUF001 - punctuation of other scripts is data here

#: What stands between two words: nothing, the end of a clause, or the end of a sentence.
CONTINUES, CLAUSE, SENTENCE = 0, 1, 2


class CutLine:
    """
    A line cut into words.

    Args:
        text: The line; `.text` holds it normalised to NFC, and every offset refers to that.

    """

    def __init__(self, text: str) -> None:
        self.text = unicodedata.normalize("NFC", text)
        self.tokens: list[Token] = tokenize(self.text)
        self.breaks = [SENTENCE, *self._gaps(), SENTENCE]
        self.roles: frozenset[str] = frozenset()
        self.reported = self._reported()
        self.question = self._questions()
        self._starts: list[int] = []
        for index in range(len(self.tokens)):
            begins = self.breaks[index] == SENTENCE
            self._starts.append(index if begins else self._starts[-1])

    def gap(self, index: int) -> str:
        """What stands before word `index`; after the last word, what ends the line."""
        start = self.tokens[index - 1].end if index > 0 else 0
        end = self.tokens[index].start if index < len(self.tokens) else len(self.text)
        return self.text[start:end]

    def sentence_start(self, index: int) -> int:
        """The first word of the sentence that holds word `index`."""
        return self._starts[index]

    def sentences(self) -> Iterator[tuple[int, int]]:
        """First word and end of each sentence."""
        first = 0
        for index in range(1, len(self.tokens) + 1):
            if self.breaks[index] == SENTENCE and index > first:
                yield first, index
                first = index

    def base(self, index: int) -> str:
        """The word at `index`, "" beyond the line's ends."""
        return self.tokens[index].base if 0 <= index < len(self.tokens) else ""

    def text_at(self, index: int) -> str:
        """The word at `index` with its ending ("i'm"), "" beyond the line's ends."""
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""

    def _gaps(self) -> Iterator[int]:
        for index in range(1, len(self.tokens)):
            gap = self.gap(index)
            if gap.isspace() or not gap:
                yield CONTINUES
            elif words.SENTENCE_END.search(gap):
                yield SENTENCE
            else:
                yield CLAUSE if words.CLAUSE_END.search(gap) else CONTINUES

    def _reported(self) -> list[bool]:
        """For each word, whether it stands inside a quotation that is not the whole line."""
        whole = len(self.text.strip())
        pieces = [piece for piece in quoted_pieces(self.text) if piece.end - piece.start < whole]
        flags, upcoming = [], 0
        for token in self.tokens:
            while upcoming < len(pieces) and pieces[upcoming].end <= token.start:
                upcoming += 1
            flags.append(upcoming < len(pieces) and pieces[upcoming].start <= token.start)
        return flags

    def _questions(self) -> list[bool]:
        """For each word, whether its sentence ends in a question mark."""
        flags = [False] * len(self.tokens)
        asks = False
        for index in range(len(self.tokens), 0, -1):
            if self.breaks[index] == SENTENCE:
                asks = any(mark in self.gap(index) for mark in "?？")
            flags[index - 1] = asks
        return flags


def cut_line(text: str) -> CutLine:
    """
    A line cut into words, with `roles` of its own.

    Everybody who hears a line reads it, and once more when it is written down; it is cut once.

    Args:
        text: The line.

    """
    return copy(_cut(text))


@lru_cache(maxsize=32)
def _cut(text: str) -> CutLine:
    return CutLine(text)
