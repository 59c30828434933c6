"""
Cards, lorebooks and texts read, and what becomes of them (`card_proposal.Proposal`).

=================================== =============================================================
of a card                           in the NPC
=================================== =============================================================
description, personality, scenario  the persona's; what has no room there becomes knowledge
first_mes                           the greeting, as far as it is words somebody says
mes_example                         examples of how it speaks
character_book                      knowledge: `constant` always, else when its keys are said
=================================== =============================================================

What would give a model orders (`system_prompt`, `post_history_instructions`) is never taken over.

"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import CardError
from . import lorebook
from .card_macros import NAME, VISITOR, filled
from .card_proposal import LISTS, MAX_KNOWN, MAX_TEXT, OURS, ROOM, Proposal
from .card_text import (
    cleaned,
    greeting_in,
    has_headings,
    is_bullet,
    listed,
    one_line,
    pieces,
    sections,
    spoken_by,
)
from .character_card import TEXTS, data_of, is_card, json_in
from .instruction_like import instruction_like

#: Most bytes of a file; the picture around a card counts.
MAX_FILE = 8_000_000
#: Most characters of a title.
MAX_TITLE = 60
#: Headings of a Markdown text, and the block they stand for.
_HEADINGS: Mapping[str, str] = {
    **dict.fromkeys(("description", "about", "who", "persona", "character"), "description"),
    **dict.fromkeys(("personality", "manner"), "personality"),
    **dict.fromkeys(("scenario", "situation"), "scenario"),
    **dict.fromkeys(("greeting", "greetings", "first message"), "greeting"),
    "farewell": "farewell",
    **dict.fromkeys(("voice", "phrases"), "voice"),
    **dict.fromkeys(("unknown", "does not know"), "unknown"),
    **dict.fromkeys(("examples", "example dialogue", "example messages"), "examples"),
    **dict.fromkeys(("knowledge", "facts", "lore", "knows"), "knowledge"),
}


def proposal_of(content: bytes, name: str, npc: str) -> Proposal:
    """
    What a file or a typed text would change.

    Args:
        content: The whole of it.
        name: What it is called: the name of the file, for instance.
        npc: The NPC's name.

    Raises:
        CardError: If it cannot be used; the text says why.

    """
    if len(content) > MAX_FILE:
        raise CardError(f"That is {len(content):,} bytes; the most is {MAX_FILE:,}.")
    read = json_in(content)
    if is_card(read):
        made = _of_card(read, npc)
    elif lorebook.is_book(read):
        made = _of_book(read, name, npc)
    elif isinstance(read, Mapping):
        made = _of_plain(read, name, npc)
    elif read is not None:
        raise CardError("That JSON is a list; a card, a lorebook and a persona are objects.")
    else:
        made = _of_text(content, name, npc)
    if not made.persona and not made.lines:
        raise CardError("There is nothing in it that an NPC could use.")
    return made


# Cards and lorebooks ------------------------------------------------------------------------------


def _of_card(read: Mapping[str, Any], npc: str) -> Proposal:
    data = data_of(read)
    name = one_line(cleaned(str(data["name"])))[:MAX_TITLE]
    for field in TEXTS:
        if len(str(data.get(field) or "")) > MAX_TEXT:
            raise CardError(f"Its {field} has more than {MAX_TEXT:,} characters.")
    made = Proposal(f"character card {read.get('spec') or 'V1'}", name, npc, card=data)
    if name.casefold() != npc.casefold():
        made.notes.append(f"The card is of {name}; {npc} stands where it says {{{{char}}}}.")
    for block in ("description", "personality", "scenario"):
        made.block(block, str(data.get(block) or ""))
    first = str(data.get("first_mes") or "")
    greeting = greeting_in(made.filled(first, NAME), ROOM["greeting"])
    if greeting:
        made.persona["greeting"] = greeting
        if why := instruction_like(first):
            made.marks["greeting"] = why
    elif first.strip():
        made.notes.append("The first message is a scene, and says no greeting.")
    examples = str(data.get("mes_example") or "")
    spoken = spoken_by(made.filled(examples, VISITOR), npc, (VISITOR, name))
    if spoken:
        made.items("examples", spoken)
    _take_ours(made, data)
    for unused in ("system_prompt", "post_history_instructions"):
        if str(data.get(unused) or "").strip():
            made.notes.append(
                f"Its {unused} is not taken over: what a model is to do is yours to say "
                "(aisetup/template)."
            )
    if data.get("alternate_greetings"):
        made.notes.append(f"{len(data['alternate_greetings'])} other greetings are only kept.")
    book = data.pop("character_book", None)
    if book is not None:
        made.book = {k: v for k, v in book.items() if k != "entries"}
        _take_entries(made, lorebook.entries_of(book))
    return made


def _take_ours(made: Proposal, data: Mapping[str, Any]) -> None:
    """What only our own cards say of a persona."""
    held = data.get("extensions")
    ours = held.get(OURS) if isinstance(held, Mapping) else None
    if not isinstance(ours, Mapping):
        return
    for name in ("voice", "unknown"):
        made.items(name, [text for text in _list(ours.get(name)) if isinstance(text, str)])
    if isinstance(ours.get("farewell"), str):
        made.block("farewell", ours["farewell"], NAME)


def _of_book(read: Mapping[str, Any], name: str, npc: str) -> Proposal:
    book, entries = lorebook.book_of(read)
    title = book.get("name")
    made = Proposal("lorebook", title if isinstance(title, str) and title else name, npc, book=book)
    made.name = one_line(cleaned(made.name))[:MAX_TITLE]
    _take_entries(made, entries)
    return made


def _take_entries(made: Proposal, entries: list[dict[str, Any]]) -> None:
    made.entries = entries
    size = sum(len(lorebook.content_of(entry)) for entry in entries)
    if size > MAX_KNOWN:
        raise CardError(f"The lorebook has {size:,} characters; the most is {MAX_KNOWN:,}.")
    off = 0
    for number, entry in sorted(enumerate(entries), key=lambda at: lorebook.order_of(at[1])):
        if not lorebook.is_enabled(entry):
            off += 1
            continue
        why = instruction_like(str(entry.get("content") or ""))
        for piece, fields in lines_of(entry, number, made.npc):
            made.line(piece, why, **fields)
        # Once more, for what is to be noted of it.
        made.filled(lorebook.content_of(entry))
        keys, unused = lorebook.keys_of(entry)
        if unused and not lorebook.is_constant(entry):
            what = "are not looked for" if keys else "are its only keys; it is not taken over"
            made.notes.append(f"Entry {number + 1}: regular expressions {what}.")
    if off:
        made.notes.append(f"{off} entries are switched off, and only kept.")


def lines_of(entry: Mapping[str, Any], number: int, npc: str) -> list[tuple[str, dict[str, Any]]]:
    """
    The lines an entry of a book becomes, each with its fields.

    Args:
        entry: As V2 has it.
        number: Its place in the book, from 0.
        npc: The NPC's name.

    """
    fields: dict[str, Any] = {"lore": number}
    if not lorebook.is_constant(entry):
        keys = [cleaned(filled(key, npc).text) for key in lorebook.keys_of(entry)[0]]
        if not keys:
            return []
        fields |= {"keys": keys, "order": lorebook.order_of(entry)}
        further = lorebook.further_keys(entry)
        if further:
            fields |= {"also": further, "logic": lorebook.logic_of(entry)}
        if entry.get("case_sensitive") is True:
            fields["cased"] = True
    audience = _audience_of(entry)
    if audience is not None:
        fields["audience"] = audience
    words = cleaned(filled(lorebook.content_of(entry), npc).text)
    return [(piece, dict(fields)) for piece in pieces(words)]


def _audience_of(entry: Mapping[str, Any]) -> list[str] | None:
    """Who may be told an entry of ours; None where everybody may."""
    held = entry.get("extensions")
    ours = held.get(OURS) if isinstance(held, Mapping) else None
    audience = ours.get("audience") if isinstance(ours, Mapping) else None
    if audience is None or audience == "public":
        return None
    # What cannot be read is for nobody.
    return [who for who in _list(audience) if isinstance(who, str)]


# Texts --------------------------------------------------------------------------------------------


def _of_plain(read: Mapping[str, Any], name: str, npc: str) -> Proposal:
    """A persona as `db.persona` has it, with `knowledge` as `db.knowledge` has it."""
    made = Proposal("persona in JSON", one_line(cleaned(name))[:MAX_TITLE], npc)
    for block in ROOM:
        if isinstance(read.get(block), str):
            made.block(block, read[block], NAME if block in ("greeting", "farewell") else VISITOR)
    for block in LISTS:
        texts = read.get(block)
        made.items(block, [text for text in _list(texts) if isinstance(text, str)])
    for held in _list(read.get("knowledge")):
        line = {"text": held} if isinstance(held, str) else held
        if isinstance(line, Mapping) and isinstance(line.get("text"), str):
            fields = {k: line[k] for k in ("keys", "also") if isinstance(line.get(k), list)}
            if isinstance(line.get("audience"), list):
                fields["audience"] = [who for who in line["audience"] if isinstance(who, str)]
            for piece in pieces(made.filled(line["text"])):
                made.line(piece, instruction_like(line["text"]), **fields)
    return made


def _of_text(content: bytes, name: str, npc: str) -> Proposal:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CardError("That is neither a picture nor text in UTF-8.") from None
    if len(text) > MAX_TEXT:
        raise CardError(f"That is {len(text):,} characters; the most is {MAX_TEXT:,}.")
    text = text.replace("\r\n", "\n")
    title = one_line(cleaned(name))[:MAX_TITLE]
    if has_headings(text):
        return _of_markdown(Proposal("Markdown text", title, npc), text)
    made = Proposal("text", title, npc)
    made.block("description", "\n".join(x for x in text.splitlines() if not is_bullet(x)))
    for item in listed("\n".join(x for x in text.splitlines() if is_bullet(x))):
        made.line(made.filled(item), instruction_like(item))
    return made


def _of_markdown(made: Proposal, text: str) -> Proposal:
    description: list[str] = []
    for level, heading, words in sections(text):
        block = _HEADINGS.get(heading.casefold().strip(" :"))
        if not words:
            continue
        if level == 0 or block == "description" or (level == 1 and block is None):
            description.append(words)
        elif block is not None and block in LISTS:
            made.items(block, listed(words))
        elif block == "knowledge":
            for item in listed(words):
                for piece in pieces(made.filled(item)):
                    made.line(piece, instruction_like(item))
        elif block is not None:
            made.block(block, words, NAME if block in ("greeting", "farewell") else VISITOR)
        else:
            # A line is told alone, without the heading it stood under.
            for item in listed(words):
                for piece in pieces(made.filled(item)):
                    made.line(f"{one_line(cleaned(heading))}: {piece}", instruction_like(item))
    if description:
        made.block("description", "\n\n".join(description))
    return made


def _list(held: object) -> list[Any]:
    return [held] if isinstance(held, str) else list(held) if isinstance(held, list | tuple) else []
