"""
What all benchmarks share: how they are called and how they report.

Without `--json` a benchmark prints a table for people; with it, the last line it prints is one
JSON object. Progress goes to stderr.

"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn


def parser(description: str | None) -> argparse.ArgumentParser:
    """A command line with `--json`; add what else the benchmark takes."""
    made = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    return made


def percentile(values: Sequence[float], share: float) -> float:
    """
    The value that `share` (0 to 1) of the values do not exceed; one of them, never between two.

    Raises:
        ValueError: There are no values.

    """
    if not values:
        raise ValueError("no values to take a percentile of")
    ordered = sorted(values)
    return ordered[max(math.ceil(share * len(ordered)), 1) - 1]


def p50(values: Sequence[float]) -> float:
    """The median, as `percentile` has it."""
    return percentile(values, 0.5)


def p95(values: Sequence[float]) -> float:
    """What 95 of 100 stay within."""
    return percentile(values, 0.95)


def report(result: Mapping[str, Any], *, as_json: bool, table: str = "") -> None:
    """Print the result: the table, or one JSON object as the last line."""
    if as_json:
        print(json.dumps(_rounded(result)), flush=True)
    else:
        print(table or json.dumps(_rounded(result), indent=2), flush=True)


def progress(text: str) -> None:
    """Say what is being done, where it does not mix with the result."""
    print(text, file=sys.stderr, flush=True)


def stop(text: str) -> NoReturn:
    """End with exit code 2 because what was asked for cannot be measured; `text` says why."""
    print(text, file=sys.stderr, flush=True)
    raise SystemExit(2)


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, Mapping):
        return {key: _rounded(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(inner) for inner in value]
    return value
