"""
Who reads an NPC's memory, and what they may be told.

A command that shows memory shows it to its reader, so the reader is the listener of trust.md's
second rule: what was said in confidence to others stays out, and only its number is told. A keeper
may look past that with `/all`; each such look is in the log.

"""

from __future__ import annotations

from typing import Any

from evennia.objects.objects import DefaultObject
from evennia.utils import logger
from evennia.utils.utils import inherits_from

from ..mind.audience import may_be_told
from ..perception.hearing import entity_id
from .plain import plain


class Reader:
    """
    One look of one person into one memory.

    Args:
        person: Who reads.
        may_see_all: They could ask for everything, being keeper or Admin.
        sees_all: They did ask for it.

    """

    def __init__(self, person: Any, *, may_see_all: bool, sees_all: bool = False) -> None:
        #: The listeners that recall is asked for.
        self.listeners = listeners_of(person)
        self.may_see_all = may_see_all
        self.sees_all = sees_all
        #: How many things were kept from the reader so far.
        self.withheld = 0

    def may(self, audience: object) -> bool:
        """Whether the reader may be told; what may not is counted."""
        if self.sees_all or may_be_told(audience, self.listeners):
            return True
        self.withheld += 1
        return False

    def only(self, records: Any) -> list[Any]:
        """Of mappings with an `audience`, those the reader may be told."""
        return [record for record in records if self.may(record.get("audience"))]

    def note(self, count: int | None = None) -> str:
        """
        What was kept back, in one line.

        Args:
            count: How many things; None is what `may` has counted.

        Returns:
            "" when nothing was kept back.

        """
        kept_back = self.withheld if count is None else count
        if self.sees_all or not kept_back:
            return ""
        what = "1 more is" if kept_back == 1 else f"{kept_back} more are"
        if self.may_see_all:
            which = "it" if kept_back == 1 else "them"
            return f"{what} confidential; add /all to see {which} (that is logged)."
        return f"{what} confidential; only a keeper of the NPC or an Admin may see more."


def listeners_of(person: Any) -> tuple[str, ...]:
    """
    The entity a reader listens as.

    Empty for an account that puppets nobody, whose number could be some character's, and for
    anybody who puppets one of our NPCs: they would be told what was confided to it. Then only
    what is public may be told.

    """
    if not inherits_from(person, DefaultObject) or getattr(person, "is_assistant", False):
        return ()
    who = entity_id(person)
    return (who,) if who else ()


def log_bypass(person: Any, npc: Any, what: str) -> None:
    """Leave in the security log who looked past the audiences, and at what."""
    account = getattr(person, "account", None)
    through = f" (account {account.key})" if account is not None else ""
    logger.log_sec(
        f"Assistant memory: {person.key} #{person.pk}{through} looked past the audiences of "
        f"{npc.key} #{npc.pk}: {plain(what, 200)}"
    )
