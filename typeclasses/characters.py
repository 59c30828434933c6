"""Those who can be puppeted, or act by themselves."""

from evennia.objects.objects import DefaultCharacter

from evennia_assistant.typeclasses.character import AssistantMixin, ExactSpeechMixin

from .objects import ObjectParent


class Character(ExactSpeechMixin, ObjectParent, DefaultCharacter):
    """A character of the demo game: Evennia's own, whose exact words NPCs take as they are said."""


class Npc(AssistantMixin, Character):
    """A character with a mind. The mixin comes first: its hooks call those of the game's class."""

    def at_object_receive(self, moved_obj, source_location, move_type="move", **kwargs):
        """Let everyone see a gift: Evennia's `give` tells giver and receiver, and no one else."""
        super().at_object_receive(moved_obj, source_location, move_type=move_type, **kwargs)
        if move_type != "give" or self.location is None:
            return
        # As a pose it reaches the NPC's own ears too, which is how it comes to say thanks.
        self.location.msg_contents(
            ("{giver} gives {thing} to {npc}.", {"type": "pose"}),
            exclude=source_location,
            from_obj=source_location,
            mapping={
                "giver": source_location,
                "thing": moved_obj.get_numbered_name(1, self, return_string=True),
                "npc": self,
            },
        )
