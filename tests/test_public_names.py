"""The public face: sorted, importable, documented, and cheap to load."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import evennia_assistant

ROOT = Path(__file__).resolve().parents[1]


def test_names_are_sorted_and_unique():
    assert evennia_assistant.__all__ == sorted(set(evennia_assistant.__all__))


def test_names_and_homes_agree():
    assert set(evennia_assistant.__all__) == set(evennia_assistant._HOME)


@pytest.mark.parametrize("name", evennia_assistant.__all__)
def test_name_is_importable(name):
    assert getattr(evennia_assistant, name).__name__ == name


def test_unknown_name():
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        evennia_assistant.Nothing  # noqa: B018


def test_names_are_documented():
    documented = re.findall(r"^#+ `(\w+)`", (ROOT / "docs/api.md").read_text(), re.MULTILINE)
    assert documented == evennia_assistant.__all__


def run(code, **environment):
    """What a new interpreter prints for the code, with nothing set up."""
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={"PATH": "", **environment},
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()


def test_import_loads_nothing_heavy():
    heavy = ("mem0", "openai", "qdrant_client", "numpy", "django.db", "evennia", "twisted")
    code = f"import evennia_assistant, sys; print([m for m in {heavy} if m in sys.modules])"
    assert run(code) == "[]"


def test_mem0_is_kept_quiet_and_at_home():
    code = "import evennia_assistant, os; print(os.environ['MEM0_TELEMETRY'], {})"
    folder = "os.environ['MEM0_DIR']"
    assert run(code.format(folder)) == f"False {ROOT / 'server/assistant/mem0'}"
    assert run(code.format(folder), MEM0_DIR="/elsewhere").endswith(" /elsewhere")
