"""
The output gate: the one place where an NPC speaks.

Whatever a model wrote is data (trust.md, rule 6). `mind.output` makes it inert; here it is handed
to Evennia's own hooks, so that a game's formats, languages and listeners work as for any speaker.

"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.conf import settings

from ..conf import setting
from ..mind import output
from ..perception.speaking import speaking


def sayable(npc: Any, text: str, others: Sequence[str] = ()) -> str:
    """
    The plain words of a model's line, "" when nothing in it can be said.

    Args:
        npc: Who will say it.
        text: What the model wrote.
        others: Names of those present, whose parts the model may have written as well.

    """
    return output.speakable(
        text, max_length=setting("ASSISTANT_MAX_SPEECH"), speaker=npc.key, others=others
    )


def say(npc: Any, words: str) -> bool:
    """
    Say plain words aloud where the NPC stands.

    Args:
        npc: The speaker.
        words: From `sayable`.

    Returns:
        Whether it was said; the game's `at_pre_say` may have refused it.

    """
    line = npc.at_pre_say(output.for_speech(words, inlines_parsed=_inlines_parsed()))
    if not line:
        return False
    with speaking(npc, words):
        npc.at_say(line, msg_self=True)
    return True


def whisper(npc: Any, words: str, receivers: Sequence[Any]) -> bool:
    """Whisper plain words to some of those present; as `say`."""
    line = npc.at_pre_say(
        output.for_speech(words, inlines_parsed=_inlines_parsed()),
        whisper=True,
        receivers=list(receivers),
    )
    if not line:
        return False
    with speaking(npc, words, receivers):
        npc.at_say(line, msg_self=True, receivers=list(receivers), whisper=True)
    return True


def page(npc: Any, words: str, receiver: Any) -> bool:
    """
    Send plain words to one connected character, wherever it is.

    Args:
        npc: The sender.
        words: From `sayable`.
        receiver: The character.

    Returns:
        Whether it was sent; the game's `at_pre_say` may have refused it.

    """
    line = npc.at_pre_say(
        output.for_speech(words, inlines_parsed=_inlines_parsed()), receivers=[receiver]
    )
    if not line:
        return False
    name = npc.get_display_name(receiver)
    with speaking(npc, words, [receiver]):
        receiver.msg((f"{name} pages you: {line}", {"type": "page"}), from_obj=npc)
    return True


def emote(npc: Any, words: str) -> bool:
    """
    Show a gesture to everyone where the NPC stands.

    Args:
        npc: Who shows it.
        words: Plain text that follows the NPC's name.

    Returns:
        Whether there was anywhere to show it.

    """
    return _show(npc, "{actor} " + output.for_emote(words, inlines_parsed=_inlines_parsed()))


def narrate(npc: Any, template: str, only_to: Any = None) -> bool:
    """
    Show one of the operator's own lines, in which `{name}` stands for the NPC.

    Args:
        npc: Whom it is about.
        template: The line.
        only_to: Show it to this one alone; None shows it to the room.

    Returns:
        Whether there was anyone to show it to.

    """
    parts = [
        output.for_emote(part, inlines_parsed=_inlines_parsed())
        for part in template.split("{name}")
    ]
    with _by_its_plain_name(npc):
        if only_to is None:
            return _show(npc, "{actor}".join(parts))
        plain = template.replace("{name}", npc.get_display_name(only_to))
    only_to.msg(
        (output.for_speech(plain, inlines_parsed=_inlines_parsed()), {"type": "pose"}), from_obj=npc
    )
    return True


def on_channel(npc: Any, words: str, channel: Any) -> bool:
    """Say plain words on a channel."""
    channel.msg(output.for_speech(words, inlines_parsed=_inlines_parsed()), senders=[npc])
    return True


@contextmanager
def _by_its_plain_name(npc: Any) -> Iterator[None]:
    """Let nobody see "Bram (asleep) yawns and falls asleep"."""
    npc.ndb.seen_acting = True
    try:
        yield
    finally:
        del npc.ndb.seen_acting


def _show(npc: Any, text: str) -> bool:
    if npc.location is None:
        return False
    npc.location.msg_contents(
        (text, {"type": "pose"}), exclude=[npc], from_obj=npc, mapping={"actor": npc}
    )
    return True


def _inlines_parsed() -> bool:
    return bool(getattr(settings, "FUNCPARSER_PARSE_OUTGOING_MESSAGES_ENABLED", False))
