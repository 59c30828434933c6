"""What a server says about how much more it will take."""

import pytest

from evennia_assistant.llm.rate_limits import RateLimitInfo, read_rate_limits, read_retry_after


def test_openais_and_anthropics_headers_are_understood():
    assert read_rate_limits(
        {"x-ratelimit-limit-requests": "60", "x-ratelimit-remaining-requests": "0"}
    ) == RateLimitInfo(limit_requests=60, remaining_requests=0)
    assert read_rate_limits(
        {"anthropic-ratelimit-tokens-limit": "9000", "anthropic-ratelimit-tokens-remaining": "8"}
    ) == RateLimitInfo(limit_tokens=9000, remaining_tokens=8)


@pytest.mark.parametrize("text", ["", "many", "-1", "1.5", "٣"])
def test_a_number_that_is_none_is_left_out(text):
    assert read_rate_limits({"x-ratelimit-limit-requests": text}) == RateLimitInfo()


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 40.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0.0),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({}, None),
    ],
)
def test_the_wait_a_server_asks_for(headers, seconds):
    assert read_retry_after(headers, clock=lambda: 60.0) == seconds
