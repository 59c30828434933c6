"""Coroutines on a thread of their own, and what a reload does to them."""

import asyncio
import os
import subprocess
import sys
import threading

import pytest
from twisted.internet.defer import CancelledError
from twisted.python import log

from evennia_assistant.llm.loop import LoopThread, at_stop


@pytest.fixture
def thread():
    loop = LoopThread()
    yield loop
    loop.stop()


async def give(value):
    return value


async def never():
    await asyncio.Event().wait()


def run(code):
    """What a new interpreter prints; it must end by itself."""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr.strip()


def test_there_is_no_thread_until_something_is_asked(thread, wait):
    assert not thread.running
    assert wait(thread.run(give(1))) == 1
    assert thread.running


def test_results_come_on_the_reactor_thread_and_work_is_done_on_another(thread, wait):
    async def where():
        return threading.current_thread()

    fired_on = []
    deferred = thread.run(where())
    deferred.addCallback(lambda worker: fired_on.append(threading.current_thread()) or worker)
    worker = wait(deferred)
    assert fired_on == [threading.current_thread()]
    assert worker is not threading.current_thread()
    assert worker.daemon


def test_all_share_one_thread(thread, wait):
    async def where():
        await asyncio.sleep(0)
        return threading.get_ident()

    assert len({wait(call) for call in [thread.run(where()) for _ in range(20)]}) == 1


def test_an_exception_arrives_as_it_was_raised(thread, wait):
    async def fail():
        raise KeyError("ring")

    with pytest.raises(KeyError, match="ring"):
        wait(thread.run(fail()))


def test_cancelling_the_deferred_cancels_the_coroutine(thread, wait):
    started, ended = threading.Event(), threading.Event()

    async def work():
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    deferred = thread.run(work())
    started.wait(10)
    deferred.cancel()
    with pytest.raises(CancelledError):
        wait(deferred)
    assert ended.wait(10)
    wait.until(lambda: thread.pending == 0)


def test_a_result_too_late_for_a_cancelled_deferred_is_dropped(thread, wait):
    deferred = thread.run(give(1))
    failures, logged = [], []
    deferred.addErrback(failures.append)
    deferred.cancel()
    log.addObserver(logged.append)
    wait.until(lambda: thread.pending == 0)
    log.removeObserver(logged.append)
    assert failures[0].check(CancelledError)
    assert not [event for event in logged if event["isError"]]


def test_a_coroutine_that_cancels_itself_fails_its_deferred(thread, wait):
    async def give_up():
        raise asyncio.CancelledError

    with pytest.raises(CancelledError):
        wait(thread.run(give_up()))


def test_cancel_all_leaves_the_thread_for_the_next(thread, wait):
    calls = [thread.run(never()) for _ in range(3)]
    thread.cancel_all()
    for call in calls:
        with pytest.raises(CancelledError):
            wait(call)
    assert wait(thread.run(give(2))) == 2


def test_stop_cancels_all_and_the_next_call_starts_anew(thread, wait):
    cleaned = threading.Event()

    async def work():
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            cleaned.set()

    first = wait(thread.run(where_am_i()))
    call = thread.run(work())
    wait(thread.run(give(0)))
    thread.stop()
    assert not thread.running
    with pytest.raises(CancelledError):
        wait(call)
    assert cleaned.wait(10)
    assert wait(thread.run(where_am_i())) is not first
    first.join(10)
    assert not first.is_alive()


async def where_am_i():
    return threading.current_thread()


def test_what_must_be_closed_is_closed_at_the_stop_even_if_one_of_it_fails(thread, wait):
    closed = threading.Event()

    async def broken():
        raise OSError("already gone")

    async def close():
        await asyncio.sleep(0)
        closed.set()

    async def use():
        at_stop(broken)
        at_stop(close)

    wait(thread.run(use()))
    assert not closed.is_set()
    thread.stop()
    assert closed.wait(10)


def test_stop_without_a_start_is_nothing(thread):
    thread.stop()
    thread.cancel_all()
    assert not thread.running


def test_a_name_server_that_does_not_answer_does_not_hold_up_a_reload():
    out, err = run(
        "import asyncio, threading, time\n"
        "from twisted.internet import reactor\n"
        "from evennia_assistant.llm import loop\n"
        "began = threading.Event()\n"
        "def lookup():\n"
        "    began.set()\n"
        "    time.sleep(3600)\n"
        "loop.run(asyncio.to_thread(lookup)).addErrback(lambda failure: None)\n"
        "began.wait(10)\n"
        "loop.stop()\n"
        "print('out')\n"
    )
    assert (out, err) == ("out", "")


def test_a_server_that_is_killed_without_a_goodbye_ends_quietly():
    out, err = run(
        "import asyncio\n"
        "from twisted.internet import reactor\n"
        "from evennia_assistant.llm import loop\n"
        "async def never():\n"
        "    await asyncio.Event().wait()\n"
        "loop.run(never())\n"
        "print('out')\n"
    )
    assert (out, err) == ("out", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_fork_gets_a_thread_of_its_own():
    code = (
        "import os, warnings\n"
        "warnings.simplefilter('ignore', DeprecationWarning)\n"
        "from twisted.internet import reactor\n"
        "from evennia_assistant.llm import loop\n"
        "async def pid():\n"
        "    return os.getpid()\n"
        "def ask():\n"
        "    got = []\n"
        "    loop.run(pid()).addCallback(got.append)\n"
        "    while not got:\n"
        "        reactor.iterate(0.01)\n"
        "    return got == [os.getpid()]\n"
        "mine = ask()\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    os._exit(0 if ask() else 1)\n"
        "print(mine, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    assert run(code)[0] == "True 0"
