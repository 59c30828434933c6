"""Keeping a scene, and searching by what happened, how it felt, themes and days."""

from __future__ import annotations

from functools import partial
from typing import Any

from twisted.internet.defer import Deferred

from ..errors import InvalidArguments
from ..mind.emotion import read_emotion
from ..mind.entry import timestamp_of
from ..mind.scene import is_malformed, kept_scene
from ..mind.scene_query import SceneQuery
from .base import Tool, ToolCategory, register
from .fitting import fitting_records

#: Findings given back: where nobody says how many, and at most (documented).
LIMIT = 10
MOST = 30

#: Checked by `mind.scene` and `mind.emotion`, where what is unusable costs nothing else.
_SCENE = {
    "type": ["object", "string"],
    "maxLength": 4000,
    "description": "action (needed), actors, when (YYYY-MM-DD), setting, dialogue, sensory, "
    "feeling",
}
_EMOTION = {
    "type": "object",
    "description": "valence, arousal, dominance, safety, novelty, trust: -1 to 1",
}
_WORDS = {"type": "string", "maxLength": 200}
_THEMES = {"type": "array", "items": {"type": "string", "maxLength": 60}, "maxItems": 10}


@register
class AddScene(Tool):
    """
    Keep a note with its scene and what it felt like; its audience is that of `add_journal_entry`.

    A scene that cannot be read is kept as it came and repaired at night; of an emotion the sound
    axes count.

    """

    name = "add_scene"
    description = (
        "Write down what happened as a scene: who, when, where, what was said, how it felt."
    )
    category = ToolCategory.SAFE_CHAIN
    everyday = False
    parameters = {
        "properties": {
            "content": {"type": "string", "minLength": 1, "maxLength": 2000},
            "scene": _SCENE,
            "emotion": _EMOTION,
            "tags": _THEMES,
            "importance": {"type": "integer", "minimum": 1, "maximum": 10},
        },
        "required": ["content", "scene"],
    }

    def execute(self, character: Any, **kwargs: Any) -> dict[str, Any]:
        """Write it; see `Tool.execute`."""
        turn = character.ndb.assistant_turn
        scene = kept_scene(kwargs.pop("scene"), timestamp_of(turn.agent.now())[:10])
        emotion, problems = read_emotion(kwargs.pop("emotion", None))
        if scene is not None and is_malformed(scene):
            problems.append(f"the scene is kept as it is: {scene['problem']}")
        try:
            entry = turn.note(**kwargs, scene=scene, emotion=emotion)
        except ValueError as err:
            raise InvalidArguments(str(err)) from err
        noted = {"entry_id": entry["id"], "importance": entry["importance"]}
        return {**noted, "problems": problems} if problems else noted


@register
class SearchMemory(Tool):
    """Search action, feeling, themes and days of everything in the journal and its archive."""

    name = "search_memory"
    description = (
        "Search your memories by words, action, feeling, themes or when; mode 'and' needs all."
    )
    category = ToolCategory.SAFE_CHAIN
    cacheable = True
    everyday = False
    parameters = {
        "properties": {
            "query": _WORDS,
            "action": _WORDS,
            "feeling": _WORDS,
            "themes": _THEMES,
            "when": _WORDS,
            "mode": {"enum": ["or", "and"]},
            "limit": {"type": "integer", "minimum": 1, "maximum": MOST},
        }
    }

    def execute(self, character: Any, **kwargs: Any) -> Deferred[dict[str, Any]]:
        """Search; see `Tool.execute`."""
        turn, limit = character.ndb.assistant_turn, kwargs.pop("limit", LIMIT)
        asked = SceneQuery(**{**kwargs, "themes": tuple(kwargs.get("themes", ()))})
        if not asked.terms(turn.agent.now()):
            raise InvalidArguments("Say what to look for: query, action, feeling, themes or when.")
        found: Deferred[Any] = turn.search_memory(asked, limit=limit)
        return found.addCallback(partial(fitting_records, "memories"))
