"""T8 with a real server: reloaded, stopped and killed while turns and nights run."""

import os

import pytest

from .servers import KILL, RELOAD, STOP, kill_a_server

ENDS = 21


@pytest.mark.slow
@pytest.mark.skipif(os.environ.get("FAULTS") != "all", reason="minutes; `make faults` runs it")
def test_a_server_that_ends_in_any_way_answers_each_line_once_and_loses_none(tmp_path):
    outcome = kill_a_server(tmp_path / "game", ENDS, ways=(RELOAD, KILL, STOP))
    assert outcome.ended.total() == ENDS and set(outcome.ended) == {RELOAD, KILL, STOP}
    assert outcome.lines > 0 and outcome.answers > 0, "nobody said anything, or nobody answered"
    assert not outcome.wrong, outcome.wrong
