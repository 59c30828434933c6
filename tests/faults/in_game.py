"""
What drives a real game whose server is killed; copied into it as `world/faults.py`.

Some NPCs stand in a room and are spoken to, several times a second; after a few lines each lies
down, has its night, and is woken. What a process knows to be stored it writes to a file outside of
the game at once. When a file `quiet` stands there, nobody speaks any more; when all is at rest,
`report.json` says what there is.

"""

import json
import os
import random
import re
import string
import time
from pathlib import Path

from twisted.internet import reactor, task
from twisted.internet.defer import inlineCallbacks

FOLDER = Path(os.environ["FAULTS_FOLDER"])
MARK = re.compile(r"zq[a-p]{8}")
NPCS = int(os.environ.get("FAULTS_NPCS", "4"))
PACE = 0.12
LINES_A_DAY = 8
OPTIONS = {"llm_provider": "offline", "cooldown": "0", "player_cooldown": "0"}
RATES = {"tick_rate": "1", "tick_rate_sleep": "1"}


def at_server_start():
    """Called by Evennia."""
    reactor.callLater(0, _begin)


def note(name, text):
    """Add a line to a file, so that it outlives this process."""
    handle = os.open(FOLDER / name, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        os.write(handle, f"{text}\n".encode())
    finally:
        os.close(handle)


def _watch_answers():
    """Note which lines are answered, by what turn of what process."""
    from evennia_assistant.awake.turn import Turn

    spoken = Turn._spoken

    def noted(turn, *arguments):
        for percept in turn.percepts:
            for mark in MARK.findall(percept.words):
                note("answered", f"{os.getpid()} {id(turn)} {mark}")
        return spoken(turn, *arguments)

    Turn._spoken = noted


def _begin():
    _watch_answers()
    npcs = _npcs() or _make()
    note("lives", time.time())
    driver = _Driver(npcs)
    task.LoopingCall(driver.next).start(PACE)


def _npcs():
    from evennia_assistant.typeclasses.script import AssistantScript

    scripts = AssistantScript.objects.filter(db_key__startswith="assistant_fault")
    return [script.character for script in scripts.order_by("id")]


def _make():
    from evennia.utils.create import create_account, create_object, create_script

    from evennia_assistant.typeclasses.script import AssistantScript

    account = create_account("Everyone", "everyone@localhost", "a fine long password")
    made = []
    for number in range(NPCS):
        room = create_object("typeclasses.rooms.Room", key=f"Quay {number}", nohome=True)
        player = create_object(
            "typeclasses.characters.Character", key=f"Anna{number}", location=room, nohome=True
        )
        player.account = account
        npc = create_object(
            "typeclasses.characters.Npc", key=f"Bram{number}", location=room, nohome=True
        )
        script = create_script(AssistantScript, key=f"assistant_fault{number}")
        script.bind(f"fault{number}", npc)
        for option, value in {**OPTIONS, **RATES}.items():
            script.set_option(option, value)
        script.enable()
        made.append(npc)
    note("ready", NPCS)
    return made


class _Driver:
    def __init__(self, npcs):
        self.npcs = npcs
        self.turn = 0
        self.said = {npc.pk: random.randrange(LINES_A_DAY) for npc in npcs}
        self.reporting = False

    def next(self):
        npc = self.npcs[self.turn % len(self.npcs)]
        self.turn += 1
        quiet = (FOLDER / "quiet").exists()
        script = npc.assistant_script
        if script.db.operating_mode == "sleep":
            self._wake_if_it_may(npc, script)
        elif not quiet:
            self._talk(npc, script)
        elif not self.reporting and all(_at_rest(one) for one in self.npcs):
            self.reporting = True
            _report(self.npcs).addErrback(lambda failure: note("broken", failure.getTraceback()))
        elif not _at_rest(npc):
            self._lie_down(script)

    def _talk(self, npc, script):
        if self.said[npc.pk] >= LINES_A_DAY:
            self._lie_down(script)
            return
        self.said[npc.pk] += 1
        mark = "zq" + "".join(random.choice(string.ascii_lowercase[:16]) for _ in range(8))
        name = "".join(random.choice(string.ascii_lowercase) for _ in range(7))
        player = next(one for one in npc.location.contents if one.key.startswith("Anna"))
        note("said", mark)
        player.at_say(f"{npc.key}, my {name} is called {mark}.")
        if script.agent.decisions[-1][1].kind == "TRIGGER":
            note("acknowledged", f"{script.db.assistant_key} {mark}")

    def _lie_down(self, script):
        from evennia_assistant.asleep import modes

        if script.agent.runner.busy:
            return
        self.said[script.character.pk] = 0
        modes.order_sleep(script, "deep")

    def _wake_if_it_may(self, npc, script):
        from evennia_assistant.asleep import modes
        from evennia_assistant.asleep.night import night_of

        night = night_of(script)
        begun = night.data["started"] is not None and script.db.sleep_phase != "compacting"
        if begun and not night.is_open:
            modes.order_wake(script)


def _at_rest(npc):
    from evennia_assistant.memory.outbox import outbox_of

    script = npc.assistant_script
    return (
        script.db.operating_mode != "sleep"
        and not script.agent.has_work
        and not script.agent.runner.busy
        and not outbox_of(script).records
        and not any(npc.memory.journal.unconsolidated())
    )


@inlineCallbacks
def _report(npcs):
    from evennia.utils.dbserialize import deserialize

    from evennia_assistant.memory.semantic import semantic_memory

    report = {}
    for npc in npcs:
        key = npc.assistant_script.db.assistant_key
        chunks = npc.attributes.get(category="assistant_archive", return_list=True)
        archived = [entry for chunk in chunks if chunk for entry in deserialize(chunk)]
        live = deserialize(npc.attributes.get("journal"))["entries"]
        facts = yield semantic_memory().all(key)
        report[key] = {
            "entries": [
                {"content": entry["content"], "mentions": entry.get("mention_count", 1)}
                for entry in [*archived, *live]
                if entry.get("kind", "event") == "event"
            ],
            "facts": [{"text": fact.text, "key": fact.key} for fact in facts],
        }
    (FOLDER / "report.tmp").write_text(json.dumps(report))
    os.replace(FOLDER / "report.tmp", FOLDER / "report.json")
