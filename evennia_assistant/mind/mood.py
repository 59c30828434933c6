"""How an NPC feels, in a vocabulary small enough to be shown, counted and acted on."""

from __future__ import annotations

MOODS: tuple[str, ...] = (
    "calm",
    "cheerful",
    "amused",
    "curious",
    "hopeful",
    "proud",
    "tired",
    "bored",
    "worried",
    "afraid",
    "sad",
    "lonely",
    "annoyed",
    "angry",
    "suspicious",
    "excited",
)
