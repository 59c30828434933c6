"""
Text to the numbers a BERT model reads: the uncased WordPiece of Devlin et al. (2018).

The package that carries MiniLM's weights carries no vocabulary. This one comes with ours: the
30,522 pieces of `bert-base-uncased` (Google, Apache License 2.0), unchanged but for compression.

"""

from __future__ import annotations

import gzip
import re
import unicodedata
from functools import lru_cache
from importlib.resources import files

_VOCABULARY = "data/bert_base_uncased_vocab.txt.gz"

#: Longer words are one unknown piece, as in the reference.
_LONGEST_WORD = 100

# Han characters stand alone; any other run of letters and digits is a word; a mark is itself.
_UNIT = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]|[^\W_\u3400-\u9fff]+|[^\s\w]|_")


class WordPiece:
    """Splits text into numbered pieces."""

    def __init__(self) -> None:
        raw = files("evennia_assistant.memory").joinpath(_VOCABULARY).read_bytes()
        lines = gzip.decompress(raw).decode("utf-8").split("\n")
        self._number = {piece: number for number, piece in enumerate(lines)}
        self._unknown = self._number["[UNK]"]
        self._first, self._last = self._number["[CLS]"], self._number["[SEP]"]
        self._pieces = lru_cache(maxsize=16384)(self._pieces_of)

    def encode(self, text: str, longest: int) -> list[int]:
        """
        The numbers of a text's pieces between the model's two marks.

        Args:
            text: Any text.
            longest: Most numbers to return, the marks included; what is beyond is cut off.

        """
        bare = unicodedata.normalize("NFD", text.lower())
        bare = "".join(char for char in bare if unicodedata.category(char) != "Mn")
        numbers: list[int] = []
        for unit in _UNIT.findall(bare):
            numbers.extend(self._pieces(unit))
            if len(numbers) >= longest - 2:
                break
        return [self._first, *numbers[: longest - 2], self._last]

    def _pieces_of(self, word: str) -> tuple[int, ...]:
        """The longest pieces, from left to right, that make up a word."""
        if len(word) > _LONGEST_WORD:
            return (self._unknown,)
        found = []
        start = 0
        while start < len(word):
            mark = "##" if start else ""
            for end in range(len(word), start, -1):
                number = self._number.get(mark + word[start:end])
                if number is not None:
                    break
            else:
                return (self._unknown,)
            found.append(number)
            start = end
        return tuple(found)
