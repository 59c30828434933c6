"""
Thinking about what was lived through (document 000, section 3, after Park et al. 2023).

When the importance of new entries adds up, the NPC asks what they amount to: three questions, up to
ten memories that bear on each, and insights that name the memories they rest on. Each audience is
thought about by itself, so that no insight mixes what was said in the open with a confidence; what
is about the NPC itself is dropped. Insights become `[SYNTHESIS]` entries, and only in the write
that stores them the count begins anew.

Without a model nothing is concluded, and the count stays as it is.

"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from typing import Any

from twisted.internet.defer import Deferred, inlineCallbacks

from ..awake.models import has_model
from ..llm.asking import Ask, ask_for_records
from ..memory.reflection_state import check_reflection_trigger
from ..mind import entry as entries
from ..mind.audience import PUBLIC, frozen
from ..mind.contexts import CONTEXT_REFLECTION, Component
from ..mind.entry import timestamp_of
from ..mind.percept import Audience
from ..mind.persona_protection import is_self_referential
from ..prompts.assembly import build_messages
from ..prompts.layout import Layout
from ..prompts.parts import TurnContext
from ..prompts.registry import registry_of
from ..prompts.texts import text
from .conclusions import Conclusions
from .foresight import Expected, write_expectations
from .insights import Desk, Insight, converse, persona_of
from .night import night_of, tonights_entries

#: Importance and tags of an insight (documented: 8).
SYNTHESIS_IMPORTANCE = 8
SYNTHESIS_TAGS = ("synthesis", "reflection")
#: Entries a reflection begins from, the most important of the window.
MOST_ENTRIES = 30
#: Entries of one audience worth thinking about, and audiences thought about in one night.
LEAST_OF_AUDIENCE = 3
MOST_AUDIENCES = 3


@inlineCallbacks
def reflect_if_due(
    script: Any, character: Any, *, ask: Ask | None = None
) -> Generator[Deferred[Any], Any, dict[str, Any]]:
    """
    The step of the night: reflect if it is due and not too often.

    Returns:
        As `run_reflection`; `why` says why there was none.

    """
    state = character.memory.reflection
    if not check_reflection_trigger(script):
        return {"completed": True, "insights": 0, "why": "not due"}
    most = script.option("reflections_per_day")
    if not state.rested(script.agent.now(), most):
        return {"completed": True, "insights": 0, "why": f"{most} in 24 hours are the most"}
    return (yield run_reflection(script, character, ask=ask))


@inlineCallbacks
def run_reflection(
    script: Any, character: Any, *, ask: Ask | None = None
) -> Generator[Deferred[Any], Any, dict[str, Any]]:
    """
    Reflect now, whether it is due or not, and store what comes of it.

    Args:
        script: The AssistantScript.
        character: Its NPC.
        ask: Asks the model; None is the NPC's own way.

    Returns:
        `{"completed": True, "insights", "entry_ids"}`; `why` where there is nothing to begin from
        or no model to ask.

    Raises:
        ModelError: If the model could not be asked or not be understood; the count stays.

    """
    none: dict[str, Any] = {"completed": True, "insights": 0, "entry_ids": []}
    if not has_model(script):
        return {**none, "why": "there is no model; the count stays"}
    yield character.memory.prepare()
    window = _window(script, character)
    groups = _by_audience(window)
    if not groups:
        return {**none, "why": "there is too little of one audience to think about"}
    looked_at = {entry["id"] for entry in window}
    found: list[tuple[Audience, bool, Insight | Expected]] = []
    left_open: list[str] = []
    for (audience, confidential), recent in groups:
        questions = yield generate_reflection_questions(script, recent, ask=ask)
        evidence = []
        for question in questions:
            yield character.memory.warm(question)
            hits = retrieve_evidence_for_question(
                script, question, audience=audience, confidential=confidential
            )
            evidence.append((question, hits))
            if not hits:
                left_open.append(question)
        desk = yield reflect_on(
            script, recent, evidence, audience=audience, confidential=confidential, ask=ask
        )
        found.extend((audience, confidential, held) for held in (*desk.insights, *desk.expected))
        left_open.extend(desk.questions)
    ids, expected = _store(script, character, found, looked_at, left_open)
    return {
        "completed": True,
        "insights": len(ids),
        "entry_ids": ids,
        "expected": expected,
    }


@inlineCallbacks
def generate_reflection_questions(
    script: Any,
    recent_entries: Sequence[Mapping[str, Any]],
    num_questions: int = 3,
    *,
    ask: Ask | None = None,
) -> Generator[Deferred[Any], Any, list[str]]:
    """
    What the entries make one ask about the world and the people in it.

    Args:
        script: The AssistantScript.
        recent_entries: Journal entries of one audience.
        num_questions: How many.
        ask: Asks the model; None is the NPC's own way.

    Raises:
        ModelError: If the model could not be asked, or gave no question.

    """
    usual = registry_of(script).layout(CONTEXT_REFLECTION)
    wanted = text("asleep/questions").replace("{count}", str(num_questions))
    layout = Layout(usual.context, {**usual.texts, int(Component.PENDING_EVENT): wanted})
    context = TurnContext(
        persona_of(script), memories=[_shown(entry) for entry in recent_entries], layout=layout
    )

    def check(record: Any) -> str | None:
        if isinstance(record, dict):
            record = record.get("question")
        if not isinstance(record, str) or not record.strip():
            raise ValueError("a question is no text")
        question = " ".join(record.split())[:300]
        return None if is_self_referential(question) else question

    answer = yield ask_for_records(
        ask or script.agent.ask, build_messages(context), check, key="questions"
    )
    asked = dict.fromkeys(question for question in answer.items if question is not None)
    return list(asked)[:num_questions]


def retrieve_evidence_for_question(
    script: Any,
    question: str,
    limit: int = 10,
    *,
    audience: Audience = PUBLIC,
    confidential: bool = False,
) -> list[dict[str, Any]]:
    """
    Memories that bear on a question, all of one audience.

    Args:
        script: The AssistantScript.
        question: As `generate_reflection_questions` gives it.
        limit: How many at most.
        audience: Whose memories; those of any other are left out, wider ones too.
        confidential: Those said in confidence; else they are left out.

    Returns:
        `{"id", "content", "score"}`, best first.

    """
    if audience is None:
        return []
    listeners = () if audience == PUBLIC else audience
    found = script.character.memory.recall(
        question, listeners=listeners, now=script.agent.now(), limit=limit * 4
    )
    fitting = [
        hit
        for hit in found.hits
        if frozen(hit.item.audience) == audience and hit.item.confidence == confidential
    ]
    return [
        {"id": hit.item.id, "content": hit.item.text, "score": round(float(hit.score), 4)}
        for hit in fitting[:limit]
    ]


@inlineCallbacks
def generate_insights(
    script: Any,
    recent_entries: Sequence[Mapping[str, Any]],
    evidence: Sequence[tuple[str, Sequence[Mapping[str, Any]]]],
    *,
    audience: Audience = PUBLIC,
    confidential: bool = False,
    ask: Ask | None = None,
) -> Generator[Deferred[Any], Any, list[Insight]]:
    """
    What the memories show together that none of them says alone.

    Args:
        script: The AssistantScript.
        recent_entries: The entries the reflection began from.
        evidence: Questions, each with what `retrieve_evidence_for_question` found.
        audience: Of all of them.
        confidential: Whether they were said in confidence.
        ask: Asks the model; None is the NPC's own way.

    Returns:
        Insights whose evidence is among what was shown, none of them about the NPC itself.

    Raises:
        ModelError: If the model could not be asked, or nothing in its answers was of use.

    """
    desk = yield reflect_on(
        script, recent_entries, evidence, audience=audience, confidential=confidential, ask=ask
    )
    insights: list[Insight] = desk.insights
    return insights


@inlineCallbacks
def reflect_on(
    script: Any,
    recent_entries: Sequence[Mapping[str, Any]],
    evidence: Sequence[tuple[str, Sequence[Mapping[str, Any]]]],
    *,
    audience: Audience = PUBLIC,
    confidential: bool = False,
    ask: Ask | None = None,
) -> Generator[Deferred[Any], Any, Desk]:
    """
    As `generate_insights`, with what the same answers expect and leave open.

    Returns:
        The desk: its `insights`, `expected` and `questions`.

    Raises:
        ModelError: As `generate_insights` does.

    """
    memories: dict[str, dict[str, Any]] = {}
    for _question, hits in evidence:
        for hit in hits:
            memories.setdefault(hit["id"], {"id": hit["id"], "text": str(hit["content"])[:400]})
    for entry in recent_entries:
        memories.setdefault(f"j{entry['id']}", _shown(entry))

    def search(query: str) -> list[dict[str, Any]]:
        hits = retrieve_evidence_for_question(
            script, query, audience=audience, confidential=confidential
        )
        return [{"id": hit["id"], "text": hit["content"][:400]} for hit in hits]

    now = script.agent.now()
    desk = Desk(search, now)
    shown = [{"question": question} for question, _hits in evidence]
    shown.append({"today": timestamp_of(now)[:10]})
    yield converse(script, [*shown, *memories.values()], desk, ask or script.agent.ask)
    return desk


# Where it begins and ends -------------------------------------------------------------------------


def _window(script: Any, character: Any) -> list[dict[str, Any]]:
    """The entries since the last reflection that may be thought about tonight."""
    numbers = set(character.memory.reflection.data["entries_since_reflection"])
    return [
        entry
        for entry in tonights_entries(script, character)
        if entry["id"] in numbers and entries.get(entry, "state") == "active"
    ]


def _by_audience(
    window: Iterable[Mapping[str, Any]],
) -> list[tuple[tuple[Audience, bool], list[Mapping[str, Any]]]]:
    """
    The most important entries of each audience, the weightiest audience first.

    What was said in confidence is apart from what the same people were told otherwise.

    """
    groups: dict[tuple[Audience, bool], list[Mapping[str, Any]]] = {}
    for entry in window:
        audience = frozen(entry.get("audience"))
        if audience is not None:
            groups.setdefault((audience, entries.in_confidence(entry)), []).append(entry)
    weighty = [
        (circle, sorted(group, key=lambda entry: (-entry["importance"], -entry["id"])))
        for circle, group in groups.items()
        if len(group) >= LEAST_OF_AUDIENCE
    ]
    weighty.sort(key=lambda pair: -sum(entry["importance"] for entry in pair[1]))
    return [(circle, group[:MOST_ENTRIES]) for circle, group in weighty[:MOST_AUDIENCES]]


def _shown(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": f"j{entry['id']}", "text": entries.told(entry, str(entry["content"]))[:400]}


def _store(
    script: Any,
    character: Any,
    found: Sequence[tuple[Audience, bool, Insight | Expected]],
    looked_at: set[int],
    left_open: list[str],
) -> tuple[list[int], int]:
    """
    Write all that came of it and begin to count anew, in one transaction.

    Returns:
        The entry numbers of the insights, and how many expectations there were.

    """
    memory, night, now = character.memory, night_of(script), script.agent.now()
    written = Conclusions(memory, now, night.note)
    for audience, confidential, insight in found:
        if isinstance(insight, Insight):
            written.write(
                f"[SYNTHESIS] {insight.text}",
                insight.evidence,
                audience=audience,
                confidential=confidential,
                tags=SYNTHESIS_TAGS,
                kind="synthesis",
                importance=SYNTHESIS_IMPORTANCE,
            )
    expectations = [
        (audience, confidential, held)
        for audience, confidential, held in found
        if isinstance(held, Expected)
    ]
    expected = write_expectations(script, character, expectations, night.note)
    state = memory.reflection
    counted = state.store.data["entries_since_reflection"]
    live = {entry["id"]: float(entry["importance"]) for entry in memory.journal.entries}
    state.reset(now, {n: live[n] for n in counted if n not in looked_at and n in live})
    state.ask_later(left_open)
    journal = memory.journal.store
    journal.data["last_reflection"] = timestamp_of(now)
    journal.touch(journal.data["last_reflection"])
    memory.save_journal(*night.stores(), state.store)
    return written.numbers, len(expected)
