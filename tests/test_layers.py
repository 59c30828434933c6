"""Imports run one way: from what a player meets down to the pure mind, and never back."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "evennia_assistant"

# From the bottom up. A module may import its own level and those below it.
LEVELS = [
    {"errors", "mind"},
    {"conf"},
    {"llm", "memory"},
    {"perception", "prompts", "tools"},
    {"asleep", "awake"},
    {"typeclasses"},
    {"api", "commands", "web"},
    {"admin", "apps", "management", "testing"},
]
LEVEL = {name: level for level, names in enumerate(LEVELS) for name in names}
FRAMEWORKS = {"django", "evennia", "rest_framework", "twisted"}
MODULES = sorted(
    path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE or path.name != "__init__.py"
)


def dotted(path):
    """`evennia_assistant/mind/entry.py` as `["evennia_assistant", "mind", "entry"]`."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return list(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path):
    """Every module that a file imports anywhere in it, with its line."""
    package = path.relative_to(PACKAGE.parent).parent.parts
    for node in ast.walk(ast.parse(path.read_text(), path)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name.split(".")
        elif isinstance(node, ast.ImportFrom):
            above = list(package[: len(package) - node.level + 1]) if node.level else []
            base = above + (node.module.split(".") if node.module else [])
            for alias in node.names:
                yield node.lineno, [*base, alias.name]


def levels_of(path):
    """The file's level, and that of each of our own modules it imports."""
    for line, target in imports(path):
        if target[0] == PACKAGE.name and len(target) > 1 and target[1] in LEVEL:
            yield line, LEVEL[target[1]], ".".join(target)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: ".".join(dotted(path)[1:]))
def test_no_import_runs_back(path):
    part = dotted(path)[1]
    assert part in LEVEL, f"{part} has no level yet: give it one in LEVELS"
    back = [
        f"{path}:{line} imports {target}"
        for line, level, target in levels_of(path)
        if level > LEVEL[part]
    ]
    assert not back, "\n".join(back)


@pytest.mark.parametrize(
    "path", sorted((PACKAGE / "mind").rglob("*.py")), ids=lambda path: path.stem
)
def test_mind_knows_no_framework(path):
    known = [(line, target) for line, target in imports(path) if target[0] in FRAMEWORKS]
    assert not known, f"{path} imports {known}"


def test_relative_imports_are_seen(tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "PACKAGE", tmp_path / "evennia_assistant")
    path = tmp_path / "evennia_assistant/mind/entry.py"
    path.parent.mkdir(parents=True)
    path.write_text("from ..awake import turn\nfrom . import text\nimport evennia_assistant.web\n")
    assert [".".join(target) for _, target in imports(path)] == [
        "evennia_assistant.awake.turn",
        "evennia_assistant.mind.text",
        "evennia_assistant.web",
    ]
