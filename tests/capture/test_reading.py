"""Which format a file has, and all of them read."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.capture.strategies import captures
from tests.chat_helpers import TESTS
from tests.helpers import cuttings, two_way_cuts
from untorn import Completion, parse
from untorn.capture import (
    Capture,
    CaptureError,
    CaptureEvent,
    CaptureReader,
    Close,
    Marker,
    RawHead,
    Read,
    dumps,
    loads,
    to_har,
    to_sse,
)
from untorn.capture.limits import READ_SIZE
from untorn.capture.reading import MOST_START

BODY = b'data: {"choices": []}\n\n'
STREAM: list[Read | Marker | Close] = [Read(0.0, BODY), Close(0.0)]
HEAD = b"HTTP/2 200 \r\ncontent-type: text/event-stream\r\nset-cookie: a=b\r\n\r\n"
CAPTURE = Capture(
    status=200,
    headers=[("content-type", "text/event-stream")],
    events=[Read(0.5, BODY), Close(0.25)],
    head_interval=0.25,
    started=1767323045.25,
)
OF_HAR = Capture(
    status=200,
    headers=[("content-type", "text/event-stream")],
    events=[Read(0.0, BODY), Close(0.75)],
    head_interval=0.25,
    started=1767323045.25,
)

FORMATS = {
    "untorn": (dumps(CAPTURE), CAPTURE),
    "har": (to_har(CAPTURE), OF_HAR),
    "har on one line": (json.dumps(json.loads(to_har(CAPTURE))).encode(), OF_HAR),
    "curl -i": (HEAD + BODY, Capture(status=200, headers=CAPTURE.headers, events=STREAM)),
    "curl -N": (BODY, Capture(events=STREAM)),
    "document": (b'{"error": 1}', Capture(events=[Read(0.0, b'{"error": 1}'), Close(0.0)])),
    "of another program": (b'{"logs": 1}', Capture(events=[Read(0.0, b'{"logs": 1}'), Close(0.0)])),
    "one byte of a mark": (b"\xef", Capture(events=[Read(0.0, b"\xef"), Close(0.0)])),
    "a brace": (b"{", Capture(events=[Read(0.0, b"{"), Close(0.0)])),
    "white space": (b"\n\n", Capture(events=[Read(0.0, b"\n\n"), Close(0.0)])),
    "empty": (b"", Capture(events=[Close(0.0)])),
}
MARKED = {
    name: (b"\xef\xbb\xbf" + FORMATS[name][0], FORMATS[name][1]) for name in ("untorn", "har")
}


def read(pieces: list[bytes], name: str = "") -> list[CaptureEvent]:
    reader = CaptureReader(name)
    events = [event for piece in pieces for event in reader.receive_data(piece)]
    return events + reader.receive_eof()


def joined(events: list[CaptureEvent]) -> tuple[list[CaptureEvent], bytes]:
    """All but the reads, and the body."""
    body = b"".join(event.data for event in events if isinstance(event, Read))
    return [event for event in events if not isinstance(event, Read)], body


@pytest.mark.parametrize(("file", "capture"), [*FORMATS.values(), *MARKED.values()])
def test_each_format_is_recognised_by_its_beginning(file: bytes, capture: Capture) -> None:
    assert loads(file) == capture
    assert to_sse(loads(file)) == capture.body


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_reads_the_same_for_every_cutting(name: str) -> None:
    file, _ = FORMATS[name]
    whole = joined(read([file]))
    for pieces in (*cuttings(file), *two_way_cuts(file)):
        assert joined(read(pieces)) == whole


@pytest.mark.parametrize("name", ["a.untorn", "A.UNTORN", "/tmp/b.har"])
def test_the_name_says_what_a_file_is_whatever_is_in_it(name: str) -> None:
    with pytest.raises(CaptureError):
        loads(BODY + BODY, name)


def test_a_recording_that_has_hardly_begun_is_one_by_its_name() -> None:
    file = dumps(CAPTURE)
    for size in range(15):
        assert loads(file[:size], "a.untorn") == Capture()


def test_an_untorn_file_is_recognised_once_its_first_key_is_there() -> None:
    file = dumps(CAPTURE)
    for size in range(len('{"untorn":'), len(file) + 1):
        beginning = loads(file[:size])
        assert beginning.events == CAPTURE.events[: len(beginning.events)]


@pytest.mark.parametrize("data", [b"d", b" ", b"{ }", b'{"u":', b'{"lo ', b"[", b"\xefa"])
def test_a_body_is_given_as_soon_as_it_can_be_nothing_else(data: bytes) -> None:
    reader = CaptureReader()
    assert reader.receive_data(data) == ([] if data == b'{"lo ' else [Read(0.0, data)])


def test_what_is_not_recognised_soon_is_a_body() -> None:
    data = b"{" + b" " * MOST_START
    reader = CaptureReader()
    assert reader.receive_data(data[:-2]) == []
    assert reader.receive_data(data[-2:]) == [Read(0.0, data)]


def test_of_a_dump_only_allowed_headers_are_kept() -> None:
    assert read([HEAD])[0] == RawHead(200, [("content-type", "text/event-stream")])


def test_a_long_body_without_reads_comes_in_reads_of_64_kib() -> None:
    body = b"a" * (2 * READ_SIZE + 1)
    for file in (body, to_har(Capture(status=200, events=[Read(0.0, body), Close(0.0)]))):
        assert [len(one.data) for one in loads(file).reads] == [READ_SIZE, READ_SIZE, 1]


def test_only_an_untorn_file_is_timed_and_only_if_it_is() -> None:
    timed = {}
    for name, (file, _) in FORMATS.items():
        reader = CaptureReader()
        assert not reader.is_timed
        reader.receive_data(file)
        reader.receive_eof()
        timed[name] = reader.is_timed
    assert [name for name in timed if timed[name]] == ["untorn"]
    reader = CaptureReader()
    reader.receive_data(dumps(Capture(events=STREAM)))
    assert not reader.is_timed


def test_the_torn_line_is_named() -> None:
    reader = CaptureReader()
    reader.receive_data(dumps(CAPTURE)[:-3])
    assert reader.torn is None
    reader.receive_eof()
    assert reader.torn == 4
    assert CaptureReader().torn is None


@given(captures())
def test_a_capture_in_memory_and_as_a_file_are_one(capture: Capture) -> None:
    assert loads(dumps(capture)) == capture
    assert dumps(loads(dumps(capture))) == dumps(capture)


@given(st.binary(max_size=40))
def test_bytes_of_any_kind_are_a_body(data: bytes) -> None:
    assert loads(b"\n" + data).body == b"\n" + data


@given(st.binary(max_size=40), st.sampled_from(["a.untorn", "a.har"]))
def test_bytes_of_any_kind_are_no_capture_and_no_archive(data: bytes, name: str) -> None:
    with pytest.raises(CaptureError, match=f"{name}: "):
        loads(b"\n" + data, name)


def test_a_large_file_takes_time_as_its_size_and_memory_as_a_piece() -> None:
    line = b'[0.01, "r", "data: {\\"choices\\": []}\\n\\n"]\n'
    reader = CaptureReader("big.untorn")
    reader.receive_data(b'{"untorn": 1}\n')
    count = sum(len(reader.receive_data(line * 1000)) for _ in range(100))
    assert count == 100_000


# A real file ----------------------------------------------------------------------------------


def test_a_capture_of_our_own_is_read() -> None:
    file = (TESTS / "captures" / "tool-call-cut.untorn").read_bytes()
    capture = loads(file)
    completion = of(capture)
    assert (len(capture.reads), capture.close) == (6, Close(0.8042, "connection reset by peer"))
    assert capture.status == 200
    assert completion.content == "Zürich: ☁️ "
    assert completion.verdict.outcome == "interrupted"


def of(capture: Capture) -> Completion:
    return parse([read.data for read in capture.reads])
