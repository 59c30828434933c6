"""
What a turn may draw on: who spoke, who will hear the answer, and what they may be told.

Every piece of memory comes through here or through `Turn.recall`, and each leaves its audience
behind, so that the answer can be held back from anyone who came in while the NPC was thinking.

"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evennia.utils.ansi import strip_ansi
from evennia.utils.gametime import gametime

from ..memory.entity_context import entity_context
from ..memory.journal_search import Criteria
from ..mind import audience as audiences
from ..mind.audience import ANYONE
from ..mind.confidence import is_off_the_record
from ..mind.contexts import Component
from ..mind.conversation import SUMMARY, in_confidence
from ..mind.percept import CONFIDENTIAL, Audience, Percept
from ..mind.phrases import ago, time_of_day
from ..mind.substance import has_substance
from ..perception.company import names_of
from ..perception.hearing import entity_id, perception_of, sentient, those_present
from ..prompts.assembly import TurnContext, fitting_digest, fitting_history, opening
from ..prompts.layout import Layout, layout_for
from ..prompts.registry import registry_of
from . import standing

#: Memories put before the model.
MEMORIES = 6
#: Of the best memory's score; what is further below says little, and its place costs as much.
WORTH = 0.7
RECENT = 5
#: Of those and of what is here, told to the model.
MAX_PEOPLE = 12
MAX_THINGS = 8
#: Of the prompt, in the order the model reads them; how many of each there were is kept.
PARTS = (
    "digest",
    "project",
    "session",
    "relationships",
    "history",
    "heard",
    "memories",
    "recent",
    "goals",
)
#: What a name that is more than its letters has in it, in Evennia's markup or a terminal's.
_CODED = frozenset("|\x1b\\{")
#: What of an occasion is searched for in the memory.
ABOUT = ("goal", "step", "memory")


@dataclass(slots=True)
class Material:
    """
    Who a turn answers, who hears it, and what it has drawn on so far.

    Args:
        percepts: The lines it answers, in order.
        manner: `say`, `whisper` or `channel`.
        listeners: Entity ids of those who will hear the answer.
        audiences: Of everything the turn has drawn on.
        recalled: Score by memory id, as used.
        parts: Number of records by part of the prompt, as `gather` found them.
        towards: Name by entity id of those it turns to without having been spoken to.
        asked_by: Entity ids of those at whose word it acts now, without having been spoken to.
        occasion: Why it acts without having been spoken to, as `TurnContext` has it; None for an
            answer.

    """

    percepts: Sequence[Percept]
    manner: str
    listeners: tuple[str, ...]
    audiences: list[Audience] = field(default_factory=list)
    recalled: dict[str, dict[str, Any]] = field(default_factory=dict)
    parts: dict[str, int] = field(default_factory=dict)
    towards: Mapping[str, str] = field(default_factory=dict)
    asked_by: tuple[str, ...] = ()
    occasion: Mapping[str, Any] | None = None

    @property
    def speakers(self) -> dict[str, str]:
        """Name by entity id of those who spoke, in order."""
        return {p.speaker: p.speaker_name for p in self.percepts if p.speaker}

    @property
    def partners(self) -> dict[str, str]:
        """Name by entity id of those it speaks with: who spoke to it, or whom it turns to."""
        return self.speakers or dict(self.towards)

    @property
    def asked(self) -> tuple[str, ...]:
        """Entity ids of those whose rights hold its tools back, none when it acts of itself."""
        return tuple(self.speakers) or self.asked_by

    @property
    def confidential(self) -> bool:
        """Whether what comes out of this turn was learned in confidence, and is to stay so."""
        return self.manner == "whisper" or any(
            p.manner in CONFIDENTIAL or is_off_the_record(p.words) for p in self.percepts
        )

    @property
    def standing_listeners(self) -> tuple[str, ...]:
        """
        All who must be in the audience of what stands there whether it was asked for or not.

        Aloud, what is open to fewer people than the conversation itself is as good as a confidence.

        """
        if self.manner != "say":
            return tuple(self.listeners)
        said: list[str] = []
        for percept in self.percepts:
            members = audiences.frozen(percept.audience)
            said += members if isinstance(members, tuple) else (ANYONE,)
        # Of itself, before whoever is here, it speaks in the open.
        return tuple(dict.fromkeys((*self.listeners, *(said or (ANYONE,)))))

    def may_be_told_to(self, hearers: Sequence[str]) -> bool:
        """Whether all that the turn has drawn on may be told to all of these."""
        return all(audiences.may_be_told(audience, hearers) for audience in self.audiences)

    def audience(self) -> Audience:
        """Who may be told what comes out of this turn: the intersection of all it rests on."""
        return audiences.intersect([*self.audiences, *(p.audience for p in self.percepts)])


def begin(npc: Any, percepts: Sequence[Percept]) -> Material:
    """
    Decide how an answer will be given and who will hear it.

    A whisper is answered by a whisper. So is anything said aloud in confidence while others stand
    near; open speech is answered aloud, before everyone who is here now.

    Args:
        npc: The NPC.
        percepts: The lines to answer, all of one kind.

    """
    first = percepts[0]
    speakers = tuple(dict.fromkeys(p.speaker for p in percepts if p.speaker))
    if first.manner == "channel":
        listeners = tuple(first.witnesses) if first.audience != "public" else ()
        return Material(percepts, "channel", (*listeners, *speakers, ANYONE))
    me = entity_id(npc)
    hearers = tuple(who for who in those_present(npc.location, npc, "say") if who != me)
    confidential = first.manner in ("whisper", "page") or not all(
        audiences.may_be_told(p.audience, hearers) for p in percepts
    )
    if confidential:
        return Material(percepts, "whisper", speakers)
    return Material(percepts, "say", tuple(dict.fromkeys((*speakers, *hearers))))


def gather(
    npc: Any,
    material: Material,
    now: float,
    tools: Sequence[dict[str, Any]] = (),
    layout: Layout | None = None,
) -> TurnContext:
    """
    Everything the model is given; what the layout has no place for is not even looked for.

    Args:
        npc: The NPC.
        material: The turn's; what is used is noted in it.
        now: UTC seconds since the epoch.
        tools: The schemas that will be sent along; they leave less room for the conversation.
        layout: The parts of the prompt; None are those of an event, as the NPC's operator has them.

    """
    if layout is None:
        script = npc.assistant_script
        layout = layout_for() if script is None else registry_of(script).layout(tools=tools)
    material.audiences.extend(p.audience for p in material.percepts)
    shown = layout.shows
    persona = persona_of(npc)
    taught = [{"text": line} for line in npc.memory.knowledge.public()]
    stays: dict[str, Sequence[Mapping[str, Any]]] = {}
    if shown(Component.CHARACTER_CONTEXT):
        stays["project"] = standing.project_of(npc, material, layout)
        stays["session"] = standing.session_of(npc, material, layout)
    # What does not fit the part all turns share is recalled when a line asks for it.
    digest = fitting_digest(persona, taught, tools, layout, **stays)
    known = {line["text"] for line in digest} if shown(Component.CHARACTER_CONTEXT) else set()
    query = query_of(npc, material)
    partners = material.partners.items() if shown(Component.ENTITY_CONTEXT) else ()
    relationships = [relationship(npc, material, who, name, now) for who, name in partners]
    opened = opening(persona, digest, relationships, layout, **stays)
    lines = history(npc, material, now) if shown(Component.CONVERSATION_HISTORY) else []
    earlier = fitting_history(lines, opened, tools, layout)
    memories: list[dict[str, Any]] = []
    if shown(Component.SEMANTIC_MEMORIES):
        memories = recall_for(
            npc,
            material,
            query,
            now=now,
            limit=MEMORIES,
            skip_texts=known,
            worth=WORTH,
            exclude=[f"j{line['entry_id']}" for line in earlier if line.get("entry_id")],
        )
    context = TurnContext(
        persona=persona,
        digest=digest,
        history=earlier,
        scene=scene(npc, material),
        relationships=relationships,
        memories=[brief(record) for record in memories],
        recent=recent(npc, material) if shown(Component.CONTEXT_BUFFER) else (),
        goals=standing.goals_of(npc, material) if shown(Component.GOALS) else (),
        **stays,
        layout=layout,
        occasion=() if material.occasion is None else [material.occasion],
        heard=[
            {
                "from": p.speaker_name,
                **({} if p.speaker_kind == "player" else {"kind": p.speaker_kind}),
                "how": p.manner,
                "text": p.words,
            }
            for p in material.percepts
        ],
    )
    found = {part: len(getattr(context, part)) for part in PARTS}
    material.parts = {part: number for part, number in found.items() if number}
    return context


def query_of(npc: Any, material: Material) -> str:
    """
    What to search the memory for.

    A greeting asks for nothing; what comes to mind then is what the one who greets has told.

    """
    query = " ".join(p.words for p in material.percepts)
    if material.occasion is not None:
        query = " ".join(str(material.occasion.get(key, "")) for key in ABOUT).strip()
    if has_substance(query, *names_of(npc)):
        return query
    return " ".join(material.partners.values())


def persona_of(npc: Any) -> dict[str, Any]:
    """The NPC's names, and its persona as the keeper wrote it."""
    others = [name for name in (*names_of(npc), *npc.aliases.all()) if name != npc.key]
    return {"name": npc.key, **({"also": others} if others else {}), **npc.memory_of_persona()}


def recall_for(
    npc: Any,
    material: Material,
    query: str,
    *,
    now: float,
    limit: int,
    skip_texts: set[str] | frozenset[str] = frozenset(),
    worth: float = 0.0,
    exclude: Sequence[str] = (),
) -> list[dict[str, Any]]:
    """
    Memories for the model, as far as all listeners may be told; their audiences are noted.

    Returns:
        Records `{"id", "text", "who", "when", "how"}`, best first.

    """
    found = npc.memory.recall(
        query,
        listeners=material.listeners,
        now=now,
        limit=limit + len(skip_texts),
        asker=next(iter(material.partners), None),
        exclude=exclude,
    )
    records: list[dict[str, Any]] = []
    # A summary repeats what others say in their own words; it is for when nothing else is left.
    for hit in sorted(found.hits, key=lambda hit: hit.item.kind == SUMMARY):
        item = hit.item
        if item.kind == SUMMARY and records:
            break
        if item.text in skip_texts or len(records) >= limit:
            continue
        if item.confidence and material.manner == "say":
            # What was whispered is whispered back at most, even to its owner alone.
            continue
        if hit.score < worth * found.hits[0].score:
            continue
        material.audiences.append(item.audience)
        material.recalled[item.id] = {"score": round(float(hit.score), 3)}
        records.append(
            {
                "id": item.id,
                "text": item.text,
                "who": item.speaker_name or "you",
                "when": ago(now - item.when) if item.when else "always",
                "how": how_known(item),
            }
        )
    return records


def search_for(npc: Any, material: Material, now: float, **criteria: Any) -> dict[str, Any]:
    """
    Journal entries for the model, as far as all listeners may be told; their audiences are noted.

    Args:
        npc: The NPC.
        material: The turn's.
        now: UTC seconds since the epoch.
        **criteria: As for `memory.journal_search.Criteria`.

    Returns:
        `{"entries", "searched"}`: what was found, best first, and how many entries were looked at.

    """
    tags = frozenset(criteria.pop("tags", ()))
    asked = Criteria(tags=tags, aloud=material.manner == "say", **criteria)
    found = npc.memory.journal_search.find(asked, listeners=material.listeners, now=now)
    for entry in found.entries:
        material.audiences.append(audiences.frozen(entry.get("audience")))
        material.recalled[f"j{entry['id']}"] = {"score": None}
    shown = ("id", "timestamp", "content", "importance", "tags")
    return {
        "entries": [{key: entry[key] for key in shown if key in entry} for entry in found.entries],
        "searched": found.searched,
    }


def brief(record: dict[str, Any]) -> dict[str, Any]:
    """A memory as a prompt has it: without its id, and without the `how` that most of them have."""
    return {
        key: value
        for key, value in record.items()
        if key != "id" and (key, value) != ("how", "told me")
    }


def how_known(item: Any) -> str:
    """How the NPC came to know a memory, in words for the model."""
    if item.kind == "knowledge":
        return "keeper"
    if item.source_type == "direct":
        return "told me" if item.audience == "public" else "told me in confidence"
    return {"observation": "saw", "inference": "concluded"}.get(item.source_type, "overheard")


def history(npc: Any, material: Material, now: float) -> list[dict[str, Any]]:
    """
    The conversation with the first partner, as far as all listeners may be told.

    What was said in confidence is not replayed into an answer given aloud, even before its owner
    alone: it would make everything that follows as confidential. Asked about, it is recalled.

    """
    partner = next(iter(material.partners), None)
    if partner is None:
        return []
    messages = npc.memory.working.messages_for(partner, material.listeners, when=now)
    if material.manner == "say":
        messages = [message for message in messages if not in_confidence(message)]
    # Most lines of a conversation have one audience; once is enough for all that asks for it later.
    material.audiences.extend({audiences.frozen(message.get("audience")) for message in messages})
    return messages


def scene(npc: Any, material: Material) -> dict[str, Any]:
    """Where the NPC is, who and what it sees there, and how its answer will be given."""
    place = npc.location
    people: list[str] = []
    things: list[str] = []
    sees = perception_of("pose")
    for obj in place.contents if place is not None else ():
        seen, most = (people, MAX_PEOPLE) if sentient(obj) else (things, MAX_THINGS)
        if len(seen) >= most or obj is npc or obj.db_destination_id:
            continue
        if sees(npc, obj):
            seen.append(_plain(obj.get_display_name(npc)))
    hour = int(gametime(absolute=True) // 3600 % 24)
    return {
        "place": _plain(place.get_display_name(npc)) if place is not None else "nowhere",
        "time": time_of_day(hour),
        "present": people,
        "things": things,
        "manner": material.manner,
    }


def _plain(name: str) -> str:
    """A name without colour; most have none, and looking for it takes long."""
    return name if _CODED.isdisjoint(name) else str(strip_ansi(name))


def relationship(npc: Any, material: Material, who: str, name: str, now: float) -> dict[str, Any]:
    """
    How the NPC stands to one speaker, as it was when their conversation began.

    See `memory.entity_context`.

    """
    talk = npc.memory.working.open_conversation(who, when=now)
    # Aloud, what a confidence showed of somebody is as little to the point as the confidence.
    hearers = (*material.listeners, ANYONE) if material.manner == "say" else material.listeners
    context = entity_context(
        npc.memory.profiles.get(who),
        name,
        listeners=hearers,
        now=now,
        before=talk["started_at"] if talk else None,
    )
    material.audiences.extend(context.audiences)
    return context.record


def recent(npc: Any, material: Material) -> list[dict[str, Any]]:
    """The newest lines that went on around the NPC, as far as all listeners may be told."""
    lines = []
    for line in npc.memory.context.data[-RECENT:]:
        audience = audiences.frozen(line.get("audience"))
        held_back = material.manner == "say" and _was_confided(line)
        if not held_back and audiences.may_be_told(audience, material.listeners):
            material.audiences.append(audience)
            lines.append({"text": str(line.get("line", ""))[:200]})
    return lines


def _was_confided(line: Mapping[str, Any]) -> bool:
    return line.get("manner") in CONFIDENTIAL or is_off_the_record(str(line.get("line", "")))
