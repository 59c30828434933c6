"""Things without a place: timers, stores and the like."""

from evennia.scripts.scripts import DefaultScript


class Script(DefaultScript):
    """Something that exists in time but not in space."""
