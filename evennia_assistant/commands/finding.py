"""
Which assistant somebody means.

By its key, by its character's name or alias, or by the #dbref of either.

"""

from __future__ import annotations

import difflib
from typing import Any

from evennia.scripts.models import ScriptDB

from ..typeclasses.script import TAG_CATEGORY, get_assistant_script, tag_for
from .plain import plain


def all_assistants() -> list[Any]:
    """The scripts of all assistants, in the order of their keys."""
    found = ScriptDB.objects.filter(
        db_tags__db_key__startswith=tag_for(""), db_tags__db_category=TAG_CATEGORY
    ).distinct()
    return sorted(found, key=lambda script: str(script.db.assistant_key))


def find_assistants(who: str) -> list[Any]:
    """
    The scripts that a name stands for.

    Args:
        who: Key, character name or alias, or #dbref, in any case.

    Returns:
        One script when the name is clear, none when there is no such assistant; several when the
        name fits several.

    """
    wanted = who.strip().casefold()
    if not wanted:
        return []
    by_key = get_assistant_script(wanted)
    if by_key is not None:
        return [by_key]
    scripts = all_assistants()
    if wanted.startswith("#"):
        return [s for s in scripts if wanted in (str(s.db.character_dbref), f"#{s.pk}")]
    named = [s for s in scripts if s.character is not None]
    for names in (_names, _names_and_aliases):
        fitting = [script for script in named if wanted in names(script.character)]
        if fitting:
            return fitting
    return []


def not_found(who: str) -> str:
    """What to tell somebody whose assistant does not exist."""
    scripts = all_assistants()
    if not scripts:
        return "There is no assistant yet. Make one here: aisetup/init innkeeper"
    names = {str(s.db.assistant_key).casefold(): s for s in scripts}
    names.update({s.character.key.casefold(): s for s in scripts if s.character is not None})
    close = difflib.get_close_matches(who.strip().casefold(), list(names), n=1, cutoff=0.6)
    hint = f" Did you mean {described(names[close[0]])}?" if close else ""
    listed = ", ".join(described(script) for script in scripts[:20])
    more = f" and {len(scripts) - 20} more (aisetup lists them)" if len(scripts) > 20 else ""
    return f"There is no assistant {named_in_error(who)}.{hint} There are: {listed}{more}."


def ambiguous(who: str, scripts: list[Any]) -> str:
    """What to tell somebody whose name fits several assistants."""
    listed = ", ".join(f"{described(script)} {script.db.character_dbref}" for script in scripts)
    return f"Several assistants go by {named_in_error(who)}: {listed}. Name one by its key."


def described(script: Any) -> str:
    """An assistant in a line of text: its key, and its character's name where it differs."""
    key, npc = str(script.db.assistant_key), script.character
    if npc is None:
        return f"{key} (its character is gone)"
    return key if npc.key.casefold() == key else f"{key} ({plain(npc.key, 40)})"


def named_in_error(text: str) -> str:
    """What somebody typed, quoted back to them."""
    return f'"{plain(text.strip(), 60)}"'


def _names(npc: Any) -> set[str]:
    return {npc.key.casefold()}


def _names_and_aliases(npc: Any) -> set[str]:
    return {npc.key.casefold(), *(alias.casefold() for alias in npc.aliases.all())}
