"""A head that comes letter by letter is too late as a whole, and never for one letter."""

from __future__ import annotations

import socket
import threading
from math import inf
from time import monotonic

import pytest

from tests.clients.colours import WAYS, ask
from tests.clients.raw_server import raw_server, request_of
from untorn.clients.deadline import LEAST, deadline, time_left
from untorn.options import Clocks

NEVER = threading.Event()


def drip(sock: socket.socket) -> None:
    """Begin a head, and go on with it for ever."""
    request_of(sock)
    sock.sendall(b"HTTP/1.1 200 OK\r\nX-Letters: ")
    while not NEVER.wait(0.02):
        sock.sendall(b"a")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("clocks", "clock"),
    [
        (Clocks(connect=0.1, first_byte=0.3), "first_byte"),
        (Clocks(total=0.3), "total"),
    ],
)
def test_a_head_that_drips_is_ended_by_its_clock(way: str, clocks: Clocks, clock: str) -> None:
    with raw_server(drip) as url:
        (answer,) = ask(way, base_url=url, clocks=clocks)
    verdict = answer.completion.verdict
    assert verdict.ending == "stalled"
    assert f"(clock {clock})" in (verdict.reason or "")
    assert len(answer.completion.attempts) == 1


def test_without_a_deadline_a_read_waits_as_long_as_it_may() -> None:
    assert time_left(None) is None
    assert time_left(3.0) == 3.0
    with deadline(inf):
        assert time_left(3.0) == 3.0


def test_a_deadline_is_what_is_left_at_most() -> None:
    with deadline(monotonic() + 1000):
        assert time_left(3.0) == 3.0
        assert 900 < (time_left(None) or 0) <= 1000
        assert 900 < (time_left(5000) or 0) <= 1000
    with deadline(monotonic() - 1):
        assert time_left(None) == LEAST
    assert time_left(None) is None


def test_a_deadline_is_that_of_one_thread() -> None:
    found: list[float | None] = []
    with deadline(monotonic() - 1):
        other = threading.Thread(target=lambda: found.append(time_left(3.0)))
        other.start()
        other.join()
    assert found == [3.0]
