"""`aimemory/topics` and `aimemory/pin`: what memories are about, and which of them never fade."""

from __future__ import annotations

from typing import Any

from ..memory.attribute_store import save_together
from ..memory.members import Members
from ..memory.topic_view import TopicView, topics_shown
from ..mind.entry import number_of
from ..mind.retention import DORMANT
from .base import Refusal
from .plain import count_of, plain, quoted
from .shown import memory_line, who_may_be_told

#: Memories of one topic that are shown.
MOST = 30


def show_topics(command: Any, script: Any, npc: Any) -> None:
    """
    Show the topics of an NPC, or the memories of one, as far as the reader may be told.

    Args:
        command: The command that was typed.
        script: The AssistantScript.
        npc: Its character.

    """
    reader, wanted = command.reader(npc), (command.rhs or "").strip()
    views = topics_shown(npc.memory, reader.listeners, see_all=reader.sees_all)
    if not views:
        command.msg(
            f"{plain(npc.key)} has no topics that you may be told of; they are made in its nights."
        )
        return
    if not wanted:
        command.page("\n".join(_list(script, npc, views)))
        return
    folded = wanted.casefold()
    found = [view for view in views if folded in (view.id, view.name.casefold())]
    found = found or [view for view in views if folded in view.name.casefold()]
    if not found:
        raise Refusal(
            f'{plain(npc.key)} has no topic "{plain(wanted, 60)}". '
            f"'aimemory/topics {script.db.assistant_key}' lists them."
        )
    command.page("\n".join(_one(script, npc, found[0])))


def _list(script: Any, npc: Any, views: list[TopicView]) -> list[str]:
    shown = count_of(len(views), "topic")
    lines = [f"|wWhat {plain(npc.key)} remembers, by topic|n: {shown}, the largest first."]
    for view in views:
        memories = count_of(len(view.items), "memory", "memories")
        what = "what belongs to no topic" if view.parent is None else plain(view.digest, 200)
        lines.append(f"  {view.id:<5} |w{plain(view.name, 60)}|n, {memories}\n        {what}")
    lines.append(f"One of them: aimemory/topics {script.db.assistant_key} = <topic>")
    return lines


def _one(script: Any, npc: Any, view: TopicView) -> list[str]:
    now = script.agent.now()
    audiences = [who_may_be_told(audience) for audience in view.audiences]
    lines = [
        f"|w{plain(view.name, 60)}|n ({view.id}): {plain(view.digest, 400)}",
        f"    |xname and digest: {'; '.join(dict.fromkeys(audiences))}|n",
    ]
    for item in view.items[:MOST]:
        asleep = " |x(dormant)|n" if npc.memory.index.is_dormant(item.id) else ""
        lines.append(f"  {plain(item.id, 12):<6} {memory_line(item, now)}{asleep}")
    if len(view.items) > MOST:
        lines.append(f"  {len(view.items) - MOST} more are not shown.")
    return lines


def pin(command: Any, script: Any, npc: Any) -> None:
    """
    Pin a memory, so that it never fades, or let go of it again.

    Args:
        command: The command that was typed.
        script: The AssistantScript.
        npc: Its character.

    Raises:
        Refusal: If nothing of that name is there that may be told.

    """
    command.need_keeper(script)
    wanted = (command.rhs or "").strip()
    if not wanted:
        raise Refusal(f"Usage: aimemory/pin {script.db.assistant_key} = <j12, or a fact's id>")
    members, reader = Members(npc.memory), command.reader(npc)
    names = _named(npc, wanted)
    found = [name for name in names if members.record(name) is not None]
    item = members.item(found[0]) if found else None
    if item is None or not reader.may(item.audience):
        raise Refusal(
            f'{plain(npc.key)} has no memory "{plain(wanted, 40)}" that you may be told of. '
            f"'aimemory/journal {script.db.assistant_key}' and "
            f"'aimemory/facts {script.db.assistant_key}' have their ids."
        )
    record = members.record(found[0]) or {}
    pinned = not record.get("pinned", False)
    stores = members.change({name: {"pinned": pinned} for name in found})
    save_together(stores)
    then = "never fades now" if pinned else "fades as others do again"
    dormant = record.get("state") == DORMANT and pinned
    more = "; it wakes with the next night" if dormant else ""
    command.msg(f"{quoted(item.text, 80)} {then}{more}.")


def _named(npc: Any, wanted: str) -> list[str]:
    """What somebody means: an entry, the facts made of it, or a fact by its first letters."""
    number = number_of(wanted) if wanted[:1] in "j#0123456789" else None
    entry = npc.memory.journal.find_anywhere(number) if number is not None else None
    if entry is not None:
        return list(entry.get("mem0_ids") or ()) or [f"j{number}"]
    links = npc.memory.facts.links
    if links is None or len(wanted) < 2:
        return []
    found = [fact_id for fact_id, _record in links.items() if fact_id.startswith(wanted)]
    return found if len(found) == 1 else [name for name in found if name == wanted]
