"""Those who can be puppeted, or act by themselves."""

from evennia.objects.objects import DefaultCharacter

from .objects import ObjectParent


class Character(ObjectParent, DefaultCharacter):
    """A character of the demo game: Evennia's own, unchanged."""
