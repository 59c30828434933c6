"""What the demo game does when it is born and each time its server starts."""

from . import tavern


def at_initial_setup():
    """Runs once, when the very first start has made the superuser and Limbo."""
    tavern.build()


def at_server_start():
    """Runs at every start and reload, when everything in the database is within reach."""
    tavern.build()
