"""What a server says, in the headers of an answer, about how much more it will take."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime


@dataclass(frozen=True, slots=True)
class RateLimitInfo:
    """
    The limits as of the last answer; None is what the server did not say.

    Args:
        limit_requests: Requests allowed in a period.
        remaining_requests: Requests left in it.
        limit_tokens: Tokens allowed in a period.
        remaining_tokens: Tokens left in it.
        retry_after: Seconds to wait before the next request.

    """

    limit_requests: int | None = None
    remaining_requests: int | None = None
    limit_tokens: int | None = None
    remaining_tokens: int | None = None
    retry_after: float | None = None


def read_rate_limits(headers: Mapping[str, str]) -> RateLimitInfo:
    """
    The limits named in headers, as OpenAI's `x-ratelimit-*` and Anthropic's of the same meaning.

    Args:
        headers: Case-insensitive, or with names in lower case.

    """

    def number(what: str, kind: str) -> int | None:
        text = headers.get(f"x-ratelimit-{what}-{kind}") or headers.get(
            f"anthropic-ratelimit-{kind}-{what}"
        )
        return int(text) if text and text.isascii() and text.isdigit() else None

    return RateLimitInfo(
        limit_requests=number("limit", "requests"),
        remaining_requests=number("remaining", "requests"),
        limit_tokens=number("limit", "tokens"),
        remaining_tokens=number("remaining", "tokens"),
        retry_after=read_retry_after(headers),
    )


def read_retry_after(
    headers: Mapping[str, str], clock: Callable[[], float] = time.time
) -> float | None:
    """
    Seconds a server asked to be left alone, from `retry-after-ms` or `Retry-After`.

    Args:
        headers: Case-insensitive, or with names in lower case.
        clock: Gives seconds since the epoch, for the form that names a date.

    Returns:
        None when it did not ask, or not in a form that can be read.

    """
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        text = headers.get(name)
        if not text:
            continue
        try:
            seconds = float(text) / unit
        except ValueError:
            try:
                seconds = parsedate_to_datetime(text).timestamp() - clock()
            except ValueError:
                continue
        if math.isfinite(seconds):
            return max(0.0, seconds)
    return None
