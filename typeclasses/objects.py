"""What everything in the game world has in common, and the plain object."""

from evennia.objects.objects import DefaultObject


class ObjectParent:
    """Mixed into everything that has a place in the world: objects, characters, rooms and exits."""


class Object(ObjectParent, DefaultObject):
    """A thing that lies in a room or is carried."""
