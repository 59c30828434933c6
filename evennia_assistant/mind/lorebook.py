"""
Lorebooks: what a character knows, entry by entry, each with the words that bring it to mind.

Three forms are read (a book inside a V2 or V3 card, a V3 book of its own, and the world-info export
of SillyTavern), and all become entries as V2 has them. What is not understood of an entry stays in
it, so that it can be given back.

"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import CardError

#: Most entries of one book.
MAX_ENTRIES = 500
#: Most keys of one entry, and characters of a key.
MAX_KEYS = 60
MAX_KEY = 100
#: World-info fields that a V2 entry has under another name.
_NAMES = {
    "key": "keys",
    "keysecondary": "secondary_keys",
    "order": "insertion_order",
    "uid": "id",
}
#: Fields of a V2 entry; what else an entry of a world-info export has goes to its `extensions`.
_FIELDS = frozenset(
    {
        *("keys", "content", "extensions", "enabled", "insertion_order", "case_sensitive"),
        *("name", "priority", "id", "comment", "selective", "secondary_keys", "constant"),
        *("position", "use_regex"),
    }
)
#: A regular expression as SillyTavern writes one.
_WRAPPED = re.compile(r"/(.*)/[a-z]*\Z", re.DOTALL)
#: One that is no more than words, or words to choose from.
_LITERAL = re.compile(r"\(?(?:\?:)?([\w'.,&! -]+(?:\|[\w'.,&! -]+)*)\)?\Z")

Entry = dict[str, Any]


def is_book(read: object) -> bool:
    """Whether what was read from JSON looks like a book of its own."""
    if not isinstance(read, Mapping):
        return False
    if read.get("spec") == "lorebook_v3":
        return True
    return isinstance(read.get("entries"), Mapping | list) and "first_mes" not in read


def book_of(read: Mapping[str, Any]) -> tuple[dict[str, Any], list[Entry]]:
    """
    A book that stands by itself.

    Args:
        read: A V3 lorebook, a V2 book, or a world-info export.

    Returns:
        What the book says of itself, and its entries as V2 has them.

    Raises:
        CardError: If it has no entries, or too many.

    """
    inner = read.get("data") if read.get("spec") == "lorebook_v3" else read
    if not isinstance(inner, Mapping):
        raise CardError("The lorebook has no data.")
    return {k: v for k, v in inner.items() if k != "entries"}, entries_of(inner)


def entries_of(book: Mapping[str, Any]) -> list[Entry]:
    """
    The entries of a book, as V2 has them; one that is no entry is passed over.

    Raises:
        CardError: If there are too many.

    """
    held = book.get("entries")
    raw: Sequence[Any] = list(held.values()) if isinstance(held, Mapping) else held or ()
    if not isinstance(raw, list | tuple):
        raise CardError("The entries of the lorebook are no list.")
    if len(raw) > MAX_ENTRIES:
        raise CardError(f"The lorebook has {len(raw)} entries, and at most {MAX_ENTRIES} are read.")
    return [_entry(each) for each in raw if isinstance(each, Mapping)]


def _entry(raw: Mapping[str, Any]) -> Entry:
    if "keys" in raw or "key" not in raw:
        return dict(raw)
    made: Entry = {"extensions": dict(_mapping(raw.get("extensions")))}
    for field, value in raw.items():
        name = _NAMES.get(field, field)
        if field == "disable":
            made["enabled"] = not value
        elif field == "position" and not isinstance(value, str):
            made["position"] = "before_char" if value == 0 else "after_char"
            made["extensions"]["position"] = value
        elif field == "caseSensitive":
            made["case_sensitive"] = bool(value)
        elif name in _FIELDS:
            made.setdefault(name, value)
        elif field != "extensions":
            made["extensions"][field] = value
    made.setdefault("enabled", True)
    made.setdefault("insertion_order", 100)
    return made


# What an entry means ------------------------------------------------------------------------------


def is_enabled(entry: Mapping[str, Any]) -> bool:
    """Whether an entry is to be used at all."""
    return entry.get("enabled", True) is not False and "@@dont_activate\n" not in _head(entry)


def is_constant(entry: Mapping[str, Any]) -> bool:
    """Whether an entry holds always, whatever its keys."""
    if entry.get("constant") is True or "@@activate\n" in _head(entry):
        return True
    return not _texts(entry.get("keys")) and not entry.get("use_regex")


def content_of(entry: Mapping[str, Any]) -> str:
    """The words of an entry, without the decorators (`@@depth 4`) before them."""
    lines = str(entry.get("content") or "").splitlines()
    while lines and (not lines[0].strip() or lines[0].lstrip().startswith("@@")):
        del lines[0]
    return "\n".join(lines).strip()


def _head(entry: Mapping[str, Any]) -> str:
    text = str(entry.get("content") or "")
    return "".join(
        f"{line.strip()}\n" for line in text.splitlines() if line.lstrip().startswith("@@")
    )


def keys_of(entry: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """
    The words that bring an entry to mind, and the regular expressions nobody looks for.

    An expression that only lists words is taken as these. No other is ever run: one somebody else
    wrote could keep a server busy for hours.

    Args:
        entry: As V2 has it.

    """
    keys: list[str] = []
    unused: list[str] = []
    for text in _texts(entry.get("keys")):
        wrapped = _WRAPPED.match(text)
        if wrapped is None and not entry.get("use_regex"):
            keys.append(text)
            continue
        words = _LITERAL.match((wrapped[1] if wrapped else text).replace("\\b", "").strip("^$"))
        if words is None:
            unused.append(text)
        else:
            keys += [word.strip() for word in words[1].split("|")]
    return [key for key in dict.fromkeys(keys) if key], unused


def further_keys(entry: Mapping[str, Any]) -> list[str]:
    """The words of which one must be there as well, empty where an entry asks for none."""
    if not entry.get("selective", bool(entry.get("secondary_keys"))) or entry.get("use_regex"):
        return []
    return _texts(entry.get("secondary_keys"))


def logic_of(entry: Mapping[str, Any]) -> int:
    """How the further keys count: 0 any is there, 1 not all, 2 none, 3 all."""
    held = _mapping(entry.get("extensions")).get("selectiveLogic", 0)
    return held if held in (0, 1, 2, 3) and not isinstance(held, bool) else 0


def order_of(entry: Mapping[str, Any]) -> float:
    """Where an entry stands among others; what cannot be read stands in the middle."""
    held = entry.get("insertion_order", 100)
    good = isinstance(held, int | float) and not isinstance(held, bool) and abs(held) < 1e9
    return float(held) if good else 100.0


def _mapping(held: object) -> Mapping[str, Any]:
    return held if isinstance(held, Mapping) else {}


def _texts(held: object) -> list[str]:
    if isinstance(held, str):
        held = held.split(",")
    if not isinstance(held, list | tuple):
        return []
    found = [each.strip()[:MAX_KEY] for each in held if isinstance(each, str)]
    return [each for each in found if each][:MAX_KEYS]
