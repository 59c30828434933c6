"""Topics as arithmetic: who joins, what is born, what is split, what falls back."""

import numpy as np
import pytest

from evennia_assistant.memory.embedders import HashingEmbedder
from evennia_assistant.mind.topic_words import Named, Rooted, checked, digest_of, key_words
from evennia_assistant.mind.topics import MOST, TopicTree, families, halves

FLOOR = 0.45


RNG = np.random.default_rng(4)


def near(angle, spread=0.0):
    """A vector of length 1 somewhere about a direction."""
    vector = np.zeros(32, dtype=np.float32)
    vector[angle] = 1.0
    vector += spread * RNG.standard_normal(32).astype(np.float32)
    return vector / np.linalg.norm(vector)


@pytest.fixture
def tree():
    made = TopicTree()
    made.add(None)
    return made


def test_a_memory_that_fits_no_topic_is_a_stray_of_the_root(tree):
    assert tree.assign("j1", near(0), FLOOR) == "t1"
    assert tree.topics["t1"].n == 1


def test_two_strays_alike_make_a_topic_so_that_there_ever_is_one(tree):
    vectors = {f"j{n}": near(n % 3, 0.05) for n in range(6)}
    for member, vector in vectors.items():
        tree.assign(member, vector, FLOOR)
    assert len(tree.bear("t1", vectors, FLOOR)) == 3
    assert tree.topics["t1"].n == 0
    assert {topic.n for topic in tree.under("t1")} == {2}
    assert tree.assign("j9", near(1), FLOOR) == tree.moved["j1"]


def test_one_stray_alone_makes_none(tree):
    assert families({"j1": near(0), "j2": near(1)}, FLOOR) == []


def test_the_running_middle_is_what_adding_up_anew_would_give(tree):
    topic = tree.add("t1").id
    vectors = [near(0, 0.2) for _ in range(9)]
    for number, vector in enumerate(vectors):
        tree.join(topic, f"j{number}", vector)
    for vector in vectors[:4]:
        tree.leave(topic, vector)
    kept = tree.topics[topic].middle.copy()
    tree.rebuild(topic, vectors[4:])
    assert np.allclose(kept, tree.topics[topic].middle, atol=1e-5)


def test_no_part_of_a_split_topic_is_too_large_or_alone(tree):
    topic = tree.add("t1").id
    vectors = {f"j{n}": near(n % 2, 0.15) for n in range(37)}
    for member, vector in vectors.items():
        tree.join(topic, member, vector)
    tree.split(topic, vectors)
    sizes = [held.n for held in tree.under()]
    assert sum(sizes) == 37
    assert all(2 <= size <= MOST for size in sizes)


def test_a_topic_of_equal_memories_is_split_all_the_same(tree):
    topic = tree.add("t1").id
    vectors = {f"j{n}": near(0) for n in range(15)}
    for member, vector in vectors.items():
        tree.join(topic, member, vector)
    tree.split(topic, vectors)
    assert all(2 <= held.n <= MOST for held in tree.under())


def test_a_proposal_that_would_leave_one_behind_is_not_followed(tree):
    topic = tree.add("t1").id
    vectors = {f"j{n}": near(0, 0.1) for n in range(5)}
    for member, vector in vectors.items():
        tree.join(topic, member, vector)
    assert tree.split(topic, vectors, [["j0", "j1", "j2", "j3"], ["j1"], ["j7", "j8"]]) == []
    assert len(tree.split(topic, vectors, [["j0", "j1", "j77"]])) == 1


def test_two_means_finds_what_belongs_together():
    vectors = {f"j{n}": near(n % 2, 0.1) for n in range(12)}
    one, other = halves(vectors)
    assert {len({int(name[1:]) % 2 for name in part}) for part in (one, other)} == {1}


def test_a_small_topic_joins_a_close_sibling_with_room_and_no_other(tree):
    small, full, roomy = (tree.add("t1").id for _ in range(3))
    for number in range(2):
        tree.join(small, f"a{number}", near(0, 0.05))
    for number in range(9):
        tree.join(full, f"b{number}", near(0, 0.02))
    assert tree.host_for(small, FLOOR) is None
    for number in range(8):
        tree.join(roomy, f"c{number}", near(0, 0.1))
    assert tree.host_for(small, FLOOR) == roomy


def test_a_stray_goes_to_the_root_whose_memories_are_like_it(tree):
    other = tree.add(None).id
    tree.join(tree.add("t1").id, "a", near(0))
    tree.join(tree.add(other).id, "b", near(1))
    assert tree.nearest_root(near(1, 0.3)) == other
    assert tree.nearest_root(near(9)) == "t1"


def test_vectors_of_another_embedder_are_no_neighbours(tree):
    tree.join(tree.add("t1").id, "a", near(0))
    assert tree.assign("b", np.ones(8, dtype=np.float32), FLOOR) == "t1"


# Names ----------------------------------------------------------------------------------------


def test_a_name_is_the_words_its_memories_share():
    texts = ["The ferry to Ashford is late.", "A ferry sank.", "Who pays the ferry to Ashford?"]
    assert key_words(texts) == "ferry, Ashford"


def test_a_topic_without_a_telling_word_has_a_name_all_the_same():
    assert key_words(["... !!"]) == "this and that"
    assert key_words([]) == "this and that"


def test_a_digest_is_of_bounded_length():
    assert len(digest_of(["word " * 200] * 9)) <= 400


SHOWN = {"t2": ["j1", "j2", "j3", "j4", "j5"], "": ["j9"]}
ROOTS = {"private": "t1"}


def test_ids_a_model_invents_are_not_followed():
    record = {
        "topic": "t2",
        "name": "The ferry",
        "digest": "It is late.",
        "split": [
            {"name": "Ashford", "digest": "", "memories": ["j1", "j2", "j88", "j1"]},
            {"name": "Again", "memories": ["j2", "j3"]},
            {"name": "None of them", "memories": "j4"},
            7,
        ],
    }
    found = checked(record, SHOWN, ROOTS)
    assert found == Named("t2", "The ferry", "It is late.", (("Ashford", "", ("j1", "j2")),))
    for bad in ({"topic": "t9", "name": "x"}, {"topic": "", "name": "x"}, [], {"topic": "t2"}):
        with pytest.raises(ValueError):
            checked(bad, SHOWN, ROOTS)


def test_a_stray_goes_only_to_a_root_there_is():
    assert checked({"memory": "j9", "root": "Private"}, SHOWN, ROOTS) == Rooted("j9", "t1")
    for bad in ({"memory": "j1", "root": "Private"}, {"memory": "j9", "root": "Elsewhere"}):
        with pytest.raises(ValueError):
            checked(bad, SHOWN, ROOTS)


def test_a_name_about_the_npc_itself_is_refused():
    with pytest.raises(ValueError, match="whoever keeps it"):
        checked({"topic": "t2", "name": "My behaviour", "digest": ""}, SHOWN, ROOTS)


def test_topics_of_plain_sentences_come_out_as_a_reader_would_sort_them(tree):
    embed = HashingEmbedder().embed
    subjects = ["the ferry across the river", "honey cakes at the bakery", "wolves near the mill"]
    frames = ("Have you heard of {}?", "I dreamt about {}.", "Greta spoke of {}")
    texts = [frame.format(subject) for subject in subjects for frame in frames]
    vectors = dict(zip((f"j{n}" for n in range(9)), embed(texts), strict=True))
    for member, vector in vectors.items():
        tree.assign(member, vector, 0.34)
    tree.bear("t1", vectors, 0.34)
    by_topic = {}
    for member, topic in tree.moved.items():
        by_topic.setdefault(topic, set()).add(int(member[1:]) // 3)
    assert sorted(map(len, by_topic.values())) == [1, 1, 1]
