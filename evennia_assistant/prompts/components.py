"""
The parts of a prompt: nine that every NPC has, and an operator's own in the gaps between them.

Ids give the order. Our messages put first what stays the same from turn to turn, so that providers
and local models need not read it anew; the ids map onto them like this:

==========================  =======================================================================
message                     components
==========================  =======================================================================
system                      0 rules, 1-999, 1000 persona, taught facts and project, 1001-1499
user, before the talk       1500 how it stands to its partner, 1501-1999
the talk                    5000 history
user, what is new           6000 the lines, 5001-5999, 6000 the scene, 2000 memories, 2001-2999,
                            3000 what went on, 3001-3999, 4000 goals, 4001-4999, 7000 tool results,
                            6001-6999, 7001-7999, and last 6000's text: what to do now
==========================  =======================================================================

A component's own text is instruction, written by us or by the NPC's keeper. What players said and
did stands in data slots beside it and is in no component's text.

"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ..errors import ConfigError
from ..mind.contexts import Component
from ..mind.slots import without_tags

ROLES: tuple[str, ...] = ("system", "user", "assistant", "tool")
#: Longest text of an operator, in characters: every prompt carries it.
MAX_TEXT = 4000
LAST_ID = 7999
_LONE_TAG = re.compile(r"^[ \t]*</?[a-z][a-z0-9_]*>[ \t]*$", re.MULTILINE)
_KEY = re.compile(r"[a-z][a-z0-9_]{0,39}\Z")


@dataclass(frozen=True, slots=True)
class PromptComponent:
    """
    One part of a prompt.

    Args:
        id: Where it stands; `mind.contexts.Component` for the nine static ones.
        key: Its short name.
        name: Its name for people.
        description: What it is, in a line.
        content: Its text, with `{placeholders}`; "" where a static one is data alone.
        is_static: Whether it is one of the nine.
        enabled: Whether it is in prompts at all.
        role: The role of the message in which it stands.

    """

    id: int
    key: str
    name: str
    description: str
    content: str = ""
    is_static: bool = False
    enabled: bool = True
    role: str = "system"


_STATIC = (
    (0, "system_prompt", "System Prompt", "the rules: how to speak, what is data", "system"),
    (1000, "character_context", "Character Context", "persona, facts taught, project", "system"),
    (1500, "entity_context", "Entity Context", "how it stands to whom it talks with", "user"),
    (2000, "semantic_memories", "Semantic Memories", "what was recalled for this turn", "user"),
    (3000, "context_buffer", "Context Buffer", "what went on around it", "user"),
    (4000, "goals", "Goals", "what it is after", "user"),
    (5000, "conversation_history", "Conversation History", "earlier lines of the talk", "user"),
    (6000, "pending_event", "Pending Event", "the new lines, the scene, what to do now", "user"),
    (7000, "tool_result", "Tool Result", "what tools have answered", "tool"),
)

#: The nine static components by id.
STATIC_COMPONENTS: Mapping[int, PromptComponent] = {
    number: PromptComponent(number, key, name, description, is_static=True, role=role)
    for number, key, name, description, role in _STATIC
}


def follows(number: int) -> int:
    """
    The static component that a pluggable one follows.

    Raises:
        ConfigError: If the id is static itself, or outside all gaps; the text says which are free.

    """
    if isinstance(number, bool) or not isinstance(number, int) or not 0 < number <= LAST_ID:
        raise ConfigError(
            f"A component of your own has an id from 1 to {LAST_ID}; {str(number)[:20]} is not."
        )
    if number in STATIC_COMPONENTS:
        raise ConfigError(
            f"{number} is the static component {STATIC_COMPONENTS[number].key}; your own go "
            f"between {', '.join(map(str, STATIC_COMPONENTS))}."
        )
    return max(static for static in STATIC_COMPONENTS if static < number)


def role_at(number: int) -> str:
    """The role of the message in which a pluggable component stands."""
    return "system" if number < Component.ENTITY_CONTEXT else "user"


def pluggable(
    number: int,
    content: str,
    *,
    key: str | None = None,
    name: str | None = None,
    description: str = "",
    enabled: bool = True,
    role: str | None = None,
) -> PromptComponent:
    """
    A component of an operator's own.

    Args:
        number: Its id, in a gap.
        content: Its text.
        key: Its short name; None makes one from the id.
        name: Its name for people; None is the key.
        description: What it is for.
        enabled: Whether it is in prompts.
        role: Of the message it stands in; None is the one its place has.

    Raises:
        ConfigError: If id, key, text or role will not do; the text says what would.

    """
    place = follows(number)
    key = f"component_{number}" if key is None else key
    if not _KEY.match(key):
        raise ConfigError(
            f"A key has up to 40 of a-z, 0-9 and _ and begins with a letter; {key[:60]!r} does not."
        )
    wanted = role_at(number)
    if role not in (None, wanted):
        raise ConfigError(
            f"Component {number} follows {STATIC_COMPONENTS[place].key} in a {wanted} message; its "
            f"role cannot be {str(role)[:20]!r}."
        )
    return PromptComponent(
        number, key, name or key, description, usable_text(content), enabled=enabled, role=wanted
    )


def usable_text(text: str) -> str:
    """
    An operator's text as it is kept.

    Raises:
        ConfigError: If it is empty or too long.

    """
    kept = text.strip()
    if not kept:
        raise ConfigError("A text of a prompt cannot be empty.")
    if len(kept) > MAX_TEXT:
        raise ConfigError(
            f"That is {len(kept)} characters, and a text of a prompt has at most {MAX_TEXT}: the "
            "model reads it at every turn."
        )
    return kept


def inert(text: str) -> str:
    """A text in which no line opens or closes a data slot."""
    return _LONE_TAG.sub(lambda tag: without_tags(tag.group()), text)
