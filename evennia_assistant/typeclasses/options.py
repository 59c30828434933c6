"""
The options of an NPC: one table of names, types, defaults and what they mean.

`aisetup/config` is made from this table. Values live as plain Attributes of the script under their
documented names (`script.db.tick_rate`), a few inside `script.db.execution_config` and
`script.db.sleep_schedule`; the types are checked by Evennia's `OptionHandler`.

"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evennia.utils.containers import OPTION_CLASSES
from evennia.utils.dbserialize import deserialize
from evennia.utils.optionclasses import BaseOption
from evennia.utils.optionhandler import OptionHandler

from ..errors import ConfigError
from ..memory.attribute_value import attribute_value
from ..mind.schedule import SCHEDULE_DEFAULTS
from ..mind.slow_cycle import PER_DAY, TOKENS_PER_DAY
from .option_types import OWN_CLASSES

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
    "topic_roots": ("roots of its topics: Business, Private; none for one", "NamesOption", []),
    "allowed_tools": ("tools it may have besides the everyday ones", "ToolNames", []),
    "dangerous_tools": ("DANGEROUS ones of them the model may use itself", "ToolNames", []),
    "dangerous_requires_confirm": ("a keeper must agree to each of these", "Boolean", False),
    "command_allowlist": ("keys of commands execute_command may run", "NamesOption", []),
    "attribute_allowlist": ("attributes set_attribute may set: mine, thing:its", "NamesOption", []),
    "sleep_calls": ("model calls one night may make", "Count", 60),
    "sleep_tokens": ("tokens one night may take, or none for any", "OptionalCount", 200_000),
    "reflections_per_day": ("most reflections in 24 hours", "Count", 3),
    "carry_self_view": ("let a night note what a day was like for itself", "Boolean", False),
    "reflection_every_hours": (
        "hours after which it reflects in any case, 0 for never",
        "Hours",
        0.0,
    ),
    "look_ahead_per_day": ("how often a model looks ahead in 24 hours", "Count", PER_DAY),
    "look_ahead_tokens": (
        "tokens of its prompts, or none for any",
        "OptionalCount",
        TOKENS_PER_DAY,
    ),
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
        cls = OWN_CLASSES.get(kind) or OPTION_CLASSES.get(kind)
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
