"""What an NPC hears, keeps, makes of it at night and finds again is the same in every time zone."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
#: Name in the time zone database, and what the zone is called at the story's moment.
ZONES = {"UTC": "UTC", "Asia/Shanghai": "CST", "America/New_York": "EDT"}


def told_in(zone, called, folder):
    """The story as it is told by a server in a time zone."""
    file = folder / f"{called}.json"
    story = "tests/acceptance/zone_story.py::ZoneStory::test_it"
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", story],
        cwd=ROOT,
        env={**os.environ, "STORY_ZONE": zone, "STORY_ZONE_NAME": called, "STORY_FILE": str(file)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return file.read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_day_and_a_night_leave_the_same_in_every_time_zone(tmp_path):
    told = [told_in(zone, called, tmp_path) for zone, called in ZONES.items()]
    assert len(told[0]) > 3000, "hollow: hardly anything was told"
    assert told[0] == told[1] == told[2]
