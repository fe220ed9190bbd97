"""Where bytes come from, and what ends the waiting for them."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chat_helpers import TESTS
from tests.cli.processes import answer, chunk
from untorn.capture import Capture, CaptureError, Close, Marker, Read, dumps, to_har
from untorn.cli.sources import Interrupt, Source, follow
from untorn.events import StreamEnded, StreamEvent
from untorn.stream import ChatStream


@pytest.fixture
def interrupt() -> Iterator[Interrupt]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with Interrupt() as installed:
        yield installed
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, before)


def press() -> None:
    signal.raise_signal(signal.SIGINT)


def press_and_read() -> bytes:
    press()
    return b"never"


def test_without_ctrl_c_a_wait_gives_what_came(interrupt: Interrupt) -> None:
    assert interrupt.wait(lambda: b"data") == b"data"
    assert not interrupt.pressed


def test_ctrl_c_ends_a_wait(interrupt: Interrupt) -> None:
    with pytest.raises(KeyboardInterrupt):
        interrupt.wait(press_and_read)
    assert interrupt.pressed


def test_ctrl_c_outside_a_wait_ends_the_next_one_before_it_reads(interrupt: Interrupt) -> None:
    press()
    data = iter([b"data"])
    with pytest.raises(KeyboardInterrupt):
        interrupt.wait(lambda: next(data))
    assert list(data) == [b"data"]


def test_a_second_ctrl_c_ends_everything_at_once(interrupt: Interrupt) -> None:
    press()
    with pytest.raises(KeyboardInterrupt):
        press()


def test_a_ctrl_c_that_somebody_ignores_stays_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with Interrupt() as interrupt:
            press()
            assert interrupt.wait(lambda: b"data") == b"data"
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def followed(name: str, interrupt: Interrupt) -> tuple[ChatStream, list[StreamEvent]]:
    stream = ChatStream()
    with Source(name) as source:
        return stream, [event for events in follow(source, stream, interrupt) for event in events]


def test_the_reading_of_a_regular_file_is_not_timed(tmp_path: Path, interrupt: Interrupt) -> None:
    file = tmp_path / "a.sse"
    file.write_bytes(answer("a"))
    stream, events = followed(str(file), interrupt)
    assert stream.completion.content == "a"
    assert stream.completion.timing is None
    assert stream.completion.head is None
    assert isinstance(events[-1], StreamEnded)


def test_the_reading_of_a_pipe_is_timed(interrupt: Interrupt) -> None:
    reading, writing = os.pipe()
    os.write(writing, answer("a"))
    os.close(writing)
    stream, _ = followed(f"/dev/fd/{reading}", interrupt)
    os.close(reading)
    assert stream.completion.content == "a"
    assert stream.completion.timing is not None


def test_a_head_is_told_from_the_body(tmp_path: Path, interrupt: Interrupt) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes(b"HTTP/2 200 \r\ncontent-type: text/event-stream\r\n\r\n" + answer("a"))
    stream, _ = followed(str(file), interrupt)
    completion = stream.completion
    assert completion.head is not None
    assert (completion.head.status, completion.head.content_type) == (200, "text/event-stream")
    assert completion.verdict.outcome == "complete"


def test_a_head_without_a_body_is_kept(tmp_path: Path, interrupt: Interrupt) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes(b"HTTP/1.1 503 Service Unavailable\r\n\r\n")
    stream, _ = followed(str(file), interrupt)
    assert stream.completion.verdict.outcome == "failed"


def test_the_end_of_a_read_by_ctrl_c_is_an_ending(tmp_path: Path, interrupt: Interrupt) -> None:
    file = tmp_path / "a.sse"
    file.write_bytes(answer("a"))
    press()
    stream, events = followed(str(file), interrupt)
    assert stream.completion.verdict.ending == "cancelled"
    assert isinstance(events[-1], StreamEnded)


@pytest.mark.parametrize("name", [".", "no such file"])
def test_what_cannot_be_read_is_said_by_an_oserror(name: str) -> None:
    with pytest.raises(OSError, match="directory"):
        Source(name)


# Captures ---------------------------------------------------------------------------------------

HEADERS = [("content-type", "text/event-stream")]
WHOLE = Capture(
    status=200,
    headers=HEADERS,
    events=[
        Read(0.5, chunk({"role": "assistant", "content": "a"})),
        Marker(0.25, "here"),
        Read(0.25, answer("b")),
        Close(1.0),
    ],
    head_interval=2.0,
)


def followed_bytes(
    file: Path, data: bytes, interrupt: Interrupt
) -> tuple[ChatStream, list[StreamEvent]]:
    file.write_bytes(data)
    return followed(str(file), interrupt)


def test_a_capture_is_read_with_the_times_it_has(tmp_path: Path, interrupt: Interrupt) -> None:
    stream, events = followed_bytes(tmp_path / "a.untorn", dumps(WHOLE), interrupt)
    completion = stream.completion
    assert (completion.content, completion.verdict.ending) == ("ab", "done")
    assert completion.head is not None
    assert completion.head.content_type == "text/event-stream"
    assert completion.timing is not None
    assert (completion.timing.first_byte, completion.timing.total) == (0.5, 2.0)
    assert completion.timing.reads == 2
    assert isinstance(events[-1], StreamEnded)


def test_a_capture_without_times_has_none(tmp_path: Path, interrupt: Interrupt) -> None:
    untimed = Capture(events=[Read(0.0, answer("a")), Close(0.0)])
    stream, _ = followed_bytes(tmp_path / "a.untorn", dumps(untimed), interrupt)
    assert stream.completion.verdict.outcome == "complete"
    assert stream.completion.timing is None


def test_of_an_archive_the_first_stream_is_read(tmp_path: Path, interrupt: Interrupt) -> None:
    stream, _ = followed_bytes(tmp_path / "a.json", to_har(WHOLE), interrupt)
    assert (stream.completion.content, stream.completion.timing) == ("ab", None)
    assert stream.completion.head is not None


def test_a_capture_that_was_closed_by_a_failure_is_cut(interrupt: Interrupt) -> None:
    stream, events = followed(str(TESTS / "captures" / "tool-call-cut.untorn"), interrupt)
    verdict = stream.completion.verdict
    assert (verdict.outcome, verdict.ending) == ("interrupted", "cut")
    assert verdict.reason == "connection reset by peer"
    assert isinstance(events[-1], StreamEnded)


@pytest.mark.parametrize(
    ("missing", "reason"),
    [
        (len(b'[1, "x", null]\n'), "the recording was interrupted"),
        (len(b'"x", null]\n'), "the recording was interrupted, inside line 6"),
    ],
)
def test_a_capture_without_an_end_is_cut(
    tmp_path: Path, interrupt: Interrupt, missing: int, reason: str
) -> None:
    torn = Capture(events=[*[Read(0.0, chunk({"content": "a"}))] * 4, Close(1.0)])
    stream, events = followed_bytes(tmp_path / "a.untorn", dumps(torn)[:-missing], interrupt)
    verdict = stream.completion.verdict
    assert (stream.completion.content, verdict.ending) == ("aaaa", "cut")
    assert verdict.reason == reason
    assert isinstance(events[-1], StreamEnded)


def test_of_a_damaged_capture_what_came_is_given_before_the_error(
    tmp_path: Path, interrupt: Interrupt
) -> None:
    file = tmp_path / "a.untorn"
    file.write_bytes(dumps(WHOLE).replace(b'[1, "x"', b'[-1, "x"'))
    stream = ChatStream()
    with Source(str(file)) as source, pytest.raises(CaptureError, match="line 6: expected"):
        list(follow(source, stream, interrupt))
    assert stream.completion.content == "ab"
    assert stream.completion.verdict.ending == "done"


def test_a_damaged_capture_is_cut_where_it_is_damaged(tmp_path: Path, interrupt: Interrupt) -> None:
    file = tmp_path / "a.untorn"
    file.write_bytes(dumps(WHOLE).replace(b'[0.25, "m"', b'[-1, "m"'))
    stream = ChatStream()
    with Source(str(file)) as source, pytest.raises(CaptureError):
        list(follow(source, stream, interrupt))
    assert stream.completion.content == "a"
    assert stream.completion.verdict.reason == "the recording is damaged in line 4"


@pytest.mark.parametrize(("name", "data"), [("a.untorn", b"data: 1\n\n"), ("a.har", b"{}")])
def test_what_is_no_capture_at_all_gives_an_error_alone(
    tmp_path: Path, interrupt: Interrupt, name: str, data: bytes
) -> None:
    (tmp_path / name).write_bytes(data)
    stream = ChatStream()
    with Source(str(tmp_path / name)) as source, pytest.raises(CaptureError, match=name):
        next(follow(source, stream, interrupt))
    assert stream.completion.verdict.ending is None


@pytest.mark.parametrize("data", [dumps(WHOLE), to_har(WHOLE)])
def test_ctrl_c_ends_the_reading_of_a_capture(
    tmp_path: Path, interrupt: Interrupt, data: bytes
) -> None:
    press()
    stream, events = followed_bytes(tmp_path / "a", data, interrupt)
    assert stream.completion.verdict.ending == "cancelled"
    assert isinstance(events[-1], StreamEnded)


def test_a_read_that_fails_is_a_cut(interrupt: Interrupt) -> None:
    # Nothing is mapped at the first address of any process.
    stream, events = followed("/proc/self/mem", interrupt)
    assert stream.completion.verdict.reason == "reading failed: Input/output error"
    assert isinstance(events[-1], StreamEnded)


def test_a_stream_over_a_limit_is_not_read_on(interrupt: Interrupt) -> None:
    stream, events = followed("/dev/zero", interrupt)
    assert stream.completion.verdict.ending == "limit"
    assert isinstance(events[-1], StreamEnded)
