"""The demo game of this repository, as its own scripts start and visit it."""

import os
from pathlib import Path

from evennia_assistant.testing.game import GameProcess
from evennia_assistant.testing.ports import Ports

ROOT = Path(__file__).resolve().parents[1]


def interface() -> str:
    """The address that the game listens on."""
    return os.environ.get("ASSISTANT_INTERFACE", "127.0.0.1")


def demo_game() -> GameProcess:
    """The game in this very folder, where the environment says that it listens."""
    return GameProcess(
        ROOT,
        Ports.from_environment(),
        host="127.0.0.1" if interface() == "0.0.0.0" else interface(),
        admin=os.environ.get("ASSISTANT_ADMIN_NAME", "admin"),
        password=os.environ.get("ASSISTANT_ADMIN_PASSWORD", "grey-gull-inn"),
    )
