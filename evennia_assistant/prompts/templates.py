"""
Texts of a prompt with placeholders: `{name}`, `{tick_rate}`, `{reflection_interval}`,
`{tool_schemas}`.

A word in braces is a placeholder and must be one of these; in doubled braces it stands for itself
(`{{name}}` is written as `{name}`). All other braces are text, so that JSON needs no care.

Example:
    ::

        PromptTemplate("mine", "You are {name}. Answer as {\\"a\\": 1}.").fill({"name": "Bram"})
        # 'You are Bram. Answer as {"a": 1}.'

"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ..errors import ConfigError

#: What may stand in braces, and what it is.
PLACEHOLDERS: Mapping[str, str] = {
    "name": "the NPC's name",
    "reflection_interval": "ticks between two reflections",
    "tick_rate": "seconds between two ticks",
    "tool_schemas": "the tools offered, with their parameters",
}

#: Ours, in every game.
DEFAULT_TEMPLATE = "default"
_BRACED = re.compile(r"\{\{([A-Za-z_]\w*)\}\}|\{([A-Za-z_]\w*)\}")
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}\Z")


class UnknownPlaceholder(ConfigError):
    """A text has a word in braces that stands for nothing."""


@dataclass(frozen=True, slots=True)
class PromptTemplate:
    """
    A text with placeholders.

    Args:
        name: Its name.
        text: The text.

    """

    name: str
    text: str

    @property
    def placeholders(self) -> tuple[str, ...]:
        """The words in braces, each once, in order."""
        found = (match[2] for match in _BRACED.finditer(self.text) if match[2])
        return tuple(dict.fromkeys(found))

    def check(self) -> None:
        """
        See that every placeholder is known.

        Raises:
            UnknownPlaceholder: Naming the first that is not, and those that are.

        """
        for word in self.placeholders:
            if word not in PLACEHOLDERS:
                raise UnknownPlaceholder(
                    f"{{{word[:40]}}} in {self.name} is no placeholder. There are "
                    f"{', '.join(f'{{{known}}}' for known in PLACEHOLDERS)}; for the word itself "
                    f"write {{{{{word[:40]}}}}}."
                )

    def fill(self, values: Mapping[str, str]) -> str:
        """
        The text with every placeholder filled in; what is filled in is not read again.

        Args:
            values: Text by placeholder.

        Raises:
            UnknownPlaceholder: As `check`, or if a known one has no value here.

        """
        self.check()

        def filled(match: re.Match[str]) -> str:
            if match[1]:
                return f"{{{match[1]}}}"
            if match[2] not in values:
                raise UnknownPlaceholder(f"{{{match[2]}}} in {self.name} has no value here.")
            return values[match[2]]

        return _BRACED.sub(filled, self.text)


def template_name(name: str) -> str:
    """
    A template's name as it is kept: in lower case.

    Raises:
        ConfigError: If it is no usable name.

    """
    wanted = name.strip().lower()
    if not _NAME.match(wanted):
        raise ConfigError(
            f"A template's name has up to 40 of a-z, 0-9, _ and -; {name.strip()[:60]!r} will not "
            "do."
        )
    return wanted
