"""
A game to measure in: Evennia set up on a database file of its own, and a reactor that runs.

Nothing here touches the demo game. The settings are the demo game's, the database is an SQLite
file in a folder the caller gives, with the very pragmas the server sets::

    with TemporaryDirectory() as folder:
        set_up(Path(folder))
        run(measure)            # `measure` is a coroutine function; the reactor runs while it does

A process can be set up once, and run its reactor once.

"""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any


class _NoMigrations:
    """Every app without migrations, so that its tables are made as its models say."""

    def __contains__(self, app: object) -> bool:
        return True

    def __getitem__(self, app: str) -> None:
        return None


def set_up(folder: Path) -> Path:
    """
    Make an empty game, or open one that was made.

    Args:
        folder: Where its database file is, and the folder of its facts.

    Returns:
        The database file.

    Raises:
        RuntimeError: If the settings insist on another database.

    """
    database = folder / "game.db3"
    os.environ["ASSISTANT_DATABASE"] = str(database)
    os.environ["DJANGO_SETTINGS_MODULE"] = "server.conf.settings"
    import django
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connection

    if settings.DATABASES["default"]["NAME"] != str(database):
        raise RuntimeError("secret_settings.py names a database; a benchmark must not touch it.")
    settings.MIGRATION_MODULES = _NoMigrations()
    settings.ASSISTANT_MEM0_CONFIG = {"path": str(folder / "facts")}
    django.setup()
    call_command("migrate", run_syncdb=True, verbosity=0)
    with connection.cursor() as cursor:
        for pragma in settings.SQLITE3_PRAGMAS:
            cursor.execute(pragma)
    import evennia

    evennia._init()
    return database


def run(main: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """
    Run the reactor for as long as a coroutine takes.

    Args:
        main: Called once the reactor runs; it may await Deferreds.

    Returns:
        What it returns.

    """
    from twisted.internet import reactor
    from twisted.internet.defer import Deferred
    from twisted.python.failure import Failure

    outcome: list[Any] = []

    def begin() -> None:
        Deferred.fromCoroutine(main()).addBoth(finish)

    def finish(result: Any) -> None:
        outcome.append(result)
        reactor.stop()

    reactor.callWhenRunning(begin)
    reactor.run()
    if isinstance(outcome[0], Failure):
        outcome[0].raiseException()
    return outcome[0]


def make_player(name: str, room: Any) -> Any:
    """A character as a player has one: with an account, which is what makes it a player."""
    from evennia.accounts.models import AccountDB
    from evennia.utils.create import create_account, create_object

    account = AccountDB.objects.filter(username="Everyone").first() or create_account(
        "Everyone", "everyone@localhost", "only for benchmarks"
    )
    player = create_object("typeclasses.characters.Character", key=name, location=room, nohome=True)
    player.account = account
    return player


def make_room(name: str) -> Any:
    """An empty room."""
    from evennia.utils.create import create_object

    return create_object("typeclasses.rooms.Room", key=name, nohome=True)


def innkeeper_attributes() -> list[tuple[str, Any]]:
    """What makes an NPC the innkeeper of the demo game: looks, persona and knowledge."""
    from world.grey_gull import PEOPLE

    innkeeper = PEOPLE["bram"]
    return [
        ("desc", innkeeper.desc),
        ("persona", dict(innkeeper.persona)),
        ("knowledge", list(innkeeper.knowledge)),
    ]


def make_npc(name: str, key: str, room: Any, **options: str) -> Any:
    """
    An NPC with a mind: the innkeeper of the demo game under a name of its own.

    Args:
        name: Its name.
        key: Of its assistant.
        room: Where it stands.
        **options: Options of its assistant, as somebody would type them.

    Returns:
        The NPC; `npc.assistant_script` is its script.

    """
    from evennia.utils.create import create_object, create_script

    from evennia_assistant.typeclasses.script import AssistantScript

    npc = create_object(
        "typeclasses.characters.Npc",
        key=name,
        location=room,
        nohome=True,
        attributes=innkeeper_attributes(),
    )
    script = create_script(AssistantScript, key=f"assistant_{key}")
    script.bind(key, npc)
    for option, value in options.items():
        script.set_option(option, value)
    script.enable()
    return npc
