"""The command itself: which switch goes where."""

from __future__ import annotations

from typing import Any

from ..base import AICommand
from .channels import ChannelMixin
from .component import ComponentMixin
from .config import ConfigMixin
from .context import ContextMixin
from .importing import ImportMixin
from .lifecycle import LifecycleMixin
from .overview import OverviewMixin
from .persona import PersonaMixin
from .sleeping import SleepMixin
from .teaching import TeachingMixin
from .template import TemplateMixin
from .tokens import TokensMixin


class CmdAssistant(
    OverviewMixin,
    LifecycleMixin,
    ConfigMixin,
    PersonaMixin,
    TeachingMixin,
    ImportMixin,
    ChannelMixin,
    SleepMixin,
    TemplateMixin,
    ContextMixin,
    ComponentMixin,
    TokensMixin,
    AICommand,
):
    """
    make NPCs with a mind, and care for them

    Usage:
      aisetup                                 list all assistants
      aisetup help                            from nothing to a talking NPC
      aisetup/init <key> [= <character>]      make one here, or give a character a mind
      aisetup/clone <key> = <new key>         another with the same options and persona
      aisetup/start <key>                     let it hear and answer; clears an emergency stop
      aisetup/stop <key>                      hear and answer nothing
      aisetup/delete <key>                    take the mind away; asks first
      aisetup/config <key>                    all options
      aisetup/config <key> show <option>
      aisetup/config <key> set <option> <value>
      aisetup/persona <key> [<field>] [= <text>]
      aisetup/teach <key> [= <fact>]          list what it was taught, or teach it something
      aisetup/unteach <key> = <number>
      aisetup/import <key> [= <file or text>] a card, lorebook or text; shows what it would change
      aisetup/accept <key> = <token> [marked] takes over what was shown
      aisetup/drop <key>                      throws it away
      aisetup/export <key> [= v3, v2 or lorebook] [<picture>]
      aisetup/subscribe <key> = <channel> [mention or all or never]
      aisetup/unsubscribe <key> = <channel>
      aisetup/sleep <key> [light or deep]
      aisetup/wake <key>
      aisetup/schedule <key> [on, off, 22-06, light, deep, real, game or a time zone]
      aisetup/template <key> [check]          its system prompts; are its prompts in order?
      aisetup/template <key> create <name> = <text>
      aisetup/template <key> apply or show or delete <name>
      aisetup/context <key> [<type>]          what its prompts and tools are on each occasion
      aisetup/context <key> <type> set <field> <value>
      aisetup/context <key> <type> reset
      aisetup/component <key>                 the parts of its prompts
      aisetup/component <key> add or set <id> = <text>
      aisetup/component <key> show or enable or disable or delete <id>
      aisetup/tokens <key>                    what fills its prompts

    Switches:
      help        - how to make a first NPC, in one screen
      init        - make an assistant; its character is made here unless you name one that is here
      clone       - copy options and persona, not the memory
      start       - switch on, also after an emergency stop
      stop        - switch off; nothing is forgotten
      delete      - remove the assistant; its character and memory stay
      config      - see or change its options
      persona     - see or change who it is: description, personality, scenario, voice, greeting,
                    farewell, unknown, examples
      teach       - facts it knows from you and may tell anyone
      unteach     - take a fact back, by its number
      import      - bring a character card, a lorebook or a text; nothing changes yet
      accept      - take over what an import would change
      drop        - throw an import away
      export      - write it as a character card, or its knowledge as a lorebook
      subscribe   - let it hear a channel, and answer there
      unsubscribe - let it leave a channel
      sleep       - send it to sleep: deep, nobody but you wakes it; light, speaking to it does
      wake        - wake it
      schedule    - see or set its hours of sleep, several words at once: 22-06 Europe/Paris
      template    - write, use and check its system prompts
      context     - narrow what it is told and may do on an occasion
      component   - add parts to its prompts, change or switch off ours
      tokens      - how many tokens each part of a prompt takes
      all         - with teach, import and export: what is confidential, too; this is logged

    Instead of the key, the character's name or #dbref will do. Builders may look; changing an
    assistant takes an Admin or its keeper, making one or choosing its model an Admin.

    Examples:
      aisetup/init innkeeper
      aisetup/init innkeeper = Bram
      aisetup/persona innkeeper = A gruff old sailor who keeps an inn and loves gossip.
      aisetup/teach innkeeper = The ferry leaves at dawn.
      aisetup/config innkeeper set llm_provider offline
      aisetup/subscribe innkeeper = Public mention
      aisetup/schedule innkeeper 23-06 light
    """

    key = "aisetup"
    aliases = ["aiassistant"]
    switch_options = (
        "help",
        "init",
        "clone",
        "start",
        "stop",
        "delete",
        "config",
        "persona",
        "teach",
        "unteach",
        "import",
        "accept",
        "drop",
        "export",
        "subscribe",
        "unsubscribe",
        "sleep",
        "wake",
        "schedule",
        "template",
        "context",
        "component",
        "tokens",
        "all",
    )

    def run(self) -> Any:
        """Do what the switch says; without one, list the assistants, or teach."""
        switch = next((switch for switch in self.switches if switch != "all"), None)
        return self.without_switch() if switch is None else getattr(self, f"do_{switch}")()
