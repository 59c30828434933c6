"""
What a model answered, whichever provider it came from.

The offline brain, an OpenAI-compatible server and the scripted model of
`evennia_assistant.testing` all answer with these.

"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call, as the provider counted them, or estimated when it did not say."""

    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def total_tokens(self) -> int:
        """Prompt and completion together."""
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True, slots=True)
class ToolCall:
    """
    One tool the model wants to run.

    Args:
        id: The provider's id, repeated in the `tool` message that answers it.
        name: Name of the tool.
        arguments: The arguments as the model wrote them, a JSON text. It may be malformed: whoever
            runs the tool parses it and tells the model what is wrong with it.

    """

    id: str
    name: str
    arguments: str = "{}"

    def as_message(self) -> dict[str, Any]:
        """The call in chat-completion form, for the `tool_calls` of an assistant message."""
        return {
            "id": self.id,
            "type": "function",
            "function": {"name": self.name, "arguments": self.arguments},
        }


@dataclass(frozen=True, slots=True)
class LLMResponse:
    """
    One answer of a model.

    Args:
        content: Text of the answer, "" when there is none.
        tool_calls: Tools it wants to run, in order.
        usage: Tokens spent.
        model: The model that answered, as it names itself.
        finish_reason: `stop`, `tool_calls`, `length`, ... as the provider gives it.

    """

    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    finish_reason: str = "stop"
