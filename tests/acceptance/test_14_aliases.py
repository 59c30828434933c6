"""Also, the Alps: nobody there is called Al. In "where is al?", somebody is."""

import pytest

from tests.game.npc import NpcTest

NOW = 1_780_000_000.0


class TestAnchors(NpcTest):
    def setUp(self):
        super().setUp()
        self.profiles = self.npc.memory.profiles
        self.profiles.ensure("#901", "player", "Al")
        self.profiles.ensure("#902", "player", "莫奈")
        self.profiles.learn_alias("#901", "Big Albert", audience="public")
        for who, text in (
            ("#901", "He mends boats."),
            ("#902", "She paints."),
            (None, "It rains."),
        ):
            self.npc.memory.write(
                text, when=NOW, audience="public", entities=[who] if who else [], importance=5
            )

    def anchored(self, question):
        found = self.npc.memory.recall(question, listeners=["#5"], now=NOW)
        return {hit.item.text for hit in found.hits if hit.parts["entity"]}

    def test_a_name_within_a_word_anchors_nobody(self):
        assert self.anchored("Also, the Alps are high.") == set()
        assert self.anchored("Who was total and also tall?") == set()

    def test_a_name_in_any_case_anchors_its_bearer(self):
        for question in ("where is al?", "AL!", "Al's boat", "big albert?", "Was it Albert?"):
            assert self.anchored(question) == {"He mends boats."}, question

    def test_a_name_in_a_script_without_spaces_is_found_inside(self):
        assert self.anchored("我喜欢莫奈的睡莲") == {"She paints."}

    def test_the_line_of_somebody_else_that_names_one_concerns_them(self):
        for said, concerned in (("also the Alps", ["#7"]), ("ask al", ["#7", "#901"])):
            entry = self.npc.memory.write(
                f'Cara said: "{said}"',
                when=NOW,
                source_id="#7",
                source_entity="Cara",
                entities=["#7"],
                audience="public",
            )
            assert entry["entities"] == concerned


@pytest.mark.parametrize("names", [5, 5_000])
def test_it_is_the_same_among_five_thousand(names):
    from evennia_assistant.mind.alias_book import AliasBook, Name

    book = AliasBook()
    book.put("#al", [Name("Al")])
    for number in range(names):
        book.put(f"#{number}", [Name(f"Zog{number}"), Name(f"Alp{number}")])
    assert book.ids_in("Also, the Alps are high.", ["*"]) == []
    assert book.ids_in("is al in?", ["*"]) == ["#al"]
