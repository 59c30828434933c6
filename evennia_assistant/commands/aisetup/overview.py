"""`aisetup` alone and `aisetup help`: what there is, and how to begin."""

from __future__ import annotations

from typing import Any

from evennia.utils.evmore import EvMore

from ...awake.models import effective_provider
from ...conf import setting
from ...errors import ConfigError
from ...mind.entry import when_of
from ...mind.phrases import ago
from .. import finding
from ..base import Refusal
from ..plain import cell, plain

HELP = """\
|wFrom nothing to a talking NPC|n

1. |waisetup/init innkeeper|n makes an NPC here and switches it on. Talk to it:
   |wtalk innkeeper hello|n. No key is needed: the offline brain answers.
2. |waisetup/persona innkeeper = A gruff old sailor who keeps this inn.|n
   says who it is.
3. |waisetup/teach innkeeper = The ferry leaves at dawn.|n gives it something
   to tell.
4. For a real model, set the provider's key where the server starts, for
   example OPENAI_API_KEY, and reload. |waisetup|n shows who answers, and why;
   |waisetup/config innkeeper set llm_provider ollama|n chooses another.
5. |waisetup/init barkeep = Mira|n gives Mira, who must be here, a mind.

What goes on inside it:
   |waimemory innkeeper|n              what it remembers
   |waiwhy innkeeper|n                 why it said what it said
   |waihistory innkeeper|n             its last turns
   |waiinteract/whynot innkeeper|n     why it did not answer
All switches: |whelp aisetup|n"""


class OverviewMixin:
    """No switch, and /help."""

    def without_switch(self) -> None:
        """List all assistants; with a word, the help or the line of one assistant."""
        word = self.args.strip()
        if word.casefold() in ("help", "?"):
            self.do_help()
        elif word.split(" ")[0] in self.switch_options and len(word.split()) > 1:
            first, rest = word.split(None, 1)
            raise Refusal(f"A switch follows a slash: aisetup/{first} {plain(rest, 60)}")
        elif word:
            self._table([self.assistant(word, "aisetup [<key>]")])
        else:
            scripts = finding.all_assistants()
            if not scripts:
                raise Refusal(
                    "There is no assistant yet. 'aisetup/init innkeeper' makes one here; "
                    "'aisetup help' tells more."
                )
            self._table(scripts)

    def do_help(self) -> None:
        """Teach, in one screen."""
        self.msg(HELP)

    def _table(self, scripts: list[Any]) -> None:
        table = self.styled_table("key", "character", "place", "state", "answered by", "last turn")
        notes: dict[str, list[str]] = {}
        for script in scripts:
            provider, why = who_answers(script)
            if why:
                notes.setdefault(why, []).append(str(script.db.assistant_key))
            npc = script.character
            place = npc.location if npc is not None else None
            table.add_row(
                script.db.assistant_key,
                f"{cell(npc.key, 24)} #{npc.pk}" if npc is not None else "|rgone|n",
                cell(place.key, 24) if place is not None else "nowhere",
                state_of(script),
                answered_by(script, provider),
                last_turn(script),
            )
        lines = [str(table)]
        for why, keys in notes.items():
            lines.append(
                f"{', '.join(keys[:6])}{' and others' if len(keys) > 6 else ''}: {plain(why)}"
            )
        if self.caller.sessions.count() and len(scripts) > 12:
            EvMore(self.caller, "\n".join(lines), session=self.session, exit_on_lastpage=True)
        else:
            self.msg("\n".join(lines))


def state_of(script: Any) -> str:
    """Whether an assistant is on, in a word."""
    if script.db.emergency_stop:
        return "|remergency|n"
    if not script.db.enabled:
        return "|yoff|n"
    return "|gon|n" if script.db.operating_mode != "sleep" else "|casleep|n"


def who_answers(script: Any) -> tuple[str, str | None]:
    """As `effective_provider`; options that name none there is are the reason nobody does."""
    try:
        return effective_provider(script)
    except ConfigError as err:
        return "nobody", str(err)


def answered_by(script: Any, provider: str) -> str:
    """Provider and model."""
    if provider in ("offline", "nobody"):
        return provider
    return cell(f"{provider} {script.option('llm_model') or setting('ASSISTANT_MODEL')}", 36)


def last_turn(script: Any) -> str:
    """When it took its last turn, in words."""
    turns = script.agent.turns.last(1)
    return ago(script.agent.now() - when_of(turns[-1]["at"])) if turns else "never"
