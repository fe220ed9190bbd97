"""What goes on the wire, and when."""

from __future__ import annotations

import math
from email.utils import formatdate
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untorn.capture import Read
from untorn.replay.reply import NEVER, Reply
from untorn.replay.schedule import AS_RECORDED, AT_ONCE, Pace, head_of, http_date, schedule

READS = (Read(0.5, b"data: a\n\n"), Read(0.25, b"b"))
NOW = 1_790_000_000.0


def wire(reply: Reply, pace: Pace = AS_RECORDED) -> bytes:
    return b"".join(step.data for step in schedule(reply, pace, NOW))


def body(reply: Reply) -> bytes:
    return wire(reply).partition(b"\r\n\r\n")[2]


def waits(reply: Reply, pace: Pace) -> list[float]:
    return [step.wait for step in schedule(reply, pace, NOW)]


def test_a_head_is_what_http_asks_for() -> None:
    reply = Reply(status=429, headers=[("Content-Type", "application/json")], framing="close")
    assert head_of(reply, NOW, "Too Many Requests") == (
        b"HTTP/1.1 429 Too Many Requests\r\n"
        b"Date: Mon, 21 Sep 2026 14:13:20 GMT\r\n"
        b"Content-Type: application/json\r\n"
        b"\r\n"
    )


def test_a_connection_that_is_closed_in_order_is_announced() -> None:
    assert b"\r\nConnection: close\r\n" in head_of(Reply(), NOW, keep_alive=False)


def test_retry_after_may_be_a_date() -> None:
    assert b"\r\nRetry-After: Mon, 21 Sep 2026 14:13:50 GMT\r\n" in wire(Reply(retry_at=30))


def test_chunked_each_read_is_a_piece_of_its_own_and_the_end_is_marked() -> None:
    assert body(Reply(reads=READS)) == b"9\r\ndata: a\n\n\r\n1\r\nb\r\n0\r\n\r\n"


def test_a_chunked_body_that_breaks_has_no_mark() -> None:
    assert body(Reply(reads=READS, end="fin")).endswith(b"\r\nb\r\n")


def test_an_empty_read_is_not_taken_for_the_mark_of_the_end() -> None:
    reply = Reply(reads=[Read(1.0, b""), *READS], end="fin")
    assert body(reply) == body(Reply(reads=READS, end="fin"))


@pytest.mark.parametrize("framing", ["close", "content-length"])
def test_otherwise_the_body_is_sent_as_it_is(framing: str) -> None:
    reply = Reply(reads=READS, framing=framing)  # type: ignore[arg-type]
    assert body(reply) == b"data: a\n\nb"
    assert (b"\r\nContent-Length: 10\r\n" in wire(reply)) is (framing == "content-length")


def test_a_length_may_be_a_lie() -> None:
    reply = Reply(reads=READS, framing="content-length", content_length=99)
    assert b"\r\nContent-Length: 99\r\n" in wire(reply)


def test_stray_bytes_come_after_the_reads_without_framing() -> None:
    assert body(Reply(reads=READS, stray=b"zz", end="fin")).endswith(b"\r\nb\r\nzz")


def test_a_head_may_be_cut() -> None:
    assert wire(Reply(head_bytes=0, stray=b"SSH", end="fin")) == b"SSH"
    assert wire(Reply(head_bytes=10, end="fin")) == b"HTTP/1.1 2"


def test_a_repetition_never_ends() -> None:
    reply = Reply(reads=READS, repeat=[Read(1.0, b"x"), Read(2.0, b"y")], framing="close")
    steps = list(islice(schedule(reply, AS_RECORDED, NOW), 7))
    assert [step.data for step in steps[3:]] == [b"x", b"y", b"x", b"y"]
    assert [step.wait for step in steps[3:]] == [1.0, 2.0, 1.0, 2.0]


def test_each_step_says_how_much_of_the_body_is_in_it() -> None:
    assert [step.body_bytes for step in schedule(Reply(reads=READS), AT_ONCE, NOW)] == [0, 9, 1, 0]


@pytest.mark.parametrize(
    ("pace", "expected"),
    [
        (AS_RECORDED, [2.0, 0.5, 0.25, 1.0]),
        (Pace(speed=2.0), [1.0, 0.25, 0.125, 0.5]),
        (AT_ONCE, [0.0, 0.0, 0.0, 0.0]),
        (Pace(math.inf, least=0.1), [0.1, 0.1, 0.1, 0.1]),
        (Pace(least=0.4), [2.0, 0.5, 0.4, 1.0]),
    ],
)
def test_a_pace_changes_every_wait(pace: Pace, expected: list[float]) -> None:
    assert waits(Reply(reads=READS, wait=2.0, pause=1.0), pace) == expected


@pytest.mark.parametrize("pace", [AS_RECORDED, AT_ONCE, Pace(1000.0)])
def test_a_stall_is_a_stall_at_every_pace(pace: Pace) -> None:
    assert waits(Reply(wait=NEVER, pause=NEVER), pace) == [NEVER, NEVER]


@pytest.mark.parametrize("speed", [0.0, -1.0, math.nan])
def test_a_pace_that_never_comes_to_an_end_is_an_error(speed: float) -> None:
    with pytest.raises(ValueError, match="expected more than 0"):
        Pace(speed)


@given(st.integers(0, 253_402_300_799))
def test_a_date_is_what_the_standard_library_makes_of_it(seconds: int) -> None:
    assert http_date(seconds) == formatdate(seconds, usegmt=True)
