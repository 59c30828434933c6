"""
The exact words of a speaker, for as long as they are being said.

Evennia hands listeners the formatted line only (`Anna says, "hello"`, in the language of the
server). A speaker that knows its own words says them inside this context, and every NPC that
hears the line takes the words from here instead of reading them out of the line::

    with speaking(character, "hello", receivers=[innkeeper]):
        character.at_say("hello")

"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Utterance:
    """
    What is being said right now.

    Args:
        words: The speaker's own words.
        receivers: Those it is directed to; empty when it is said to the room.
        manner: `talk` when it was said with the talk command, else None: what the line says.

    """

    words: str
    receivers: tuple[Any, ...] = ()
    manner: str | None = None


@contextmanager
def speaking(
    speaker: Any, words: str, receivers: Iterable[Any] = (), manner: str | None = None
) -> Iterator[None]:
    """
    Let listeners know the exact words of what `speaker` says inside this context.

    Args:
        speaker: Any typeclassed object.
        words: What it says.
        receivers: To whom it is directed.
        manner: As for `Utterance`.

    """
    outer = speaker.ndb.assistant_utterance
    # An inner `at_say` of a `talk` must not lose whom the outer call addresses.
    if outer is None:
        speaker.ndb.assistant_utterance = Utterance(words, tuple(receivers), manner)
    try:
        yield
    finally:
        speaker.ndb.assistant_utterance = outer


def utterance_of(speaker: Any) -> Utterance | None:
    """What `speaker` is saying at this moment, None when it says nothing or does not tell."""
    return speaker.ndb.assistant_utterance
