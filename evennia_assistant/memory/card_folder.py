"""
The folder from which keepers import and to which they export: the setting `ASSISTANT_CARD_FOLDER`.

A keeper names a file and never a path, so that nothing else of the server can be read or
overwritten. What is exported may hold confidences; it lies in a folder of its own that nothing is
imported from.

"""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

from ..conf import setting
from ..errors import CardError
from ..mind.card_reading import MAX_FILE

#: How the files end that can be imported.
ENDINGS = (".png", ".json", ".md", ".markdown", ".txt")
EXPORTED = "exported"


def folder() -> Path:
    """The folder; it need not be there."""
    named = setting("ASSISTANT_CARD_FOLDER")
    return Path(named) if named else Path(settings.GAME_DIR, "server", "assistant", "cards")


def is_file_name(text: str) -> bool:
    """Whether what somebody typed is meant as the name of a file."""
    return "\n" not in text and len(text) < 120 and text.lower().endswith(ENDINGS)


def files() -> list[str]:
    """Names of all files that can be imported, sorted."""
    if not folder().is_dir():
        return []
    return sorted(path.name for path in folder().iterdir() if _is_ours(path))


def read(name: str) -> bytes:
    """
    The whole of a file in the folder.

    Args:
        name: Its name, without a path.

    Raises:
        CardError: If it is not there, or too large.

    """
    if name not in files():
        raise CardError(f'There is no file "{name}" in {folder()}.')
    path = folder() / name
    if path.stat().st_size > MAX_FILE:
        raise CardError(f"{name} is larger than {MAX_FILE // 1_000_000} MB.")
    return path.read_bytes()


def write(name: str, content: bytes) -> Path:
    """
    Write an exported file; one of that name is replaced.

    Args:
        name: Its name, without a path.
        content: The whole of it.

    Raises:
        CardError: If it cannot be written.

    """
    place = folder() / EXPORTED
    try:
        place.mkdir(parents=True, exist_ok=True)
        target = place / name
        target.write_bytes(content)
    except OSError as err:
        raise CardError(f"{place} cannot be written to: {err.strerror}.") from None
    return target


def _is_ours(path: Path) -> bool:
    hidden = path.name.startswith(".") or not path.name.lower().endswith(ENDINGS)
    # A link may lead anywhere on the server.
    return not hidden and not path.is_symlink() and path.is_file()
