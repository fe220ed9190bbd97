"""``.untorn`` as it is written."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.capture.strategies import captures, texts
from untorn.capture import Capture, CaptureWriter, Close, Marker, Read, dumps, loads
from untorn.capture.limits import MOST_READ, MOST_TEXT

HEADERS = {"content-type": "text/event-stream", "authorization": "Bearer of news"}


def test_a_file_looks_like_this() -> None:
    writer = CaptureWriter()
    lines = [
        writer.begin(1764000000.1234, at=10.0),
        writer.head(200, HEADERS, at=10.25),
        writer.read('data: {"a": "Zoë"}\n\n'.encode(), at=10.2500301),
        writer.read(b"\xc3", at=11.0),
        writer.marker("silence", at=11.0),
        writer.close("connection reset", at=13.0),
    ]
    assert b"".join(lines).decode().split("\n") == [
        '{"untorn": 1, "timestamp": 1764000000.123}',
        '[0.25, "h", {"status": 200, "headers": [["content-type", "text/event-stream"]]}]',
        r'[0.00003, "r", "data: {\"a\": \"Zoë\"}\n\n"]',
        '[0.74997, "r", ["b64", "ww=="]]',
        '[0, "m", "silence"]',
        '[2, "x", "connection reset"]',
        "",
    ]


def test_times_are_not_needed() -> None:
    writer = CaptureWriter()
    file = writer.begin() + writer.head(200) + writer.read(b"a") + writer.close()
    assert file == (
        b'{"untorn": 1}\n[0, "h", {"status": 200, "headers": []}]\n[0, "r", "a"]\n[0, "x", null]\n'
    )


def test_the_first_time_is_the_beginning_where_begin_had_none() -> None:
    writer = CaptureWriter()
    assert writer.begin() + writer.read(b"a", at=7.0) + writer.read(b"b", at=7.5) == (
        b'{"untorn": 1}\n[0, "r", "a"]\n[0.5, "r", "b"]\n'
    )


@given(st.lists(st.floats(0, 1, allow_nan=False), min_size=1, max_size=50))
def test_times_do_not_drift(intervals: list[float]) -> None:
    writer = CaptureWriter()
    times = list(accumulate(intervals, initial=0.0))
    file = b"".join([writer.begin(at=0.0), *[writer.read(b"a", at) for at in times]])
    passed = list(accumulate(read.interval for read in loads(file).reads))
    assert all(abs(at - time) < 2e-6 for at, time in zip(passed, times, strict=True))


def test_a_clock_that_goes_back_makes_no_negative_interval() -> None:
    writer = CaptureWriter()
    file = writer.begin(at=5.0) + writer.read(b"a", at=4.0) + writer.read(b"b", at=5.5)
    assert [read.interval for read in loads(file).reads] == [0.0, 0.5]


def test_an_empty_read_is_none() -> None:
    writer = CaptureWriter()
    writer.begin()
    assert writer.read(b"") == b""


def test_a_huge_read_becomes_several_lines() -> None:
    data = b"\1" * (2 * MOST_READ + 1)
    writer = CaptureWriter()
    file = writer.begin(at=0.0) + writer.read(data, at=1.5) + writer.close()
    assert file.count(b"\n") == 5
    for reads in (loads(file).reads, loads(dumps(Capture(events=[Read(1.5, data)]))).reads):
        assert [read.interval for read in reads] == [1.5, 0.0, 0.0]
        assert b"".join(read.data for read in reads) == data


def test_labels_and_reasons_have_an_end() -> None:
    writer = CaptureWriter()
    text = "a" * (MOST_TEXT + 1)
    file = writer.begin() + writer.marker(text) + writer.close(text)
    assert loads(file).events == [Marker(0.0, text[:-1]), Close(0.0, text[:-1])]


def test_half_a_surrogate_pair_is_no_text() -> None:
    writer = CaptureWriter()
    file = writer.begin() + writer.head(200, {"server": "\udcff"}) + writer.close("\ud83d")
    capture = loads(file)
    assert (capture.headers, capture.events) == ([("server", "?")], [Close(0.0, "?")])


def test_no_character_of_a_file_is_invisible_or_moves_a_terminal() -> None:
    odd = "".join(
        map(chr, [*range(0x20), 0x7F, 0x85, 0x9B, 0x200E, 0x2028, 0x202E, 0x2066, 0xFEFF])
    )
    file = dumps(Capture(events=[Read(0.0, odd.encode()), Marker(0.0, odd)]))
    assert all(line.isprintable() for line in file.decode().split("\n"))
    assert loads(file).events == [Read(0.0, odd.encode()), Marker(0.0, odd)]


@pytest.mark.parametrize("seconds", [-1.0, float("nan"), float("inf"), 1e11])
def test_what_is_no_time_is_not_written(seconds: float) -> None:
    with pytest.raises(ValueError, match="expected seconds"):
        dumps(Capture(events=[Read(seconds, b"a")]))
    with pytest.raises(ValueError, match="expected seconds"):
        CaptureWriter().begin(seconds)


def test_calls_in_another_order_are_refused() -> None:
    writer = CaptureWriter()
    calls: list[Callable[[], bytes]] = [
        lambda: writer.head(200),
        lambda: writer.read(b"a"),
        lambda: writer.marker("a"),
        lambda: writer.close(),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="begin"):
            call()
    writer.begin()
    with pytest.raises(ValueError, match="has begun already"):
        writer.begin()
    writer.read(b"a")
    with pytest.raises(ValueError, match="the head comes right after begin"):
        writer.head(200)
    writer.close()
    with pytest.raises(ValueError, match="before close"):
        writer.read(b"a")


@given(captures())
def test_what_is_written_is_read_back(capture: Capture) -> None:
    assert loads(dumps(capture)) == capture


@given(captures())
def test_every_line_is_json_of_the_format(capture: Capture) -> None:
    header, *events = map(json.loads, dumps(capture).decode().split("\n")[:-1])
    assert next(iter(header.items())) == ("untorn", 1)
    assert header.get("timed", True) == capture.is_timed
    assert [code for _, code, _ in events if code != "h"] == [
        {Read: "r", Marker: "m", Close: "x"}[type(event)] for event in capture.events
    ]


@given(st.lists(st.binary(max_size=8) | texts.map(str.encode), max_size=8))
def test_the_body_is_written_byte_for_byte(reads: list[bytes]) -> None:
    writer = CaptureWriter()
    file = b"".join([writer.begin(), *map(writer.read, reads)])
    assert [read.data for read in loads(file).reads] == list(filter(None, reads))
