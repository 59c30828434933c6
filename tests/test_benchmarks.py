"""The benchmarks of the game run and print what they promise; a test says nothing of how fast."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

pytestmark = pytest.mark.slow
#: Tests that share one run of a benchmark, for which one worker is to make it.
TURN, SLEEP = (pytest.mark.xdist_group(f"benchmark of {name}") for name in ("turn", "sleep"))


def printed(name, *arguments):
    """The JSON object that a benchmark prints last."""
    run = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{name}", "--json", *arguments],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
        timeout=300,
    )
    return json.loads(run.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def turn():
    return printed("turn", "--players", "1,3", "--lines", "3", "--turns", "4", "--memories", "30")


@pytest.fixture(scope="module")
def idle():
    return printed("idle", "--npcs", "12", "--seconds", "1", "--settle", "1")


@TURN
def test_turn_prints_both_sides_for_each_number_of_players(turn):
    assert list(turn["players"]) == ["1", "3"]
    for figures in turn["players"].values():
        assert figures["blocked_ms_p95"] > 0 < figures["peer_blocked_ms_p95"]
        assert figures["blocked_ms_p50"] <= figures["blocked_ms_p95"]


@TURN
def test_turn_prints_the_journal_the_request_and_the_prompt(turn):
    assert turn["journal_append_ms_p95"] > 0 < turn["request_out_ms_p95"]
    assert turn["tool_turn_own_ms_p95"] >= turn["tool_turn_own_ms_p50"] > 0
    assert 0 < turn["prefix_share"] < turn["prefix_share_with_tools"] < 1
    assert 500 < turn["prompt_tokens_p95"] <= 2500
    assert turn["old_npc"]["memories"] == 30


def test_an_idle_npc_writes_nothing_and_loads_nothing_a_turn_needs(idle):
    assert idle["npcs"] == 12
    assert idle["writes"] == 0
    assert idle["heavy_modules"] == []
    assert idle["bytes_per_npc"] > 0 and "core_share" in idle


def test_layers_prints_what_a_turn_costs_an_old_npc_and_what_a_night_embeds():
    layers = printed("layers", "--turns", "5", "--entries", "10")
    assert layers["turn_cpu_ms_p50_young"] > 0 < layers["old_to_young"]
    assert layers["names"] >= 5000 and layers["writes_on_read"] == 0
    assert 0 < layers["embedded_by_night"] <= layers["new_or_changed"]
    assert layers["embedded_by_idle_night"] == 0


@pytest.fixture(scope="module")
def sleep():
    return printed(
        "sleep", "--npcs", "2", "--players", "3", "--entries", "20", "--facts", "30",
        "--young", "10", "--old", "60", "--seconds", "12",
    )  # fmt: skip


@SLEEP
def test_sleep_prints_what_a_night_takes_and_how_a_call_for_each_score_compares(sleep):
    assert 0 < sleep["ms_per_entry_p50"] <= sleep["ms_per_entry_p95"]
    assert 0 < sleep["model_calls_per_100"] < sleep["model_calls_per_100_single"]
    assert 0 < sleep["tokens_per_100"] < sleep["tokens_per_100_single"]
    assert sleep["blocked_ms_p99"] >= sleep["blocked_ms_p50"] > 0 < sleep["blocked_awake_ms_p99"]
    assert sleep["steps_dreamt"] > 0 < sleep["lines_said"]


@SLEEP
def test_sleep_starts_a_process_anew_and_prints_when_all_of_it_can_be_recalled(sleep):
    assert sleep["index_ready_s"] > 0 and sleep["rss_mb"] > 50
    assert sleep["recall_ms_p95_old"] > 0 < sleep["recall_ms_p95_young"]


def test_faults_counts_the_kills_it_planned_and_finds_nothing_lost():
    faults = printed("faults", "--kills", "40")
    assert faults["kills"] >= 40
    assert faults["lost"] == faults["doubled"] == faults["wrong"] == faults["real_kills"] == 0
