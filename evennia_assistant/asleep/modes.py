"""
Falling asleep and waking: the two modes of an NPC and what leads from one to the other.

What is true of a sleep stands in `script.db.sleep_state`, so that a reload or a cold start goes on
with it: `since` and `clock_since` (when it began, by our clock and by that of the schedule), `by`
(`order`, `schedule` or `self`), `depth`, `wake_at` (of a nap), `wake_ordered`, and `told` (who was
told that it sleeps). `script.db.sleep_phase` is the phase of the night.

Why it sleeps decides what ends it. By schedule it sleeps until its hours are over. A keeper's order
goes before the schedule: the NPC sleeps on until the next of its nights has ended, or until it is
ordered to wake where it keeps no hours. What it lay down for of itself, outside its hours, lasts as
long as a night would.

"""

from __future__ import annotations

from datetime import tzinfo
from typing import Any

from django.conf import settings
from django.db import transaction
from evennia.utils import gametime, logger
from evennia.utils.dbserialize import deserialize

from ..awake import speech
from ..conf import setting
from ..errors import ConfigError
from ..mind.contexts import OPERATING_MODES
from ..mind.schedule import DEPTHS, SleepSchedule, is_urgent, zone_named
from ..mind.turn_taking import Engagement
from .night import COMPACTING

#: `script.db.schedule_disabled_by` of an NPC that lay down of itself outside its hours.
BY_TOOL = "go_to_sleep"


def mode_of(script: Any) -> str:
    """`awake` or `sleep`."""
    return "sleep" if script.db.operating_mode == "sleep" else "awake"


def sleep_state(script: Any) -> dict[str, Any]:
    """What is known of the present sleep, plain data; empty while it is awake."""
    return deserialize(script.db.sleep_state) or {}


def schedule_of(script: Any) -> SleepSchedule:
    """
    The NPC's hours of sleep.

    Raises:
        ConfigError: If `script.db.sleep_schedule` holds something unusable.

    """
    return SleepSchedule.from_record(deserialize(script.attributes.get("sleep_schedule")))


def clock_of(script: Any, schedule: SleepSchedule) -> tuple[float, tzinfo]:
    """
    What time it is by the clock of a schedule, and where.

    Raises:
        ConfigError: If its time zone does not exist.

    """
    if schedule.sleep_clock == "game":
        return float(gametime.gametime(absolute=True)), zone_named("UTC")
    return script.agent.now(), zone_named(schedule.sleep_time_zone or settings.TIME_ZONE)


# What a tick asks ----------------------------------------------------------------------------


def check_sleep_schedule(script: Any) -> tuple[bool, str, str]:
    """
    Whether the hour calls for the other mode; an NPC that keeps no hours costs one look.

    Args:
        script: The AssistantScript.

    Returns:
        Whether to change, the mode to be in, and why.

    """
    mode = mode_of(script)
    by_schedule = mode == "sleep" and sleep_state(script).get("by") == "schedule"
    try:
        if not (script.attributes.get("sleep_schedule") or {}).get("enabled"):
            return by_schedule, "awake" if by_schedule else mode, "it keeps no hours of sleep"
        schedule = schedule_of(script)
        now, zone = clock_of(script, schedule)
    except ConfigError as err:
        # Nobody may sleep for ever because an hour became unreadable.
        return by_schedule, "awake" if by_schedule else mode, str(err)
    if script.db.schedule_disabled_by:
        return False, mode, f"{script.db.schedule_disabled_by} has set its hours of sleep aside"
    night = schedule.night_at(now, zone)
    hours = f"its hours of sleep, {schedule.hours}"
    if mode == "sleep":
        if not by_schedule:
            return False, mode, "its hours of sleep did not send it to bed"
        return night is None, "awake" if night is None else mode, f"{hours}, are over"
    if night is None:
        return False, mode, f"it is outside {hours}"
    hindered = hindered_from_sleep(script)
    return (False, mode, hindered) if hindered else (True, "sleep", hours)


def hindered_from_sleep(script: Any) -> str | None:
    """
    Why an NPC that is awake does not fall asleep of itself now, None when it may.

    It has been awake for `min_awake_ticks`, is past the cooldown after its last waking, and nobody
    is in conversation with it.

    """
    agent, now = script.agent, script.agent.now()
    cooldown = (script.db.wake_cooldown_until or 0.0) - now
    if cooldown > 0:
        return f"it woke too short a time ago; in {_minutes(cooldown)} it may sleep again"
    if awake_ticks(script) < schedule_of(script).min_awake_ticks:
        return "it has not been awake for long enough"
    return "it is in conversation" if agent.in_conversation else None


def awake_ticks(script: Any) -> int:
    """Ticks since it woke; worked out from the time, so that counting them costs no write."""
    since = script.db.awake_since
    awake = float("inf") if since is None else script.agent.now() - since
    return int(min(awake, 1e9) // script.option("tick_rate"))


def check_wake_conditions(script: Any) -> tuple[bool, str, bool]:
    """
    Whether a sleeping NPC wakes now.

    Args:
        script: The AssistantScript.

    Returns:
        Whether it should wake; for what, "" for nothing; and whether it is called but must first
        finish what it is at: the compacting phase, or the step of the night that runs.

    """
    reason = _called_by(script) if mode_of(script) == "sleep" else ""
    deferred = bool(reason) and script.agent.sleeper.must_finish
    return bool(reason) and not deferred, reason, deferred


def _called_by(script: Any) -> str:
    state = sleep_state(script)
    if state.get("wake_ordered"):
        return "its keeper wakes it"
    over = _slept_enough(script, state)
    if over:
        return over
    if state.get("depth") != "deep":
        for event in script.agent.runner.events.data:
            heard = event["percept"]
            # What waited when it fell asleep has nothing to do with this sleep.
            if heard["when"] >= state.get("since", 0.0) and is_urgent(event.get("metadata")):
                return f"{heard.get('speaker_name') or 'somebody'} turned to it"
    return ""


def _slept_enough(script: Any, state: dict[str, Any]) -> str:
    by = state.get("by")
    if by == "schedule":
        over, _mode, reason = check_sleep_schedule(script)
        return reason if over else ""
    if by == "self":
        wake_at = state.get("wake_at")
        rested = wake_at is not None and script.agent.now() >= wake_at
        return "it has slept enough" if rested else ""
    try:
        schedule = schedule_of(script)
        now, zone = clock_of(script, schedule)
    except ConfigError:
        return ""
    since = state.get("clock_since", now)
    ended = schedule.enabled and schedule.ended_between(since, now, zone)
    return f"its hours of sleep, {schedule.hours}, are over" if ended else ""


# Changing over -------------------------------------------------------------------------------


def transition_mode(
    script: Any,
    target_mode: str,
    reason: str,
    *,
    by: str = "order",
    depth: str | None = None,
) -> bool:
    """
    Change the mode of an NPC: its ticker, its state, and what those around it see.

    Waking is `perform_wake_transition`, which does more than this.

    Args:
        script: The AssistantScript.
        target_mode: `awake` or `sleep`.
        reason: Why, for the log and for `at_mode_change` of the character.
        by: `order`, `schedule` or `self`: what sends it to sleep.
        depth: `light` or `deep`; None is what its schedule says.

    Returns:
        Whether the mode changed; False when it was in that mode already.

    Raises:
        ValueError: If there is no such mode or depth.

    """
    if target_mode not in OPERATING_MODES or depth not in (None, *DEPTHS):
        raise ValueError(f"There is no mode {target_mode!r} or no depth {depth!r}.")
    if mode_of(script) == target_mode:
        return False
    agent = script.agent
    agent.save()
    asleep = target_mode == "sleep"
    state = _new_sleep(script, by, depth) if asleep else None
    with transaction.atomic():
        script.db.operating_mode = target_mode
        script.db.sleep_state = state
        script.db.sleep_phase = COMPACTING if asleep else None
        if by == "self" and asleep:
            # Outside its hours it would be sent back at once.
            script.db.schedule_disabled_by = BY_TOOL
        if not asleep:
            script.db.awake_since = agent.now()
        if script.db.enabled:
            script.ensure_ticker()
    agent.sleeper.begin()
    agent.engagement = Engagement()
    does = f"falls asleep ({by}, {state['depth']})" if state else "wakes"
    logger.log_info(f"Assistant {script.db.assistant_key} {does}: {reason}.")
    _show(script, target_mode, reason)
    return True


def perform_wake_transition(script: Any, reason: str) -> bool:
    """
    Wake an NPC in the one way there is.

    It may not fall asleep of itself for `wake_cooldown_minutes`, counts its ticks awake anew, is
    rid of everything that belongs to a sleep, keeps its hours again if `go_to_sleep` had set them
    aside, and answers who turned to it meanwhile.

    Args:
        script: The AssistantScript.
        reason: Why.

    Returns:
        Whether it slept.

    """
    if mode_of(script) != "sleep":
        return False
    try:
        minutes = schedule_of(script).wake_cooldown_minutes
    except ConfigError:
        minutes = SleepSchedule().wake_cooldown_minutes
    with transaction.atomic():
        script.db.wake_cooldown_until = script.agent.now() + minutes * 60
        if script.db.schedule_disabled_by:
            script.db.schedule_disabled_by = None
        transition_mode(script, "awake", reason)
    script.agent.runner.wake()
    return True


def order_sleep(script: Any, depth: str | None = None) -> bool:
    """
    Send an NPC to sleep at its keeper's word, whatever hinders it from sleeping of itself.

    Args:
        script: The AssistantScript.
        depth: As for `transition_mode`.

    Returns:
        Whether it fell asleep; one that slept already only changes its depth, and sleeps by order
        from now on.

    """
    if mode_of(script) == "awake":
        return transition_mode(script, "sleep", "its keeper sent it to bed", depth=depth)
    state = sleep_state(script)
    ordered = {"by": "order", "wake_ordered": False, "depth": depth or state.get("depth")}
    script.db.sleep_state = {**state, **ordered}
    return False


def order_wake(script: Any) -> tuple[bool, bool]:
    """
    Wake an NPC at its keeper's word.

    Returns:
        Whether it is awake now, and whether it wakes as soon as it has finished what it is at.

    """
    if mode_of(script) == "sleep":
        script.db.sleep_state = {**sleep_state(script), "wake_ordered": True}
        script.agent.sleeper.rouse()
    awake = mode_of(script) == "awake"
    return awake, not awake


def lie_down(script: Any) -> str:
    """
    Send an NPC to sleep of its own accord, if nothing hinders it.

    Returns:
        Why it did not, "" when it sleeps.

    """
    hindered = why_not_of_itself(script)
    if hindered:
        return hindered
    schedule = schedule_of(script)
    now, zone = clock_of(script, schedule)
    in_its_hours = schedule.enabled and schedule.night_at(now, zone) is not None
    transition_mode(
        script, "sleep", "it was tired", by="schedule" if in_its_hours else "self", depth=None
    )
    return ""


def why_not_of_itself(script: Any) -> str | None:
    """Why an NPC may not lie down of its own accord; the three safeguards of `go_to_sleep`."""
    if mode_of(script) == "sleep":
        return "Already in sleep mode"
    try:
        hindered = hindered_from_sleep(script)
    except ConfigError as err:
        return str(err)
    return f"Not now: {hindered}." if hindered else None


def _new_sleep(script: Any, by: str, depth: str | None) -> dict[str, Any]:
    now = clock_now = script.agent.now()
    try:
        schedule = schedule_of(script)
        clock_now, _zone = clock_of(script, schedule)
    except ConfigError as err:
        # Sleep needs no hours; the keeper is told of them by aisetup/schedule.
        logger.log_warn(f"Assistant {script.db.assistant_key}: {err}")
        schedule = SleepSchedule()
    nap = now + schedule.sleep_duration_hours * 3600 if by == "self" else None
    return {
        "since": now,
        "clock_since": clock_now,
        "by": by,
        "depth": depth or schedule.sleep_depth,
        "wake_at": nap,
        "wake_ordered": False,
        "told": [],
    }


def _show(script: Any, mode: str, reason: str) -> None:
    npc = script.character
    if npc is None:
        return
    npc.at_mode_change(mode, reason)
    lines = setting("ASSISTANT_SLEEP_LINES" if mode == "sleep" else "ASSISTANT_WAKE_LINES")
    if lines and npc.location is not None and script.agent.active:
        speech.narrate(npc, script.agent.rng.choice(list(lines)))


def _minutes(seconds: float) -> str:
    minutes = max(1, round(seconds / 60))
    return "a minute" if minutes == 1 else f"{minutes} minutes"
