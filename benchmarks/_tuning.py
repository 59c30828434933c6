"""Do the weights of recall hold beyond what they were tuned on? Leave one conversation out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evennia_assistant.memory.embedders import Embedder
from evennia_assistant.memory.index import MemoryIndex
from evennia_assistant.memory.relevance import Blend
from evennia_assistant.mind.scoring import PRESETS, Weights

from benchmarks._report import progress

#: How often all weights are gone through; changes after that were rare.
ROUNDS = 4

#: What is tuned and by how much at a time: weights of the relevance blend, then of the parts.
BLEND_STEPS = {"around": 0.4, "nearby": 0.1, "answers": 0.1}
WEIGHT_STEPS = {"speaker": 0.15, "time": 0.1, "question": 0.1, "length": 0.15}
MEANING_STEP = {"meaning": 0.3}


@dataclass(frozen=True)
class Setting:
    """One choice of all weights."""

    blend: Blend
    weights: Weights


#: Where tuning starts: everything helps a little. Not the shipped weights; those know the data.
START = Setting(
    Blend(own=1.0, around=1.0, meaning=0.3, nearby=0.1, answers=0.1),
    replace(PRESETS["dialogue"], speaker=0.2, time=0.1, question=-0.1, length=0.1),
)


def cross_validated(conversations: Sequence[Any], embedder: Embedder | None) -> float:
    """
    Recall@10 of questions whose conversation the weights were not tuned on.

    Args:
        conversations: As `benchmarks.locomo.load` gives them.
        embedder: The embedder to tune with.

    Returns:
        The mean over all questions, each asked with the weights tuned on all other conversations.

    """
    asked = [Asked(conversation, embedder) for conversation in conversations]
    found: list[float] = []
    for held_out in asked:
        others = [each for each in asked if each is not held_out]
        setting = tuned(others, embedder is not None)
        shares = held_out.shares(setting)
        progress(f"{held_out.name}, held out: {np.mean(shares):.3f} with {changed(setting)}")
        found.extend(shares)
    return float(np.mean(found))


class Asked:
    """A conversation that can be asked again with other weights."""

    def __init__(self, conversation: Any, embedder: Embedder | None) -> None:
        self.name = conversation.name
        self._conversation = conversation
        self._index = MemoryIndex(embedder)
        vectors = None
        self._question_vectors: list[Any] = [None] * len(conversation.questions)
        if embedder is not None:
            vectors = embedder.embed([item.text for item in conversation.items])
            self._question_vectors = list(embedder.embed([q.text for q in conversation.questions]))
        self._index.add(conversation.items, vectors)

    def shares(self, setting: Setting) -> list[float]:
        """The share of each question's evidence among the first ten."""
        self._index.blend = setting.blend
        listener = self._conversation.items[0].audience
        shares = []
        for question, vector in zip(
            self._conversation.questions, self._question_vectors, strict=True
        ):
            hits = self._index.search(
                question.text,
                listeners=listener,
                now=self._conversation.end,
                preset=setting.weights,
                vector=vector,
            )
            ranked = {hit.item.id for hit in hits}
            shares.append(len(ranked & question.evidence) / len(question.evidence))
        return shares


def tuned(asked: Sequence[Asked], meaning: bool) -> Setting:
    """The weights that do best on `asked`, found by changing one at a time."""

    def quality(setting: Setting) -> float:
        return float(np.mean([share for each in asked for share in each.shares(setting)]))

    moves: list[Callable[[Setting], Setting]] = []
    for name, step in (BLEND_STEPS | (MEANING_STEP if meaning else {})).items():
        moves += [_blend_move(name, step), _blend_move(name, -step)]
    for name, step in WEIGHT_STEPS.items():
        moves += [_weight_move(name, step), _weight_move(name, -step)]
    best, best_quality = START, quality(START)
    for _ in range(ROUNDS):
        before = best
        for move in moves:
            setting = move(best)
            if (reached := quality(setting)) > best_quality + 1e-6:
                best, best_quality = setting, reached
        if best is before:
            break
    return best


def changed(setting: Setting) -> str:
    """The tuned weights, to read."""
    blend = {name: getattr(setting.blend, name) for name in BLEND_STEPS | MEANING_STEP}
    weights = {name: getattr(setting.weights, name) for name in WEIGHT_STEPS}
    return ", ".join(f"{name} {value:.2f}" for name, value in (blend | weights).items())


def _blend_move(name: str, step: float) -> Callable[[Setting], Setting]:
    def move(setting: Setting) -> Setting:
        value = max(getattr(setting.blend, name) + step, 0.0)
        return replace(setting, blend=replace(setting.blend, **{name: value}))

    return move


def _weight_move(name: str, step: float) -> Callable[[Setting], Setting]:
    def move(setting: Setting) -> Setting:
        value = getattr(setting.weights, name) + step
        return replace(setting, weights=replace(setting.weights, **{name: value}))

    return move
