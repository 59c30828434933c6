"""The index of what an NPC remembers: lose one of these and it forgets, mixes up, or tells."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evennia_assistant.errors import ConfigError
from evennia_assistant.memory.index import MemoryIndex, MemoryItem
from evennia_assistant.memory.relevance import relevance
from evennia_assistant.mind.audience import may_be_told
from evennia_assistant.mind.scoring import PRESETS, Context, score_memory

ANNA, BOB, CARA = "#5", "#6", "#7"
NAMES = {ANNA: "Anna", BOB: "Bob the Bold", CARA: "Cara"}


def item(
    item_id: str, text: str, speaker: str | None = ANNA, when: float = 0.0, **fields
) -> MemoryItem:
    fields = {"audience": "public", "conversation": "t1"} | fields
    return MemoryItem(item_id, text, speaker, NAMES.get(speaker or "", ""), when, **fields)


def ids(hits) -> list[str]:
    return [hit.item.id for hit in hits]


def tavern() -> MemoryIndex:
    index = MemoryIndex()
    index.add(
        [
            item("j1", "The well behind the mill is dry.", ANNA, 1),
            item("j2", "Who stole the silver crown?", BOB, 2),
            item("j3", "It was the miller, at night.", ANNA, 3),
            item("j4", "I buried the crown in the garden.", CARA, 4, audience=(CARA,)),
            item("j5", "Fresh bread tomorrow!", BOB, 5, conversation="t2"),
        ]
    )
    return index


def test_what_was_said_is_found_by_its_words():
    assert ids(tavern().search("Is the well dry?", listeners=[BOB], now=9))[0] == "j1"


def test_the_answer_is_found_though_it_shares_no_word_with_the_question():
    hits = tavern().search("Who has stolen the crown?", listeners=[BOB], now=9, limit=2)
    assert "j3" in ids(hits)


def test_a_confidence_is_found_for_its_own_and_for_nobody_else():
    index = tavern()
    assert "j4" in ids(index.search("Where is the crown?", listeners=[CARA], now=9))
    for listeners in ([ANNA], [CARA, ANNA], [], CARA):
        assert "j4" not in ids(index.search("Where is the crown?", listeners=listeners, now=9))
        assert index.get("j4", listeners=listeners) is None


@pytest.mark.parametrize("audience", [None, [], "", "#7", {"#7": 1}, [["#7"]], 7])
def test_a_memory_without_a_readable_audience_is_told_to_nobody(audience):
    index = MemoryIndex()
    index.add([item("j1", "The crown is here.", audience=audience)])
    assert index.search("crown", listeners=["#7"], now=9) == []
    assert index.gated(["#7"]) == 1


def test_only_the_keepers_door_passes_the_audience():
    index = tavern()
    assert "j4" in ids(index.search_for_keeper("Where is the crown?", now=9))
    assert index.get_for_keeper("j4").audience == (CARA,)


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_no_preset_passes_the_audience(preset):
    hits = tavern().search("crown garden buried", listeners=[ANNA], now=9, preset=preset, limit=99)
    assert "j4" not in ids(hits)


WORDS = st.sampled_from(["crown", "well", "mill", "bread", "who stole it?", "rose", "garden"])
SPEAKERS = st.sampled_from([ANNA, BOB, CARA])
AUDIENCES = st.sampled_from(["public", (ANNA,), (BOB,), (ANNA, BOB), None])
LINES = st.lists(st.tuples(WORDS, SPEAKERS, AUDIENCES), min_size=1, max_size=12)
LISTENERS = st.lists(SPEAKERS, max_size=2, unique=True)


@settings(deadline=None)
@given(LINES, LISTENERS, st.lists(WORDS, min_size=12, max_size=12), WORDS)
def test_what_is_not_for_them_changes_nothing_that_listeners_see(lines, listeners, other, query):
    """Other words, another speaker: the same hits with the same scores and parts."""
    one, two = MemoryIndex(), MemoryIndex()
    for number, (text, speaker, audience) in enumerate(lines):
        memory = item(f"j{number}", text, speaker, number, audience=audience)
        one.add([memory])
        if not may_be_told(audience, listeners):
            memory = replace(
                memory, text=other[number], speaker="#99", speaker_name="Rose", importance=10
            )
        two.add([memory])
    for preset in ("dialogue", "companion", "episodic"):
        asked = {"listeners": listeners, "now": 20.0, "preset": preset}
        seen = one.search(query, **asked)
        assert seen == two.search(query, **asked)
        assert all(may_be_told(hit.item.audience, listeners) for hit in seen)


def test_whoever_is_named_is_expected_to_have_said_it():
    index = MemoryIndex()
    index.add(
        [
            item("j1", "I like apples.", ANNA, conversation="a"),
            item("j2", "I like apples.", BOB, conversation="b"),
        ]
    )
    assert ids(index.search("What does Bob like?", listeners=[CARA], now=9))[0] == "j2"
    assert ids(index.search("What does Anna like?", listeners=[CARA], now=9))[0] == "j1"


def test_my_means_the_one_who_asks():
    index = MemoryIndex()
    index.add([item("j1", "A ring is lost.", BOB, 1, conversation="b")])
    index.add([item("j2", "A ring is lost.", ANNA, 0, conversation="a")])
    hits = index.search("Where is my ring?", listeners=[ANNA], now=9, asker=ANNA)
    assert ids(hits)[0] == "j2"


def test_someone_known_by_name_alone_brings_what_concerns_them():
    index = MemoryIndex()
    index.add([item("j1", "They were seen at dawn.", entities=("#40",)), item("j2", "Nice day.")])
    hits = index.search("Where is Quill?", listeners=[BOB], now=9, names={"Old Quill": "#40"})
    assert ids(hits) == ["j1"]


def test_yesterday_brings_what_was_said_yesterday():
    day = 86400.0
    index = MemoryIndex()
    index.add(
        [
            item(f"j{n}", "The market was full.", when=n * day, conversation=f"t{n}")
            for n in range(9)
        ]
    )
    hits = index.search("How was the market yesterday?", listeners=[BOB], now=8.5 * day)
    assert ids(hits)[0] == "j7"


def test_nothing_that_bears_on_it_is_an_empty_list():
    assert tavern().search("zeppelin", listeners=[BOB], now=9) == []
    assert tavern().search("", listeners=[BOB], now=9) == []
    assert MemoryIndex().search("crown", listeners=[BOB], now=9) == []
    assert tavern().search("crown", listeners=[BOB], now=9, limit=0) == []


def test_how_well_the_question_is_covered_tells_knowing_from_guessing():
    index = tavern()
    (known, *_) = index.search("Is the well dry?", listeners=[BOB], now=9)
    (guess, *_) = index.search("Is the zeppelin dry?", listeners=[BOB], now=9)
    assert known.parts["coverage"] == pytest.approx(1.0)
    assert guess.parts["coverage"] < 0.6


def test_what_is_left_out_stays_out():
    index = tavern()
    index.add([item("j6", "The well is haunted.", kind="rumour", source_trust=0.3)])
    asked = {"listeners": [BOB], "now": 9}
    assert "j6" in ids(index.search("well", **asked))
    assert "j6" not in ids(index.search("well", **asked, min_trust=0.5))
    assert "j6" not in ids(index.search("well", **asked, kinds=["event"]))
    assert ids(index.search("well", **asked, kinds=["rumour", "unheard of"])) == ["j6"]
    assert "j6" not in ids(index.search("well", **asked, exclude=["j6", "no such"]))


def test_of_two_equal_memories_the_later_comes_first():
    index = MemoryIndex()
    index.add([item(f"j{n}", "Rain.", when=0.001 * n, conversation=str(n)) for n in range(20)])
    hits = index.search("rain", listeners=[BOB], now=0.02, limit=3)
    assert ids(hits) == ["j19", "j18", "j17"]


def test_an_unknown_preset_is_named_with_those_there_are():
    with pytest.raises(ConfigError, match="companion, dialogue, episodic"):
        tavern().search("well", listeners=[BOB], now=9, preset="dialog")


def test_fast_scores_are_the_formula():
    index = tavern()
    query = "What did Anna say about the crown yesterday?"
    for preset in ("dialogue", "companion"):
        for hit in index.search(query, listeners=[CARA], now=90000.0, preset=preset):
            context = Context(query, 90000.0, {ANNA}, relevance=hit.parts["relevance"])
            slow = score_memory(hit.item, context, PRESETS[preset])
            assert hit.score == pytest.approx(slow.total, abs=1e-12)
            for name in ("speaker", "entity", "time", "question", "length", "importance"):
                assert hit.parts[name] == pytest.approx(getattr(slow.parts, name), abs=1e-12)


# Changing ------------------------------------------------------------------------------------


def test_a_forgotten_memory_is_gone_words_and_all():
    index = tavern()
    index.remove(["j1", "no such"])
    assert len(index) == 4
    assert "j1" not in index
    assert index.get_for_keeper("j1") is None
    assert index.search("dry", listeners=[BOB], now=9) == []
    assert index.search("Is the mill behind it?", listeners=[BOB], now=9) == []


def test_a_changed_memory_is_found_by_its_new_words_only():
    index = tavern()
    index.add([item("j1", "The bridge is down.", BOB, audience=(BOB,))])
    assert len(index) == 5
    assert index.search("dry", listeners=[BOB], now=9) == []
    assert ids(index.search("bridge", listeners=[BOB], now=9))[0] == "j1"
    assert "j1" not in ids(index.search("bridge", listeners=[ANNA], now=9))


def test_forgetting_one_line_does_not_break_the_talk_around_it():
    index = MemoryIndex()
    index.add(
        [item("j1", "Who stole the crown?", BOB), item("j2", "Hm."), item("j3", "The miller did.")]
    )
    index.remove(["j2"])
    assert "j3" in ids(index.search("Who stole the crown?", listeners=[BOB], now=9))


def test_lines_of_one_place_hang_together_until_a_lull():
    index = MemoryIndex()
    spoken = {"conversation": None, "place": "#2"}
    index.add([item("j1", "Who stole the crown?", BOB, 0, **spoken)])
    index.add([item("j2", "The miller did.", ANNA, 20, **spoken)])
    index.add([item("j3", "Nice weather.", ANNA, 20000, **spoken)])
    assert set(ids(index.search("Who stole the crown?", listeners=[BOB], now=30000))) == {
        "j1",
        "j2",
    }


@settings(deadline=None)
@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("add"), st.integers(0, 5), WORDS),
            st.tuples(st.just("remove"), st.integers(0, 5), st.just("")),
        ),
        max_size=25,
    )
)
def test_any_history_of_changes_ends_like_an_index_made_fresh(history):
    lived, kept = MemoryIndex(), {}
    for action, number, text in history:
        if action == "add":
            # Each a talk of its own: a changed line keeps its place among the others.
            kept[number] = item(f"j{number}", text, when=number, conversation=f"t{number}")
            lived.add([kept[number]])
        else:
            kept.pop(number, None)
            lived.remove([f"j{number}"])
    fresh = MemoryIndex()
    fresh.add(kept.values())
    assert len(lived) == len(kept)
    for query in ("crown", "well", "Who stole the bread?"):
        one = lived.search(query, listeners=[BOB], now=9)
        two = fresh.search(query, listeners=[BOB], now=9)
        assert ids(one) == ids(two)
        assert [h.score for h in one] == pytest.approx([h.score for h in two])


def test_many_memories_grow_the_index_past_its_first_size():
    index = MemoryIndex()
    for number in range(300):
        index.add([item(f"j{number}", f"Barrel number{number} is full.", conversation=str(number))])
    assert len(index) == 300
    assert ids(index.search("number250", listeners=[BOB], now=9))[0] == "j250"


# Vectors -------------------------------------------------------------------------------------


class Meaning:
    """Knows two meanings: drinks and weapons."""

    name, dimensions = "meaning", 2

    def __init__(self, slow: bool) -> None:
        self.slow = slow
        self.asked: list[str] = []

    def embed(self, texts):
        self.asked.extend(texts)
        rows = [[1.0, 0.0] if any(w in t for w in ("ale", "drink")) else [0.0, 1.0] for t in texts]
        return np.array(rows, dtype=np.float32)


def drinks(embedder) -> MemoryIndex:
    index = MemoryIndex(embedder)
    index.add([item("j1", "The ale is sour.", conversation="a")])
    index.add([item("j2", "My sword is blunt.", conversation="b")])
    return index


def test_meaning_finds_what_words_do_not():
    assert drinks(None).search("Something to drink?", listeners=[BOB], now=9) == []
    hits = drinks(Meaning(slow=False)).search("Something to drink?", listeners=[BOB], now=9)
    assert ids(hits)[0] == "j1"


def test_a_slow_embedder_is_never_called_where_a_line_waits():
    embedder = Meaning(slow=True)
    index = drinks(embedder)
    assert index.search("sour", listeners=[BOB], now=9)
    assert embedder.asked == []
    assert index.without_vector() == ["j1", "j2"]


def test_vectors_that_come_later_count_from_then_on():
    embedder = Meaning(slow=True)
    index = drinks(embedder)
    vector = embedder.embed(["drink"])[0]
    assert index.search("Something to drink?", listeners=[BOB], now=9, vector=vector) == []
    index.attach(["j1", "gone"], embedder.embed(["ale", "x"]))
    assert index.without_vector() == ["j2"]
    hits = index.search("Something to drink?", listeners=[BOB], now=9, vector=vector)
    assert ids(hits) == ["j1"]


def test_a_changed_memory_does_not_keep_the_meaning_of_its_old_words():
    index = drinks(Meaning(slow=True))
    index.attach(["j1"], np.array([[1.0, 0.0]]))
    index.add([item("j1", "My axe is blunt.")])
    assert "j1" in index.without_vector()


def test_the_meaning_of_a_confidence_is_gated_like_its_words():
    index = MemoryIndex(Meaning(slow=False))
    index.add([item("j1", "The ale is poisoned.", CARA, audience=(CARA,), conversation="a")])
    index.add([item("j2", "Lovely evening.", CARA, conversation="a")])
    assert "j1" not in ids(index.search("drink", listeners=[BOB], now=9))


def test_relevance_of_nothing_is_nothing():
    none = np.zeros(0)
    nowhere = np.zeros(1, dtype=np.intp)
    empty = relevance(
        none, none, none, asks=none, before=nowhere, after=nowhere, visible=none.astype(bool)
    )
    assert len(empty) == 0
