"""
Everything that can go wrong, as one tree.

::

    AssistantError
    ├── ConfigError            a setting or option is unusable; the text says what to do
    ├── StoreError             a memory store holds something unreadable; it was set aside
    ├── ToolError              a tool could not do what was asked; the text goes to the model
    │   ├── UnknownTool
    │   ├── InvalidArguments
    │   └── ToolRefused        not allowed; the reason is logged
    └── ModelError             a model could not be asked; `.category` says what kind
        ├── ModelAuthError
        ├── ModelTransientError
        │   ├── ModelTimeout
        │   └── CircuitOpen
        ├── ModelRequestError
        └── ModelAnswerError   an answer came and could not be used

"""

from __future__ import annotations


class AssistantError(Exception):
    """Base of all errors this package raises on purpose."""


class ConfigError(AssistantError):
    """A setting or option is unusable; the text says which and what to do."""


class StoreError(AssistantError):
    """A memory store holds something unreadable."""


class ToolError(AssistantError):
    """A tool could not do what was asked; its text is what the model is told."""


class UnknownTool(ToolError):
    """The model named a tool that does not exist or is not offered here."""


class InvalidArguments(ToolError):
    """The arguments of a tool call do not fit the tool's JSON schema."""


class ToolRefused(ToolError):
    """The NPC, or the one whose words led here, may not do this."""
