"""What is published: the package with its data and nothing else, and it runs where it is put."""

import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
NOT_COPIED = shutil.ignore_patterns("__pycache__", "logs", "*.db3*", "secret_settings.py")

pytestmark = pytest.mark.slow


def files_under(folder):
    """The files of a folder as posix paths from its parent, without what Python and tools leave."""
    return {
        path.relative_to(folder.parent).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built from a copy so that the checkout stays as it is."""
    source = tmp_path_factory.mktemp("source")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    for name in ("evennia_assistant", "tests", "world", "server", "commands", "typeclasses"):
        shutil.copytree(ROOT / name, source / name, ignore=NOT_COPIED)
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", "dist", "."],
        cwd=source,
        check=True,
    )
    (built,) = (source / "dist").iterdir()
    return built


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """A new environment with the wheel; what the wheel needs comes from this one."""
    environment = tmp_path_factory.mktemp("environment")
    venv.create(environment, with_pip=False)
    python = environment / "bin/python"
    target = sysconfig.get_path("purelib", vars={"base": str(environment)})
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "-t", target, wheel],
        check=True,
    )
    # A path in a .pth file is searched last, and without the editable installs of that folder.
    (Path(target) / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    return python


def test_wheel_holds_the_package_and_nothing_else(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    held = {name for name in names if ".dist-info/" not in name}
    assert held == files_under(ROOT / "evennia_assistant")
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


RUN = """
import importlib, pathlib, pkgutil, sys
import django
django.setup()
import evennia, evennia_assistant
home = pathlib.Path(evennia_assistant.__file__)
assert home.is_relative_to(sys.prefix), f"ran from {home}, not from the wheel"
evennia._init()
for module in pkgutil.walk_packages(evennia_assistant.__path__, "evennia_assistant."):
    importlib.import_module(module.name)
for name in evennia_assistant.__all__:
    getattr(evennia_assistant, name)
print("every module runs")
"""


def test_wheel_runs_in_a_stock_game(installed, tmp_path):
    evennia = [installed, "-c", "from evennia.server.evennia_launcher import main; main()"]
    subprocess.run([*evennia, "--init", "stock"], cwd=tmp_path, check=True, capture_output=True)
    game = tmp_path / "stock"
    settings = game / "server/conf/settings.py"
    settings.write_text(settings.read_text() + 'INSTALLED_APPS += ["evennia_assistant"]\n')
    environment = {"PATH": "", "DJANGO_SETTINGS_MODULE": "server.conf.settings"}
    subprocess.run([*evennia, "migrate"], cwd=game, check=True, capture_output=True)
    done = subprocess.run(
        [installed, "-c", RUN], cwd=game, env=environment, capture_output=True, text=True
    )
    assert "every module runs" in done.stdout, done.stdout + done.stderr
