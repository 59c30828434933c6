"""
What an NPC works at over many conversations, on `character.db.projects`.

The documented form: `{"active": key, "slots": {key: {"summary", "context", "status", "created_at",
"last_active"}}}`, with status `active`, `paused` or `completed`. Ours is `audience` in a slot: who
may be told of all that went into it.

"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from typing import Any

from ..mind import audience as audiences
from ..mind.entry import timestamp_of
from ..mind.percept import Audience
from .attribute_store import AttributeStore

STATUSES: tuple[str, ...] = ("active", "paused", "completed")
MAX_PROJECTS = 20
MAX_KEY = 60
MAX_SUMMARY = 300
MAX_CONTEXT = 4000

_TEXTS = ("summary", "context", "created_at", "last_active")


def empty_projects() -> dict[str, Any]:
    """The documented form of having no project."""
    return {"active": None, "slots": {}}


def repair_projects(raw: Any) -> tuple[dict[str, Any], str | None]:
    """The sound slots of whatever is stored, and what was wrong, None if nothing was."""
    if not isinstance(raw, Mapping) or not isinstance(raw.get("slots"), Mapping):
        return empty_projects(), "without a mapping of slots"
    slots, problems = {}, []
    for key, slot in raw["slots"].items():
        fits = (
            isinstance(key, str)
            and isinstance(slot, Mapping)
            and slot.get("status") in STATUSES
            and all(isinstance(slot.get(name, ""), str) for name in _TEXTS)
        )
        if fits:
            slots[key] = {**dict.fromkeys(_TEXTS, ""), "audience": None, **slot}
        else:
            problems.append(f"holding a broken project {str(key)[:40]!r}")
    active = raw.get("active")
    if active is not None and (not isinstance(active, str) or active not in slots):
        problems.append("naming an active project that is not there")
        active = None
    return {**raw, "active": active, "slots": slots}, "; ".join(problems) or None


class Projects:
    """
    The projects of one NPC.

    Args:
        character: The NPC.

    """

    def __init__(self, character: Any) -> None:
        self.store = AttributeStore(character, "projects", empty_projects, repair=repair_projects)

    @property
    def slots(self) -> dict[str, dict[str, Any]]:
        """Every project by its key."""
        return self.store.data["slots"]

    @property
    def active(self) -> str | None:
        """The key of the project being worked at, None when there is none."""
        return self.store.data["active"]

    def visible(self, listeners: Collection[str]) -> dict[str, dict[str, Any]]:
        """The projects that all listeners may be told of, by key."""
        return {
            key: slot
            for key, slot in self.slots.items()
            if audiences.may_be_told(slot.get("audience"), listeners)
        }

    def create(
        self,
        key: str,
        summary: str,
        context: str = "",
        *,
        audience: Audience = None,
        asked_by: Collection[str] = (),
        confidence: bool = False,
        when: float | None = None,
    ) -> dict[str, Any]:
        """
        A new project; it becomes the active one when there is none.

        Args:
            key: Its name, unique.
            summary: What it is, in a sentence.
            context: Where it stands.
            audience: Who may be told; None is nobody.
            asked_by: Entity ids of those whose words it comes from.
            confidence: These were said in confidence, so that it is never said aloud by itself.
            when: UTC seconds since the epoch; None is now.

        Raises:
            ValueError: If the key is taken or there are too many projects.

        """
        if key in self.slots:
            raise ValueError(f"There is a project {key!r} already; update or swap to it.")
        if len(self.slots) >= MAX_PROJECTS and not self._let_go():
            raise ValueError(f"There are {MAX_PROJECTS} projects already; complete one first.")
        now = timestamp_of(time.time() if when is None else when)
        first = self.active is None
        self.slots[key] = {
            "summary": summary[:MAX_SUMMARY],
            "context": context[:MAX_CONTEXT],
            "status": "active" if first else "paused",
            "created_at": now,
            "last_active": now,
            "audience": audiences.stored(audience),
            **({"asked_by": list(asked_by)} if asked_by else {}),
            **({"confidence": True} if confidence else {}),
        }
        if first:
            self.store.data["active"] = key
        self.store.touch()
        return self.slots[key]

    def update(
        self,
        *,
        context: str | None = None,
        summary: str | None = None,
        completed: bool = False,
        audience: Audience = None,
        asked_by: Collection[str] = (),
        confidence: bool = False,
        when: float | None = None,
    ) -> dict[str, Any]:
        """
        Change the active project.

        Args:
            context: Where it stands now, instead of what stood there.
            summary: What it is.
            completed: It is done; then no project is active.
            audience: Who may be told of what is new; who may be told of the project is cut to them.
            asked_by: Entity ids of those whose words it comes from.
            confidence: These were said in confidence, so that it is never said aloud by itself.
            when: UTC seconds since the epoch; None is now.

        Raises:
            ValueError: If no project is active.

        """
        key = self.active
        if key is None:
            raise ValueError("No project is active; create one or swap to one.")
        slot = self.slots[key]
        if context is not None:
            slot["context"] = context[:MAX_CONTEXT]
        if summary is not None:
            slot["summary"] = summary[:MAX_SUMMARY]
        if context is not None or summary is not None:
            slot["audience"] = audiences.stored(
                audiences.intersect([slot.get("audience"), audience])
            )
            _note_who(slot, asked_by, confidence)
        slot["last_active"] = timestamp_of(time.time() if when is None else when)
        if completed:
            slot["status"] = "completed"
            self.store.data["active"] = None
        self.store.touch()
        return slot

    def swap(
        self,
        key: str,
        current_update: str = "",
        *,
        audience: Audience = None,
        asked_by: Collection[str] = (),
        confidence: bool = False,
        when: float | None = None,
    ) -> dict[str, Any]:
        """
        Put the active project away and take up another, by the documented flow.

        Args:
            key: The project to take up.
            current_update: Where the one put away stands; empty leaves what it says.
            audience: Who may be told of the update.
            asked_by: Entity ids of those whose words it comes from.
            confidence: These were said in confidence, so that it is never said aloud by itself.
            when: UTC seconds since the epoch; None is now.

        Returns:
            `{"error", "available_projects"}` when there is no such project; else `old_project`,
            `new_project`, `new_project_summary` and `new_project_context`.

        """
        data, slots = self.store.data, self.slots
        if key not in slots:
            return {"error": "Project does not exist", "available_projects": sorted(slots)}
        now = timestamp_of(time.time() if when is None else when)
        old = data["active"]
        if old is not None and old != key:
            if current_update:
                slots[old]["context"] = current_update[:MAX_CONTEXT]
                slots[old]["audience"] = audiences.stored(
                    audiences.intersect([slots[old].get("audience"), audience])
                )
                _note_who(slots[old], asked_by, confidence)
            slots[old]["last_active"] = now
            slots[old]["status"] = "paused"
        data["active"] = key
        slots[key]["last_active"] = now
        slots[key]["status"] = "active"
        self.store.touch()
        return {
            "old_project": old,
            "new_project": key,
            "new_project_summary": slots[key]["summary"],
            "new_project_context": slots[key]["context"],
        }

    def _let_go(self) -> bool:
        """Make room by the completed project that was touched last of all, if there is one."""
        done = [key for key, slot in self.slots.items() if slot["status"] == "completed"]
        if not done:
            return False
        del self.slots[min(done, key=lambda key: self.slots[key]["last_active"])]
        return True


def _note_who(slot: dict[str, Any], asked_by: Collection[str], confidence: bool) -> None:
    if confidence:
        slot["confidence"] = True
    if asked_by:
        slot["asked_by"] = list(dict.fromkeys([*slot.get("asked_by", ()), *asked_by]))
