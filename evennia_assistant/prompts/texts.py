"""The prompt texts, which are files beside this one."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def text(name: str) -> str:
    """
    The text of a prompt file.

    Args:
        name: Its name without `.md`.

    Raises:
        FileNotFoundError: If there is none.

    """
    return files(__package__).joinpath(f"{name}.md").read_text(encoding="utf-8").strip()
