"""
What an option of an NPC may be: the types of `typeclasses.options`, as Evennia wants them.

"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from evennia.utils.dbserialize import deserialize
from evennia.utils.optionclasses import BaseOption

from ..errors import ConfigError
from ..mind.schedule import CLOCKS, DEPTHS, zone_named
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


#: Name of a type to its class; `OPTIONS` names them and Evennia's own.
OWN_CLASSES: Mapping[str, type[BaseOption]] = {
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
