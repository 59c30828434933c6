"""Looking ahead has a cool-down, a cap and a purse, and attempts count."""

from evennia_assistant.mind.slow_cycle import Limits, gate, still_counting, with_attempt

NOW = 1_780_000_000.0
MINUTE = 60.0
DAY = 86_400.0


def runs(*ages, tokens=100):
    made = []
    for age in sorted(ages, reverse=True):
        made = with_attempt(NOW - age, made, tokens)
    return made


def test_half_an_hour_lies_between_two_times_unless_it_is_urgent():
    assert gate(NOW, runs(29 * MINUTE), Limits()) == "cool-down"
    assert gate(NOW, runs(29 * MINUTE), Limits(), urgent=True) is None
    assert gate(NOW, runs(30 * MINUTE), Limits()) is None


def test_there_are_so_many_in_a_day_urgent_or_not():
    made = runs(*(MINUTE * 35 * n for n in range(1, 5)))
    assert gate(NOW, made, Limits(per_day=4), urgent=True) == "cap"
    assert gate(NOW, made, Limits(per_day=5)) is None
    assert gate(NOW + DAY, made, Limits(per_day=4)) is None


def test_there_are_so_many_tokens_in_a_day():
    made = runs(2 * 3600, 3 * 3600, tokens=400)
    assert gate(NOW, made, Limits(tokens=800)) == "tokens"
    assert gate(NOW, made, Limits(tokens=801)) is None
    assert gate(NOW, made, Limits(tokens=None)) is None


def test_a_clock_set_back_and_odd_records_open_no_gate():
    made = with_attempt(NOW + 3600, [{"at": "then"}, None, {"at": "2026-01-01"}], 5)
    assert len(made) == 1
    assert gate(NOW, made, Limits()) == "cool-down"
    assert still_counting(NOW + 3 * DAY, made) == []
