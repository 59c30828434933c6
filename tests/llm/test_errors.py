"""The category of a failure: whether to ask again, and whether to hold it against the service."""

import json
import socket
import subprocess
import sys

import pytest

from evennia_assistant import errors
from evennia_assistant.errors import (
    AssistantError,
    CircuitOpen,
    ErrorCategory,
    ModelAnswerError,
    ModelAuthError,
    ModelError,
    ModelRequestError,
    ModelTimeout,
    ModelTransientError,
    classify_exception,
    classify_http_error,
    should_retry,
    should_trip_circuit_breaker,
)

AUTH, TRANSIENT, BUSINESS, UNKNOWN = ErrorCategory


@pytest.mark.parametrize(
    ("statuses", "category"),
    [
        ((401, 403), AUTH),
        ((408, 409, 425, 429, 500, 502, 503, 504, 529), TRANSIENT),
        ((400, 402, 404, 405, 413, 422), BUSINESS),
        ((0, 200, 301, 999), UNKNOWN),
    ],
)
def test_every_status_has_a_category(statuses, category):
    assert {classify_http_error(status) for status in statuses} == {category}


class FromALibrary(Exception):
    def __init__(self, status_code):
        self.status_code = status_code


@pytest.mark.parametrize(
    ("err", "category"),
    [
        (FromALibrary(401), AUTH),
        (FromALibrary(503), TRANSIENT),
        (FromALibrary(422), BUSINESS),
        (TimeoutError(), TRANSIENT),
        (ConnectionResetError(), TRANSIENT),
        (socket.gaierror(), TRANSIENT),
        (type("ReadTimeout", (type("TimeoutException", (Exception,), {}),), {})(), TRANSIENT),
        (ValueError(), BUSINESS),
        (TypeError(), BUSINESS),
        (KeyError(), BUSINESS),
        (json.JSONDecodeError("x", "", 0), BUSINESS),
        (RuntimeError(), UNKNOWN),
        (PermissionError(), UNKNOWN),
        (ModelAuthError("x"), AUTH),
        (ModelTimeout("x"), TRANSIENT),
        (CircuitOpen("x"), TRANSIENT),
        (ModelRequestError("x"), BUSINESS),
        (ModelAnswerError("x"), UNKNOWN),
        (ModelError("x"), UNKNOWN),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else value,
)
def test_exceptions_have_categories_too(err, category):
    assert classify_exception(err) is category


def test_the_exceptions_of_openai_are_known():
    openai = pytest.importorskip("openai")
    request = openai._base_client.httpx2.Request("POST", "http://x.test")
    assert classify_exception(openai.APITimeoutError(request)) is TRANSIENT
    assert classify_exception(openai.APIConnectionError(request=request)) is TRANSIENT


@pytest.mark.parametrize(
    ("category", "yes"), [(AUTH, False), (TRANSIENT, True), (BUSINESS, False), (UNKNOWN, False)]
)
def test_only_what_passes_is_retried_and_held_against_the_service(category, yes):
    assert should_retry(category) is yes
    assert should_trip_circuit_breaker(category) is yes


def test_being_refused_by_our_own_breaker_is_no_failure_of_the_service():
    assert not should_retry(CircuitOpen("x"))
    assert not should_trip_circuit_breaker(CircuitOpen("x"))
    assert should_retry(ModelTransientError("x"))


def test_the_tree_in_the_docstring_is_the_tree_in_the_code():
    drawn = {}
    for line in errors.__doc__.splitlines():
        name = line.lstrip(" │├└─").split(" ")[0]
        cls = getattr(errors, name, None) if name.isidentifier() else None
        if isinstance(cls, type) and issubclass(cls, AssistantError):
            drawn[cls] = (len(line) - len(line.lstrip(" │├└─")) - 4) // 4
    in_code = {
        cls: len(cls.__mro__) - len(AssistantError.__mro__)
        for cls in vars(errors).values()
        if isinstance(cls, type) and issubclass(cls, AssistantError)
    }
    assert drawn == in_code


def test_errors_load_without_openai_or_a_game():
    code = (
        "import sys, evennia_assistant.errors as e\n"
        "e.classify_exception(ValueError())\n"
        "print({'openai', 'httpx2', 'django', 'twisted'}.intersection(sys.modules) or 'none')"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "none"
