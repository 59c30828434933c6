"""What an import would change, as a keeper reads it before accepting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...memory.knowledge import audience_of, text_of
from ...memory.pending_import import PendingImport
from ...mind.card_diff import Diff
from ..gate import Reader
from ..plain import count_of, plain
from ..shown import who_may_be_told
from .persona import lines_of

#: Characters shown of a line of knowledge, and lines shown of each kind.
SHOWN = 300
MOST = 100
#: How further keys count, in words, as `mind.lore_gate` numbers it.
_LOGIC = ("and one of", "but not all of", "and none of", "and all of")


def shown_import(script: Any, npc: Any, pending: PendingImport, reader: Reader) -> str:
    """
    What waits, compared with what there is: `-` goes, `+` comes, `!` reads like an order.

    Args:
        script: The AssistantScript.
        npc: Its character.
        pending: With something that waits.
        reader: Who reads; confidential lines that would go are named to those only who may.

    """
    waiting, diff = pending.waiting, pending.diff()
    assert waiting is not None
    key = script.db.assistant_key
    lines = [
        f'|wWaits for {plain(npc.key)}|n: {plain(waiting["kind"])} "{plain(waiting["name"], 60)}"'
        f" from {plain(waiting['source'], 80)}"
    ]
    lines += [f"  note: {plain(note, SHOWN)}" for note in waiting["notes"]]
    for name, (old, new) in diff.blocks.items():
        lines.append(f"  |w{plain(name)}|n{_warning(diff.marks.get(name, ()))}")
        lines += [f"    - {plain(text)}" for text in lines_of(old)]
        lines += [f"    + {plain(text)}" for text in lines_of(new)]
    lines += _knowledge(diff, reader)
    if not diff.blocks and not diff.added and not diff.removed:
        lines.append("  It changes nothing.")
    lines.append("Nothing of it counts until it is accepted, and no model was shown any of it.")
    token = pending.token
    lines.append(f"Take it over: aisetup/accept {key} = {token}")
    if diff.marks:
        lines.append(
            "What is marked with ! reads like an order to a model; it is left out, unless you "
            f"want it: aisetup/accept {key} = {token} marked"
        )
    lines.append(f"Throw it away: aisetup/drop {key}")
    return "\n".join(lines)


def _knowledge(diff: Diff, reader: Reader) -> list[str]:
    if not diff.added and not diff.removed:
        return []
    same = f", {diff.unchanged} as they are" if diff.unchanged else ""
    lines = [f"  |wknowledge|n ({len(diff.added)} come, {len(diff.removed)} go{same})"]
    for place, line in diff.removed[:MOST]:
        may = reader.may(audience_of(line))
        words = plain(text_of(line), SHOWN) if may else "a confidential line"
        lines.append(f"    - {place + 1}. {words}")
    for number, line in diff.added[:MOST]:
        lines.append(f"    + {plain(line['text'], SHOWN)}{_gate(line)}{_warning(diff.why(number))}")
    beyond = max(0, len(diff.added) - MOST) + max(0, len(diff.removed) - MOST)
    if beyond:
        lines.append(f"    and {count_of(beyond, 'line')} more, not shown")
    return lines


def _gate(line: Mapping[str, Any]) -> str:
    """When a line is used, and for whom it is."""
    said = ""
    if line.get("keys"):
        said = f" |x(when one says: {plain(', '.join(map(str, line['keys'])), 120)}"
        if line.get("also"):
            how = ("and one of", "but not all of", "and none of", "and all of")[
                line.get("logic", 0)
            ]
            said += f"; {how}: {plain(', '.join(map(str, line['also'])), 120)}"
        said += ")|n"
    if line.get("audience", "public") != "public":
        said += f" |x({who_may_be_told(line['audience'])})|n"
    return said


def _warning(why: Sequence[str]) -> str:
    return f" |r!|n {plain('; '.join(why), 200)}" if why else ""
