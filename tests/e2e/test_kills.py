"""A real server with the real Mem0, killed while its NPCs hear and dream."""

from tests.faults.servers import kill_a_server

KILLS = 3


def test_kill_dash_nine_by_day_and_by_night_loses_no_line_and_doubles_no_fact(tmp_path):
    outcome = kill_a_server(tmp_path / "game", KILLS)
    assert outcome.kills == KILLS
    assert outcome.lines > 0, "nothing was said"
    assert not outcome.wrong, outcome.wrong
