"""A slow embedder never holds up the game, and what it adds arrives."""

import numpy as np
import pytest
from twisted.internet.defer import Deferred, fail, succeed

from evennia_assistant.memory import vectors
from evennia_assistant.memory.index import MemoryIndex, MemoryItem


class Slow:
    """A stand-in for an embedder that takes milliseconds; two texts are alike by their length."""

    name, dimensions, slow = "slow", 2, True

    def embed(self, texts):
        rows = np.array([[len(text), 1.0] for text in texts], dtype=np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def item(number, text):
    return MemoryItem(
        id=f"j{number}", text=text, speaker=None, speaker_name="", when=0.0, audience="public"
    )


@pytest.fixture
def waiting(monkeypatch):
    """Jobs given to the thread, not done yet."""
    jobs = []

    def run(coroutine):
        coroutine.close()
        jobs.append(Deferred())
        return jobs[-1]

    monkeypatch.setattr(vectors.loop, "run", run)
    return jobs


def test_a_memory_is_found_by_words_before_its_vector_is_there(waiting):
    index = MemoryIndex(Slow())
    index.add([item(1, "The mill burnt down.")])
    supply = vectors.vectors_for(index, Slow())
    supply.catch_up()
    supply.catch_up()
    assert len(waiting) == 1
    assert index.search("mill", listeners=[], now=1.0)
    waiting[0].callback(Slow().embed(["The mill burnt down."]))
    assert index.without_vector() == []


def test_a_memory_forgotten_meanwhile_does_no_harm(waiting):
    index = MemoryIndex(Slow())
    index.add([item(1, "One."), item(2, "Two.")])
    supply = vectors.vectors_for(index, Slow())
    supply.catch_up()
    index.remove(["j1"])
    waiting[0].callback(Slow().embed(["One.", "Two."]))
    assert index.without_vector() == [] and "j1" not in index


def test_the_vector_of_a_question_is_ready_for_that_question_only(waiting):
    supply = vectors.vectors_for(MemoryIndex(Slow()), Slow())
    supply.warm("Where is it?")
    waiting[0].callback(Slow().embed(["Where is it?"]))
    assert supply.vector_of("Where is it?") is not None
    assert supply.vector_of("Who is it?") is None


def test_an_embedder_that_fails_leaves_recall_by_words(monkeypatch):
    def run(coroutine):
        coroutine.close()
        return fail(OSError("no model"))

    monkeypatch.setattr(vectors.loop, "run", run)
    index = MemoryIndex(Slow())
    index.add([item(1, "The mill burnt down.")])
    supply = vectors.vectors_for(index, Slow())
    supply.catch_up()
    done = []
    supply.warm("mill").addCallback(done.append)
    assert done == [None]
    assert index.search("mill", listeners=[], now=1.0)


def test_without_a_slow_embedder_nothing_waits():
    done = []
    vectors.vectors_for(MemoryIndex(), None).warm("mill").addCallback(done.append)
    assert done == [None] and succeed(None).called
