"""
Every `ASSISTANT_*` setting: its name, its default, one paragraph.

A game overrides them in `server/conf/settings.py`. They are read when they are needed and never
copied at import, so that Django's `override_settings` works::

    from evennia_assistant.conf import setting
    setting("ASSISTANT_EMBEDDER")

"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .errors import ConfigError


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its default and what it is for, as the documentation prints it."""

    default: Any
    doc: str


SETTINGS: dict[str, Setting] = {
    "ASSISTANT_API_KEYS": Setting(
        {},
        "Keys by provider, for instance `{'openai': os.environ['MY_KEY']}`. Empty: the provider's "
        "own environment variable is read (`OPENAI_API_KEY`, `OPENROUTER_API_KEY`, "
        "`ANTHROPIC_API_KEY`), then `ASSISTANT_API_KEY`. Keys never live in Attributes.",
    ),
    "ASSISTANT_API_HOSTS": Setting(
        (),
        "Hosts other than a provider's own that may be sent its key. Without it nobody collects a "
        "key by pointing an NPC's `llm_api_url` at an address of their own.",
    ),
    "ASSISTANT_PROVIDER": Setting(
        "openai",
        "Provider a new NPC begins with (option `llm_provider`). Where a provider has no key, the "
        "offline brain answers; 'offline' means that it always does.",
    ),
    "ASSISTANT_MODEL": Setting(
        "gpt-4o-mini", "Model of an NPC that names none of its own (option `llm_model`)."
    ),
    "ASSISTANT_EMBEDDER": Setting(
        None,
        "Name of the embedder recall uses, None for the default. docs/embedders.md has the choice "
        "and what each costs.",
    ),
    "ASSISTANT_INDEX_CAPACITY": Setting(
        20_000,
        "Most memories of one NPC that are held ready in the process. Beyond it, the oldest of "
        "those semantic memory keeps are looked up there before a turn, which takes longer and "
        "needs no room.",
    ),
    "ASSISTANT_MEM0_CONFIG": Setting(
        {},
        "Where Mem0 keeps facts. Empty: in `server/assistant/facts` of the game, or in the folder "
        "`path` names. `vector_store` (Mem0's own form) points it at a server such as pgvector, "
        "`hosted` at Mem0's service. docs/semantic-memory.md has all of it.",
    ),
    "ASSISTANT_MEM0_TIMEOUT": Setting(
        30, "Seconds one call of semantic memory may run before it counts as hanging."
    ),
    "ASSISTANT_SECURE_DELETE": Setting(
        True,
        "Whether SQLite writes zeros over what is deleted from the game's database, so that what "
        "an NPC forgot leaves the file as well. It holds for the whole database; "
        "docs/forgetting.md says what it does not reach.",
    ),
    "ASSISTANT_FORGET_ME": Setting(
        "ask",
        "What a player's `forgetme` does: `ask` tells the NPC's keepers, `allow` forgets at once, "
        "`off` says that it cannot be done.",
    ),
    "ASSISTANT_CARD_FOLDER": Setting(
        "",
        "Folder with the character cards, lorebooks and texts that keepers may import; what they "
        "export goes to `exported` in it. Empty: `server/assistant/cards` of the game.",
    ),
    "ASSISTANT_MODEL_CONCURRENCY": Setting(
        16, "How many calls to one endpoint may be in flight at once, over all NPCs."
    ),
    "ASSISTANT_MAX_LINE": Setting(
        2000, "Longest line, in characters, an NPC takes in; what is beyond is cut off."
    ),
    "ASSISTANT_MAX_SPEECH": Setting(
        600, "Longest line, in characters, an NPC says; what is beyond is cut off at a word."
    ),
    "ASSISTANT_FALLBACK_LINES": Setting(
        (
            "{name} seems lost in thought for a moment.",
            "{name} opens their mouth, then thinks better of it.",
            "{name} rubs their brow and loses the thread.",
        ),
        "Emotes shown when the model could not be asked: at most one to a listener until the NPC "
        "has answered again.",
    ),
    "ASSISTANT_THINKING_LINES": Setting(
        ("{name} thinks about it.", "{name} considers the question.", "{name} ponders."),
        "Emotes shown when an answer takes longer than the option `thinking_after`.",
    ),
    "ASSISTANT_SLEEP_LINES": Setting(
        ("{name} yawns and falls asleep.", "{name}'s eyes close.", "{name} nods off."),
        "Emotes shown when an NPC falls asleep. Empty: nobody sees it.",
    ),
    "ASSISTANT_WAKE_LINES": Setting(
        ("{name} wakes up.", "{name} stretches and opens their eyes.", "{name} stirs and wakes."),
        "Emotes shown when an NPC wakes. Empty: nobody sees it.",
    ),
    "ASSISTANT_ASLEEP_LINES": Setting(
        (
            "{name} is fast asleep and does not hear.",
            "{name} mumbles in their sleep.",
            "{name} turns over and sleeps on.",
        ),
        "Emotes shown when somebody speaks to an NPC that sleeps and does not wake: one to a "
        "speaker in one sleep. Empty: nobody is told.",
    ),
    "ASSISTANT_ASLEEP_NAME": Setting(
        "{name} (asleep)",
        "How others see the name of a sleeping NPC, for instance among the characters of a room. "
        "`{name}` leaves it as it is.",
    ),
    "ASSISTANT_ASLEEP_DESCRIPTION": Setting(
        "{name} is asleep.",
        "Line added to the description of a sleeping NPC. Empty: none.",
    ),
    "ASSISTANT_CAN_PERCEIVE": Setting(
        None,
        "Dotted path of `function(witness, actor, manner) -> bool` deciding who could hear or see "
        "something. None: Evennia locks decide, `hear` on the listener, and `view` on the actor "
        "for what is seen rather than heard. Both pass when they are not set.",
    ),
    "ASSISTANT_TOOL_MODULES": Setting(
        (),
        "Dotted paths of modules that register further tools when they are imported.",
    ),
}


def setting(name: str) -> Any:
    """
    The value of a setting, or its default.

    Args:
        name: One of `SETTINGS`.

    Returns:
        What the game's settings say, else the default.

    Raises:
        ConfigError: If there is no such setting.

    """
    from django.conf import settings

    try:
        default = SETTINGS[name].default
    except KeyError:
        raise ConfigError(
            f"There is no setting {name}; the settings are {', '.join(sorted(SETTINGS))}."
        ) from None
    return getattr(settings, name, default)
