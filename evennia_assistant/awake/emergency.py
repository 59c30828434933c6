"""
When nothing works: counting errors, stopping, and telling the keepers.

After `max_consecutive_errors` turns in a row that failed, an NPC falls silent until someone types
`aisetup/start` (wiki-facts 16.1). Whatever it heard stays in its memory.

"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from evennia.comms.models import ChannelDB
from evennia.utils import logger


def record_error(script: Any, reason: str) -> bool:
    """
    Count one failed turn.

    Args:
        script: The AssistantScript.
        reason: What went wrong, without secrets.

    Returns:
        Whether this one brought the emergency stop.

    """
    script.db.consecutive_errors = (script.db.consecutive_errors or 0) + 1
    logger.log_err(f"Assistant {script.db.assistant_key}: {reason}")
    if script.db.consecutive_errors >= script.option("max_consecutive_errors"):
        trigger_emergency_stop(script, reason)
        return True
    return False


def record_success(script: Any) -> None:
    """A turn worked: the count of errors in a row begins anew."""
    if script.db.consecutive_errors:
        script.db.consecutive_errors = 0


def trigger_emergency_stop(script: Any, reason: str) -> None:
    """
    Silence an NPC until its keeper starts it again.

    Args:
        script: The AssistantScript.
        reason: Told to the log and the keepers.

    """
    script.db.emergency_stop = True
    if script.character is not None:
        script.character.msg(f"Emergency stop: {reason}".replace("|", "||"))
    tell_keepers(
        f"Assistant {script.db.assistant_key} stopped after {script.db.consecutive_errors} errors "
        f"in a row; the last: {reason} Type 'aisetup/start {script.db.assistant_key}' when it is "
        "mended."
    )


def clear_emergency_stop(script: Any) -> tuple[bool, str]:
    """
    Let a stopped NPC go on.

    Returns:
        Whether there was a stop to clear, and a line for whoever asked.

    """
    if not script.db.emergency_stop:
        return False, "Emergency stop is not active."
    script.db.emergency_stop = False
    script.db.consecutive_errors = 0
    return True, "Emergency stop cleared; the error count starts at 0."


def tell_keepers(text: str) -> None:
    """Put a line in the log and on the staff channel (`CHANNEL_MUDINFO`), where there is one."""
    logger.log_err(text)
    tell_staff(text)


def tell_staff(text: str) -> None:
    """Put a line on the staff channel, where there is one."""
    staff = settings.CHANNEL_MUDINFO
    channel = ChannelDB.objects.filter(db_key__iexact=staff["key"]).first() if staff else None
    if channel is not None:
        channel.msg(text.replace("|", "||"))
