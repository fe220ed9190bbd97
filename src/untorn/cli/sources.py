"""Where bytes come from: a file, a pipe or standard input, and what ends the waiting for them."""

from __future__ import annotations

import os
import signal
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import FrameType, TracebackType
from typing import BinaryIO, Literal

from untorn.capture import (
    CaptureError,
    CaptureEvent,
    CaptureReader,
    Close,
    RawHead,
    Read,
)
from untorn.capture.capture import INTERRUPTED
from untorn.events import StreamEnded, StreamEvent
from untorn.stream import ChatStream

READ_SIZE = 64 * 1024
STDIN = "-"


class Source:
    """Bytes as they come. Raises OSError where they cannot be had."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._file = _open(name)
        # Whoever wrote a regular file did so before: nothing of its reading can be timed.
        self.is_terminal = self._file.isatty()
        self._timed = not stat.S_ISREG(os.fstat(self._file.fileno()).st_mode)

    def read(self) -> bytes:
        """What has come, up to ``READ_SIZE``; waits for the first byte. ``b""`` at the end."""
        return self._file.read(READ_SIZE)

    def now(self) -> float | None:
        """The time to hand in for what was just read."""
        return time.monotonic() if self._timed else None

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *_exc: object) -> None:
        self._file.close()


def _open(name: str) -> BinaryIO:
    # Unbuffered: a buffer would wait until it is full.
    if name != STDIN:
        return open(name, "rb", buffering=0)
    if sys.stdin is None:
        raise OSError(0, "it is closed")
    return open(sys.stdin.fileno(), "rb", buffering=0, closefd=False)


class Interrupt:
    """Ctrl-C ends a wait for bytes, and nothing else: not in the middle of reading a chunk.

    A second Ctrl-C ends everything at once.
    """

    def __init__(self) -> None:
        self.pressed = False
        """Whether Ctrl-C was pressed."""
        self._waiting = False
        self._before: Callable[[int, FrameType | None], object] | int | None = None

    def __enter__(self) -> Interrupt:
        self._before = signal.getsignal(signal.SIGINT)
        if self._before is signal.default_int_handler:  # else somebody wants it otherwise
            signal.signal(signal.SIGINT, self._press)
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _exc: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        signal.signal(signal.SIGINT, self._before)

    def wait(self, read: Callable[[], bytes]) -> bytes:
        """``read()``; raises KeyboardInterrupt on Ctrl-C, also on an earlier one."""
        self._waiting = True
        try:
            if self.pressed:
                raise KeyboardInterrupt
            return read()
        finally:
            self._waiting = False

    def _press(self, _number: int, _frame: FrameType | None) -> None:
        again, self.pressed = self.pressed, True
        if self._waiting or again:
            raise KeyboardInterrupt


Failure = tuple[Literal["cut", "cancelled"], str]
UNSEEN: Failure = ("cut", INTERRUPTED)


def follow(source: Source, stream: ChatStream, interrupt: Interrupt) -> Iterator[list[StreamEvent]]:
    """Read a source into a stream to the end of either, and give the events as they come.

    The last event is StreamEnded, whatever ended the reading. A CaptureError is raised after it;
    alone, if nothing had come.
    """
    player = _Player(source, stream)
    failure: Failure = UNSEEN
    error: CaptureError | None = None
    try:
        while data := interrupt.wait(source.read):
            yield from player.receive_data(data)
            if player.has_ended:
                return
        yield from player.receive_eof()
    except KeyboardInterrupt:
        failure = "cancelled", "cancelled by Ctrl-C"
    except OSError as exc:
        failure = "cut", f"reading failed: {exc.strerror}"
    except CaptureError as exc:
        if not player.has_begun:
            raise
        failure = (
            "cut",
            "the recording is damaged" + ("" if exc.line is None else f" in line {exc.line}"),
        )
        error = exc
    yield from player.fail(failure)
    if error is not None:
        raise error


class _Player:
    """Hands what was recorded to a stream, at the times at which it came."""

    def __init__(self, source: Source, stream: ChatStream) -> None:
        self.has_begun = False
        """Whether there was anything to hand in."""
        self.has_ended = False
        """Whether the stream has given its last event."""
        self._source = source
        self._stream = stream
        self._reader = CaptureReader(source.name)
        self._passed = 0.0

    def receive_data(self, data: bytes) -> Iterator[list[StreamEvent]]:
        """More of the file."""
        return self._hand_in(self._reader.receive_data(data))

    def receive_eof(self) -> Iterator[list[StreamEvent]]:
        """The end of the file; that of the stream only if the file says so."""
        return self._hand_in(self._reader.receive_eof())

    def fail(self, failure: Failure) -> Iterator[list[StreamEvent]]:
        """The reading ended otherwise: what was held, and the stream's last events."""
        if failure is not UNSEEN:
            with suppress(CaptureError):
                rest = self._reader.receive_eof()
                yield from self._hand_in([one for one in rest if not isinstance(one, Close)])
        if not self.has_ended:
            torn = self._reader.torn
            ending, reason = failure
            reason = reason if torn is None else f"{reason}, inside line {torn}"
            yield self._stream.receive_failure(ending, reason, self._at())

    def _hand_in(self, recorded: list[CaptureEvent]) -> Iterator[list[StreamEvent]]:
        for one in recorded:
            self.has_begun = True
            self._passed += one.interval
            events = self._events(one)
            self.has_ended = bool(events) and isinstance(events[-1], StreamEnded)
            yield events
            if self.has_ended:  # closed, or over a limit
                return

    def _events(self, one: CaptureEvent) -> list[StreamEvent]:
        at = self._at()
        match one:
            case RawHead():
                # Of a pipe nobody knows when the head came: it is held until the body begins.
                self._stream.receive_head(
                    one.status, one.headers, at if self._reader.is_timed else None
                )
            case Read():
                return self._stream.receive_data(one.data, at)
            case Close(reason=None):
                return self._stream.receive_eof(at)
            case Close(reason=str(reason)):
                return self._stream.receive_failure("cut", reason, at)
        return []

    def _at(self) -> float | None:
        """When it was recorded; else when it came, where it comes now."""
        return self._passed if self._reader.is_timed else self._source.now()
