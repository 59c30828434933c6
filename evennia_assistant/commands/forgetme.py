"""`forgetme`: how a player asks an NPC to forget them."""

from __future__ import annotations

from typing import Any

from evennia.utils import logger
from evennia.utils.ansi import strip_ansi
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from ..asleep.forgetting import Outcome, forget, person_subject
from ..awake.emergency import tell_staff
from ..conf import setting
from ..errors import AssistantError, ConfigError
from ..perception.hearing import entity_id
from .base import AICommand, Refusal
from .plain import plain

#: Seconds before the same player may ask the same NPC again.
PAUSE = 3600.0
_WAYS = ("ask", "allow", "off")


class CmdForgetMe(AICommand):
    """
    ask somebody here to forget you

    Usage:
      forgetme <who>
      forgetme <who> = yes

    They forget all you said and did, what they made of it, and how they stand to you. What others
    told them of you stays theirs. There is no way back. On some games the keepers are asked first.

    Examples:
      forgetme bram
    """

    key = "forgetme"
    locks = "cmd:all()"
    help_category = "General"
    switch_options = ()

    def run(self) -> None:
        """Ask back, ask the keepers, or do it."""
        way = setting("ASSISTANT_FORGET_ME")
        if way not in _WAYS:
            raise ConfigError(f"ASSISTANT_FORGET_ME must be one of {', '.join(_WAYS)}.")
        if way == "off":
            raise Refusal("That cannot be asked here; speak to the staff of this game.")
        npc = self._whom()
        name = plain(strip_ansi(npc.get_display_name(self.caller)))
        who = entity_id(self.caller)
        if who is None:
            raise Refusal("You are nobody they could remember.")
        if way == "allow" and (self.rhs or "").strip().casefold() != "yes":
            self.msg(
                f"{name} would forget all you ever said and did, and there is no way back. "
                f"If you want that: forgetme {plain(self.lhs.strip(), 40)} = yes"
            )
            return
        script = npc.assistant_script
        if way == "ask":
            self._ask_keepers(script, npc, who)
            self.msg(f"The keepers of {name} are asked to have you forgotten.")
            return
        self.msg(f"{name} looks at you less and less as if you had met ...")
        self._tell_when_done(forget(script, person_subject(script, who)), name)

    def _whom(self) -> Any:
        if not self.lhs:
            raise Refusal("Usage: forgetme <who>")
        place = getattr(self.caller, "location", None)
        here = [] if place is None else place.contents
        found = [
            obj
            for obj in self.caller.search(self.lhs.strip(), candidates=here, quiet=True) or ()
            if getattr(obj, "is_assistant", False) and obj.assistant_script is not None
        ]
        if len(found) != 1:
            raise Refusal(f'There is nobody called "{plain(self.lhs, 40)}" here who could.')
        return found[0]

    def _ask_keepers(self, script: Any, npc: Any, who: str) -> None:
        asked = dict(script.ndb.assistant_forget_asked or {})
        now = script.agent.now()
        if now - asked.get(who, -PAUSE) < PAUSE:
            raise Refusal("They were asked already; give them time.")
        script.ndb.assistant_forget_asked = {**asked, who: now}
        text = (
            f"{self.caller.key} {who} asks to be forgotten by {npc.key}: "
            f"aimemory/forget {script.db.assistant_key} = {who}"
        )
        logger.log_sec(f"Assistant memory: {plain(text, 300)}")
        tell_staff(text)

    def _tell_when_done(self, work: Deferred[Outcome], name: str) -> None:
        def told(outcome: Outcome) -> None:
            later = "" if outcome.completed else " What is kept elsewhere follows."
            self.msg(f"{name} has forgotten you.{later}")

        def failed(failure: Failure) -> None:
            if failure.check(AssistantError):
                self.msg(f"Not now: {plain(failure.value, 300)}")
                return
            logger.log_err(f"Assistant memory: forgetting broke.\n{failure.getTraceback()}")
            self.msg("That failed; the staff can see why.")

        work.addCallbacks(told, failed)
