"""Conversations without a place."""

from evennia.comms.comms import DefaultChannel


class Channel(DefaultChannel):
    """A conversation that anyone who subscribes to it can follow from anywhere."""
