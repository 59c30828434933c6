"""The prompt an assistant would be given if somebody greeted it now, for measuring."""

from __future__ import annotations

from typing import Any

from ...awake import gathering
from ...awake import material as materials
from ...mind.contexts import CONTEXT_TICK_EVENT
from ...mind.percept import Percept
from ...perception.hearing import entity_id
from ...prompts.assembly import TurnContext
from ...prompts.registry import registry_of
from ...tools import load_tools

#: What the sample turn answers: a line of usual length, from nobody in particular.
SAMPLE_LINE = "Good evening! What is new here, and who was in today?"
_NOBODY = "Somebody"


def sample_of(
    script: Any, npc: Any, *, native: bool = True, asker: Any = None
) -> tuple[TurnContext, list[dict[str, Any]]]:
    """
    What a turn would put before the model, and the tools with it.

    What is not public stays out: the asker is the only listener, or nobody.

    Args:
        script: The assistant's.
        npc: Its character.
        native: False for a model without a tool interface.
        asker: Whose conversation is measured, None for a stranger's.

    """
    pattern = registry_of(script).pattern(CONTEXT_TICK_EVENT)
    tools = [
        tool.schema()
        for tool in load_tools().values()
        if pattern.allows(tool.name, tool.category.value)
    ]
    layout = registry_of(script).layout(CONTEXT_TICK_EVENT, tools, native=native)
    speaker = None if asker is None else entity_id(asker)
    percept = Percept(
        manner="say",
        speaker=speaker,
        speaker_name=_NOBODY if asker is None else asker.key,
        words=SAMPLE_LINE,
        line=SAMPLE_LINE,
        when=script.agent.now(),
        witnesses=(speaker,) if speaker else (),
        audience="public",
    )
    material = materials.Material(
        [percept], "say", (*((speaker,) if speaker else ()), materials.ANYONE)
    )
    offered = tools if native else []
    return gathering.gather(npc, material, script.agent.now(), offered, layout), tools
