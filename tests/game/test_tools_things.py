"""Things change hands as they do for a player: same hooks, same locks, same line in the room."""

from evennia.utils.create import create_object

from tests.game.tooling import ToolTest


class ThingsTest(ToolTest):
    def thing(self, name="brass lantern", place=None, **kwargs):
        return create_object(
            "evennia.objects.objects.DefaultObject",
            key=name,
            location=place or self.room1,
            nohome=True,
            **kwargs,
        )


class TestGet(ThingsTest):
    def test_what_lies_here_is_taken_and_those_near_see_it(self):
        lantern = self.thing()
        assert self.use("get", thing="the lantern") == {"got": "a brass lantern"}
        assert lantern.location == self.npc
        assert self.heard_by(self.char1)[-1] == "Bram picks up a brass lantern."

    def test_a_thing_its_lock_forbids_stays_and_says_so_in_its_own_words(self):
        lantern = self.thing(locks="get:false()")
        lantern.db.get_err_msg = "It is nailed down."
        assert self.refusal("get", thing="lantern") == "It is nailed down."
        assert lantern.location == self.room1

    def test_a_player_gets_nothing_through_an_npc_that_it_may_not_take_itself(self):
        lantern = self.thing(locks=f"get:id({self.npc.pk})")
        assert self.refusal("get", thing="lantern") == (
            "Char2 may not do that, so you do not do it for them."
        )
        assert lantern.location == self.room1

    def test_a_superuser_who_puppets_the_npc_lends_it_no_rights(self):
        lantern = self.thing(locks="get:false()")
        self.account2.is_superuser = True
        self.npc.account = self.account2
        assert self.refusal("get", thing="lantern") == "That cannot be picked up."
        assert lantern.location == self.room1

    def test_a_hook_that_says_no_is_obeyed(self):
        lantern = self.thing()
        lantern.at_pre_get = lambda getter, **kwargs: False
        assert self.refusal("get", thing="lantern") == "That cannot be picked up."
        assert lantern.location == self.room1

    def test_people_exits_and_things_elsewhere_are_not_taken(self):
        self.thing("anchor", self.room2)
        for name in ("Char", "out", "anchor", "Bram", "me", "#1", ""):
            told = self.refusal("get", thing=name)
            assert "here" in told or "thing:" in told, (name, told)

    def test_of_several_alike_it_asks_which_and_takes_the_one_named(self):
        coins = [self.thing("coin"), self.thing("coin")]
        assert self.refusal("get", thing="coin") == (
            "2 things here go by 'coin': say coin-1, coin-2."
        )
        self.use("get", thing="coin-2")
        assert [coin.location == self.npc for coin in coins] == [False, True]

    def test_what_it_cannot_see_does_not_exist_for_it(self):
        self.thing("ghost lamp", locks="view:false()")
        assert "There is no 'ghost lamp' here" in self.refusal("get", thing="ghost lamp")

    def test_a_deleted_thing_is_gone(self):
        self.thing().delete()
        assert "There is no 'lantern' here" in self.refusal("get", thing="lantern")


class TestDropAndGive(ThingsTest):
    def test_what_it_carries_is_put_down(self):
        lantern = self.thing(place=self.npc)
        assert self.use("drop", thing="lantern") == {"dropped": "a brass lantern", "where": "Room"}
        assert lantern.location == self.room1
        assert self.heard_by(self.char1)[-1] == "Bram drops a brass lantern."

    def test_what_it_does_not_carry_or_may_not_drop_is_not_put_down(self):
        self.thing("anchor")
        cursed = self.thing("ring", self.npc, locks="drop:false()")
        assert "among your things" in self.refusal("drop", thing="anchor")
        assert self.refusal("drop", thing="ring") == "You may not put that down."
        assert cursed.location == self.npc

    def test_a_gift_arrives_and_only_the_two_see_it(self):
        lantern = self.thing(place=self.npc)
        before = len(self.heard_by(self.char1))
        assert self.use("give", thing="lantern", to="char2") == {
            "gave": "a brass lantern",
            "to": "Char2",
        }
        assert lantern.location == self.char2
        assert self.heard_by(self.char2)[-1] == "Bram gives you a brass lantern."
        assert len(self.heard_by(self.char1)) == before

    def test_nothing_is_given_to_itself_to_the_absent_or_to_things(self):
        lantern = self.thing(place=self.npc)
        self.char1.location = self.room2
        assert self.refusal("give", thing="lantern", to="Bram") == "You have it already."
        for name in ("Char", "Obj", "Nobody"):
            assert "here" in self.refusal("give", thing="lantern", to=name)
        assert lantern.location == self.npc

    def test_a_lock_or_hook_against_giving_holds(self):
        locked = self.thing("crown", self.npc, locks="give:false()")
        hooked = self.thing("ring", self.npc)
        hooked.at_pre_give = lambda giver, getter, **kwargs: False
        for name in ("crown", "ring"):
            told = self.refusal("give", thing=name, to="Char2")
            assert told == "You may not give that away."
        assert {locked.location, hooked.location} == {self.npc}
