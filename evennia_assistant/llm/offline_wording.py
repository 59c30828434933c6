"""
Choosing words: a line of the table or of the persona, never the one said last.

"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from ..mind.text import is_question
from .offline_lines import LINES
from .offline_phrases import capital
from .offline_retelling import ended
from .offline_situation import Situation


class Wording:
    """
    Chooses lines for a situation.

    Args:
        situation: What the turn is answered from.
        rng: Chooses among lines that would all do.

    """

    def __init__(self, situation: Situation, rng: random.Random) -> None:
        self.now = situation
        self.rng = rng

    def _has_closed(self) -> bool:
        return bool(self.now.spoken) and any(
            self.now.spoken[-1].startswith(line.split("{")[0].rstrip(", "))
            for line in LINES["closing"]
        )

    def _was_last(self, words: str) -> bool:
        return bool(self.now.spoken) and ended(words) in self.now.spoken[-1]

    def _choose(self, options: Sequence[str]) -> str:
        """One of some lines, not one of the last two said when there is a choice."""
        last = " ".join(self.now.spoken[-2:])
        fresh = [option for option in options if option.rstrip(".!?") not in last]
        return self.rng.choice(fresh or list(options))

    def _pick(self, key: str, **parts: str) -> str:
        """A line of the table, filled; one without a name when the speaker has none."""
        parts = {"me": self.now.name or "nobody of note", "hour": self._hour(), **parts}
        lines = [line for line in LINES[key] if parts.get("name", "") or "{name}" not in line] or [
            line.replace(", {name}", "").replace("{name}", "friend") for line in LINES[key]
        ]
        return capital(self._choose([line.format_map(parts) for line in lines]))

    def _hour(self) -> str:
        """A greeting that fits the time of day."""
        low = self.now.time.lower()
        match = re.match(r"(\d{1,2})\b", low)
        hour = int(match[1]) if match else -1
        if re.search(r"morning|dawn|sunrise", low) or 5 <= hour < 12:
            return "Good morning"
        if re.search(r"evening|dusk|night|sunset", low) or 18 <= hour < 24 or 0 <= hour < 5:
            return "Good evening"
        return "Good day"

    def _unknown(self) -> str:
        if self.now.unknown:
            return ended(self._choose(self.now.unknown))
        return self._pick("unknown")

    def _voiced(self) -> str:
        short = [
            phrase for phrase in self.now.voice if len(phrase) <= 60 and not is_question(phrase)
        ]
        return ended(self._choose(short)) if short else ""
