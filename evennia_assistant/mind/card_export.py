"""
An NPC as a character card, or its knowledge as a lorebook.

What came from a card and was not changed since goes back as it came, fields nobody here uses
included; what a keeper changed or taught is put in its place or beside it.

"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any

from . import lorebook
from .card_macros import NAME
from .card_proposal import OURS
from .card_reading import lines_of

#: Blocks a card has a field for; the others stand in `extensions`.
_FIELDS: Mapping[str, str] = {
    "description": "description",
    "personality": "personality",
    "scenario": "scenario",
    "greeting": "first_mes",
    "examples": "mes_example",
}
_OURS = ("voice", "unknown", "farewell")
_GATE = ("keys", "also", "logic", "cased")
Record = Mapping[str, Any]


def exported(
    origin: Record | None, persona: Mapping[str, Any], lines: Iterable[Any], npc: str
) -> dict[str, Any]:
    """
    The data of a card.

    Args:
        origin: What was imported: `npc`, `data`, `persona`, `overflow` (lines by block) and `books`
            (`{"book", "entries"}` by name); None where nothing was.
        persona: The NPC's, now.
        lines: Its knowledge, now, as far as it may be given away.
        npc: Its name.

    """
    kept = [{"text": each} if isinstance(each, str) else dict(each) for each in lines]
    kept = [line for line in kept if line.get("text")]
    data = deepcopy(dict(origin["data"])) if origin and origin["data"] else {"name": npc}
    _put_blocks(data, origin or {}, persona, kept)
    book, entries = _book_of(origin or {}, kept)
    if book or entries:
        data["character_book"] = {"extensions": {}, **book, "entries": entries}
    return data


def exported_book(origin: Record | None, lines: Iterable[Any], npc: str) -> dict[str, Any]:
    """As `exported`, the knowledge alone, as a V3 lorebook."""
    data = exported(origin, {}, lines, npc)
    book = data.get("character_book") or {"extensions": {}, "entries": []}
    return {"spec": "lorebook_v3", "data": book}


def without_blocks(data: Mapping[str, Any], blocks: Iterable[str]) -> dict[str, Any]:
    """The data of a card without some blocks of it: a keeper did not want them."""
    left = deepcopy(dict(data))
    for block in blocks:
        if block in _FIELDS:
            left[_FIELDS[block]] = ""
        else:
            _put_ours(left, block, None)
    return left


def _put_blocks(
    data: dict[str, Any], origin: Record, persona: Mapping[str, Any], lines: Sequence[Record]
) -> None:
    was, overflow = origin.get("persona") or {}, origin.get("overflow") or {}
    for block in (*_FIELDS, *_OURS):
        beyond = [line["text"] for line in lines if line.get("block") == block]
        if persona.get(block) == was.get(block) and beyond == list(overflow.get(block, ())):
            continue
        value = persona.get(block) or ""
        if block in _FIELDS:
            data[_FIELDS[block]] = _as_field(block, value, beyond)
        else:
            _put_ours(data, block, value)


def _as_field(block: str, value: Any, beyond: Sequence[str]) -> str:
    if block == "examples":
        texts = [value] if isinstance(value, str) else list(value)
        return "\n".join(f"<START>\n{{{{char}}}}: {text}" for text in texts if text)
    text = "\n\n".join([str(value), *beyond]).strip()
    return text.replace(NAME, "{{user}}") if block == "greeting" else text


def _put_ours(data: dict[str, Any], block: str, value: Any) -> None:
    held = data.get("extensions")
    extensions = dict(held) if isinstance(held, Mapping) else {}
    mine = extensions.get(OURS)
    ours = dict(mine) if isinstance(mine, Mapping) else {}
    ours.pop(block, None)
    if value:
        # As a greeting has it: `{name}` stands for whoever is spoken to.
        ours[block] = value
    extensions[OURS] = ours
    if not ours:
        del extensions[OURS]
    data["extensions"] = extensions


def _book_of(origin: Record, lines: Sequence[Record]) -> tuple[dict[str, Any], list[Any]]:
    """What the first book says of itself, and the entries of all of them and of what was taught."""
    about: dict[str, Any] = {}
    entries: list[Any] = []
    books = origin.get("books") or {}
    for name, held in books.items():
        about = about or dict(held["book"])
        for number, entry in enumerate(held["entries"]):
            mine = [
                line for line in lines if line.get("from") == name and line.get("lore") == number
            ]
            left = _entry_left(entry, number, mine, held["npc"])
            if left is not None:
                entries.append(left)
    entries += [
        _entry_of(line)
        for line in lines
        if not line.get("block") and not ("lore" in line and line.get("from") in books)
    ]
    return about, entries


def _entry_left(
    entry: Mapping[str, Any], number: int, lines: Sequence[Record], npc: str
) -> dict[str, Any] | None:
    """What is left of an entry of a book, None when all its lines were taken away."""
    made = lines_of(entry, number, npc) if lorebook.is_enabled(entry) else []
    whole = deepcopy(dict(entry))
    texts = [line["text"] for line in lines]
    if not made or texts == [text for text, _fields in made]:
        return whole
    if not lines:
        return None
    return {**whole, "content": "\n\n".join(texts)}


def _entry_of(line: Record) -> dict[str, Any]:
    """A line that came from no book, as an entry."""
    entry: dict[str, Any] = {
        "keys": list(line.get("keys") or ()),
        "content": line["text"],
        "extensions": {},
        "enabled": True,
        "insertion_order": line.get("order", 100),
        "constant": not line.get("keys"),
        "use_regex": False,
    }
    if line.get("also"):
        entry |= {"selective": True, "secondary_keys": list(line["also"])}
        entry["extensions"]["selectiveLogic"] = line.get("logic", 0)
    if line.get("cased"):
        entry["case_sensitive"] = True
    if line.get("audience", "public") != "public":
        entry["extensions"][OURS] = {"audience": list(line["audience"])}
    return entry
