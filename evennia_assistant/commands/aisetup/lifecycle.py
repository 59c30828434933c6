"""`/init`, `/clone`, `/start`, `/stop` and `/delete`: the life of an assistant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evennia.objects.models import ObjectDB
from evennia.utils.dbserialize import deserialize

from ...awake.emergency import clear_emergency_stop
from ...prompts.registry import PROMPT_ATTRIBUTES
from ...typeclasses.options import INSIDE, OPTIONS
from ...typeclasses.script import get_assistant_script
from .. import finding
from ..base import Refusal
from ..plain import plain
from . import birth
from .overview import who_answers


class LifecycleMixin:
    """Switches that make, start, stop and remove an assistant."""

    def do_init(self) -> None:
        """Make an assistant, or give a character that is here a mind."""
        self.need_admin("make an assistant")
        if not self.lhs:
            raise Refusal("Usage: aisetup/init <key> [= <character here, or a new name>]")
        key = birth.usable_key(self.lhs)
        script = get_assistant_script(key)
        if script is not None and script.character is not None:
            raise Refusal(
                f"There is already an assistant {finding.described(script)}. Choose another key; "
                f"'aisetup {key}' shows that one."
            )
        npc, made = self._character_for(key, self.rhs)
        if script is None:
            script = birth.make_script(key, npc)
        else:
            script.bind(key, npc)
            script.enable()
        name = plain(npc.key)
        provider, why = who_answers(script)
        answers = plain(
            why
            or ("The offline brain answers." if provider == "offline" else f"{provider} answers.")
        )
        call = key if npc.key.casefold() == key else npc.key
        self.msg(
            f"{'Made' if made else 'Gave a mind to'} {name} (#{npc.pk}), assistant {key}. It hears "
            f"and answers from now on. {answers}\n"
            f"  Talk to it:       talk {plain(call)} hello\n"
            f"  Say who it is:    aisetup/persona {key} = <who it is, in a few sentences>\n"
            f"  Teach it a fact:  aisetup/teach {key} = <fact>\n"
            f"  Its options:      aisetup/config {key}"
        )

    def do_clone(self) -> None:
        """Make another assistant with the same options and persona."""
        self.need_admin("make an assistant")
        usage = "aisetup/clone <key> = <new key>"
        source = self.assistant(self.lhs, usage)
        if not self.rhs:
            raise Refusal(f"Usage: {usage}")
        key = birth.usable_key(self.rhs)
        if get_assistant_script(key) is not None:
            raise Refusal(f"There is already an assistant {key}. Choose another key.")
        original = self.with_character(source)
        npc = birth.make_character(birth.name_from(key), key, self.caller, type(original))
        npc.db.persona = deserialize(original.db.persona)
        npc.db.desc = original.db.desc
        script = birth.make_script(key, npc)
        options = {INSIDE.get(name, name) for name in OPTIONS}
        for attribute in options.union(PROMPT_ATTRIBUTES):
            if source.attributes.has(attribute):
                script.attributes.add(attribute, deserialize(source.attributes.get(attribute)))
        script.disable()
        script.enable()
        self.msg(
            f"Made {plain(npc.key)} (#{npc.pk}), assistant {key}, with the options and persona of "
            f"{source.db.assistant_key} and a memory of its own, which is empty."
        )

    def do_start(self) -> None:
        """Switch an assistant on."""
        script = self._to_change("aisetup/start <key>")
        npc = self.with_character(script)
        cleared, _line = clear_emergency_stop(script)
        was_on = bool(script.db.enabled)
        if not was_on or cleared:
            script.enable()
        if cleared:
            self.msg(f"The emergency stop of {plain(npc.key)} is cleared; it hears and answers.")
        elif was_on:
            self.msg(f"{plain(npc.key)} was on already.")
        else:
            self.msg(f"{plain(npc.key)} hears and answers again.")

    def do_stop(self) -> None:
        """Switch an assistant off."""
        script = self._to_change("aisetup/stop <key>")
        name = plain(script.character.key) if script.character else script.db.assistant_key
        if not script.db.enabled:
            self.msg(f"{name} is off already.")
            return
        script.disable()
        self.msg(
            f"{name} hears and answers nothing until 'aisetup/start {script.db.assistant_key}'. "
            "Nothing is forgotten."
        )

    def do_delete(self) -> Iterator[str]:
        """Remove an assistant; its character and memory stay."""
        script = self._to_change("aisetup/delete <key>")
        key, npc = script.db.assistant_key, script.character
        answer = yield (
            f"Take the mind of {finding.described(script)} away? Its options and its trace go; the "
            "character and its memory stay. yes/[no]"
        )
        if str(answer or "").strip().lower() not in ("y", "yes"):
            self.msg("Nothing was deleted.")
            return
        if not script.pk or not script.delete():
            raise Refusal(f"Assistant {key} could not be deleted.")
        if npc is None:
            self.msg(f"Assistant {key} is deleted.")
            return
        self.msg(
            f"Assistant {key} is deleted. {plain(npc.key)} (#{npc.pk}) stays, with its memory: "
            f"'aisetup/init {key} = #{npc.pk}' gives it its mind back, 'destroy #{npc.pk}' removes "
            "it with all it remembers."
        )

    # Within ------------------------------------------------------------------------------------

    def _to_change(self, usage: str) -> Any:
        script = self.assistant(self.args, usage)
        self.need_keeper(script)
        return script

    def _character_for(self, key: str, wanted: str | None) -> tuple[Any, bool]:
        """The character an assistant is to have, and whether it was made for it."""
        if not wanted:
            npc = self._here(birth.name_from(key), classed=True)
            return (npc, False) if npc else (self._new(birth.name_from(key), key), True)
        if wanted.startswith("#"):
            number = wanted[1:]
            npc = ObjectDB.objects.get_id(number) if number.isdecimal() else None
            if npc is None:
                raise Refusal(f'There is no object "{plain(wanted, 40)}".')
        else:
            npc = self._here(wanted)
        if npc is None:
            return self._new(wanted, key), True
        self._fit_for_a_mind(npc)
        return npc, False

    def _new(self, name: str, key: str) -> Any:
        return birth.make_character(name, key, self.caller)

    def _here(self, name: str, classed: bool = False) -> Any:
        """Somebody here of that very name; with `classed`, only one that could take a mind."""
        wanted = name.strip().casefold()
        for obj in getattr(getattr(self.caller, "location", None), "contents", ()):
            names = (obj.key, *obj.aliases.all())
            if wanted in (str(one).casefold() for one in names):
                free = getattr(obj, "is_assistant", False) and obj.assistant_script is None
                if free or not classed:
                    return obj
        return None

    def _fit_for_a_mind(self, npc: Any) -> None:
        name = plain(npc.key)
        if getattr(npc, "db_account_id", None) or npc.has_account:
            raise Refusal(f"{name} is a player's character; a mind of ours would speak for them.")
        if not getattr(npc, "is_assistant", False):
            raise Refusal(
                f"{name} has no ears for this: its class is {npc.typeclass_path}. Change it with "
                f"'typeclass #{npc.pk} = {birth.CLASS_PATH}' (all else stays as it is), or add "
                "AssistantMixin to its own class and reload; then try again."
            )
        if npc.assistant_script is not None:
            taken = npc.assistant_script.db.assistant_key
            raise Refusal(f"{name} has a mind already: it is assistant {taken}.")
        if not npc.db.persona and not npc.db.desc:
            npc.db.persona = birth.persona_from(self.lhs.strip().lower(), npc.key, npc.location)
