"""
Scenario files in EchoVessel's form, read from the folder that `ASSISTANT_SCENARIOS` names.

The files are no part of this project (MIT; `tests/eval/fixtures` of EchoVessel). Without the folder
each scenario is skipped by name; `own.py` has scenarios of our own in the same form, which always
run.

"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest


def scenario(name: str) -> dict[str, Any]:
    """
    A scenario by its `fixture_id`; the test is skipped where there is none.

    Args:
        name: For instance `e6_retrieval_relevance`.

    """
    folder = os.environ.get("ASSISTANT_SCENARIOS")
    if not folder:
        pytest.skip(f"{name}: set ASSISTANT_SCENARIOS to a folder of scenario files")
    yaml = pytest.importorskip("yaml", reason=f"{name}: needs PyYAML")
    file = Path(folder) / f"{name}.yaml"
    if not file.is_file():
        pytest.skip(f"{name}: there is no {file.name} in ASSISTANT_SCENARIOS")
    read: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return read
