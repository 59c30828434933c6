"""
What every command of ours stands on.

Builders may look, Admins may change, and whoever holds `control` over an NPC is its keeper: they
may change that one and see all that it remembers. A refusal says what to do instead.

"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.conf import settings
from evennia.commands.default.muxcommand import MuxCommand
from evennia.locks.lockhandler import check_perm
from evennia.utils.evmore import EvMore
from evennia.utils.utils import class_from_module

from ..errors import AssistantError
from . import finding
from .gate import Reader, log_bypass
from .plain import plain

_game_base = class_from_module(settings.COMMAND_DEFAULT_CLASS)
# A game whose base class is no MuxCommand has no switches, and ours are made of them.
_Base: Any = _game_base if issubclass(_game_base, MuxCommand) else MuxCommand


class Refusal(AssistantError):
    """A command cannot do what was asked; the text is told to whoever asked."""


class AICommand(_Base):
    """
    A command on assistants.

    Subclasses write `run`, which may raise `Refusal` (or any `AssistantError` whose text is meant
    for people) and may `yield` a question, as Evennia's commands do.

    """

    help_category = "Assistants"
    locks = "cmd:perm(Builder)"

    def func(self) -> Any:
        """Run the command; what it cannot do is said in one line."""
        try:
            asked = self.run()
        except AssistantError as refusal:
            self.msg(str(refusal))
            return None
        return None if asked is None else self._asking(asked)

    def _asking(self, asked: Iterator[str]) -> Iterator[str]:
        try:
            yield from asked
        except AssistantError as refusal:
            self.msg(str(refusal))

    def run(self) -> Any:
        """What the command does. A generator where it asks back."""
        raise NotImplementedError

    # Which NPC -------------------------------------------------------------------------------

    def assistant(self, who: str | None, usage: str) -> Any:
        """
        The script of the assistant somebody named.

        Args:
            who: What they typed.
            usage: The whole command as it should look, told when they named nobody.

        Raises:
            Refusal: If it is none, or could be several.

        """
        if not who or not who.strip():
            raise Refusal(f"Usage: {usage}")
        found = finding.find_assistants(who)
        if not found:
            raise Refusal(finding.not_found(who))
        if len(found) > 1:
            raise Refusal(finding.ambiguous(who, found))
        return found[0]

    def who_and_rest(self) -> tuple[str, str | None]:
        """
        The assistant named first, and what follows: after `=`, or after the longest name that fits.

        Returns:
            What was typed of both; None when nothing follows.

        """
        if self.rhs is not None:
            return self.lhs, self.rhs
        words = self.args.split()
        for length in range(len(words), 0, -1):
            who = " ".join(words[:length])
            if finding.find_assistants(who):
                return who, " ".join(words[length:]) or None
        return self.args, None

    def with_character(self, script: Any) -> Any:
        """
        The character of an assistant.

        Raises:
            Refusal: If it was deleted.

        """
        npc = script.character
        if npc is None:
            key = script.db.assistant_key
            raise Refusal(
                f"The character of {key} is gone. Give it a new one with 'aisetup/init {key}', or "
                f"remove it with 'aisetup/delete {key}'."
            )
        return npc

    # What they may ---------------------------------------------------------------------------

    @property
    def is_admin(self) -> bool:
        """Whether the caller is an Admin."""
        return bool(check_perm(self.caller, "Admin"))

    def keeps(self, npc: Any) -> bool:
        """Whether the caller is an Admin or keeper of this NPC."""
        return self.is_admin or bool(npc is not None and npc.access(self.caller, "control"))

    def need_admin(self, what: str) -> None:
        """
        Go on for Admins only.

        Raises:
            Refusal: For anybody else.

        """
        if not self.is_admin:
            raise Refusal(f"Only an Admin may {what}; ask one.")

    def need_keeper(self, script: Any) -> None:
        """
        Go on for Admins and keepers of this NPC only.

        Raises:
            Refusal: For anybody else.

        """
        if not self.keeps(script.character):
            raise Refusal(
                f"You may look at {finding.described(script)}, but only its keeper (who holds its "
                "'control' lock) or an Admin may change it."
            )

    def reader(self, npc: Any) -> Reader:
        """
        The caller as a reader of an NPC's memory; with `/all` they see everything, on the record.

        Raises:
            Refusal: If they asked for everything and may not.

        """
        may_see_all = self.keeps(npc)
        sees_all = "all" in self.switches
        if sees_all and not may_see_all:
            raise Refusal(
                f"Only a keeper of {plain(npc.key, 40)} or an Admin may look past what it was told "
                "in confidence. Without /all you see what you may be told."
            )
        if sees_all:
            log_bypass(self.caller, npc, f"{self.cmdstring}/{'/'.join(self.switches)} {self.args}")
        return Reader(self.caller, may_see_all=may_see_all, sees_all=sees_all)

    # Showing ---------------------------------------------------------------------------------

    def page(self, text: str) -> None:
        """Show a text that may be longer than a screen."""
        if self.caller.sessions.count():
            EvMore(self.caller, text, session=self.session, exit_on_lastpage=True)
        else:
            self.msg(text)
