"""
No confidence reaches anybody it was not for, by day or after any night, whatever the model does.

Random histories: days on which everybody confides in everybody, nights in which a model in the
attacker's hands compacts, extracts, settles and reflects, restarts in between, and after each night
everybody asks. Who may be told was noted apart when it was said. `ASSISTANT_LEAK_HISTORIES` is how
many histories there are.

"""

import os

import pytest

from tests.leaks.stage import ACTS, LISTENERS, LeakTest

HISTORIES = int(os.environ.get("ASSISTANT_LEAK_HISTORIES", "3"))
#: Lines said in one breath, and times each act comes about, on the first day and on the second.
LINES = 7
FIRST, SECOND = 4, 1
PLANNED = len(ACTS) * LINES * (FIRST + SECOND)


@pytest.mark.slow
class Histories:
    """What each seed makes of the same days."""

    def test_what_was_confided_stays_with_those_it_was_for(self):
        planted = self.day(FIRST)
        self.compact()
        self.night()
        if self.choose.random() < 0.5:
            self.forget_caches()
            self.pump(1)
        self.link_everything()
        self.retire_and_restore()
        self.everybody_asks(planted)
        planted = self.day(SECOND)
        if self.choose.random() < 0.5:
            self.forget_caches()
            self.pump(1)
        self.night()
        self.everybody_asks(planted)
        for reader in self.people[:2]:
            self.look_into_it(reader)
        self.look_at_the_stores()
        self.not_hollow()
        self.check(planned=PLANNED, reached=PLANNED // 5)

    def day(self, times):
        said = []
        acts = [*ACTS] * times
        self.choose.shuffle(acts)
        for act in acts:
            said.append(self.plant(act, lines=LINES))
        return said

    def everybody_asks(self, planted):
        # Each seed begins elsewhere in the matrix, and all of them cover it.
        for number, listener in enumerate(LISTENERS):
            self.ask(listener, planted[(number * 3 + self.seed) % len(planted)])

    def not_hollow(self):
        answered = self.traitor.answered
        kinds = (
            *("turn", "facts", "scores", "attributes", "descriptions", "conversations"),
            *("journal tools", "diary"),
        )
        for kind in kinds:
            assert answered.get(kind), f"hollow: no prompt for {kind} ({answered})"
        assert self.ledger.compared > 50, f"hollow: {self.ledger.compared} records compared"
        came = sum(self.asked.values())
        # All but the question to the other NPC, which is answered from what that one was told.
        assert came == 2 * (len(LISTENERS) - 1), (
            f"hollow: {came} of {2 * len(LISTENERS)} came to a prompt"
        )


def _history(seed):
    name = f"TestHistory{seed}"
    return type(name, (Histories, LeakTest), {"seed": seed, "__module__": __name__})


for _seed in range(1, HISTORIES + 1):
    globals()[f"TestHistory{_seed}"] = _history(_seed)


def test_the_histories_plant_a_thousand_canaries_and_more():
    assert HISTORIES * PLANNED >= 1000
