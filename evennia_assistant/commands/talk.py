"""`talk`: how players speak to an NPC so that there is no doubt whom they mean."""

from __future__ import annotations

import re
from typing import Any

from django.conf import settings
from evennia.utils.ansi import strip_ansi

from ..conf import setting
from ..mind import output
from ..perception.hearing import sentient
from ..perception.speaking import speaking
from .base import AICommand, Refusal
from .plain import plain


class CmdTalk(AICommand):
    """
    talk to somebody here

    Usage:
      talk <who> <what you say>
      talk <who> = <what you say>

    Says it aloud to one of those who are here; everyone in the room hears it. What is for one pair
    of ears only, whisper.

    Examples:
      talk bram Good evening! What news?
      talk old bram = good evening
    """

    key = "talk"
    locks = "cmd:all();staff:perm(Builder)"
    help_category = "General"
    #: The words may hold anything, a slash at the start included.
    switch_options = ()

    def parse(self) -> None:
        """Take the line as it stands."""
        self.switches: list[str] = []
        self.args = re.sub(r"(?i)\Ato\s+", "", self.args.strip())
        self.lhs, self.rhs = self.args, None

    def run(self) -> None:
        """Say it."""
        if self.caller.location is None:
            raise Refusal("There is nobody here to talk to.")
        if not self.args:
            raise Refusal("Usage: talk <who> <what you say>, for example: talk bram Good evening!")
        target, text = self._whom_and_what()
        name = plain(strip_ansi(target.get_display_name(self.caller)))
        if target is self.caller:
            raise Refusal("You would be talking to yourself; 'say' does that.")
        if not getattr(target, "is_assistant", False):
            aside = " Use say or whisper." if target.has_account else ""
            raise Refusal(f"{name} doesn't seem to want to talk.{aside}")
        script = target.assistant_script
        if script is None or not script.db.enabled or script.db.emergency_stop:
            raise Refusal(
                f"{name} does not react to anyone at the moment. You leave it unsaid."
                f"{self._hint(script)}"
            )
        words = " ".join(strip_ansi(text).split())
        if not words:
            raise Refusal(f"What do you want to say to {name}?")
        self._say(target, words)
        most = setting("ASSISTANT_MAX_LINE")
        if len(words) > most:
            self.msg(f"{name} follows only the first {most} characters of that.")

    def _whom_and_what(self) -> tuple[Any, str]:
        """Whom the line is for, and the rest of it; the longest name that fits is meant."""
        others = [
            obj
            for obj in self.caller.location.contents
            if obj.access(self.caller, "view", default=True) and not obj.destination
        ]
        wanted = self.args.casefold()
        best: tuple[int, Any] | None = None
        for obj in others:
            for name in self._names(obj):
                rest = wanted[len(name) :]
                fits = wanted.startswith(name) and not rest[:1].isalnum()
                # Of two with one name, somebody who can answer is meant.
                weight = 2 * len(name) + bool(getattr(obj, "is_assistant", False))
                if fits and (best is None or weight > best[0]):
                    best = (weight, (obj, len(name)))
        if best is not None:
            target, length = best[1]
            return target, _after(self.args[length:])
        first, found, rest = self.args.partition("=")
        if not found:
            first, _space, rest = self.args.partition(" ")
        hits = self.caller.search(first.strip(), candidates=others, quiet=True) or []
        if len(hits) == 1:
            return hits[0], _after(rest)
        raise Refusal(self._nobody(first.strip(), others, hits))

    def _names(self, obj: Any) -> set[str]:
        shown = strip_ansi(obj.get_display_name(self.caller))
        return {name.casefold() for name in (obj.key, shown, *obj.aliases.all()) if name}

    def _nobody(self, wanted: str, others: list[Any], hits: list[Any]) -> str:
        talkers = [obj for obj in hits or others if obj is not self.caller and sentient(obj)]
        names = [plain(strip_ansi(obj.get_display_name(self.caller)), 40) for obj in talkers[:8]]
        if hits:
            return f'"{plain(wanted, 40)}" could be {" or ".join(names)}; say more of the name.'
        here = f" You could talk to {' or '.join(names)}." if names else ""
        return f'There is nobody called "{plain(wanted, 40)}" here.{here}'

    def _say(self, target: Any, words: str) -> None:
        """Say plain words to somebody, aloud; they go in through the mapping, never the format."""
        inlines = bool(getattr(settings, "FUNCPARSER_PARSE_OUTGOING_MESSAGES_ENABLED", False))
        line = self.caller.at_pre_say(
            output.for_speech(words, inlines_parsed=inlines), receivers=[target]
        )
        if not line:
            return
        with speaking(self.caller, words, receivers=[target], manner="talk"):
            self.caller.at_say(
                line,
                msg_self='{self} say to {all_receivers}, "|n{speech}|n"',
                msg_location='{object} says to {target}, "|n{speech}|n"',
                msg_receivers='{object} says to you, "|n{speech}|n"',
                receivers=[target],
                mapping={"target": target},
            )

    def _hint(self, script: Any) -> str:
        """For staff, what to do about it."""
        if not self.access(self.caller, "staff", default=False) or script is None:
            return ""
        return f" (aisetup/start {script.db.assistant_key})"


def _after(rest: str) -> str:
    """What follows a name, without the mark between the two."""
    return rest.lstrip().lstrip("=:,").lstrip()
