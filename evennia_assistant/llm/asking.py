"""
Asking a model for records rather than for words.

The sleeping mind asks for scores, facts and insights, the awake one for an assessment or for the
steps of a goal. All do it here: one question, an answer read item by item, and one more try when
nothing in it was of use. What could not be read is named, never taken for "nothing found".

"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

from twisted.internet.defer import Deferred, inlineCallbacks

from ..errors import ModelAnswerError
from .json_items import parse_items
from .response import LLMResponse, Usage

Ask = Callable[[list[dict[str, Any]], None], "Deferred[LLMResponse]"]

#: What the model is told when nothing in its answer could be used; `{why}` is the reason.
REPAIR = (
    "That answer could not be used: {why}. Answer again, with the JSON alone and nothing around it."
)


@dataclass
class Records:
    """
    What a model answered.

    Args:
        items: The sound records, as the check gave them back.
        problems: What could not be used, one line each.
        calls: How often the model was asked.
        usage: Tokens spent in all.

    """

    items: list[Any] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    calls: int = 0
    usage: Usage = field(default_factory=Usage)


@inlineCallbacks
def ask_for_records(
    ask: Ask,
    messages: Sequence[dict[str, Any]],
    check: Callable[[Any], Any],
    *,
    key: str | None = None,
    repairs: int = 1,
) -> Generator[Deferred[Any], Any, Records]:
    """
    Put a question and read the records in the answer.

    Args:
        ask: `Agent.ask`, or anything that counts and limits calls around it.
        messages: The prompt.
        check: Gives back a record as it is to be used, or raises ValueError with the reason.
        key: As for `parse_items`.
        repairs: How often the model is asked again after an answer without a sound record.

    Returns:
        The records; their list is empty when the model answered an empty one.

    Raises:
        ModelAnswerError: If the last answer held nothing of use either.
        ModelError: If the model could not be asked.

    """
    prompt = list(messages)
    answer = Records()
    while True:
        response: LLMResponse = yield ask(prompt, None)
        answer.calls += 1
        answer.usage = Usage(
            answer.usage.prompt_tokens + response.usage.prompt_tokens,
            answer.usage.completion_tokens + response.usage.completion_tokens,
        )
        why = _read(response.content, check, key, answer)
        if why is None:
            return answer
        if answer.calls > repairs:
            raise ModelAnswerError(f"The model's answer could not be used: {why}")
        prompt += [
            {"role": "assistant", "content": response.content[:2000]},
            {"role": "user", "content": REPAIR.format(why=why)},
        ]


def _read(text: str, check: Callable[[Any], Any], key: str | None, answer: Records) -> str | None:
    """Put what is sound into `answer`; why nothing is, None when something is or was to be."""
    try:
        found, problems = parse_items(text, key)
    except ModelAnswerError as err:
        return str(err).rstrip(".")
    items = []
    for item in found:
        try:
            items.append(check(item))
        except ValueError as err:
            problems.append(str(err))
    answer.items, answer.problems = items, [*answer.problems, *problems]
    return problems[0] if problems and not items else None
