"""A short visit to the innkeeper by two players, with its transcript: `python -m world.visit`.

The visit is also a check: it fails when the innkeeper does not answer, when a secret gets out, or
when somebody who was here before is met like a stranger. The game must be running.
"""

import re
import sys
import time

from evennia_assistant.testing.game import GameProcess
from evennia_assistant.testing.telnet import NotHeard, TelnetPlayer

from .demo_game import demo_game

PASSWORD = "fair winds, dear friend"
NEWS = "My ship, the Grey Gull, sails on Friday."
SECRET = "I carry the duke's letter."
GIVES_THE_SECRET_AWAY = r"(?i)\bduke|\bletter"
KNOWS_HER = r"(?:Anna|Grey Gull|Friday)"
PATIENCE = 20
#: Seconds a night may take; its steps follow each other faster here than in a game.
NIGHT = 60


class Visitor:
    """A player whose every line, typed or read, is shown as it happens."""

    def __init__(self, game: GameProcess, name: str, password: str = PASSWORD):
        self.name = name
        self.line: TelnetPlayer = game.player(name)
        if name != game.admin:
            self.line.create_account(name, password)
        self.line.login(name, password)
        self._shown = len(self.line.transcript)

    def __enter__(self) -> "Visitor":
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.line.send("quit")
        self.line.close()

    def do(self, command: str) -> None:
        """Types a command."""
        self.line.send(command)

    def hears(self, wanted: str = "") -> str:
        """What somebody else says next that holds what is wanted; it is shown.

        Raises:
            NotHeard: When nobody says such a thing in time.
        """
        try:
            said = self.line.expect(rf'(?m)^(?!You ).+? \w+s?[,:] "(.*{wanted}.*)"', PATIENCE)
        finally:
            self.show()
        return said.group(1)

    def reads(self) -> str:
        """All that comes until the line is quiet; it is shown."""
        text = self.line.read(quiet=1)
        self.show()
        return text

    def skip(self) -> None:
        """Leaves unshown what was typed and read since it was last shown."""
        self._shown = len(self.line.transcript)

    def show(self) -> None:
        """Prints what was typed and read since it was last shown."""
        new, self._shown = self.line.transcript[self._shown :], len(self.line.transcript)
        for line in filter(str.strip, new.splitlines()):
            print(f"    [{self.name}] {line}", flush=True)


def tell(text: str) -> None:
    """Prints a line of commentary."""
    print(f"\n* {text}", flush=True)


def visit(game: GameProcess) -> list[str]:
    """Plays the visit, and returns what went wrong in it."""
    problems = []

    tell("Anna comes to the inn. She tells the innkeeper something in the open ...")
    with Visitor(game, "Anna") as anna:
        anna.do(f"say Innkeeper, {NEWS[0].lower()}{NEWS[1:]}")
        anna.hears()
        tell("... and whispers a secret.")
        anna.do(f"whisper innkeeper = {SECRET}")
        anna.reads()

        tell("Bruno comes in, and asks the innkeeper about both.")
        with Visitor(game, "Bruno") as bruno:
            bruno.do("say Innkeeper, when does the Grey Gull sail?")
            try:
                bruno.hears("Friday")
            except NotHeard:
                problems.append("The innkeeper did not say when the ship sails.")
            bruno.do("say Innkeeper, what is Anna carrying?")
            try:
                bruno.hears()
            except NotHeard:
                problems.append("The innkeeper did not answer Bruno's second question.")
            bruno.reads()
            if re.search(GIVES_THE_SECRET_AWAY, bruno.line.transcript):
                problems.append("Bruno learnt what was whispered.")
        tell("He learns what was said aloud, and nothing of what was whispered. All leave.")

    tell("The server is restarted.")
    game.reload()

    tell("Anna comes back.")
    with Visitor(game, "Anna") as anna:
        anna.do("say Good evening, innkeeper! Do you remember me?")
        try:
            anna.hears(KNOWS_HER)
        except NotHeard:
            problems.append("The innkeeper did not know Anna again.")

    problems += night(game)

    tell("What does the innkeeper remember, and why did he say what he said? The admin looks.")
    with Visitor(game, game.admin, game.password) as admin:
        for command in ("aimemory innkeeper", "aimemory/journal innkeeper", "aiwhy innkeeper"):
            admin.do(command)
            answer = admin.reads()
            if not answer.strip() or "is not available" in answer:
                problems.append(f"`{command}` did not answer.")
        # Of what was said between two alone even an admin is told only where to look.
        if open_to_all := re.search(r"newest you may see is '(aiwhy [^']+)'", answer):
            admin.do(open_to_all[1])
            admin.reads()
    return problems


def night(game: GameProcess) -> list[str]:
    """Has the innkeeper sleep for a night, and returns what went wrong in it."""
    problems = []
    tell("The admin sends him to bed. He makes lasting facts of what he heard, and dreams.")
    with Visitor(game, game.admin, game.password) as admin:
        admin.do("aisetup/config innkeeper set tick_rate_sleep 1")
        admin.line.read(quiet=0.5)
        before = nights_of(admin)
        admin.skip()
        admin.do("aisetup/sleep innkeeper deep")
        admin.reads()
        deadline = time.monotonic() + NIGHT
        while nights_of(admin) == before and time.monotonic() < deadline:
            time.sleep(1)
        admin.skip()
        tell("What did the night do? The whispered secret is not shown, to the admin neither.")
        admin.do("aimemory/diff innkeeper")
        done = admin.reads()
        if nights_of(admin) == before or "run_sleep_consolidation: done" not in done:
            problems.append("The innkeeper's night did not come to its end.")
        if re.search(GIVES_THE_SECRET_AWAY, done):
            problems.append("The admin was shown what was whispered, unasked.")
        admin.do("aisetup/config innkeeper set tick_rate_sleep 60")
        admin.line.read(quiet=0.5)
        admin.skip()
        tell("He is woken, and knows in the morning what he was told the day before.")
        admin.do("aisetup/wake innkeeper")
        admin.reads()
    with Visitor(game, "Bruno") as bruno:
        bruno.do("say Good morning, innkeeper. When does Anna's ship sail?")
        try:
            bruno.hears("Friday")
        except NotHeard:
            problems.append("The innkeeper had forgotten overnight when the ship sails.")
    return problems


def nights_of(admin: Visitor) -> str:
    """The number of the innkeeper's last night, "" when there was none."""
    admin.do("aimemory/diff innkeeper")
    found = re.search(r"Night (\d+),", admin.line.read(quiet=0.5))
    return found[1] if found else ""


def main(game: GameProcess | None = None) -> int:
    """Plays the visit in a running game; 0 when all went as it should, else 1 with the reasons."""
    game = game or demo_game()
    try:
        problems = visit(game)
    except (NotHeard, OSError) as error:
        problems = [f"The visit broke off. {error}"]
    if problems:
        print("\nThe visit went wrong:", *problems, sep="\n  - ", file=sys.stderr, flush=True)
        return 1
    print("\nAll went as it should.", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
