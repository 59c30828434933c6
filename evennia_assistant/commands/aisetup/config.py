"""`/config`: an assistant's options, made from the table in `typeclasses.options`."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable
from typing import Any

from ...errors import ConfigError
from ...typeclasses.options import OPTIONS, REFUSED
from .. import finding
from ..base import Refusal
from ..plain import plain

USAGE = "aisetup/config <key> [show <option> | set <option> <value>]"
_ASKED = re.compile(r"(?P<who>.+?)(?:\s+(?P<verb>set|show)(?:\s+(?P<rest>.*))?)?\Z", re.DOTALL)

#: Heading and the options under it; what is in none of them stands under "Other".
GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Who answers", tuple(name for name in OPTIONS if name.startswith("llm_"))),
    (
        "When it answers",
        (
            "answer_when_alone",
            "answers_keepers",
            "greets_arrivals",
            "engagement_seconds",
            "cooldown",
            "player_cooldown",
            "thinking_after",
        ),
    ),
    ("What it may tell", ("strict_audience",)),
    (
        "What it may do",
        (
            "allowed_tools",
            "dangerous_tools",
            "dangerous_requires_confirm",
            "command_allowlist",
            "attribute_allowlist",
            "may_describe_itself",
        ),
    ),
    ("Long conversations", tuple(name for name in OPTIONS if name.startswith("compact_"))),
    (
        "Turns and ticks",
        (
            "tick_rate",
            "tick_rate_sleep",
            "turn_timeout",
            "default_tool_timeout",
            "max_context_tokens",
            "max_iterations_per_tick",
            "multi_action_enabled",
            "task_assessment_enabled",
            "turn_token_budget",
            "native_tools",
            "max_log_entries",
            "max_consecutive_errors",
        ),
    ),
)
#: What goes beyond the rights of a keeper.
ALLOW_LISTS = (
    "command_allowlist",
    "attribute_allowlist",
    "dangerous_tools",
    "dangerous_requires_confirm",
)


class ConfigMixin:
    """The switch /config."""

    def do_config(self) -> None:
        """Show all options, or one, or change one."""
        asked = _ASKED.match(self.args.strip())
        if asked is None:
            raise Refusal(f"Usage: {USAGE.replace('|', '||')}")
        script = self._assistant_to_configure(asked["who"])
        verb, rest = asked["verb"], (asked["rest"] or "").strip()
        if verb is None:
            self.page(all_options(script))
            return
        if not rest:
            raise Refusal(
                f"Which option? 'aisetup/config {script.db.assistant_key}' lists them all."
            )
        name, _space, value = rest.partition(" ")
        name = self._option_named(name)
        if verb == "show":
            self.msg(one_option(script, name))
        else:
            self._set(script, name, value.strip())

    def _set(self, script: Any, name: str, value: str) -> None:
        self.need_keeper(script)
        if name.startswith("llm_"):
            # They decide who is paid, and to which address the key goes.
            self.need_admin("choose which model answers, and where")
        if name in ALLOW_LISTS:
            # What stands there an NPC may do with nobody asking, so beyond what its keeper may.
            self.need_admin("say what an NPC may do to the game")
        if not value:
            raise Refusal(f"Set it to what? {one_option(script, name)}")
        before = shown(script.option(name))
        try:
            after = shown(script.set_option(name, value))
        except ConfigError as err:
            raise Refusal(plain(err, 300)) from err
        who = script.db.assistant_key
        if before == after:
            self.msg(f"{name} of {who} was {after} already.")
        else:
            self.msg(f"{name} of {who} is now {after} (it was {before}).")

    def _assistant_to_configure(self, who: str) -> Any:
        first, _space, rest = who.strip().partition(" ")
        if rest and not finding.find_assistants(who) and finding.find_assistants(first):
            raise Refusal(
                f"To change an option, say set: aisetup/config {plain(first, 40)} set "
                f"{plain(rest, 60)}"
            )
        return self.assistant(who, USAGE.replace("|", "||"))

    def _option_named(self, typed: str) -> str:
        """The option somebody typed, whose error tells what it may have been."""
        name = typed.strip().lower()
        if name in OPTIONS:
            return name
        if name in REFUSED:
            raise Refusal(REFUSED[name])
        hint = ""
        close = closest(name, OPTIONS)
        if close:
            hint = f" Did you mean {' or '.join(close)}?"
        raise Refusal(
            f"There is no option \"{plain(typed, 40)}\".{hint} 'aisetup/config <key>' lists them."
        )


def closest(word: str, known: Iterable[str]) -> list[str]:
    """Up to three of the known words that somebody may have meant."""
    names = list(known)
    parts = [name for name in names if len(word) > 2 and (word in name or name in word)]
    close = difflib.get_close_matches(word, names, n=3, cutoff=0.6)
    return list(dict.fromkeys([*close, *parts]))[:3]


def shown(value: Any) -> str:
    """A value as it is printed, and as it can be typed."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, list):
        return plain(", ".join(map(str, value))) or "none"
    if isinstance(value, dict):
        return plain(json.dumps(value, ensure_ascii=False))
    return plain(value) if value != "" else "empty"


def one_option(script: Any, name: str) -> str:
    """An option in a line: value, default, what it means."""
    description, _kind, default = OPTIONS[name]
    value = script.option(name)
    mark = "the default" if value == default else f"the default is {shown(default)}"
    return f"{name} = {shown(value)} ({mark}): {description}."


def all_options(script: Any) -> str:
    """Every option of an assistant, in groups; what is not the default is marked."""
    grouped = {name for _heading, names in GROUPS for name in names}
    others = ("Other", tuple(name for name in OPTIONS if name not in grouped))
    width = max(map(len, OPTIONS))
    lines = [f"Options of {finding.described(script)}; * is not the default."]
    for heading, names in (*GROUPS, others):
        if names:
            lines.append(f"|w{heading}|n")
        for name in names:
            description, _kind, default = OPTIONS[name]
            value = script.option(name)
            mark = " " if value == default else "*"
            lines.append(f" {mark}{name:<{width}}  {shown(value)}  |x- {description}|n")
    key = script.db.assistant_key
    lines.append(f"Change one: aisetup/config {key} set <option> <value>")
    return "\n".join(lines)
