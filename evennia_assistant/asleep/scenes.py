"""
Repairing scenes that could not be read when they were written.

Such a scene is kept as it came, and its entry is worth no less for it. What rules alone can mend
(a day told from the entry's own, JSON in a fence) is mended first; the rest a model writes once
more, those of one audience in one call. What it writes must stand in what it was shown. After
`MAX_ATTEMPTS` vain attempts a scene is set aside with its reason, for the keeper to see. Without a
model all that is left over waits.

"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any

from twisted.internet.defer import Deferred, inlineCallbacks

from ..awake.models import has_model
from ..errors import ModelAnswerError
from ..llm.asking import Ask, ask_for_records
from ..llm.json_items import parse_items
from ..memory.scenes import put_scenes, waiting
from ..mind import entry as entries
from ..mind.audience import frozen
from ..mind.persona_protection import is_self_referential
from ..mind.scene import Scene, beyond, checked_scene, failed_again, is_malformed, scene_to_text
from ..mind.slots import render_slot
from ..mind.text import content_terms
from ..prompts.texts import text
from .night import night_of

STEP = "repair_scenes"
#: Scenes one call is shown, and characters of an entry beside its scene.
MOST_AT_ONCE = 10
SHOWN = 300
#: Share of a repaired scene's words that must stand in what it was made of.
FOUNDED = 0.75


@inlineCallbacks
def repair_scenes(
    script: Any, character: Any, *, ask: Ask | None = None
) -> Generator[Deferred[Any], Any, dict[str, Any]]:
    """
    Try to make readable scenes of those that are not, and store what came of it.

    Args:
        script: The AssistantScript.
        character: Its NPC.
        ask: Asks the model; None is the NPC's own way.

    Returns:
        `{"completed", "repaired", "set_aside", "left"}`; `why` says that there is no model where
        that is so.

    Raises:
        ModelError: If the model could not be asked. An answer of no use is an attempt instead.

    """
    night, journal = night_of(script), character.memory.journal
    mended = {entry["id"]: scene for entry in waiting(journal) if (scene := _mended(entry))}
    if mended:
        return _store(script, character, mended)
    left = [entry for entry in waiting(journal) if not night.is_set_aside(STEP, entry["id"])]
    done = {"completed": True, "repaired": 0, "set_aside": 0, "left": len(left)}
    if not left:
        return done
    if not has_model(script):
        return {**done, "why": "there is no model; scenes that cannot be read wait"}
    batch = _alike(left)
    answered = yield _written_anew(batch, ask or script.agent.ask)
    # As the entries are now, after the wait.
    still = {entry["id"]: entry["scene"] for entry in waiting(character.memory.journal)}
    scenes = {
        number: failed_again(still[number], made) if isinstance(made, str) else made
        for number, made in answered.items()
        if number in still
    }
    night.set_aside(STEP, sorted(entry["id"] for entry in batch))
    return _store(script, character, scenes)


def _store(script: Any, character: Any, scenes: Mapping[int, Scene]) -> dict[str, Any]:
    """Write scenes into their entries, in one transaction, and make them recallable."""
    night, memory = night_of(script), character.memory
    stores = put_scenes(memory.journal, scenes)
    counts = {"repaired": 0, "set_aside": 0}
    for number, scene in scenes.items():
        entry = memory.journal.find_anywhere(number)
        if entry is None:
            continue
        if not is_malformed(scene):
            counts["repaired"] += 1
            memory.show_anew(entry)
            night.note(
                "changed",
                scene_to_text(scene),
                audience=entry.get("audience"),
                id=f"j{number}",
                before="a scene that could not be read",
            )
    memory.save_journal(*stores, *night.stores())
    waits = list(waiting(memory.journal))
    counts["set_aside"] = len(scenes) - counts["repaired"] - sum(e["id"] in scenes for e in waits)
    left = [entry for entry in waits if not night.is_set_aside(STEP, entry["id"])]
    return {"completed": not left, **counts, "left": len(waits)}


# Without a model ----------------------------------------------------------------------------------


def _mended(entry: Mapping[str, Any]) -> Scene | None:
    """The scene as far as rules make it readable, None where they do not."""
    raw = str(entry["scene"]["raw"]).removeprefix("[PARSE_FAILED]")
    try:
        found, _problems = parse_items(raw)
        return checked_scene(found[0], entry["timestamp"][:10]) if len(found) == 1 else None
    except (ModelAnswerError, ValueError):
        return None


# With one -----------------------------------------------------------------------------------------


def _alike(left: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The first of them and those that may stand beside it in one prompt."""
    group = _group(left[0])
    return [entry for entry in left if _group(entry) == group][:MOST_AT_ONCE]


def _group(entry: Mapping[str, Any]) -> tuple[Any, bool]:
    return frozen(entry.get("audience")), entries.in_confidence(entry)


@inlineCallbacks
def _written_anew(
    batch: Sequence[dict[str, Any]], ask: Ask
) -> Generator[Deferred[Any], Any, dict[int, Scene | str]]:
    """The scene by number of each entry of the batch, or why there is none."""
    known = {entry["id"]: entry for entry in batch}
    made: dict[int, Scene | str] = dict.fromkeys(known, "the model wrote none")

    def check(record: Any) -> int:
        if not isinstance(record, dict):
            raise ValueError("a record is no object")
        number = entries.number_of(record.get("id"))
        if number is None or number not in known:
            raise ValueError("a record names a scene there is not")
        if record.get("scene") is None:
            made[number] = "the model could not tell what it says"
            return number
        try:
            made[number] = founded(checked_scene(record["scene"]), known[number])
        except ValueError as err:
            made[number] = str(err)
            raise
        return number

    try:
        yield ask_for_records(ask, messages_for_scenes(batch), check, key="scenes")
    except ModelAnswerError as err:
        made = {n: str(err) if isinstance(scene, str) else scene for n, scene in made.items()}
    return made


def founded(scene: Scene, entry: Mapping[str, Any]) -> Scene:
    """
    A scene a model wrote, if it says what it was shown.

    Raises:
        ValueError: If it names somebody, or says much, of which raw text and entry know nothing.

    """
    if is_self_referential(beyond({**scene, "dialogue": []}, "")):
        raise ValueError("a scene is about the one who keeps it")
    shown = set(content_terms(" ".join(entries.all_texts(entry))))
    for name in scene["actors"]:
        if not shown.issuperset(content_terms(name)):
            raise ValueError("a scene names somebody it was not about")
    says = [scene["action"], scene["setting"], scene["feeling"]]
    says += [item["action"] for item in scene["when"] if isinstance(item, dict)]
    terms = content_terms(" ".join([*says, *scene["dialogue"], *scene["sensory"]]))
    if sum(term in shown for term in terms) < FOUNDED * len(terms):
        raise ValueError("a scene says what it was not about")
    return scene


def messages_for_scenes(batch: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The prompt for scenes of one audience and one confidence."""
    records = [
        {
            "id": entry["id"],
            "date": entry["timestamp"][:10],
            "event": entry["content"][:SHOWN],
            "raw": entry["scene"]["raw"],
            "problem": entry["scene"]["problem"],
        }
        for entry in batch
    ]
    return [
        {"role": "system", "content": text("asleep/scenes")},
        {"role": "user", "content": render_slot("scenes", records)},
    ]
