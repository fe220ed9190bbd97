"""What a server does, and what it makes of a capture."""

from __future__ import annotations

from untorn.capture import Capture, Close, Marker, Read
from untorn.replay.reply import MOMENT, Reply, reply_of

READS = [Read(0.5, b"data: a\n\n"), Read(0.25, b"data: b\n\n")]


def test_a_body_is_all_its_reads() -> None:
    assert Reply(reads=READS).body == b"data: a\n\ndata: b\n\n"


def test_a_capture_is_sent_as_it_came() -> None:
    capture = Capture(
        status=200,
        headers=[("content-type", "text/event-stream"), ("x-request-id", "r-1")],
        events=[*READS, Close(0.125)],
        head_interval=2.0,
    )
    assert reply_of(capture) == Reply(
        headers=(("content-type", "text/event-stream"), ("x-request-id", "r-1")),
        reads=tuple(READS),
        wait=2.0,
        pause=0.125,
    )


def test_headers_of_the_connection_are_not_those_of_the_next_one() -> None:
    names = "Content-Length Transfer-Encoding Connection Keep-Alive Date Content-Encoding".split()
    capture = Capture(status=200, headers=[(name, "x") for name in names])
    assert reply_of(capture).headers == ()


def test_the_time_of_a_marker_is_part_of_the_next_read() -> None:
    capture = Capture(events=[Marker(1.0, "here"), *READS, Marker(2.0, "there"), Close(4.0)])
    reply = reply_of(capture)
    assert [read.interval for read in reply.reads] == [1.5, 0.25]
    assert reply.pause == 6.0


def test_a_recorded_failure_breaks_the_connection() -> None:
    reply = reply_of(Capture(status=200, events=[*READS, Close(0.0, "connection reset")]))
    assert (reply.end, reply.pause) == ("fin", MOMENT)


def test_a_capture_that_was_interrupted_breaks_too() -> None:
    assert reply_of(Capture(status=200, events=[*READS])).end == "fin"


def test_a_capture_without_head_is_an_event_stream() -> None:
    reply = reply_of(Capture(events=[*READS, Close(0.0)]))
    assert (reply.status, reply.headers) == (200, (("Content-Type", "text/event-stream"),))
