"""Starts the demo game, shows a short visit, and says how to join: `python -m world.play`.

`python -m world.play stop` ends the game. Both may be run again and again.
"""

import argparse
import sys

from evennia_assistant.testing.game import GameError, GameProcess
from evennia_assistant.testing.ports import Ports

from . import visit
from .demo_game import demo_game, interface


def say(text: str) -> None:
    """Prints at once, also into a pipe."""
    print(text, flush=True)


def bring_up(game: GameProcess) -> None:
    """The game runs with the code as it is now, whatever ran or half ran before."""
    running = game.is_running()
    if not running and game.is_running("portal"):
        say("A part of this game still runs; ending it ...")
        game.stop()
    if not running and (busy := game.ports.busy(interface())):
        raise GameError(explain_busy(busy))

    say("Preparing the database ...")
    game.prepare()
    if not running:
        say("Starting the server (about ten seconds) ...")
        game.start()
    elif game.is_ready():
        say("The game is running already; reloading it ...")
        game.reload()
    else:
        say("The game is running, but not where the environment says; restarting it ...")
        game.stop()
        game.start()


def explain_busy(busy: dict[str, int]) -> str:
    """Which ports somebody else listens on, and how to choose others."""
    lines = [f"Port {port} is taken by another program." for port in busy.values()]
    settings = " ".join(f"{Ports.variable(name)}={port + 1000}" for name, port in busy.items())
    return "\n".join([*lines, f"Choose another, for example: {settings} make play"])


def how_to_join(game: GameProcess) -> str:
    """What a person needs to know to walk in."""
    return (
        "\nThe game goes on without us. Come in:\n"
        f"  telnet      telnet {game.host} {game.ports.telnet}\n"
        f"  web client  {game.url('/webclient/')}\n"
        f"  admin       connect {game.admin} {game.password}\n"
        "  a player    create <name> <password>\n"
        "`make stop` ends it; `make play` again shows the visit again."
    )


def play() -> int:
    """Brings the game up, plays the visit, and returns the visit's exit code."""
    game = demo_game()
    bring_up(game)
    code = visit.main(game)
    say(how_to_join(game))
    return code


def stop() -> int:
    """Ends the game, if it runs."""
    game = demo_game()
    if not (game.is_running() or game.is_running("portal")):
        say("The game is not running.")
        return 0
    game.stop()
    say("The game has stopped.")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m world.play", description=__doc__)
    parser.add_argument("action", nargs="?", choices=["play", "stop"], default="play")
    arguments = parser.parse_args()
    try:
        return stop() if arguments.action == "stop" else play()
    except GameError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
