"""The ways between places."""

from evennia.objects.objects import DefaultExit

from .objects import ObjectParent


class Exit(ObjectParent, DefaultExit):
    """A way out of a room, and the command that takes it."""
