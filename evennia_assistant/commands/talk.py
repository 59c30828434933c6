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
        self.args: str = re.sub(r"(?i)\Ato\s+", "", str(self.args).strip())
        self.lhs, self.rhs = self.args, None

    def run(self) -> None:
        """Say it."""
        if getattr(self.caller, "location", None) is None:
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
        best = max((self._fit(obj) for obj in others), default=(0,))
        if best[0]:
            fitting = [obj for obj in others if self._fit(obj) == best]
            return self._one_of(fitting, self.args[: best[0]], self.args[best[0] :])
        first, equals, rest = self.args.partition("=")
        if not equals:
            first, _space, rest = self.args.partition(" ")
        found = self.caller.search(first.strip(), candidates=others, quiet=True) or []
        if not found:
            raise Refusal(self._nobody(first.strip(), others))
        return self._one_of(found, first.strip(), rest)

    def _one_of(self, found: list[Any], name: str, rest: str) -> tuple[Any, str]:
        """The one that is meant of those a name fits: `bram-2` is the second Bram."""
        numbered = re.match(r"-(\d{1,3})(?!\w)", rest)
        if numbered and 1 <= int(numbered[1]) <= len(found):
            return found[int(numbered[1]) - 1], _after(rest[numbered.end() :])
        if len(found) == 1:
            return found[0], _after(rest)
        name = plain(name, 40)
        each = [f"{name}-{n} ({self._shown(obj)})" for n, obj in enumerate(found[:9], start=1)]
        raise Refusal(f"Several here go by that name. Say which: {', '.join(each)}.")

    def _fit(self, obj: Any) -> tuple[int, bool, bool]:
        """
        How well the line begins with a name of somebody: the better, the greater.

        The longest name counts first; then that they can answer, then that it is no alias.

        """
        line = self.args.lower()
        shown = strip_ansi(obj.get_display_name(self.caller))
        names = {str(alias): False for alias in obj.aliases.all()} | {obj.key: True, shown: True}
        return max(
            (len(name), bool(getattr(obj, "is_assistant", False)), own)
            if name and _begins_with(line, name.lower())
            else (0, False, False)
            for name, own in names.items()
        )

    def _nobody(self, wanted: str, others: list[Any]) -> str:
        names = [self._shown(obj) for obj in others if obj is not self.caller and sentient(obj)]
        here = f" You could talk to {' or '.join(names[:8])}." if names else ""
        return f'There is nobody called "{plain(wanted, 40)}" here.{here}'

    def _shown(self, obj: Any) -> str:
        return plain(strip_ansi(obj.get_display_name(self.caller)), 40)

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


def _begins_with(line: str, name: str) -> bool:
    return line.startswith(name) and not line[len(name) : len(name) + 1].isalnum()


def _after(rest: str) -> str:
    """What follows a name, without the mark between the two."""
    return rest.lstrip().lstrip("=:,").lstrip()
