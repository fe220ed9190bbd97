"""Bytes to events: the vectors, the reference, the end and the limits."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.helpers import cuttings, two_way_cuts
from tests.sse import reference
from tests.sse.strategies import bodies, reads
from untorn.errors import LimitExceeded, StreamClosed
from untorn.options import Limits
from untorn.sse.event_stream import Event, EventStream, Tail
from untorn.sse.lines import MOST_PIECES

VECTORS = sorted((Path(__file__).parent.parent / "vectors" / "sse").glob("*.sse"))


def triples(events: list[Event]) -> list[tuple[str, str, str]]:
    return [(event.type, event.data, event.last_event_id) for event in events]


def read(parts: Iterable[bytes], limits: Limits = Limits()) -> reference.Reading:
    """All that an EventStream makes of a body, in the words of the reference."""
    stream = EventStream(limits=limits)
    reading = reference.Reading()
    try:
        for data in parts:
            reading.events += triples(stream.receive_data(data))
        tail = stream.receive_eof()
    except LimitExceeded as exc:
        reading.over = (exc.limit, exc.most, exc.offset)
    else:
        assert tail is None or tail.data == b"\n".join(tail.lines)
        reading.tail = None if tail is None else (tail.offset, tail.lines)
    reading.retry = stream.retry
    reading.last_event_id = stream.last_event_id
    return reading


def as_in_vectors(reading: reference.Reading) -> dict[str, Any]:
    tail = None
    if reading.tail is not None:
        offset, lines = reading.tail
        tail = Tail(offset, b"\n".join(lines), lines).to_dict()
    names = ("type", "data", "last_event_id")
    return {
        "events": [dict(zip(names, event, strict=True)) for event in reading.events],
        "tail": tail,
        "retry": reading.retry,
        "last_event_id": reading.last_event_id,
    }


def test_there_are_vectors() -> None:
    assert len(VECTORS) >= 25
    assert all(path.with_suffix(".json").exists() for path in VECTORS)


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_vector_is_read_alike_however_it_is_cut(path: Path) -> None:
    body = path.read_bytes()
    expected = json.loads(path.with_suffix(".json").read_text("utf-8"))["expected"]
    assert as_in_vectors(reference.read(body)) == expected
    for parts in (*cuttings(body), *two_way_cuts(body)):
        assert as_in_vectors(read(parts)) == expected


@given(reads())
@example([b"id: 1\r", b"\ndata", b": a\nid: 2\n", b"", b"da"])
@example([b"data: a\n\ndata: b\nevent: c", b"\nevent: d\nretry: 5\n"])
@example([b"event: a\nid: 1\nretry: 2\nid: 2\ndata: b\nevent: c\n"])
def test_every_cutting_reads_as_the_reference(parts: list[bytes]) -> None:
    assert read(parts) == reference.read(b"".join(parts))


@given(reads(), st.integers(0, 50), st.integers(0, 50), st.integers(0, 4))
@example([b"data: a\n\ndata: b\ndata: c\n", b"data: d\n\nxxxxxxxxxxxxxxxxxxxxx"], 10, 15, 9)
@example([b"\xef\xbb"], 1, 50, 9)
@example([b"id: 1\ndata: a\n", b"id: 2\ndata: b\n"], 50, 10, 9)
@example([b"data\ndata\nretry: 5\n\n"], 50, 50, 1)
def test_every_cutting_stops_alike_at_a_limit(
    parts: list[bytes], line: int, event: int, lines: int
) -> None:
    expected = reference.read(b"".join(parts), line, event, lines)
    assert read(parts, Limits(line=line, event=event, lines=lines)) == expected


@given(bodies)
def test_event_comes_out_at_the_earliest_byte(body: bytes) -> None:
    stream = EventStream()
    events: list[tuple[str, str, str]] = []
    for size in range(1, len(body) + 1):
        events += triples(stream.receive_data(body[size - 1 : size]))
        expected = reference.read(body[:size])
        assert events == expected.events
        assert (stream.retry, stream.last_event_id) == (expected.retry, expected.last_event_id)


def test_event_does_not_wait_for_the_lf_after_a_cr() -> None:
    stream = EventStream()
    assert stream.receive_data(b"data: one\r\n\r") == [Event("message", "one", "")]
    assert stream.receive_data(b"\n") == []
    assert stream.receive_eof() is None


def test_id_takes_effect_at_the_blank_line() -> None:
    stream = EventStream()
    stream.receive_data(b"id: 7\n")
    assert stream.last_event_id == ""
    assert stream.receive_data(b"\n") == []
    assert stream.last_event_id == "7"


def test_id_of_an_earlier_connection_stays_until_a_new_one() -> None:
    stream = EventStream("7")
    assert stream.last_event_id == "7"
    assert stream.receive_data(b"data: one\n\nid\ndata: two\n\n") == [
        Event("message", "one", "7"),
        Event("message", "two", ""),
    ]
    assert stream.last_event_id == ""


def test_id_of_a_block_that_was_cut_has_no_effect() -> None:
    stream = EventStream("7")
    stream.receive_data(b"id: 8\ndata: one\n")
    assert stream.receive_eof() is not None
    assert stream.last_event_id == "7"


def test_retry_takes_effect_at_its_line() -> None:
    stream = EventStream()
    assert stream.retry is None
    stream.receive_data(b"retry: 250\n")
    assert stream.retry == 250


@pytest.mark.parametrize(
    ("digits", "retry"),
    [
        (b"0", 0),
        (b"00012", 12),
        (b"1000000000000000000", 10**18),
        (b"9223372036854775806", 2**63 - 2),
        (b"9223372036854775808", 2**63 - 1),
        (b"0" * 30 + b"5", 5),
        (b"5" + b"0" * 30, 2**63 - 1),
    ],
)
def test_retry_is_exact_up_to_its_most(digits: bytes, retry: int) -> None:
    stream = EventStream()
    stream.receive_data(b"retry: " + digits + b"\n")
    assert stream.retry == retry


def test_data_in_very_many_lines_is_one_event_and_takes_little_more_memory() -> None:
    lines = [str(number) for number in range(10 * MOST_PIECES)]
    reads = [f"data: {line}\n".encode() for line in lines]
    stream = EventStream()
    tracemalloc.start()
    for data in reads:
        assert stream.receive_data(data) == []
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert used < 2.5 * sum(map(len, reads))
    assert stream.receive_data(b"\n") == [Event("message", "\n".join(lines), "")]
    assert stream.receive_eof() is None


def test_call_over_a_limit_gives_the_events_before_it_and_each_later_one_raises() -> None:
    stream = EventStream(limits=Limits(line=10))
    assert stream.receive_data(b"data: one\n\ndata: longer\n\n") == [Event("message", "one", "")]
    for _ in range(2):
        with pytest.raises(LimitExceeded, match=r"^the line at byte 11 is over 10 bytes$"):
            stream.receive_data(b"data: two\n\n")
        with pytest.raises(LimitExceeded, match=r"^the line at byte 11 is over 10 bytes$"):
            stream.receive_eof()


def test_event_limit_counts_the_data_lines_of_one_event() -> None:
    event = b"event: long type\nid: 1\ndata: 45\ndata: 90\n\n"
    stream = EventStream(limits=Limits(event=16))
    assert len(stream.receive_data(event * 3)) == 3
    assert stream.receive_data(b"event: x\nid: 2\ndata: 45\ndata: 901\ndata: 2\n\n") == []
    with pytest.raises(LimitExceeded) as raised:
        stream.receive_eof()
    assert (raised.value.limit, raised.value.most) == ("event", 16)
    assert raised.value.offset == 3 * len(event)


def test_event_has_no_more_data_lines_than_the_limit_though_they_came_in_many_reads() -> None:
    most = 3 * MOST_PIECES
    stream = EventStream(limits=Limits(lines=most))
    for _ in range(2):
        assert not any(stream.receive_data(b"data\n: a\nid: 1\n") for _ in range(most))
        assert len(stream.receive_data(b"\n")) == 1
    start = 2 * (most * len(b"data\n: a\nid: 1\n") + 1)
    stream.receive_data(b"data\n" * MOST_PIECES)
    stream.receive_data(b"data\n" * (most - MOST_PIECES + 1) + b"\n")
    with pytest.raises(LimitExceeded) as raised:
        stream.receive_eof()
    assert str(raised.value) == f"the event at byte {start} has more than {most} data lines"
    assert raised.value.limit == "lines"


def test_nothing_can_be_handed_in_after_the_end() -> None:
    stream = EventStream()
    assert stream.receive_eof() is None
    with pytest.raises(StreamClosed):
        stream.receive_data(b"")
    with pytest.raises(StreamClosed):
        stream.receive_eof()


def test_what_the_standard_ignores_or_replaces_is_not_stored() -> None:
    stream = EventStream()
    ignored = b": a comment\nname: of a field\nid: \0\nretry: soon\n" * 250
    stream.receive_data(b"data: one\n")
    tracemalloc.start()
    for number in range(20):
        stream.receive_data(ignored)
        stream.receive_data(b"event: %d\nid: %d\nretry: %d\n" % (number, number, number))
    del ignored
    stream.receive_data(b"\r")
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert used < 10_000


def test_events_and_tails_cannot_be_changed() -> None:
    structs: list[Any] = [Event("message", "one", ""), Tail(0, b"data", [b"data"])]
    for struct in structs:
        with pytest.raises(AttributeError):
            struct.data = "two"


def test_event_is_one_readable_line() -> None:
    assert str(Event("message", "a\nb\x1b", "")) == r'event "message", data "a\nb\x1b"'
    assert str(Event("\ud83d", "", "7")) == r'event "\ud83d", data "", id "7"'


def test_tail_is_one_readable_line() -> None:
    tail = Tail(11, b"data: \xff\x1b\ndata", [b"data: \xff\x1b", b"data"])
    assert str(tail) == '13 bytes cut from byte 11: "data: \ufffd\\x1b\\ndata"'
    assert tail.to_dict() == {"offset": 11, "length": 13, "text": "data: \ufffd\x1b\ndata"}
