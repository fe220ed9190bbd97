"""Alarms end a read that takes too long: with real sockets, threads, tasks and processes."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from time import monotonic

import pytest

from tests.colours import bounded
from tests.http_clients import no_thread_left
from untorn.alarm import NEVER, Alarm, TaskAlarm

SOON = 0.02
LATER = 60.0


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Two ends of one connection. Reading from the first one blocks without end."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def alarm_of(sock: socket.socket) -> Alarm:
    return Alarm(lambda: sock.shutdown(socket.SHUT_RDWR))


Pair = tuple[socket.socket, socket.socket]


def test_a_read_that_is_blocked_ends_when_the_alarm_rings(pair: Pair) -> None:
    alarm = alarm_of(pair[0])
    alarm.set(monotonic() + SOON)
    assert pair[0].recv(1) == b""
    assert alarm.stop()
    assert not alarm.stop()
    alarm.end()
    no_thread_left()


def test_a_read_with_a_timeout_of_its_own_ends_too(pair: Pair) -> None:
    pair[0].settimeout(LATER)
    alarm = alarm_of(pair[0])
    alarm.set(monotonic() + SOON)
    assert pair[0].recv(1) == b""
    assert alarm.stop()
    alarm.end()


def test_an_alarm_that_was_stopped_does_not_ring(pair: Pair) -> None:
    alarm, other = alarm_of(pair[0]), alarm_of(pair[1])
    alarm.set(monotonic() + SOON)
    assert not alarm.stop()
    other.set(monotonic() + 2 * SOON)
    assert pair[1].recv(1) == b""  # so the time of the first one is over, too
    assert not alarm.stop()
    assert other.stop()
    alarm.end()
    other.end()
    no_thread_left()


def test_a_later_read_is_watched_by_the_same_alarm(pair: Pair) -> None:
    alarm = alarm_of(pair[0])
    alarm.set(monotonic() + LATER)
    first, second = socket.socketpair()
    with first, second:
        other = alarm_of(first)
        other.set(monotonic() + SOON)
        assert first.recv(1) == b""  # now the watch looks again after LATER
        other.end()
    assert not alarm.stop()
    alarm.set(monotonic() + 2 * LATER)
    assert not alarm.stop()
    alarm.set(monotonic() + SOON)
    assert pair[0].recv(1) == b""
    assert alarm.stop()
    alarm.end()
    no_thread_left()


def test_many_alarms_have_one_thread(pair: Pair) -> None:
    alarms = [alarm_of(pair[0]) for _ in range(5)]
    for alarm in alarms:
        alarm.set(monotonic() + LATER)
    assert [thread.name for thread in threading.enumerate()].count("untorn") == 1
    for alarm in alarms:
        alarm.end()
    no_thread_left()


def test_what_cannot_be_ended_is_not_watched() -> None:
    alarm = Alarm(None)
    alarm.set(monotonic() + LATER)
    assert not alarm.stop()
    alarm.end()
    no_thread_left()


def test_who_waits_for_ever_needs_no_watch(pair: Pair) -> None:
    alarm = alarm_of(pair[0])
    alarm.set(NEVER)
    assert "untorn" not in [thread.name for thread in threading.enumerate()]
    alarm.end()


def test_a_connection_that_is_gone_already_is_no_matter() -> None:
    rang = threading.Event()

    def ring() -> None:
        rang.set()
        raise OSError("not connected")

    alarm = Alarm(ring)
    alarm.set(monotonic() + SOON)
    assert rang.wait(LATER)
    alarm.end()
    no_thread_left()


FORK = """
import os, socket, sys
from time import monotonic
from untorn.alarm import Alarm

ours, theirs = socket.socketpair()
alarm = Alarm(lambda: ours.shutdown(socket.SHUT_RDWR))
alarm.set(monotonic() + 60)
if (child := os.fork()) == 0:
    alarm.set(monotonic() + 0.02)
    os._exit(0 if ours.recv(1) == b"" and alarm.stop() else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_after_a_fork_the_child_has_a_watch_of_its_own() -> None:
    # Newer Pythons warn of every fork beside a thread; here it is meant.
    ran = subprocess.run([sys.executable, "-W", "ignore", "-c", FORK], timeout=LATER, check=False)
    assert ran.returncode == 0


# Tasks ----------------------------------------------------------------------------------------


async def wait_for_ever() -> None:
    await asyncio.get_running_loop().create_future()


@bounded
async def test_a_task_that_waits_is_cancelled_when_its_alarm_rings() -> None:
    alarm = TaskAlarm()
    alarm.set(monotonic() + SOON)
    with pytest.raises(asyncio.CancelledError):
        await wait_for_ever()
    assert alarm.stop()
    assert not alarm.stop()
    alarm.end()
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


@bounded
async def test_a_task_whose_alarm_was_stopped_is_not_cancelled() -> None:
    alarm, other = TaskAlarm(), TaskAlarm()
    alarm.set(monotonic() + SOON)
    assert not alarm.stop()
    other.set(monotonic() + 2 * SOON)
    with pytest.raises(asyncio.CancelledError):
        await wait_for_ever()
    assert not alarm.stop()
    assert other.stop()


@bounded
async def test_a_later_wait_of_a_task_is_watched_by_the_same_timer() -> None:
    alarm = TaskAlarm()
    for at in (SOON, 2 * SOON, 3 * SOON):
        alarm.set(monotonic() + at)
    with pytest.raises(asyncio.CancelledError):
        await wait_for_ever()
    assert alarm.stop()


@bounded
async def test_a_task_is_not_disturbed_once_its_alarm_has_ended() -> None:
    alarm, other = TaskAlarm(), TaskAlarm()
    alarm.set(monotonic() + SOON)
    alarm.end()
    other.set(monotonic() + 2 * SOON)
    with pytest.raises(asyncio.CancelledError):
        await wait_for_ever()
    assert not alarm.stop()
    assert other.stop()
    TaskAlarm().end()


@bounded
async def test_without_a_time_a_task_waits_for_ever() -> None:
    alarm = TaskAlarm()
    alarm.set(NEVER)
    alarm.set(monotonic() + SOON)
    with pytest.raises(asyncio.CancelledError):
        await wait_for_ever()
    assert alarm.stop()


@bounded
async def test_somebody_elses_cancellation_at_the_same_time_is_theirs() -> None:
    async def read() -> bool:
        alarm = TaskAlarm()
        alarm.set(monotonic())  # it rings in the next turn of the loop, as the other does
        try:
            await wait_for_ever()
        except asyncio.CancelledError:
            return alarm.stop()
        return True

    task = asyncio.create_task(read())
    await asyncio.sleep(0)
    task.cancel()
    assert await task is False
