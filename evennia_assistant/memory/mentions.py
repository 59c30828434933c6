"""
Who is talked about: from the names somebody used to profiles, also of those the game does not know.

Somebody in the game is who their dbref says. Anybody else, a cat at home or a brother abroad, gets
a profile by the name that was used, under an id of its own (`"@7"`). A name is never taken for
another's because they are alike: the new profile is `uncertain` then, the NPC may ask whoever
spoke of them, and a keeper settles it (`aimemory/merge`), if no one's words do.

Everything is gated by who may be told: what one player confided about "Robert" and what another
said of "Robert" aloud are two profiles.

"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..errors import StoreError
from ..mind.alias_book import AliasBook, Name
from ..mind.audience import ANYONE, intersect, listeners_of, may_be_told
from ..mind.entry import timestamp_of
from ..mind.likeness import may_be_one
from ..mind.percept import Audience
from .named_profiles import MAX_NAME, NamedProfiles
from .profile_record import (
    CONFIRMED,
    DISAMBIGUATED,
    KINDS,
    MENTIONED,
    UNCERTAIN,
    audience_of,
    create_entity_profile,
    names_of,
)

#: Those only told of that have a profile at once; the one longest out of mind goes first.
MAX_MENTIONED = 200
#: Names one mention may give, and people one entity is known to have been told of by.
MAX_FORMS = 6
MAX_TELLERS = 8

Profile = dict[str, Any]


def mention(
    profiles: NamedProfiles,
    name: str,
    *,
    audience: Audience,
    when: float,
    kind: str = "other",
    aliases: Sequence[str] = (),
    evidence: Collection[int] = (),
    confidence: bool = False,
    by: str | None = None,
    text: str | None = None,
) -> str | None:
    """
    Note that somebody was talked about, and say who that is.

    Args:
        profiles: The NPC's `EntityProfiles`; the caller saves them.
        name: What they were called.
        audience: Who may be told.
        when: UTC seconds since the epoch.
        kind: One of `profile_record.KINDS`.
        aliases: What else they were called.
        evidence: Journal entries it rests on.
        confidence: It was told in confidence.
        by: Entity id of who told of them.
        text: The words the names must stand in; None takes them on trust.

    Returns:
        The entity id. None where no name is in the text, or several go by it.

    """
    forms = _forms([name, *aliases], text)
    if not forms:
        return None
    listeners = listeners_of(audience)
    known = dict.fromkeys(
        who for form in forms for who in sorted(profiles.book.who_is(form, listeners))
    )
    found = _one_of(profiles, list(known), by)
    if found is None and known:
        return None
    if found is None:
        found = _new(profiles, forms, kind, audience, evidence, confidence, when)
    profile = profiles.store.data[found]
    for form in forms:
        profiles.learn_alias(
            found, form, audience=audience, evidence=evidence, confidence=confidence, when=when
        )
    if profile["entity_type"] == MENTIONED:
        profile["last_seen"] = timestamp_of(when)
        tellers = [who for who in profile.get("told_by", ()) if who != by]
        profile["told_by"] = [*tellers, *filter(None, [by])][-MAX_TELLERS:]
        profiles.store.touch(found)
        _bound(profiles)
    return found


def open_questions(
    profiles: NamedProfiles, teller: str, listeners: Collection[str]
) -> list[tuple[str, Audience]]:
    """
    What the NPC may ask somebody about whom they told of.

    Args:
        profiles: The NPC's profiles.
        teller: Entity id of who told.
        listeners: Entity ids of all who will hear it asked; with `ANYONE`, nothing confided.

    Returns:
        Questions and their audiences, the newest first.

    """
    asked = [
        (str(profile["last_seen"] or ""), *question)
        for profile in uncertain(profiles)
        if teller in profile.get("told_by", ())
        and (question := _question(profiles, profile, listeners)) is not None
    ]
    asked.sort(reverse=True)
    return [(text, audience) for _seen, text, audience in asked]


def uncertain(profiles: NamedProfiles) -> Iterator[Profile]:
    """Profiles of those who may be somebody else the NPC knows."""
    held = profiles.store.data
    for profile in held.values():
        if profile.get("merge_status") == UNCERTAIN and profile.get("merge_target") in held:
            yield profile


def keep_apart(profiles: NamedProfiles, entity_id: str) -> Profile:
    """
    Settle that somebody is not who they were perhaps.

    Raises:
        StoreError: If there is no such question.

    """
    profile = profiles.get(entity_id)
    if profile is None or profile.get("merge_status") != UNCERTAIN:
        raise StoreError(f"There is no doubt about who {entity_id} is.")
    profile.update(merge_status=DISAMBIGUATED)
    profiles.store.touch(entity_id)
    return profile


def merge(profiles: NamedProfiles, one: str, other: str) -> Profile:
    """
    Settle that two are one: everything known of either is known of that one, each as confided.

    Args:
        profiles: The NPC's profiles.
        one: Entity id.
        other: Entity id. Of somebody in the game and somebody told of, the one in the game stays;
            else this one.

    Returns:
        The profile that stays.

    Raises:
        StoreError: If either is not known, they are the same already, or both are in the game.

    """
    held = profiles.store.data
    for who in (one, other):
        if who not in held:
            raise StoreError(f"There is no profile of {who}.")
    if one == other:
        raise StoreError(f"{one} is {other}.")
    if held[one]["entity_type"] != MENTIONED:
        one, other = other, one
    if held[one]["entity_type"] != MENTIONED:
        raise StoreError("Both are in the game; what they are is for the game to say.")
    gone, stays = dict(held[one]), held[other]
    profiles.remove(one)
    for name in names_of(gone):
        told = gone["names"].get(name.text, {})
        profiles.learn_alias(
            other,
            name.text,
            audience=name.audience,
            evidence=told.get("evidence", ()),
            confidence=bool(told.get("confidence")),
        )
    stays["observations"] = sorted(
        [*stays["observations"], *gone["observations"]], key=lambda note: str(note["timestamp"])
    )[-max(len(stays["observations"]), len(gone["observations"])) :]
    for key, value in gone["attributes"].items():
        free, number = key, 1
        while free in stays["attributes"]:
            number += 1
            free = f"{key} ({number})"
        stays["attributes"][free] = value
    stays["description"] = stays["description"] or gone["description"]
    stays["absorbed"] = [*stays.get("absorbed", ()), one, *gone.get("absorbed", ())]
    if stays.get("merge_target") == one:
        stays.update(merge_status=CONFIRMED, merge_target=None)
    for profile in held.values():
        if profile.get("merge_target") == one:
            profile["merge_target"] = other
            profiles.store.touch(profile["entity_id"])
    profiles.store.touch(other)
    return stays


# Within -------------------------------------------------------------------------------------------


def _forms(names: Iterable[str], text: str | None) -> list[str]:
    """The names that are some, and that stand in the text."""
    forms = dict.fromkeys(" ".join(str(name).split()) for name in names)
    sound = [form for form in forms if form and len(form) <= MAX_NAME]
    if text is not None:
        book = AliasBook()
        for form in sound:
            book.put(form, [Name(form)])
        named = {who for ids in book.named_in(text, [ANYONE]).values() for who in ids}
        sound = [form for form in sound if form in named]
    return sound[:MAX_FORMS]


def _one_of(profiles: NamedProfiles, known: list[str], by: str | None) -> str | None:
    """Whom the names are, None for nobody or for several."""
    if len(known) == 2:
        held = profiles.store.data
        for one, other in (known, reversed(known)):
            doubt = held[one].get("merge_status") == UNCERTAIN
            if doubt and held[one]["merge_target"] == other and by in held[one].get("told_by", ()):
                # Who told of them says that they are the same, calling them by both names.
                return str(merge(profiles, one, other)["entity_id"])
    return known[0] if len(known) == 1 else None


def _new(
    profiles: NamedProfiles,
    forms: Sequence[str],
    kind: str,
    audience: Audience,
    evidence: Collection[int],
    confidence: bool,
    when: float,
) -> str:
    held = profiles.store.data
    numbers = [int(who[1:]) for who in held if who[:1] == "@" and who[1:].isdigit()]
    numbers += [int(old[1:]) for p in held.values() for old in p.get("absorbed", ())]
    who = f"@{max(numbers, default=0) + 1}"
    profile = create_entity_profile(who, MENTIONED)
    profile["kind"] = kind if kind in KINDS else "other"
    target = _alike(held, forms, profile["kind"], audience)
    if target is not None:
        profile.update(merge_status=UNCERTAIN, merge_target=target)
    held[who] = profile
    profiles.learn_alias(
        who, forms[0], audience=audience, evidence=evidence, confidence=confidence, when=when
    )
    profile["canonical_name"] = forms[0]
    profiles.renamed(profile)
    return who


def _alike(
    held: Mapping[str, Profile], forms: Sequence[str], kind: str, audience: Audience
) -> str | None:
    """Whom the newcomer may be: the one seen last whose name is alike, of those it may be told."""
    listeners = listeners_of(audience)
    alike = [
        profile
        for profile in held.values()
        if _kinds_agree(profile.get("kind", "other"), kind)
        and any(
            may_be_told(name.audience, listeners) and may_be_one(form, name.text)
            for name in names_of(profile)
            for form in forms
        )
    ]
    if not alike:
        return None
    return str(max(alike, key=lambda each: str(each["last_seen"] or ""))["entity_id"])


def _kinds_agree(one: str, other: str) -> bool:
    return one == other or "other" in (one, other)


def _question(
    profiles: NamedProfiles, profile: Profile, listeners: Collection[str]
) -> tuple[str, Audience] | None:
    target = profiles.store.data[profile["merge_target"]]
    told = [each["names"].get(each["canonical_name"], {}) for each in (profile, target)]
    shared = intersect([audience_of(profile), audience_of(target)])
    if not may_be_told(shared, listeners):
        return None
    if ANYONE in listeners and any(note.get("confidence") for note in told):
        return None
    return f"Is {profile['canonical_name']} the same as {target['canonical_name']}?", shared


def _bound(profiles: NamedProfiles) -> None:
    held = profiles.store.data
    told = [who for who, profile in held.items() if profile["entity_type"] == MENTIONED]
    told.sort(key=lambda who: str(held[who]["last_seen"] or ""))
    for who in told[:-MAX_MENTIONED]:
        profiles.remove(who)
