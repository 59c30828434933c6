"""Those who can be puppeted, or act by themselves."""

from evennia.objects.objects import DefaultCharacter

from evennia_assistant.typeclasses.character import AssistantMixin, ExactSpeechMixin

from .objects import ObjectParent


class Character(ExactSpeechMixin, ObjectParent, DefaultCharacter):
    """A character of the demo game: Evennia's own, whose exact words NPCs take as they are said."""


class Npc(AssistantMixin, Character):
    """A character with a mind. The mixin comes first: its hooks call those of the game's class."""
