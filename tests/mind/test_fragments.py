"""What crosses one's mind: pieces without an order, the same for the same seed."""

from evennia_assistant.mind.fragments import MAX_PIECE, MAX_TEXT, fragments, pieces_of


def test_a_scene_gives_what_was_done_and_how_it_felt():
    scene = {"action": "A ship burned", "feeling": "dread", "setting": "the quay"}
    assert pieces_of("Anna said: ...", scene) == ("A ship burned", "dread")


def test_without_a_usable_scene_the_words_are_the_piece():
    for scene in (None, {}, {"raw": "x", "problem": "no action"}, "burned", {"action": 7}):
        assert pieces_of("A ship\nburned", scene) == ("A ship burned",)
    assert pieces_of("  ") == ()
    assert len(pieces_of("word " * 90)[0]) <= MAX_PIECE


def test_the_same_seed_gives_the_same_order_and_another_seed_another():
    memories = [(f"deed {n}", f"mood {n}") for n in range(6)]
    once = fragments(memories, seed="evening")
    assert once == fragments(memories, seed="evening")
    assert once != fragments(memories, seed="morning")
    assert sorted(once.split(" / ")) == sorted(piece for pair in memories for piece in pair)


def test_nothing_comes_of_nothing_and_too_much_is_cut():
    assert fragments([], seed="x") == ""
    assert len(
        fragments([("word " * 30,)] * 1 + [(f"{n} " * 50,) for n in range(9)], seed="x")
    ) <= (MAX_TEXT)
