"""A real server with the real Mem0, ended while its NPCs hear, answer and dream."""

from tests.faults.servers import KILL, RELOAD, STOP, kill_a_server

KILLS = 3
#: In the order they come; `make faults` has more of each.
ENDS = (RELOAD, STOP)


def test_kill_dash_nine_by_day_and_by_night_loses_no_line_and_doubles_no_fact(tmp_path):
    outcome = kill_a_server(tmp_path / "game", KILLS, ways=(KILL,))
    assert outcome.kills == KILLS
    assert outcome.lines > 0, "nothing was said"
    assert not outcome.wrong, outcome.wrong


def test_a_reload_and_a_stop_while_they_talk_answer_no_line_twice_and_lose_none(tmp_path):
    outcome = kill_a_server(tmp_path / "game", len(ENDS), ways=ENDS)
    assert dict(outcome.ended) == {RELOAD: 1, STOP: 1}
    assert outcome.lines > 0 and outcome.answers > 0, "nobody said anything, or nobody answered"
    assert not outcome.wrong, outcome.wrong
