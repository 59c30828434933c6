"""`/sleep`, `/wake` and `/schedule`: when an assistant sleeps."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from evennia.utils.dbserialize import deserialize

from ...asleep import modes
from ...errors import ConfigError
from ...mind.schedule import CLOCKS, DEPTHS, SleepSchedule, parse_hours, wall_clock, zone_named
from ..base import Refusal
from ..plain import plain

SLEEP_USAGE = "aisetup/sleep <key> [light or deep]"
SCHEDULE_USAGE = (
    "aisetup/schedule <key> [on, off, hours such as 22-06, light, deep, real, game, or a time zone]"
)


class SleepMixin:
    """Switches that send an assistant to sleep and wake it."""

    def do_sleep(self) -> None:
        """Send an assistant to sleep."""
        who, rest = self.who_and_rest()
        depth = rest.lower() if rest else None
        if depth not in (None, *DEPTHS):
            raise Refusal(f"Sleep is light or deep, not {plain(depth, 40)}.")
        script = self._sleeper(who, SLEEP_USAGE)
        fell = modes.order_sleep(script, depth)
        depth = modes.sleep_state(script)["depth"]
        self.msg(
            f"{plain(script.character.key)} {'falls asleep' if fell else 'sleeps already'}, "
            f"{'lightly' if depth == 'light' else 'deeply'}: {_what_wakes(script, depth)}."
        )

    def do_wake(self) -> None:
        """Wake an assistant."""
        script = self._sleeper(self.args, "aisetup/wake <key>")
        name = plain(script.character.key)
        if modes.mode_of(script) == "awake":
            self.msg(f"{name} is awake already.")
            return
        awake, _later = modes.order_wake(script)
        if awake:
            self.msg(f"{name} is awake.")
        else:
            self.msg(f"{name} puts its day in order first, and wakes as soon as that is done.")

    def do_schedule(self) -> None:
        """Show or change an assistant's hours of sleep."""
        who, rest = self.who_and_rest()
        words = (rest or "").split()
        script = self.assistant(who, SCHEDULE_USAGE)
        self.with_character(script)
        if words:
            self.need_keeper(script)
            held = deserialize(script.db.sleep_schedule) or {}
            changed = {**held, **_changes(words)}
            try:
                SleepSchedule.from_record(changed)
            except ConfigError as err:
                raise Refusal(str(err)) from err
            script.db.sleep_schedule = changed
        self.msg(_hours_of(script))

    # Within ------------------------------------------------------------------------------------

    def _sleeper(self, who: str | None, usage: str) -> Any:
        """The script of an assistant that is on and that the caller may change."""
        script = self.assistant(who, usage)
        npc = self.with_character(script)
        self.need_keeper(script)
        if not script.agent.active:
            raise Refusal(
                f"{plain(npc.key)} is not running; 'aisetup/start {script.db.assistant_key}' "
                "switches it on."
            )
        return script


def _changes(words: list[str]) -> dict[str, Any]:
    """
    What words say of a schedule.

    Raises:
        Refusal: Naming the word that says nothing.

    """
    changed: dict[str, Any] = {}
    for word in words:
        lower = word.lower()
        if lower in ("on", "off"):
            changed["enabled"] = lower == "on"
        elif lower in DEPTHS:
            changed["sleep_depth"] = lower
        elif lower in CLOCKS:
            changed["sleep_clock"] = lower
        elif word[0].isdecimal():
            try:
                start, hours = parse_hours(word)
            except ConfigError as err:
                raise Refusal(plain(str(err))) from err
            changed.update(sleep_start_hour=start, sleep_duration_hours=hours)
            changed.setdefault("enabled", True)
        else:
            try:
                zone_named(word)
            except ConfigError as err:
                raise Refusal(plain(f"{err} Usage: {SCHEDULE_USAGE}")) from err
            changed["sleep_time_zone"] = word
    return changed


def _what_wakes(script: Any, depth: str) -> str:
    key = script.db.assistant_key
    called = "whoever speaks to it wakes it, and so does" if depth == "light" else "only"
    try:
        schedule = modes.schedule_of(script)
    except ConfigError:
        schedule = SleepSchedule()
    over = f", or the end of its hours ({schedule.hours})" if schedule.enabled else ""
    if depth == "deep":
        return f"{called} 'aisetup/wake {key}'{over} wakes it"
    return f"{called} 'aisetup/wake {key}'{over}"


def _hours_of(script: Any) -> str:
    """An assistant's hours in words."""
    name, key = plain(script.character.key), script.db.assistant_key
    try:
        schedule = modes.schedule_of(script)
        now, zone = modes.clock_of(script, schedule)
    except ConfigError as err:
        raise Refusal(f"{plain(str(err))} 'aisetup/schedule {key} 22-06' sets its hours.") from err
    if not schedule.enabled:
        return (
            f"{name} keeps no hours of sleep. 'aisetup/schedule {key} 22-06' sets some; "
            f"'aisetup/schedule {key} on' has it sleep {schedule.hours}."
        )
    game = schedule.sleep_clock == "game"
    where = "in game time" if game else schedule.sleep_time_zone or settings.TIME_ZONE
    depth = "lightly" if schedule.sleep_depth == "light" else "deeply"
    is_now = "asleep" if modes.mode_of(script) == "sleep" else "awake"
    return (
        f"{name} sleeps from {schedule.hours} {where}, {depth}. It is {wall_clock(now, zone)} "
        f"there, and {name} is {is_now}."
    )
