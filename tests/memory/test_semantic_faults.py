"""
What may happen to the place facts are kept in: each is named, says what to do, and passes.

Real Mem0, real files, a real second process, a real server that is not there.

"""

import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from twisted.internet.defer import CancelledError

from evennia_assistant.errors import ConfigError, MemoryFault, SemanticMemoryError
from evennia_assistant.memory import mem0_places, semantic
from evennia_assistant.memory.mem0_config import read_config
from evennia_assistant.memory.mem0_memory import PAUSE
from evennia_assistant.memory.mem0_places import Folders
from evennia_assistant.memory.mem0_rows import Mem0Rows
from evennia_assistant.testing import FakeClock

from tests.facts import fact
from tests.memory.conftest import pgvector_config, spin_until, thread_is_gone

CANARY = "canary-7d1c-in-the-well"


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture
def watched(in_folders, opened, clock):
    """A semantic memory in folders whose pauses the test ends; `told` is what keepers hear."""
    memory = opened(clock=clock)
    memory.told = []
    memory.listener = lambda user_id, error: memory.told.append(
        (user_id, None if error is None else error.fault)
    )
    return memory


@pytest.fixture
def another_process(folder):
    """A process that has an NPC's folder open; gives what ends it."""
    folder.mkdir(parents=True, exist_ok=True)
    code = (
        "import sys\n"
        "from qdrant_client import QdrantClient\n"
        "client = QdrantClient(path=sys.argv[1])\n"
        "print('open', flush=True)\n"
        "sys.stdin.read()\n"
        "client.close()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(folder / "bram")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline() == "open\n"

        def end():
            process.stdin.close()
            process.wait(20)

        yield end
        end()


def failure(wait, deferred, fault):
    with pytest.raises(SemanticMemoryError) as caught:
        wait(deferred)
    assert caught.value.fault is fault, caught.value
    return str(caught.value)


def files(path):
    return [os.path.join(base, name) for base, _dirs, names in os.walk(path) for name in names]


# Another process ----------------------------------------------------------------------------------


def test_a_folder_in_use_by_another_process_is_named_and_used_when_it_is_free(
    another_process, watched, wait, clock, folder, monkeypatch
):
    monkeypatch.setattr(mem0_places, "PATIENCE", 0.5)
    said = failure(wait, watched.add("bram", [fact(1)]), MemoryFault.LOCKED)
    assert str(folder / "bram") in said and "ASSISTANT_MEM0_CONFIG" in said
    assert len(wait(watched.add("mary", [fact(1, user="mary")]))) == 1
    again = failure(wait, watched.all("bram"), MemoryFault.LOCKED)
    assert "tried again in 30 s" in again
    another_process()
    clock.advance(PAUSE + 1)
    assert len(wait(watched.add("bram", [fact(1)]))) == 1
    assert watched.told == [("bram", MemoryFault.LOCKED), ("bram", None)]
    assert watched.trouble("bram") is None


def test_a_process_that_ends_in_a_moment_is_waited_for(another_process, watched, wait):
    threading.Timer(0.5, another_process).start()
    assert len(wait(watched.add("bram", [fact(1)]))) == 1
    assert watched.told == []


def test_a_closed_memory_leaves_no_lock_and_no_thread(in_folders, opened, wait):
    first = opened()
    wait(first.add("bram", [fact(1)]))
    first.close()
    spin_until(thread_is_gone)
    assert len(wait(opened().all("bram"))) == 1


# Files --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["add", "all", "find_by_keys", "search"])
def test_a_folder_removed_while_in_use_takes_nothing_more(watched, wait, clock, folder, method):
    wait(watched.add("bram", [fact(1)]))
    shutil.rmtree(folder / "bram")
    argument = {"add": [fact(2)], "find_by_keys": [fact(1).key], "search": "ring"}.get(method)
    call = getattr(watched, method)
    said = failure(
        wait, call("bram", *([] if argument is None else [argument])), MemoryFault.UNAVAILABLE
    )
    assert "aimemory/verify bram = heal" in said
    assert wait(watched.all("mary")) == []
    clock.advance(PAUSE + 1)
    assert wait(watched.all("bram")) == []
    wait(watched.add("bram", [fact(3)]))
    assert len(wait(watched.all("bram"))) == 1
    assert watched.told == [("bram", MemoryFault.UNAVAILABLE), ("bram", None)]


@pytest.mark.parametrize("damage", ["garbage", "cut", "meta", "no meta", "rows"])
def test_files_that_cannot_be_read_are_named_and_left_alone(
    watched, opened, wait, clock, folder, damage
):
    wait(watched.add("bram", [fact(n) for n in range(30)]))
    watched.close()
    spin_until(thread_is_gone)
    storage = next(name for name in files(folder / "bram") if name.endswith("storage.sqlite"))
    meta = folder / "bram" / "meta.json"
    if damage == "garbage":
        with open(storage, "wb") as file:
            file.write(b"not a database " * 1000)
    elif damage == "cut":
        os.truncate(storage, os.path.getsize(storage) // 2)
    elif damage == "meta":
        meta.write_text('{"collections": {"a')
    elif damage == "no meta":
        meta.unlink()
    else:
        subprocess.run(
            [
                sys.executable,
                "-c",
                "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); "
                "c.execute(\"UPDATE points SET point = x'00'\"); c.commit()",
                storage,
            ],
            check=True,
        )
    before = {name: os.stat(name).st_size for name in files(folder / "bram")}
    memory = opened(clock=clock)
    said = failure(wait, memory.all("bram"), MemoryFault.CORRUPT)
    assert "aimemory/verify bram = heal" in said and str(folder / "bram") in said
    assert {name: os.stat(name).st_size for name in files(folder / "bram")} == before
    assert len(wait(memory.add("mary", [fact(1, user="mary")]))) == 1
    aside = wait(memory.set_aside("bram"))
    assert {os.path.basename(name) for name in files(aside)} >= {
        os.path.basename(name) for name in before
    }
    assert wait(memory.all("bram")) == []
    assert len(wait(memory.add("bram", [fact(1)]))) == 1


def test_a_folder_that_cannot_be_made_is_named(settings, opened, wait, tmp_path):
    (tmp_path / "file").write_text("in the way")
    settings.ASSISTANT_MEM0_CONFIG = {"path": str(tmp_path / "file")}
    said = failure(wait, opened().add("bram", [fact(1)]), MemoryFault.UNAVAILABLE)
    assert str(tmp_path / "file") in said


def test_what_a_failed_write_left_in_memory_is_not_taken_for_stored(
    watched, wait, clock, monkeypatch
):
    """A disk that is full: Qdrant has the row in memory, and not in its file."""
    wait(watched.add("bram", [fact(1)]))
    from qdrant_client.local.persistence import CollectionPersistence

    with monkeypatch.context() as patched:
        import sqlite3

        def full(self, point):
            raise sqlite3.OperationalError("database or disk is full")

        patched.setattr(CollectionPersistence, "persist", full)
        said = failure(wait, watched.add("bram", [fact(2)]), MemoryFault.UNAVAILABLE)
    assert "disk is full" in said
    clock.advance(PAUSE + 1)
    assert list(wait(watched.find_by_keys("bram", [fact(1).key, fact(2).key]))) == [fact(1).key]


def test_what_is_removed_is_not_in_the_files_either(watched, wait, folder):
    (fact_id,) = wait(watched.add("bram", [fact(1, f"The gold is {CANARY}.")]))
    assert any(CANARY.encode() in Path(name).read_bytes() for name in files(folder))
    wait(watched.delete("bram", [fact_id]))
    watched.close()
    spin_until(thread_is_gone)
    assert [name for name in files(folder) if CANARY.encode() in Path(name).read_bytes()] == []


@pytest.mark.parametrize("key", ["Bram the Old", "../../etc", "brämé", "x" * 300, "A", "a"])
def test_any_key_of_an_npc_has_a_folder_of_its_own_below_the_root(in_folders, folder, key):
    places = Folders(read_config())
    assert places.path_of(key).parent == folder
    assert len({places.path_of(k) for k in (key, key + "2", key.upper() + "_")}) == 3


def test_only_those_used_last_are_in_memory(watched, wait, monkeypatch):
    monkeypatch.setattr(mem0_places, "MOST_ROWS", 5)
    for name in ("bram", "mary", "tom"):
        wait(watched.add(name, [fact(n, user=name) for n in range(3)]))
        wait(watched.find_by_keys(name, [fact(1, user=name).key]))
    assert list(watched._place._open) == ["tom"]
    assert len(wait(watched.all("bram"))) == 3


# Hanging ------------------------------------------------------------------------------------------


def test_a_call_that_hangs_is_given_up_and_the_folder_used_again_when_it_ends(
    in_folders, opened, wait, clock, monkeypatch
):
    memory = opened(clock=clock, time_limit=0.3)
    told = []
    memory.listener = lambda user_id, error: told.append((user_id, error and error.fault))
    monkeypatch.setattr(memory, "_time_limit", 5)
    wait(memory.add("bram", [fact(1)]))
    memory._worker.time_limit = 0.3
    go_on, add = threading.Event(), Mem0Rows.add

    def hang(self, user_id, facts):
        go_on.wait(20)
        return add(self, user_id, facts)

    with monkeypatch.context() as patched:
        patched.setattr(Mem0Rows, "add", hang)
        hanging, behind = memory.add("bram", [fact(2)]), memory.all("mary")
        began = time.monotonic()
        failure(wait, hanging, MemoryFault.TIMED_OUT)
        failure(wait, behind, MemoryFault.TIMED_OUT)
        assert time.monotonic() - began < 3
    clock.advance(PAUSE + 1)
    assert "hangs" in failure(wait, memory.all("mary"), MemoryFault.TIMED_OUT)
    assert told == [("", MemoryFault.TIMED_OUT)]
    go_on.set()
    spin_until(thread_is_gone)
    clock.advance(PAUSE + 1)
    # What hung was done after all, and is found by its key.
    assert list(wait(memory.find_by_keys("bram", [fact(2).key]))) == [fact(2).key]
    assert told[-1] == ("", None)


def test_with_a_server_others_go_on_while_a_call_hangs(
    settings, opened, wait, clock, monkeypatch, request
):
    from tests.postgres import new_database

    settings.ASSISTANT_MEM0_CONFIG = pgvector_config(new_database())
    memory = opened(clock=clock)
    wait(memory.add("bram", [fact(1)]))
    memory._worker.time_limit = 0.3
    go_on = threading.Event()
    request.addfinalizer(go_on.set)
    with monkeypatch.context() as patched:
        patched.setattr(Mem0Rows, "search", lambda *args: go_on.wait(20))
        failure(wait, memory.search("bram", "ring"), MemoryFault.TIMED_OUT)
    clock.advance(PAUSE + 1)
    assert len(wait(memory.all("bram"))) == 1
    go_on.set()


def test_closing_breaks_off_what_is_under_way_at_once(watched, wait, monkeypatch):
    wait(watched.all("bram"))
    go_on = threading.Event()
    monkeypatch.setattr(Mem0Rows, "rows", lambda *args: go_on.wait(20) and [])
    running, waiting = watched.all("bram"), watched.all("bram")
    began = time.monotonic()
    watched.close()
    assert time.monotonic() - began < 0.2
    for deferred in (running, waiting):
        with pytest.raises(CancelledError):
            wait(deferred)
    go_on.set()
    spin_until(thread_is_gone)


def test_too_many_calls_at_once_are_refused_and_not_piled_up(watched, wait, monkeypatch):
    wait(watched.all("bram"))
    watched._worker.most_waiting = 2
    calls = [watched.all("bram") for _ in range(3)]
    assert len([wait(call) for call in calls[:2]]) == 2
    failure(wait, calls[2], MemoryFault.BUSY)
    assert watched.told == []


def test_the_game_hears_nothing_while_mem0_works(watched, wait):
    """Every call is made off the reactor thread, and answered on it."""
    seen = []
    found = watched.add("bram", [fact(1)])
    assert not found.called
    found.addCallback(lambda _: seen.append(threading.current_thread()))
    wait(found)
    assert seen == [threading.current_thread()]
    assert [thread.daemon for thread in threading.enumerate() if "assistant" in thread.name] == [
        True
    ]


# A server -----------------------------------------------------------------------------------------


def test_a_server_out_of_reach_is_named_without_its_password(
    settings, opened, wait, clock, monkeypatch
):
    pytest.importorskip("psycopg")
    monkeypatch.setattr(mem0_places, "CONNECT_TIMEOUT", 0.5)
    settings.ASSISTANT_MEM0_CONFIG = pgvector_config("postgresql://u:hunter2@127.0.0.1:9/x")
    memory = opened(clock=clock)
    told = []
    memory.listener = lambda user_id, error: told.append(user_id)
    said = failure(wait, memory.add("bram", [fact(1)]), MemoryFault.UNAVAILABLE)
    assert "pgvector server" in said and "hunter2" not in said
    began = time.monotonic()
    said = failure(wait, memory.all("mary"), MemoryFault.UNAVAILABLE)
    assert time.monotonic() - began < 0.2 and "tried again in 30 s" in said
    assert told == [""]


# Settings -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "hint"),
    [
        ([1], "must be a dict"),
        ({"paht": "x"}, "paht"),
        ({"path": "x", "hosted": {}}, "one of path"),
        ({"vector_store": "pgvector"}, "needs a provider"),
        ({"vector_store": {"provider": "qdrant", "config": {}}}, "url"),
        (
            {"vector_store": {"provider": "chroma"}, "embedder": {"provider": "openai"}},
            "embedding_model_dims",
        ),
    ],
)
def test_unusable_settings_say_what_is_wrong(settings, opened, wait, config, hint):
    settings.ASSISTANT_MEM0_CONFIG = config
    with pytest.raises(ConfigError, match=hint):
        read_config()
    assert hint in failure(wait, opened().all("bram"), MemoryFault.UNAVAILABLE)


def test_an_embedder_that_is_not_installed_is_named(settings, opened, wait):
    settings.ASSISTANT_EMBEDDER = "nonsense"
    assert "nonsense" in failure(wait, opened().all("bram"), MemoryFault.UNAVAILABLE)


def test_facts_are_below_the_games_server_folder_by_default(settings):
    settings.ASSISTANT_MEM0_CONFIG = {}
    assert str(read_config().path) == os.path.join(
        settings.GAME_DIR, "server", "assistant", "facts"
    )


# The seam -----------------------------------------------------------------------------------------


def test_the_mem0_that_is_installed_has_the_parts_we_hold_on_to(in_folders, tmp_path):
    """They are not public: a new Mem0 may move them, and this is where that shows first."""
    from mem0 import Memory
    from mem0.configs.base import MemoryConfig
    from mem0.utils.factory import EmbedderFactory, LlmFactory

    from evennia_assistant.memory.mem0_config import open_mem0
    from evennia_assistant.memory.mem0_parts import PROVIDER, NoHistory, OurEmbedder

    memory = open_mem0(read_config(), tmp_path / "npc")
    try:
        assert isinstance(memory, Memory)
        assert EmbedderFactory.provider_to_class[PROVIDER].endswith("OurEmbedder")
        assert PROVIDER in LlmFactory.provider_to_class
        assert isinstance(memory.embedding_model, OurEmbedder)
        assert isinstance(memory.db, NoHistory)
        assert memory.collection_name == "assistant_facts_hashing_512"
        with pytest.raises(ValueError, match="Unsupported embedding provider"):
            MemoryConfig(embedder={"provider": PROVIDER, "config": {}})
    finally:
        mem0_places._let_go(memory)


def test_mem0_opens_no_socket_and_no_thread_of_its_own(tmp_path):
    code = (
        "import socket, sys, threading\n"
        "def no(*args, **kwargs): raise SystemExit('a socket was opened')\n"
        "socket.socket.connect = no\n"
        "socket.getaddrinfo = no\n"
        "import evennia_assistant\n"
        "from pathlib import Path\n"
        "from evennia_assistant.memory.mem0_config import Mem0Config, open_mem0\n"
        "store = {'collection_name': 'c', 'embedding_model_dims': 512}\n"
        "memory = open_mem0(Mem0Config(store=store), Path(sys.argv[1]))\n"
        "memory.add('A ring.', user_id='bram', infer=False)\n"
        "print(len(memory.get_all(filters={'user_id': 'bram'})['results']))\n"
        "print([thread.name for thread in threading.enumerate()])\n"
        "memory.vector_store.client.close()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "npc")],
        env={**os.environ, "MEM0_DIR": str(tmp_path / "mem0")},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:2] == ["1", "['MainThread']"]
    assert done.stderr == ""


def test_the_process_has_one_until_it_is_shut_down(in_folders, wait):
    memory = semantic.semantic_memory()
    assert semantic.semantic_memory() is memory
    wait(memory.add("bram", [fact(1)]))
    semantic.shutdown()
    semantic.shutdown()
    spin_until(thread_is_gone)
    assert semantic.semantic_memory() is not memory
    semantic.shutdown()
