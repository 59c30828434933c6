"""
Character cards: the files in which people share characters (Tavern V1, V2 and V3).

A card is JSON, alone or inside a PNG picture. All three versions become the `data` of a V3 card;
fields nobody here knows stay in it, so that a card can be given back as it came.

"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from ..errors import CardError
from .png_text import SIGNATURE, texts_in, with_texts

#: Chunks of a PNG picture that hold a card, the better one first.
CHUNKS = ("ccv3", "chara")
#: Largest card, as JSON; pictures inside a card are not for a game of words.
MAX_JSON = 2_000_000
MAX_DEPTH = 40
V2, V3 = "chara_card_v2", "chara_card_v3"
#: Texts every card has, and lists of texts.
TEXTS = (
    "name",
    "description",
    "personality",
    "scenario",
    "first_mes",
    "mes_example",
    "creator_notes",
    "system_prompt",
    "post_history_instructions",
    "creator",
    "character_version",
)
LISTS = ("alternate_greetings", "tags")
#: Fields V2 does not have.
_NEW_IN_V3 = frozenset(
    {
        "assets",
        "nickname",
        "creator_notes_multilingual",
        "source",
        "group_only_greetings",
        "creation_date",
        "modification_date",
    }
)

Data = dict[str, Any]


def json_in(content: bytes) -> Any:
    """
    What a file says in JSON, alone or inside a picture; None where it is neither.

    Args:
        content: The whole file.

    Raises:
        CardError: If it should be JSON and cannot be read.

    """
    if content.startswith(SIGNATURE):
        return _json(_card_in_picture(content))
    text = content.lstrip(b"\xef\xbb\xbf \t\r\n")
    return _json(text) if text[:1] in (b"{", b"[") else None


def _card_in_picture(png: bytes) -> bytes:
    texts = texts_in(png)
    held = next((texts[key] for key in CHUNKS if key in texts), None)
    if held is None:
        raise CardError("The picture holds no character card.")
    try:
        return base64.b64decode(held.encode("ascii"), validate=False)
    except (binascii.Error, UnicodeEncodeError):
        raise CardError("The card in the picture is no base64 text; get it anew.") from None


def _json(text: bytes) -> Any:
    if len(text) > MAX_JSON:
        raise CardError(
            f"That is {len(text):,} bytes of JSON, and a card has at most {MAX_JSON:,}: take the "
            "pictures out of it."
        )
    try:
        return _sound(json.loads(text.decode("utf-8"), parse_constant=_no_number))
    except RecursionError:
        raise CardError("The JSON is nested too deep to be a card.") from None
    except ValueError as err:
        raise CardError(f"That is no JSON that can be read: {err}.") from None


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


def _sound(value: Any, depth: int = 0) -> Any:
    """JSON data that can be written down anywhere; half a character becomes a question mark."""
    if depth > MAX_DEPTH:
        raise RecursionError
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [_sound(each, depth + 1) for each in value]
    if isinstance(value, dict):
        return {_sound(k): _sound(v, depth + 1) for k, v in value.items()}
    return value


def is_card(read: object) -> bool:
    """Whether what was read from JSON is a character card of any version."""
    if not isinstance(read, Mapping):
        return False
    if read.get("spec") in (V2, V3):
        return True
    return "first_mes" in read and "name" in read


def data_of(read: Mapping[str, Any]) -> Data:
    """
    The data of a card of any version; a text that is none is left out.

    Args:
        read: What the card's JSON says.

    Raises:
        CardError: If the card has no data or no name.

    """
    inner = read.get("data") if read.get("spec") in (V2, V3) else read
    if not isinstance(inner, Mapping):
        raise CardError("The card has no data.")
    data = deepcopy(dict(inner))
    for field in TEXTS:
        if field in data and not isinstance(data[field], str):
            del data[field]
    for field in LISTS:
        if field in data and not isinstance(data[field], list):
            del data[field]
    if not str(data.get("name") or "").strip():
        raise CardError("The card has no name.")
    if "character_book" in data and not isinstance(data["character_book"], Mapping):
        del data["character_book"]
    return data


def as_v3(data: Mapping[str, Any]) -> dict[str, Any]:
    """A V3 card with this data; what V3 asks for and nobody wrote is empty."""
    whole: Data = {**dict.fromkeys(TEXTS, ""), **{field: [] for field in LISTS}}
    whole |= {"extensions": {}, "group_only_greetings": [], **deepcopy(dict(data))}
    for entry in whole.get("character_book", {}).get("entries", ()):
        entry.setdefault("use_regex", False)
    return {"spec": V3, "spec_version": "3.0", "data": whole}


def as_v2(data: Mapping[str, Any]) -> dict[str, Any]:
    """A V2 card with this data, without what V2 does not know."""
    whole: Data = {**dict.fromkeys(TEXTS, ""), **{field: [] for field in LISTS}, "extensions": {}}
    whole |= {k: v for k, v in deepcopy(dict(data)).items() if k not in _NEW_IN_V3}
    return {"spec": V2, "spec_version": "2.0", "data": whole}


def in_picture(png: bytes, card: Mapping[str, Any]) -> bytes:
    """
    A picture with a card in it.

    Args:
        png: The picture.
        card: As `as_v3` or `as_v2` make it.

    Raises:
        CardError: If it is no PNG picture.

    """
    key = CHUNKS[0] if card.get("spec") == V3 else CHUNKS[1]
    packed = base64.b64encode(json.dumps(card, ensure_ascii=False).encode()).decode("ascii")
    # A card of the other version, left in it, would contradict this one.
    return with_texts(png, {key: packed}, drop=CHUNKS)
