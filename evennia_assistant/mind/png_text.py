"""
The texts a PNG picture carries, such as the character card in its `chara` or `ccv3` chunk.

Only the chunks are read and never the picture, so that no image library is needed and a picture
made to be huge costs nothing.

"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Collection, Iterator, Mapping

from ..errors import CardError

SIGNATURE = b"\x89PNG\r\n\x1a\n"
#: Most bytes of one text, unpacked ones included; cards are some ten thousand.
MAX_TEXT = 4_000_000
#: Chunks looked at; pictures have some hundreds.
MAX_CHUNKS = 50_000
_TEXTS = (b"tEXt", b"zTXt", b"iTXt")


def texts_in(png: bytes) -> dict[str, str]:
    """
    All texts of a picture by their key; of two with one key, the last.

    Args:
        png: The whole file.

    Raises:
        CardError: If it is no PNG, or broken, or a text is larger than `MAX_TEXT`.

    """
    found: dict[str, str] = {}
    for kind, data in _chunks(png):
        if kind in _TEXTS:
            key, text = _read(kind, data)
            found[key] = text
    return found


def with_texts(png: bytes, texts: Mapping[str, str], drop: Collection[str] = ()) -> bytes:
    """
    A picture with these texts in place of those it had under the same keys.

    Args:
        png: The whole file.
        texts: Text by key, both of the Latin-1 characters a `tEXt` chunk can hold.
        drop: Keys of texts that are left out.

    Raises:
        CardError: If it is no PNG, or broken, or a text has other characters.

    """
    made = [SIGNATURE]
    for kind, data in _chunks(png):
        if kind in _TEXTS and _read(kind, data)[0] in {*texts, *drop}:
            continue
        if kind == b"IEND":
            made += [_chunk(b"tEXt", _encoded(key, text)) for key, text in texts.items()]
        made.append(_chunk(kind, data))
    return b"".join(made)


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    if not png.startswith(SIGNATURE):
        raise CardError("That is no PNG picture.")
    at = len(SIGNATURE)
    for _ in range(MAX_CHUNKS):
        if len(png) < at + 12:
            break
        (length,) = struct.unpack_from(">I", png, at)
        kind, data = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        if len(data) != length or len(png) < at + 12 + length:
            break
        yield kind, data
        at += 12 + length
        if kind == b"IEND":
            return
    raise CardError("The PNG picture is cut off or broken; get it anew.")


def _read(kind: bytes, data: bytes) -> tuple[str, str]:
    key, _null, rest = data.partition(b"\0")
    if kind == b"tEXt":
        text = _limited(rest)
    elif kind == b"zTXt":
        text = _unpacked(rest[1:])
    else:
        packed = rest[:1] == b"\1"
        _language, _null, rest = rest[2:].partition(b"\0")
        _translated, _null, rest = rest.partition(b"\0")
        text = _unpacked(rest) if packed else _limited(rest)
    return key.decode("latin-1"), text.decode("utf-8" if kind == b"iTXt" else "latin-1", "replace")


def _limited(data: bytes) -> bytes:
    if len(data) > MAX_TEXT:
        raise CardError(f"A text in the picture is larger than {MAX_TEXT // 1_000_000} MB.")
    return data


def _unpacked(data: bytes) -> bytes:
    try:
        return _limited(zlib.decompressobj().decompress(data, MAX_TEXT + 1))
    except zlib.error:
        raise CardError("A text in the PNG picture cannot be unpacked; get it anew.") from None


def _encoded(key: str, text: str) -> bytes:
    try:
        return key.encode("latin-1") + b"\0" + text.encode("latin-1")
    except UnicodeEncodeError:
        raise CardError("Only Latin-1 fits a text chunk; encode the text first.") from None


def _chunk(kind: bytes, data: bytes) -> bytes:
    check = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)
