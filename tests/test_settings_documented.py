"""An operator finds every setting and every option, with its default, in the documentation."""

import re
from pathlib import Path

import pytest

from evennia_assistant.conf import SETTINGS, setting
from evennia_assistant.errors import ConfigError
from evennia_assistant.typeclasses.options import OPTIONS

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs/settings.md").read_text(encoding="utf-8")
FLAT = " ".join(PAGE.split())


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_is_documented_in_its_own_words(name):
    assert f"### `{name}`" in PAGE
    assert " ".join(SETTINGS[name].doc.split()) in FLAT


@pytest.mark.parametrize("name", OPTIONS)
def test_every_option_is_documented_with_its_default(name):
    meaning, _kind, default = OPTIONS[name]
    shown = default if default != "" else "(empty)"
    assert f"| `{name}` | `{shown}` | {meaning} |" in PAGE


def test_nothing_is_documented_that_is_not_there():
    assert set(re.findall(r"^### `(ASSISTANT_\w+)`", PAGE, re.MULTILINE)) == set(SETTINGS)
    assert set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)) == set(OPTIONS)


def test_every_setting_the_package_reads_is_declared():
    used = set()
    for path in (ROOT / "evennia_assistant").rglob("*.py"):
        if "testing" not in path.parts:
            used.update(re.findall(r'setting\(\s*"(ASSISTANT_\w+)"', path.read_text()))
    assert used <= set(SETTINGS)


def test_a_mistyped_setting_is_an_error_that_names_the_right_ones():
    with pytest.raises(ConfigError, match="ASSISTANT_MODEL"):
        setting("ASSISTANT_MODLE")
