"""How `aimemory` shows the scenes of entries, and those that could not be read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..mind.emotion import AXES
from ..mind.scene import MAX_ATTEMPTS, attempts_at, beyond, is_malformed
from .plain import count_of, plain

#: Scenes set aside that the overview names.
NAMED = 3


def scene_lines(entry: Mapping[str, Any], *, raw: bool) -> str:
    """
    What stands below an entry: its scene, as far as its words do not say it, and its emotion.

    Args:
        entry: The entry.
        raw: Show what could not be read, as it came; for keepers.

    Returns:
        Lines that begin with a line break, "" when there is nothing to show.

    """
    lines = []
    scene = entry.get("scene")
    if scene is not None and is_malformed(scene):
        tried = attempts_at(scene)
        held = "set aside" if tried >= MAX_ATTEMPTS else f"tried {tried} of {MAX_ATTEMPTS} times"
        lines.append(f"its scene could not be read ({held}): {plain(scene['problem'], 100)}")
        if raw:
            lines.append(f"as it came: {plain(scene['raw'], 300)}")
    elif scene:
        more = beyond(scene, str(entry["content"]), str(entry["timestamp"])[:10])
        lines += [f"scene: {plain(more, 400)}"] if more else []
    emotion = entry.get("emotion") or {}
    felt = [f"{axis} {emotion[axis]:+.2g}" for axis in AXES if emotion.get(axis)]
    lines += [f"felt: {', '.join(felt)}"] if felt else []
    return "".join(f"\n    |x{line}|n" for line in lines)


def scenes_aside(entries: Iterable[Mapping[str, Any]]) -> str:
    """The line of the overview about scenes that no night could repair, "" when there are none."""
    aside = list(entries)
    if not aside:
        return ""
    named = aside[: -NAMED - 1 : -1]
    shown = [f"    j{entry['id']}: {plain(entry['scene']['problem'], 100)}" for entry in named]
    count = count_of(len(aside), "scene", "scenes")
    return "\n".join((f"  scenes         {count} that could not be read", *shown, ""))
