"""Data of a turn, made up, for tests of what prompts are made of."""

from evennia_assistant.prompts.assembly import TurnContext
from evennia_assistant.prompts.layout import layout_for

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "say",
            "description": "Say something aloud.",
            "parameters": {
                "type": "object",
                "properties": {
                    "text": {"type": "string", "description": "The words."},
                    "to": {"type": "string"},
                },
                "required": ["text"],
            },
        },
    },
    {
        "type": "function",
        "function": {
            "name": "noop",
            "description": "Stay silent.",
            "parameters": {"type": "object", "properties": {}},
        },
    },
]


def a_turn(layout=None, **changes):
    """A turn with something in every part."""
    parts = {
        "persona": {"name": "Bram", "description": "A gruff old sailor who keeps an inn."},
        "digest": [{"text": "The ferry leaves at dawn."}],
        "history": [
            {"role": "user", "name": "Anna", "manner": "say", "content": "Good evening, Bram."},
            {"role": "assistant", "name": "Bram", "manner": "say", "content": "Evening, Anna."},
        ],
        "scene": {"place": "The Grey Gull", "present": ["Anna", "Petra"], "manner": "say"},
        "relationships": [
            {"name": "Anna", "state": "friend", "meetings": 4},
            {"name": "Petra", "state": "stranger", "meetings": 0},
        ],
        "memories": [{"text": "Anna lost a ring at the quarry.", "who": "Anna"}],
        "in_mind": [{"text": "Tom found a ring in the well.", "who": "Tom"}],
        "recent": [{"text": "Petra drops a mug."}],
        "heard": [{"from": "Anna", "how": "say", "text": "Has my ring turned up?"}],
        "goals": [{"goal": "Find out who owes the tab.", "urgency": "medium"}],
        "tool_results": [{"tool": "recall_memories", "found": 2}],
        "project": [{"project": "Mend the roof", "summary": "Two planks are missing."}],
        "session": [{"fact": "Anna drinks cider."}],
        "carry": [{"note": "Anna comes for her ring today."}],
    }
    return TurnContext(**{**parts, **changes}, layout=layout or layout_for())
