"""
Everything that can go wrong, as one tree.

::

    AssistantError
    ├── ConfigError            a setting or option is unusable; the text says what to do
    ├── CardError              a file or text cannot be imported; the text says why
    ├── StoreError             a memory store holds something unreadable; it was set aside
    │   └── SemanticMemoryError  semantic memory could not be used; `.fault` says why
    ├── ToolError              a tool could not do what was asked; the text goes to the model
    │   ├── UnknownTool
    │   ├── InvalidArguments
    │   ├── ToolRefused        not allowed; the reason is logged
    │   └── ToolBroken         it raised, took too long, or gave back what is no result
    └── ModelError             a model could not be asked; `.category` says what kind
        ├── ModelAuthError
        ├── ModelTransientError
        │   ├── ModelTimeout
        │   └── CircuitOpen
        ├── ModelRequestError
        ├── BudgetSpent        not asked: what may be spent is spent
        └── ModelAnswerError   an answer came and could not be used
            └── EmptyAnswer    there was nothing in it

What the texts of the model branch say is shown to keepers and written to logs, so they are made
of our own words, the status and the short codes a server gave: never of a key, a header, or
anything of the request.

"""

from __future__ import annotations

import socket
from enum import StrEnum


class AssistantError(Exception):
    """Base of all errors this package raises on purpose."""


class ConfigError(AssistantError):
    """A setting or option is unusable; the text says which and what to do."""


class CardError(AssistantError):
    """A card, a lorebook or a text cannot be imported; the text says why and what would do."""


class StoreError(AssistantError):
    """A memory store holds something unreadable."""


class MemoryFault(StrEnum):
    """Why semantic memory could not be used, which decides what a keeper can do about it."""

    #: The server cannot be reached, the disk is full, the folder is gone, or the like.
    UNAVAILABLE = "unavailable"
    #: Another process has the folder.
    LOCKED = "locked"
    #: A call did not end in time.
    TIMED_OUT = "timed out"
    #: The files are there and cannot be read.
    CORRUPT = "corrupt"
    #: It was asked for more than it takes at once.
    BUSY = "busy"
    #: It took what it was given and does not have it.
    DROPPED = "dropped"
    #: It cannot take this fact, whenever it is asked.
    REFUSED = "refused"


class SemanticMemoryError(StoreError):
    """
    Semantic memory could not be used; nothing is known about what it holds.

    Args:
        message: What is wrong and what to do about it, for the keeper and the log.
        fault: What kind of failure it is.

    """

    def __init__(self, message: str, fault: MemoryFault = MemoryFault.UNAVAILABLE) -> None:
        super().__init__(message)
        self.fault = fault


class ToolError(AssistantError):
    """A tool could not do what was asked; its text is what the model is told."""


class UnknownTool(ToolError):
    """The model named a tool that does not exist or is not offered here."""


class InvalidArguments(ToolError):
    """The arguments of a tool call do not fit the tool's JSON schema."""


class ToolRefused(ToolError):
    """The NPC, or the one whose words led here, may not do this."""


class ToolBroken(ToolError):
    """A tool raised what nobody foresaw, took too long, or gave back what is no result."""


class ErrorCategory(StrEnum):
    """What kind of failure a service had, which decides whether asking again can help."""

    #: The key is wrong or may not do this. Fails fast, and says nothing about the service.
    AUTH = "auth"
    #: The service is busy, broken or out of reach. Worth another try; counts against it.
    TRANSIENT = "transient"
    #: The request cannot be served as it is. Asking again gives the same.
    BUSINESS_LOGIC = "business_logic"
    #: None of these for certain; nobody gains from guessing, so neither retried nor counted.
    UNKNOWN = "unknown"


class ModelError(AssistantError):
    """
    A model could not be asked, or its answer not used.

    Args:
        message: What is wrong and what to do about it, for the keeper and the log.
        status: HTTP status, None when no answer came.
        retry_after: Seconds the service asked to be left alone, None when it did not say.

    Attributes:
        category (ErrorCategory): What kind of failure it is.

    """

    category = ErrorCategory.UNKNOWN

    def __init__(
        self, message: str, *, status: int | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after


class ModelAuthError(ModelError):
    """The key is missing, wrong, or may not use this model."""

    category = ErrorCategory.AUTH


class ModelTransientError(ModelError):
    """The service is busy, broken or out of reach at the moment."""

    category = ErrorCategory.TRANSIENT


class ModelTimeout(ModelTransientError):
    """No answer came within a time limit."""


class CircuitOpen(ModelTransientError):
    """Not asked at all: the service failed too often just now. `retry_after` says how long."""


class ModelRequestError(ModelError):
    """The service does not accept the request: unknown model, wrong address, unusable option."""

    category = ErrorCategory.BUSINESS_LOGIC


class BudgetSpent(ModelError):
    """Not asked, because what may be spent is spent; the text says on what."""

    category = ErrorCategory.BUSINESS_LOGIC


class ModelAnswerError(ModelError):
    """An answer came and could not be used: no choices, no text, no JSON."""


class EmptyAnswer(ModelAnswerError):
    """The model ended its answer without a word or a tool; to some questions that is one."""


# 408 Request Timeout, 409 Conflict (a lock timed out), 425 Too Early, 429 Too Many Requests.
_TRANSIENT_STATUSES = frozenset({408, 409, 425, 429})

# Exceptions of the HTTP libraries, by name, so that none of them need be imported to know one.
_TRANSIENT_NAMES = frozenset(
    {"APIConnectionError", "APITimeoutError", "TimeoutError", "TimeoutException", "TransportError"}
)


def classify_http_error(status: int) -> ErrorCategory:
    """
    The category of an HTTP status.

    Args:
        status: The status of an answer.

    Returns:
        UNKNOWN for a status that is no error.

    """
    if status in (401, 403):
        return ErrorCategory.AUTH
    if status in _TRANSIENT_STATUSES or 500 <= status < 600:
        return ErrorCategory.TRANSIENT
    if 400 <= status < 500:
        return ErrorCategory.BUSINESS_LOGIC
    return ErrorCategory.UNKNOWN


def classify_exception(err: BaseException) -> ErrorCategory:
    """
    The category of an exception, ours or a library's.

    Args:
        err: Anything raised. A `status_code` attribute decides if there is one, as the exceptions
            of openai and its like have.

    """
    if isinstance(err, ModelError):
        return err.category
    status = getattr(err, "status_code", None)
    if isinstance(status, int):
        return classify_http_error(status)
    if isinstance(err, TimeoutError | ConnectionError | socket.gaierror):
        return ErrorCategory.TRANSIENT
    if any(kind.__name__ in _TRANSIENT_NAMES for kind in type(err).__mro__):
        return ErrorCategory.TRANSIENT
    if isinstance(err, ValueError | TypeError | LookupError):
        return ErrorCategory.BUSINESS_LOGIC
    return ErrorCategory.UNKNOWN


def should_retry(what: ErrorCategory | BaseException) -> bool:
    """Whether asking again soon can help: for TRANSIENT failures of a service that was asked."""
    if isinstance(what, CircuitOpen):
        return False
    category = what if isinstance(what, ErrorCategory) else classify_exception(what)
    return category is ErrorCategory.TRANSIENT


def should_trip_circuit_breaker(what: ErrorCategory | BaseException) -> bool:
    """
    Whether a failure counts against the service.

    Only TRANSIENT ones do: a wrong key or a malformed request must not make a service that works
    look unavailable to everyone else who uses it.

    """
    return should_retry(what)
