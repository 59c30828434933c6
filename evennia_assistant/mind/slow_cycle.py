"""
How often an NPC may look ahead with a model's help: the gates of the slow cycle (document 004).

1. **cool-down**: half an hour after the last time, unless something shook the NPC or somebody
   corrected it;
2. **cap**: so many times in any 24 hours;
3. **tokens**: so many in the prompts of any 24 hours.

An attempt counts, whether anything came of it or not, and is stored before the model is asked.

"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from .entry import timestamp_of, when_of
from .phrases import DAY, MINUTE

Gate = Literal["cool-down", "cap", "tokens"]

COOL_DOWN = 30 * MINUTE
#: Documented: times in 24 hours, and tokens of all their prompts.
PER_DAY = 36
TOKENS_PER_DAY = 150_000
#: Tokens of one prompt's memories at most; the oldest are left out.
MOST_TOKENS = 8_000


@dataclass(frozen=True, slots=True)
class Limits:
    """
    What one NPC may spend on looking ahead.

    Args:
        per_day: Times in any 24 hours.
        tokens: Tokens of prompts in any 24 hours, None for any number.
        cool_down: Least seconds between two times.

    """

    per_day: int = PER_DAY
    tokens: int | None = TOKENS_PER_DAY
    cool_down: float = COOL_DOWN


def gate(
    now: float, runs: Sequence[Mapping[str, Any]], limits: Limits, *, urgent: bool = False
) -> Gate | None:
    """
    Which gate holds, None when all are open.

    Args:
        now: UTC seconds since the epoch.
        runs: Earlier attempts, `{"at", "tokens"}` each; one in the future, because a clock was set
            back, counts as well.
        limits: The NPC's.
        urgent: Whether something shook it, or somebody corrected it; the cool-down is waived.

    """
    lately = still_counting(now, runs)
    if not urgent and any(now - when_of(run["at"]) < limits.cool_down for run in lately):
        return "cool-down"
    if len(lately) >= limits.per_day:
        return "cap"
    if limits.tokens is not None and sum(run["tokens"] for run in lately) >= limits.tokens:
        return "tokens"
    return None


def still_counting(now: float, runs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The attempts of the last 24 hours; what is none is left out."""
    return [dict(run) for run in runs if _is_run(run) and now - when_of(run["at"]) < DAY]


def with_attempt(
    now: float, runs: Sequence[Mapping[str, Any]], tokens: int
) -> list[dict[str, Any]]:
    """The attempts that count, and one more."""
    return [*still_counting(now, runs), {"at": timestamp_of(now), "tokens": tokens}]


def _is_run(run: object) -> bool:
    try:
        return isinstance(run, Mapping) and when_of(run["at"]) > 0 and run["tokens"] >= 0
    except (KeyError, TypeError, ValueError):
        return False
