"""
Builds the Grey Gull, and builds again whatever of it is missing.

Every part carries a tag of the category `grey_gull` and is found by it ever after, whatever it is
called and wherever it was taken. A part that exists is left exactly as it is, so that builders may
change the place and the NPCs may remember::

    from world import tavern
    tavern.build()

"""

from __future__ import annotations

import os
from typing import Any

from django.conf import settings
from evennia.objects.models import ObjectDB
from evennia.utils import logger
from evennia.utils.create import create_object, create_script
from evennia.utils.search import search_tag

from evennia_assistant.errors import ConfigError
from evennia_assistant.typeclasses.script import AssistantScript, get_assistant_script

from .grey_gull import PEOPLE, PLACES, START, THINGS, WAYS, Person, Place, Thing, Way

#: Category of the tags by which the parts are found.
CATEGORY = "grey_gull"
#: Who answers for these NPCs. A key in the environment of whoever tries the demo is not an order
#: to spend money with it, so the models of a provider are asked only when this says so.
PROVIDER_VARIABLE = "ASSISTANT_DEMO_PROVIDER"


def build() -> None:
    """
    Make what is missing: places, ways, things, people and their minds.

    Does nothing before Evennia has made the room new players begin in: on a game's very first
    start the server is up before its database is filled.

    """
    if ObjectDB.objects.get_id(settings.START_LOCATION) is None:
        return
    rooms = {name: _place(name, place) for name, place in PLACES.items()}
    for way in WAYS:
        _way(way, rooms)
    for name, thing in THINGS.items():
        _thing(name, thing, rooms)
    for name, person in PEOPLE.items():
        _mind(name, person, _person(name, person, rooms))


def find(name: str) -> Any:
    """
    A part by its tag.

    Args:
        name: Of a place, thing or person in `world.grey_gull`, or of a way as `way_name` has it.

    Returns:
        The object, None when there is none.

    """
    found = search_tag(name, category=CATEGORY)
    return found[0] if found else None


def way_name(way: Way) -> str:
    """The tag of a way."""
    return f"{way.start}:{way.key}"


def _place(name: str, place: Place) -> Any:
    """The room, made if need be; the start is the room Evennia puts new players in, made over."""
    room = find(name)
    if room is None:
        if name == START:
            # Limbo keeps its dbref, so that no setting has to name a room that is not there yet.
            room = ObjectDB.objects.get_id(settings.START_LOCATION)
            room.key = place.key
        else:
            room = create_object(settings.BASE_ROOM_TYPECLASS, key=place.key)
        room.aliases.add(list(place.aliases))
        room.db.desc = place.desc
        room.tags.add(name, category=CATEGORY)
    return room


def _way(way: Way, rooms: dict[str, Any]) -> None:
    if find(way_name(way)) is None:
        create_object(
            settings.BASE_EXIT_TYPECLASS,
            key=way.key,
            aliases=list(way.aliases),
            location=rooms[way.start],
            home=rooms[way.start],
            destination=rooms[way.end],
            tags=[(way_name(way), CATEGORY)],
            attributes=[("desc", way.desc)] if way.desc else None,
        )


def _thing(name: str, thing: Thing, rooms: dict[str, Any]) -> None:
    if find(name) is None:
        create_object(
            settings.BASE_OBJECT_TYPECLASS,
            key=thing.key,
            aliases=list(thing.aliases),
            location=rooms[thing.place],
            home=rooms[thing.place],
            tags=[(name, CATEGORY)],
            attributes=[("desc", thing.desc)],
        )


def _person(name: str, person: Person, rooms: dict[str, Any]) -> Any:
    """The NPC, made if need be, and fetched home from nowhere."""
    npc = find(name)
    if npc is None:
        npc = create_object(
            "typeclasses.characters.Npc",
            key=person.key,
            aliases=list(person.aliases),
            location=rooms[person.place],
            home=rooms[person.place],
            tags=[(name, CATEGORY)],
            attributes=[
                ("desc", person.desc),
                ("persona", dict(person.persona)),
                ("knowledge", list(person.knowledge)),
            ],
        )
    elif npc.location is None:
        npc.move_to(rooms[person.place], quiet=True, move_type="teleport")
    return npc


def _mind(name: str, person: Person, npc: Any) -> None:
    """The NPC's assistant, made and switched on if there is none; its provider as asked for."""
    script = npc.assistant_script or get_assistant_script(name)
    if script is not None and script.character not in (None, npc):
        # A builder gave this mind to another character, and meant it.
        return
    if script is None:
        script = create_script(AssistantScript, key=f"assistant_{name}")
        for option, value in person.options:
            script.set_option(option, value)
    if script.character is None:
        script.bind(name, npc)
        script.enable()
    _choose_provider(script)


def _choose_provider(script: AssistantScript) -> None:
    """
    Set the provider when the environment names another than the last time.

    What a keeper set with `aisetup/config` in the meantime stays.

    """
    wanted = os.environ.get(PROVIDER_VARIABLE) or "offline"
    if wanted == script.db.demo_provider:
        return
    try:
        script.set_option("llm_provider", wanted)
    except ConfigError as err:
        logger.log_err(f"{PROVIDER_VARIABLE}={wanted}: {err}")
        if script.db.demo_provider is None:
            script.set_option("llm_provider", "offline")
        return
    script.db.demo_provider = wanted
