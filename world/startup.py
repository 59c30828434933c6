"""What the demo game does when it is born and each time its server starts."""

from evennia.accounts.models import AccountDB

from . import tavern


def at_initial_setup():
    """Runs once, when the very first start has made the superuser and Limbo."""
    # Evennia leaves the superuser's body in the room, where NPCs would take it for a silent guest.
    # This is how it puts away anyone who logs out, and they come back to where they stood.
    superuser = AccountDB.objects.get(id=1)
    for body in superuser.characters.all():
        body.at_post_unpuppet(superuser)
    tavern.build()


def at_server_start():
    """Runs at every start and reload, when everything in the database is within reach."""
    tavern.build()
