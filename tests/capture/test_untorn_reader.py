"""``.untorn`` as it is read: whole, torn, from the future, and hostile."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.capture.strategies import captures
from tests.helpers import cuttings, two_way_cuts
from untorn.capture import Capture, CaptureError, CaptureEvent, Close, Marker, RawHead, Read, dumps
from untorn.capture.limits import MOST_LINE
from untorn.capture.untorn_reader import UntornReader

HEADER = b'{"untorn": 1}\n'
FILE = HEADER + (
    b'[0.5, "h", {"status": 200, "headers": [["server", "Zo\xc3\xab"]]}]\n'
    b'[0.25, "r", "data: 1\\n"]\n[0, "r", ["b64", "/w=="]]\n[1, "m", "here"]\n[2, "x", null]\n'
)
EVENTS = [
    RawHead(200, [("server", "Zoë")], 0.5),
    Read(0.25, b"data: 1\n"),
    Read(0.0, b"\xff"),
    Marker(1.0, "here"),
    Close(2.0, None),
]


def read(pieces: list[bytes], reader: UntornReader | None = None) -> list[CaptureEvent]:
    reader = reader or UntornReader()
    events = [event for piece in pieces for event in reader.receive_data(piece)]
    return events + reader.receive_eof()


def error_of(file: bytes) -> CaptureError:
    with pytest.raises(CaptureError) as caught:
        read([file])
    return caught.value


def test_a_file_reads_the_same_for_every_cutting() -> None:
    for pieces in (*cuttings(FILE), *two_way_cuts(FILE)):
        assert read(pieces) == EVENTS


def test_events_come_with_the_piece_that_ends_their_line() -> None:
    reader = UntornReader()
    assert reader.receive_data(HEADER + b'[0, "r", "a"]') == []
    assert reader.receive_data(b'\n[0, "r"') == [Read(0.0, b"a")]


def test_a_file_cut_after_any_byte_holds_what_was_whole() -> None:
    for size in range(len(FILE) + 1):
        reader = UntornReader()
        events = read([FILE[:size]], reader)
        lines = FILE[:size].split(b"\n")
        rest_is_whole = FILE[size : size + 1] == b"\n"
        assert events == EVENTS[: max(0, len(lines) - 2 + rest_is_whole)]
        torn = lines[-1] or size == 0
        assert reader.torn == (len(lines) if torn and not rest_is_whole else None)


@given(captures(), st.data())
def test_any_capture_cut_anywhere_is_a_beginning_of_itself(
    capture: Capture, data: st.DataObject
) -> None:
    file = dumps(capture)
    whole = read([file])
    size = data.draw(st.integers(0, len(file)))
    events = read([file[:size]])
    assert events == whole[: len(events)]
    assert len(events) >= file[:size].count(b"\n") - 1


def test_a_byte_order_mark_comments_blank_lines_and_crlf_are_allowed() -> None:
    file = b"\xef\xbb\xbf" + FILE.replace(b"\n", b"\r\n# said [0]\r\n\r\n")
    assert read([file]) == EVENTS


def test_what_a_newer_version_adds_is_skipped_and_its_time_counts() -> None:
    file = (
        b'{"untorn": 1, "mood": ["good"], "timestamp": 5.5}\n'
        b'[1, "z", {"a": [1, "2"]}]\n[0.5, "h", {"status": 200, "trailers": 7}]\n'
        b'[1, "trailers", null]\n[1, "", 0]\n[0.25, "r", ""]\n[0.5, "r", "a"]\n'
    )
    reader = UntornReader()
    assert read([file], reader) == [RawHead(200, [], 1.5), Read(2.75, b"a")]
    assert (reader.started, reader.is_timed, reader.torn) == (5.5, True, None)


def test_a_file_says_if_its_times_are_not_known() -> None:
    reader = UntornReader()
    read([b'{"untorn": 1, "timed": false}\n'], reader)
    assert (reader.is_timed, reader.started) == (False, None)


def test_text_may_be_escaped_in_any_way() -> None:
    line = rb'[0, "r", "\u0000\u000d\u2028\ud83d\ude00\/\ufeff"]'
    assert read([HEADER + line]) == [Read(0.0, "\0\r\u2028😀/\ufeff".encode())]


DEEP = b"[" * 100_000 + b"]" * 100_000

HOSTILE = {
    "empty line first": (b"\n" + FILE, 1, "expected a header"),
    "no header": (b'[0, "r", "a"]\n', 1, "expected a header"),
    "header without version": (b'{"version": 3}\n', 1, "expected a header"),
    "deep header": (b'{"untorn": ' + DEEP + b"}\n", 1, "nested too deep"),
    "no json": (b"data: {}\n", 1, "expected a header"),
    "version 2": (b'{"untorn": 2}\n', 1, "the format has version 2"),
    "version of text": (b'{"untorn": "1"}\n', 1, 'version "1"'),
    "timestamp of text": (b'{"untorn": 1, "timestamp": "now"}\n', 1, "expected a header"),
    "timestamp before all time": (b'{"untorn": 1, "timestamp": -1}\n', 1, "expected a header"),
    "second header": (HEADER + HEADER, 2, "expected an event"),
    "torn in the middle": (HEADER + b'[0, "r", "a\n[0, "r", "b"]\n', 2, "expected an event"),
    "NaN": (HEADER + b'[NaN, "r", "a"]\n', 2, "expected an event"),
    "Infinity": (HEADER + b'[Infinity, "r", "a"]\n', 2, "expected an event"),
    "1e400": (HEADER + b'[1e400, "r", "a"]\n', 2, "expected an event"),
    "1e11": (HEADER + b'[1e11, "r", "a"]\n', 2, "expected an event"),
    "negative": (HEADER + b'[-0.1, "r", "a"]\n', 2, "expected an event"),
    "time of text": (HEADER + b'["0", "r", "a"]\n', 2, "expected an event"),
    "time that is true": (HEADER + b'[true, "r", "a"]\n', 2, "expected an event"),
    "code of a number": (HEADER + b'[0, 7, "a"]\n', 2, "expected an event"),
    "two items": (HEADER + b'[0, "r"]\n', 2, "expected an event"),
    "four items": (HEADER + b'[0, "r", "a", "b"]\n', 2, "expected an event"),
    "deep event": (HEADER + DEEP + b"\n", 2, "expected an event"),
    "deep data": (HEADER + b'[0, "z", ' + DEEP + b"]\n", 2, "nested too deep"),
    "not utf-8": (HEADER + b'[0, "r", "\xff"]\n', 2, "expected the data of a read"),
    "half a pair": (HEADER + rb'[0, "r", "\ud83d"]' + b"\n", 2, "expected an event"),
    "read of a number": (HEADER + b'[0, "r", 1]\n', 2, "expected the data of a read"),
    "read that is null": (HEADER + b'[0, "r", null]\n', 2, "expected the data of a read"),
    "unknown coding": (HEADER + b'[0, "r", ["b32", "aa"]]\n', 2, "expected the data of a read"),
    "base64 without end": (HEADER + b'[0, "r", ["b64", "YQ"]]\n', 2, "expected the data of a read"),
    "base64 of others": (HEADER + b'[0, "r", ["b64", "Y\xc3\xabQ="]]\n', 2, "of a read"),
    "base64 with blanks": (HEADER + b'[0, "r", ["b64", "YQ\\n=="]]\n', 2, "of a read"),
    "marker of a number": (HEADER + b'[0, "m", 1]\n', 2, "expected the data of a marker"),
    "close of a number": (HEADER + b'[0, "x", 1]\n', 2, "expected the data of a close"),
    "head of text": (HEADER + b'[0, "h", "200"]\n', 2, "expected the data of a head"),
    "head without status": (HEADER + b'[0, "h", {}]\n', 2, "expected the data of a head"),
    "status 7": (HEADER + b'[0, "h", {"status": 7}]\n', 2, "expected the data of a head"),
    "status 1e3": (HEADER + b'[0, "h", {"status": 1000}]\n', 2, "expected the data of a head"),
    "headers of objects": (HEADER + b'[0, "h", {"status": 200, "headers": [{}]}]\n', 2, "a head"),
    "header with a line end": (
        HEADER + b'[0, "h", {"status": 200, "headers": [["a", "b\\r\\nc: d"]]}]\n',
        2,
        "expected the data of a head",
    ),
    "head twice": (HEADER + 2 * b'[0, "h", {"status": 200}]\n', 3, "before all other events"),
    "late head": (HEADER + b'[0, "m", ""]\n[0, "h", {"status": 200}]\n', 3, "before all other"),
    "read after the close": (FILE + b'[0, "r", "a"]\n', 7, "nothing comes after the close"),
    "close twice": (FILE + b'[0, "x", null]\n', 7, "nothing comes after the close"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_wrong_is_said_with_its_line(name: str) -> None:
    file, line, said = HOSTILE[name]
    error = error_of(file)
    assert error.line == line
    assert said in error.problem
    assert len(error.problem) < 400
    for pieces in ([file[at : at + 997] for at in range(0, len(file), 997)], [file, b"\n"]):
        with pytest.raises(CaptureError) as again:
            read(pieces)
        assert (again.value.line, again.value.problem) == (line, error.problem)


@pytest.mark.parametrize("more", [b"", b"\n"])
def test_a_line_has_an_end(more: bytes) -> None:
    reader = UntornReader("big.untorn")
    reader.receive_data(HEADER + b'[0, "r", "')
    quarter = b"a" * (MOST_LINE // 4)
    assert reader.receive_data(3 * quarter) == []
    with pytest.raises(CaptureError, match="line 2: a line has 16777216 bytes at most"):
        reader.receive_data(quarter)
    with pytest.raises(CaptureError, match=r"big\.untorn: line 2"):
        reader.receive_data(more)


def test_what_came_before_an_error_is_given_first() -> None:
    reader = UntornReader()
    file = HEADER + b'[0, "r", "a"]\n[0, "r", 7]\n[0, "r", "b"]\n'
    assert reader.receive_data(file) == [Read(0.0, b"a")]
    for call in (reader.receive_eof, lambda: reader.receive_data(b"")):
        with pytest.raises(CaptureError, match="line 3"):
            call()


def test_a_last_line_that_is_whole_but_wrong_is_an_error() -> None:
    assert error_of(HEADER + b'[0, "r", 7]').line == 2
    assert error_of(HEADER + b'[0, "z", ' + DEEP + b"]").line == 2


def read_or_refused(pieces: list[bytes]) -> list[CaptureEvent] | str:
    try:
        return read(pieces)
    except CaptureError as exc:
        return str(exc)


@given(st.binary(max_size=60), st.integers(1, 20))
def test_bytes_of_any_kind_are_read_or_refused_for_every_cutting(tail: bytes, size: int) -> None:
    file = HEADER + b'[0, "r", "a"]\n' + tail
    pieces = [file[at : at + size] for at in range(0, len(file), size)]
    assert read_or_refused(pieces) == read_or_refused([file])
