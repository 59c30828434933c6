"""
The options of an NPC: one table of names, types, defaults and what they mean.

`aisetup/config` is made from this table. Values live as plain Attributes of the script under their
documented names (`script.db.tick_rate`), a few inside `script.db.execution_config` and
`script.db.sleep_schedule`; the types are checked by Evennia's `OptionHandler`.

"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from evennia.utils.containers import OPTION_CLASSES
from evennia.utils.dbserialize import deserialize
from evennia.utils.optionclasses import BaseOption
from evennia.utils.optionhandler import OptionHandler

from ..errors import ConfigError
from ..memory.attribute_value import attribute_value
from ..mind.schedule import CLOCKS, DEPTHS, SCHEDULE_DEFAULTS, zone_named
from ..tools import all_tools

_NONE_WORDS = frozenset({"none", "null", "default", ""})
#: Names one list option may hold.
MOST_NAMES = 50
#: A tool, a command, an attribute, or an attribute of something: `old lamp:lit`, `#12:lit`.
_NAME = re.compile(r"[@#&+]?\w[\w '.-]{0,60}(?::\w{1,60})?")


class NumberOption(BaseOption):
    """A number within bounds, a subclass for each kind."""

    kind: type = float
    low: float = 0
    high: float = float("inf")
    optional = False

    def validate(self, value: Any, **kwargs: Any) -> Any:
        """See `BaseOption.validate`; `none` empties an optional one."""
        if self.optional and str(value).strip().lower() in _NONE_WORDS:
            return None
        try:
            number = self.kind(str(value).strip())
        except ValueError:
            number = None
        if number is None or not self.low <= number <= self.high:
            what = "a whole number" if self.kind is int else "a number"
            upper = "" if self.high == float("inf") else f" to {self.high:g}"
            bounds = f"from {self.low:g}{upper}" + (", or none" if self.optional else "")
            raise ValueError(f"{self.key} must be {what} {bounds}; {value!r} is not.")
        return number


class TickRate(NumberOption):
    """Whole seconds between two ticks."""

    kind, low, high = int, 1, 86_400


class Count(NumberOption):
    """A whole number from 1."""

    kind, low, high = int, 1, 100_000


class LogSize(NumberOption):
    """Records of a log that is written whole with every tick."""

    kind, low, high = int, 1, 1000


class Iterations(NumberOption):
    """Tools in one turn, 1 to 10 as documented."""

    kind, low, high = int, 1, 10


class CountFromNone(NumberOption):
    """A whole number from 0."""

    kind, high = int, 100_000


class Hour(NumberOption):
    """An hour of the day."""

    kind, high = int, 23


class NightHours(NumberOption):
    """Hours of a night."""

    kind, low, high = int, 1, 23


class Minutes(NumberOption):
    """Minutes, fractions allowed."""

    high = 10_080


class Seconds(NumberOption):
    """Seconds, fractions allowed."""

    high = 86_400


class Hours(NumberOption):
    """Hours, fractions allowed."""

    high = 720


class Temperature(NumberOption):
    """0.0 to 2.0, or none for the provider's default."""

    high, optional = 2.0, True


class Share(NumberOption):
    """0.0 to 1.0, or none."""

    high, optional = 1.0, True


class OptionalCount(NumberOption):
    """A whole number from 1, or none."""

    kind, low, high, optional = int, 1, 1_000_000, True


class WindowTokens(NumberOption):
    """Tokens from 1000, or none: with fewer, the rules alone would leave no room to talk."""

    kind, low, high, optional = int, 1_000, 10_000_000, True


class Threshold(NumberOption):
    """A share of something that is not nothing."""

    low, high = 0.05, 1.0


class ChoiceOption(BaseOption):
    """One of a few words."""

    choices: tuple[str, ...] = ()
    optional = False

    def validate(self, value: Any, **kwargs: Any) -> Any:
        """See `BaseOption.validate`."""
        word = str(value).strip().lower()
        if self.optional and word in _NONE_WORDS:
            return None
        if word not in self.choices:
            also = ", or none" if self.optional else ""
            raise ValueError(f"{self.key} must be one of {', '.join(self.choices)}{also}.")
        return word


class Provider(ChoiceOption):
    """A model provider."""

    choices = ("openai", "anthropic", "openrouter", "ollama", "local", "offline")


class Effort(ChoiceOption):
    """Reasoning effort."""

    choices, optional = ("low", "medium", "high"), True


class ToolInterface(ChoiceOption):
    """Whether a model has an interface of its own for tools."""

    choices = ("auto", "true", "false")


class SleepClock(ChoiceOption):
    """Real time or game time."""

    choices = CLOCKS


class SleepDepth(ChoiceOption):
    """How deep a sleep is."""

    choices = DEPTHS


class LooseText(BaseOption):
    """Any text, also none at all."""

    def validate(self, value: Any, **kwargs: Any) -> str:
        """See `BaseOption.validate`."""
        text = str(value).strip()
        return "" if text.lower() in _NONE_WORDS else text


class TimeZone(LooseText):
    """The name of a time zone, or none for the game's."""

    def validate(self, value: Any, **kwargs: Any) -> str:
        """See `BaseOption.validate`."""
        name = super().validate(value)
        if name:
            try:
                zone_named(name)
            except ConfigError as err:
                raise ValueError(f"{self.key}: {err}") from err
        return name


class MappingOption(BaseOption):
    """A JSON object."""

    def validate(self, value: Any, **kwargs: Any) -> dict[str, Any]:
        """See `BaseOption.validate`."""
        if isinstance(value, Mapping):
            return dict(value)
        try:
            parsed = json.loads(str(value))
        except ValueError:
            parsed = None
        if not isinstance(parsed, dict):
            raise ValueError(f'{self.key} must be a JSON object such as {{"min_p": 0.05}}.')
        return parsed

    def deserialize(self, save_data: Any) -> Any:
        """See `BaseOption.deserialize`."""
        return deserialize(save_data)


class NamesOption(BaseOption):
    """Names, separated by commas; `none` empties the list."""

    def validate(self, value: Any, **kwargs: Any) -> list[str]:
        """See `BaseOption.validate`."""
        if isinstance(value, str):
            value = [] if value.strip().lower() in _NONE_WORDS else value.split(",")
        names = [str(name).strip() for name in value if str(name).strip()]
        unfit = [name for name in names if not _NAME.fullmatch(name)]
        if unfit or len(names) > MOST_NAMES:
            raise ValueError(
                f"{self.key} must be up to {MOST_NAMES} names, separated by commas, or none"
                + (f"; {unfit[0][:40]!r} is no name." if unfit else ".")
            )
        return list(dict.fromkeys(names))

    def deserialize(self, save_data: Any) -> Any:
        """See `BaseOption.deserialize`."""
        return deserialize(save_data)


class ToolNames(NamesOption):
    """Names of tools there are."""

    def validate(self, value: Any, **kwargs: Any) -> list[str]:
        """See `BaseOption.validate`."""
        names, known = super().validate(value), all_tools()
        unknown = [name for name in names if name not in known]
        if unknown:
            raise ValueError(
                f"{self.key}: there is no tool {unknown[0][:40]!r}; there are {', '.join(known)}."
            )
        return names


_OWN_CLASSES: Mapping[str, type[BaseOption]] = {
    cls.__name__: cls
    for cls in (
        TickRate,
        Count,
        LogSize,
        CountFromNone,
        Hour,
        Iterations,
        Minutes,
        NightHours,
        Seconds,
        Hours,
        Temperature,
        Share,
        Threshold,
        OptionalCount,
        WindowTokens,
        Provider,
        Effort,
        ToolInterface,
        SleepClock,
        SleepDepth,
        LooseText,
        TimeZone,
        MappingOption,
        NamesOption,
        ToolNames,
    )
}

#: Name: (what it is, type, default), as Evennia's OptionHandler wants it.
OPTIONS: dict[str, tuple[str, str, Any]] = {
    "tick_rate": ("seconds between ticks while awake", "TickRate", 5),
    "tick_rate_sleep": ("seconds between ticks while asleep", "TickRate", 60),
    "default_tool_timeout": ("most seconds any tool may take", "TickRate", 30),
    "max_iterations_per_tick": ("tools in one turn, 1 to 10", "Iterations", 5),
    "turn_token_budget": ("most tokens the model calls of one turn may take", "Count", 30000),
    "max_log_entries": ("tool executions kept for aiexec/log", "LogSize", 100),
    "multi_action_enabled": ("more than one tool in a turn", "Boolean", True),
    "task_assessment_enabled": ("let the model judge first how much a line asks", "Boolean", False),
    "max_consecutive_errors": ("failed turns in a row before the emergency stop", "Count", 5),
    "llm_provider": ("who answers; without its key, the offline brain", "Provider", "openai"),
    "llm_api_url": ("chat-completion URL; empty is the provider's own", "LooseText", ""),
    "llm_model": ("model name; empty is the setting ASSISTANT_MODEL", "LooseText", ""),
    "llm_temperature": ("0.0 to 2.0, none for the provider's default", "Temperature", None),
    "llm_top_p": ("0.0 to 1.0, or none", "Share", None),
    "max_context_tokens": ("window in tokens, none for the model's own", "WindowTokens", None),
    "llm_max_tokens": ("longest answer in tokens, or none", "OptionalCount", None),
    "llm_reasoning_effort": ("low, medium or high, or none", "Effort", None),
    "llm_extra_params": ("further request parameters, a JSON object", "MappingOption", {}),
    "llm_app_name": ("name OpenRouter shows for this game", "LooseText", "Evennia AI Assistant"),
    "llm_site_url": ("address OpenRouter shows for this game", "LooseText", ""),
    "native_tools": ("the model has tools of its own: auto, true, false", "ToolInterface", "auto"),
    "turn_timeout": ("seconds one model call may take in all", "Seconds", 45.0),
    "thinking_after": ("seconds before a thinking emote", "Seconds", 2.0),
    "cooldown": ("least seconds between two turns of the NPC", "Seconds", 0.5),
    "player_cooldown": ("least seconds between two turns one player causes", "Seconds", 1.0),
    "engagement_seconds": ("silence after which a conversation is over", "Seconds", 60.0),
    "answer_when_alone": ("answer a speaker it is alone with", "Boolean", True),
    "answers_keepers": ("answer whatever a keeper says aloud", "Boolean", False),
    "greets_arrivals": ("greet players who come in", "Boolean", False),
    "initiative": ("speak up of itself while players are near", "Boolean", False),
    "initiative_per_day": ("how often it may speak up in 24 hours", "Count", 3),
    "initiative_gap_hours": ("least hours between two times it speaks up", "Hours", 4.0),
    "strict_audience": ("tell what it heard only to those who heard it", "Boolean", False),
    "memory_enabled": ("turn the journal into lasting facts while it sleeps", "Boolean", True),
    "allowed_tools": ("tools it may have besides the everyday ones", "ToolNames", []),
    "dangerous_tools": ("DANGEROUS ones of them the model may use itself", "ToolNames", []),
    "dangerous_requires_confirm": ("a keeper must agree to each of these", "Boolean", False),
    "command_allowlist": ("keys of commands execute_command may run", "NamesOption", []),
    "attribute_allowlist": ("attributes set_attribute may set: mine, thing:its", "NamesOption", []),
    "sleep_calls": ("model calls one night may make", "Count", 60),
    "sleep_tokens": ("tokens one night may take, or none for any", "OptionalCount", 200_000),
    "reflections_per_day": ("most reflections in 24 hours", "Count", 3),
    "compact_enabled": ("shorten conversations that grow too long", "Boolean", True),
    "compact_sleep_threshold": (
        "share of the context a conversation may take before sleep shortens it",
        "Threshold",
        0.7,
    ),
    "compact_emergency_threshold": (
        "share of the context at which it is shortened while awake",
        "Threshold",
        0.8,
    ),
    "compact_preserve_window": ("newest lines that are kept word for word", "Count", 20),
    "compact_model": ("model that summarises, none for the NPC's own", "LooseText", None),
    "compact_prompt": ("how to summarise; empty is our own prompt", "LooseText", ""),
    "may_describe_itself": ("let set_description change how it looks", "Boolean", False),
    **{
        name: (desc, kind, SCHEDULE_DEFAULTS[name])
        for name, desc, kind in (
            ("sleep_start_hour", "hour at which its night begins, 0 to 23", "Hour"),
            ("sleep_duration_hours", "hours its night lasts, 1 to 23", "NightHours"),
            ("sleep_clock", "whether these are hours of real or game time", "SleepClock"),
            ("sleep_time_zone", "zone of these hours; empty is the game's", "TimeZone"),
            ("sleep_depth", "light wakes when spoken to, deep does not", "SleepDepth"),
            ("min_awake_ticks", "ticks awake before it may lie down", "CountFromNone"),
            ("wake_cooldown_minutes", "minutes awake before it may lie down", "Minutes"),
        )
    },
}

#: Options that live inside a documented dict instead of an Attribute of their own.
INSIDE: Mapping[str, str] = {
    "max_iterations_per_tick": "execution_config",
    "multi_action_enabled": "execution_config",
    "task_assessment_enabled": "execution_config",
    "dangerous_tools": "execution_config",
    "dangerous_requires_confirm": "execution_config",
    **{name: "sleep_schedule" for name in SCHEDULE_DEFAULTS if name != "enabled"},
}

#: Documented names that are refused, with what to do instead.
REFUSED: Mapping[str, str] = {
    "llm_auth_token": (
        "Keys are never kept in the game's database. Set the provider's environment variable, such "
        "as OPENAI_API_KEY, or the setting ASSISTANT_API_KEYS, and reload."
    ),
    "assistant_key": "The key of an assistant cannot be changed; clone it under another.",
    "character_dbref": "Use aisetup/init to bind an assistant to a character.",
}


class AssistantOptions(OptionHandler):
    """The options of one script, made for the moment and never cached."""

    def __init__(self, script: Any) -> None:
        def load(key: str, default: Any = None, **kwargs: Any) -> Any:
            inside = INSIDE.get(key)
            if inside is None:
                return script.attributes.get(key, default=default)
            return (script.attributes.get(inside) or {}).get(key, default)

        def save(key: str, value: Any = None, **kwargs: Any) -> None:
            inside = INSIDE.get(key)
            if inside is None:
                script.attributes.add(key, value)
            else:
                held = deserialize(script.attributes.get(inside)) or {}
                script.attributes.add(inside, {**held, key: value})

        super().__init__(script, options_dict=OPTIONS, savefunc=save, loadfunc=load)

    def _load_option(self, key: str) -> BaseOption:
        desc, kind, default = self.options_dict[key]
        cls = _OWN_CLASSES.get(kind) or OPTION_CLASSES.get(kind)
        self.options[key] = cls(self, key, desc, default)
        return self.options[key]

    def change(self, name: str, value: str) -> Any:
        """
        Set an option.

        Args:
            name: Its full name.
            value: As somebody typed it.

        Returns:
            The value as stored.

        Raises:
            ConfigError: If there is no such option, or the value does not fit; the text says what
                would.

        """
        if name in REFUSED:
            raise ConfigError(REFUSED[name])
        if name not in OPTIONS:
            close = [known for known in OPTIONS if name and (name in known or known in name)]
            hint = f" Did you mean {', '.join(close)}?" if close else ""
            raise ConfigError(
                f"There is no option {name!r}.{hint} The options: {', '.join(OPTIONS)}."
            )
        # `self.set` would take a part of a name, and find two where one begins with another.
        option = self.get(name, return_obj=True)
        try:
            option.set(value)
        except ValueError as err:
            raise ConfigError(str(err)) from err
        return option.value


def read_option(script: Any, name: str) -> Any:
    """
    The value of an option, fast: its Attribute, else its default.

    Args:
        script: The AssistantScript.
        name: One of `OPTIONS`.

    """
    inside = INSIDE.get(name)
    if inside is not None:
        held = (attribute_value(script.attributes, inside) or {}).get(name, OPTIONS[name][2])
        return deserialize(held) if isinstance(OPTIONS[name][2], list) else held
    value = attribute_value(script.attributes, name, OPTIONS[name][2])
    return deserialize(value) if isinstance(OPTIONS[name][2], dict | list) else value
