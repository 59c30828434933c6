"""
Everything a turn puts before the model, gathered from the NPC's stores.

"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..mind.contexts import Component
from ..mind.substance import has_substance
from ..perception.company import names_of
from ..prompts.assembly import TurnContext, fitting_digest, fitting_history, opening
from ..prompts.layout import Layout, layout_for
from ..prompts.registry import registry_of
from . import standing
from .ahead import ahead_of, feeling_of
from .material import Material
from .recalling import brief, recall_for
from .scene import history, recent, relationship, scene, talked_about

#: Memories put before the model.
MEMORIES = 6
#: Of the best memory's score; what is further below says little, and its place costs as much.
WORTH = 0.7
#: Of the prompt, in the order the model reads them; how many of each there were is kept.
PARTS = (
    "digest",
    "project",
    "session",
    "carry",
    "relationships",
    "history",
    "heard",
    "memories",
    "in_mind",
    "recent",
    "goals",
    "ahead",
)
#: What of an occasion is searched for in the memory.
ABOUT = ("goal", "step", "memory")


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
        stays["carry"] = standing.carried_of(npc, material, layout, now)
    # What does not fit the part all turns share is recalled when a line asks for it.
    digest = fitting_digest(persona, taught, tools, layout, **stays)
    known = {line["text"] for line in digest} if shown(Component.CHARACTER_CONTEXT) else set()
    query = query_of(npc, material)
    partners = material.partners.items() if shown(Component.ENTITY_CONTEXT) else ()
    relationships = [relationship(npc, material, who, name, now) for who, name in partners]
    opened = opening(persona, digest, relationships, layout, **stays)
    if shown(Component.ENTITY_CONTEXT) and relationships:
        relationships += talked_about(npc, material, query, now)
    lines = history(npc, material, now) if shown(Component.CONVERSATION_HISTORY) else []
    earlier = fitting_history(lines, opened, tools, layout)
    memories: list[dict[str, Any]] = []
    in_mind: list[dict[str, Any]] = []
    if shown(Component.SEMANTIC_MEMORIES):
        lately = npc.memory.activated.newest(now)
        memories = recall_for(
            npc,
            material,
            query,
            now=now,
            limit=MEMORIES,
            skip_texts=known,
            worth=WORTH,
            exclude=(said := [f"j{line['entry_id']}" for line in earlier if line.get("entry_id")]),
        )
        in_mind = standing.on_its_mind(npc, material, [name for name in lately if name not in said])
    context = TurnContext(
        persona=persona,
        digest=digest,
        history=earlier,
        scene={**scene(npc, material), **feeling_of(npc, material, now)},
        relationships=relationships,
        memories=[brief(record) for record in memories],
        in_mind=in_mind,
        recent=recent(npc, material) if shown(Component.CONTEXT_BUFFER) else (),
        goals=standing.goals_of(npc, material) if shown(Component.GOALS) else (),
        ahead=ahead_of(npc, material, now) if shown(Component.GOALS) else (),
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
