"""
Does recall find the line that holds the answer? Measured on LoCoMo's long conversations.

    python -m benchmarks.locomo PATH [--embedder NAME] [--cross-validate] [--presets] [--json]

PATH is a JSON list of conversations in LoCoMo's form (Maharana et al., "Evaluating Very Long-Term
Conversational Memory of LLM Agents", ACL 2024; github.com/snap-research/locomo). The data is
CC BY-NC 4.0 and no part of this project.

No model and no judge: each turn is one memory told to an NPC that heard everything; each question
of the categories 1 to 4 is put to recall as it stands, by a listener who heard everything; counted
is the share of the turns named as evidence among the first 5, 10 and 20 memories, and 1 / the rank
of the first (mrr). BM25 alone, on the same words, is the floor.

With `--presets`, the documented rankings are measured beside the NPC's own, on the same memories.

"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from evennia_assistant.errors import ConfigError
from evennia_assistant.memory.embedders import Embedder, get_embedder
from evennia_assistant.memory.index import MemoryIndex, MemoryItem
from evennia_assistant.memory.lexical import LexicalIndex
from evennia_assistant.memory.recall import recall
from evennia_assistant.mind import scoring
from evennia_assistant.mind.text import content_terms
from evennia_assistant.mind.valence import valence_of

from benchmarks._report import p50, p95, parser, progress, report, stop

CUTS = (5, 10, 20)
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
LISTENER = "listener"


@dataclass(frozen=True)
class Asked:
    """A question, the ids of the turns that answer it, and its category."""

    text: str
    evidence: frozenset[str]
    category: int


@dataclass(frozen=True)
class Conversation:
    """A conversation as memories, and what is asked about it."""

    name: str
    items: list[MemoryItem]
    questions: list[Asked]

    @property
    def end(self) -> float:
        """When its last line was said."""
        return max(item.when for item in self.items)


@dataclass(frozen=True)
class Answered:
    """How well one question was answered."""

    category: int
    found: dict[int, float]
    rank: int | None
    milliseconds: float
    floor: float


def main(argv: list[str] | None = None) -> None:
    """Run the benchmark and print what it found."""
    line = parser(__doc__)
    line.add_argument("path", type=Path, help="a JSON file of conversations in LoCoMo's form")
    line.add_argument("--embedder", default=None, help="hashing, wordllama or minilm; default none")
    line.add_argument(
        "--cross-validate",
        action="store_true",
        help="also tune the weights on all conversations but one and score that one, in turn",
    )
    line.add_argument(
        "--presets",
        action="store_true",
        help=f"also rank by {', '.join(sorted(scoring.PRESETS))}, each alone",
    )
    asked = line.parse_args(argv)
    conversations = load(asked.path)
    try:
        embedder = get_embedder(asked.embedder)
    except ConfigError as err:
        stop(str(err))
    answers: dict[str, list[Answered]] = {}
    for conversation in conversations:
        answers[conversation.name] = list(run(conversation, embedder))
        progress(f"{conversation.name}: {len(answers[conversation.name])} questions")
    result = summary([answer for each in answers.values() for answer in each])
    result["embedder"] = asked.embedder or "none"
    result["per_conversation_recall_at_10"] = {
        name: float(np.mean([answer.found[10] for answer in each]))
        for name, each in answers.items()
    }
    if asked.cross_validate:
        from benchmarks._tuning import cross_validated

        result["cross_validated_recall_at_10"] = cross_validated(conversations, embedder)
    if asked.presets:
        result["presets"] = {
            preset: of_preset(conversations, embedder, preset) for preset in scoring.PRESETS
        }
    report(result, as_json=asked.json, table=table(result))


def load(path: Path) -> list[Conversation]:
    """The conversations of a file; ends the program with a message when it cannot be used."""
    if not path.is_file():
        stop(
            f"There is no file {path}. LoCoMo is not part of this project (CC BY-NC 4.0): get "
            "data/locomo10.json from github.com/snap-research/locomo and give its path."
        )
    try:
        samples = json.loads(path.read_text(encoding="utf-8"))
        conversations = [conversation_of(sample) for sample in samples]
    except (AttributeError, KeyError, TypeError, ValueError) as err:
        stop(f"{path} is not in LoCoMo's form: {type(err).__name__}: {err}")
    if not any(conversation.questions for conversation in conversations):
        stop(f"{path} holds no question whose evidence is in it.")
    return conversations


def conversation_of(sample: dict[str, Any]) -> Conversation:
    """One conversation of the file as memories and questions."""
    talk = sample["conversation"]
    name = sample["sample_id"]
    sessions = sorted(
        int(match[1]) for key in talk if (match := re.fullmatch(r"session_(\d+)_date_time", key))
    )
    items = []
    for session in sessions:
        said_at = talk[f"session_{session}_date_time"] + " +0000"
        when = datetime.strptime(said_at, "%I:%M %p on %d %B, %Y %z").timestamp()
        for number, turn in enumerate(talk.get(f"session_{session}") or []):
            caption = turn.get("blip_caption")
            items.append(
                MemoryItem(
                    id=turn["dia_id"],
                    text=f"{turn['speaker']}: {turn['text']}"
                    + (f" [shares a picture: {caption}]" if caption else ""),
                    speaker=turn["speaker"],
                    speaker_name=turn["speaker"],
                    when=when + number,
                    audience=(LISTENER,),
                    conversation=f"{name} {session}",
                    valence=valence_of(turn["text"]),
                )
            )
    known = {item.id for item in items}
    questions = [
        Asked(str(qa["question"]), evidence, int(qa["category"]))
        for qa in sample["qa"]
        if int(qa["category"]) in CATEGORIES and (evidence := frozenset(qa["evidence"]) & known)
    ]
    return Conversation(name, items, questions)


def of_preset(
    conversations: list[Conversation], embedder: Embedder | None, preset: str
) -> dict[str, float]:
    """How well one ranking alone finds the answers."""
    progress(f"preset {preset}")
    answers = [answer for each in conversations for answer in run(each, embedder, preset)]
    kept = (*(f"recall_at_{cut}" for cut in CUTS), "mrr", "ms_p50", "ms_p95")
    return {key: value for key, value in summary(answers).items() if key in kept}


def run(
    conversation: Conversation, embedder: Embedder | None, preset: str = "dialogue"
) -> Iterator[Answered]:
    """Put each question to recall."""
    index = MemoryIndex(embedder)
    # A slow embedder works in a thread of its own in a game, so here too it hands its vectors in.
    slow = embedder if embedder is not None and embedder.slow else None
    index.add(conversation.items)
    if slow is not None:
        ids = [item.id for item in conversation.items]
        index.attach(ids, slow.embed([item.text for item in conversation.items]))
    floor = Floor(conversation.items)
    for asked in conversation.questions:
        started = time.perf_counter()
        vector = slow.embed([asked.text])[0] if slow is not None else None
        remembered = recall(
            index,
            asked.text,
            listeners=[LISTENER],
            now=conversation.end,
            limit=max(CUTS),
            vector=vector,
            preset=preset,
        )
        milliseconds = (time.perf_counter() - started) * 1000.0
        ranked = [hit.item.id for hit in remembered.hits]
        ranks = [rank for rank, item_id in enumerate(ranked, 1) if item_id in asked.evidence]
        yield Answered(
            category=asked.category,
            found={cut: share(ranked[:cut], asked.evidence) for cut in CUTS},
            rank=min(ranks, default=None),
            milliseconds=milliseconds,
            floor=share(floor.ranked(asked.text, 10), asked.evidence),
        )


class Floor:
    """BM25 of single lines and nothing else, on the same stems."""

    def __init__(self, items: list[MemoryItem]) -> None:
        self._ids = [item.id for item in items]
        self._words = LexicalIndex()
        self._lengths = np.array(
            [self._words.add(row, content_terms(item.text)) for row, item in enumerate(items)],
            dtype=np.float64,
        )

    def ranked(self, question: str, limit: int) -> list[str]:
        """The ids of the best lines, best first."""
        n = len(self._ids)
        alone = np.full(n + 1, n)
        own, _around, _found = self._words.scores(
            dict.fromkeys(content_terms(question), 1.0),
            visible=np.ones(n, dtype=np.bool_),
            lengths=self._lengths,
            before=alone,
            after=alone,
        )
        return [self._ids[row] for row in np.argsort(-own, kind="stable")[:limit]]


def share(ranked: list[str], evidence: frozenset[str]) -> float:
    """The share of the evidence that is among the ranked."""
    return len(evidence.intersection(ranked)) / len(evidence)


def summary(answers: list[Answered]) -> dict[str, Any]:
    """The means over all questions."""
    times = [answer.milliseconds for answer in answers]
    result: dict[str, Any] = {"questions": len(answers)}
    for cut in CUTS:
        result[f"recall_at_{cut}"] = float(np.mean([answer.found[cut] for answer in answers]))
    result["mrr"] = float(
        np.mean([1.0 / answer.rank if answer.rank else 0.0 for answer in answers])
    )
    result["ms_p50"], result["ms_p95"] = p50(times), p95(times)
    result["bm25_recall_at_10"] = float(np.mean([answer.floor for answer in answers]))
    result["per_category_recall_at_10"] = {
        name: float(np.mean(of_category))
        for number, name in CATEGORIES.items()
        if (of_category := [a.found[10] for a in answers if a.category == number])
    }
    return result


def table(result: dict[str, Any]) -> str:
    """The result for people."""
    lines = [
        f"{result['questions']} questions, embedder: {result['embedder']}",
        f"recall@5 {result['recall_at_5']:.3f}   @10 {result['recall_at_10']:.3f}   "
        f"@20 {result['recall_at_20']:.3f}   mrr {result['mrr']:.3f}   "
        f"(BM25 alone @10 {result['bm25_recall_at_10']:.3f})",
        f"ms per question: p50 {result['ms_p50']:.2f}, p95 {result['ms_p95']:.2f}",
    ]
    for title in ("category", "conversation"):
        rows = result[f"per_{title}_recall_at_10"].items()
        lines.append(f"recall@10 by {title}: " + ", ".join(f"{k} {v:.3f}" for k, v in rows))
    for preset, row in result.get("presets", {}).items():
        lines.append(
            f"preset {preset:<10} recall@5 {row['recall_at_5']:.3f}   @10 "
            f"{row['recall_at_10']:.3f}   @20 {row['recall_at_20']:.3f}   mrr {row['mrr']:.3f}"
        )
    if "cross_validated_recall_at_10" in result:
        lines.append(f"cross-validated recall@10: {result['cross_validated_recall_at_10']:.3f}")
    return "\n".join(lines)


if __name__ == "__main__":
    main(sys.argv[1:])
