"""The end of a turn that is nobody's fault."""

from __future__ import annotations

from ..errors import AssistantError


class TurnDropped(AssistantError):
    """The turn ended without an answer, for a reason that is nobody's fault."""
