"""Where bytes come from, and what ends the waiting for them."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.processes import answer
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
