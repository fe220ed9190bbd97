"""Where bytes come from: a file, a pipe or standard input, and what ends the waiting for them."""

from __future__ import annotations

import os
import signal
import stat
import sys
import time
from collections.abc import Callable, Iterator
from types import FrameType, TracebackType
from typing import BinaryIO, Literal

from untorn.capture import DumpReader, RawHead
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


def follow(source: Source, stream: ChatStream, interrupt: Interrupt) -> Iterator[list[StreamEvent]]:
    """Read a source into a stream to the end of either, and give the events as they come.

    The last event is StreamEnded, whatever ended the reading.
    """
    dump = DumpReader()
    failure: tuple[Literal["cut", "cancelled"], str] | None = None
    try:
        while data := interrupt.wait(source.read):
            for events in _hand_in(dump.receive_data(data), stream, source.now()):
                yield events
                if events and isinstance(events[-1], StreamEnded):  # over a limit
                    return
    except KeyboardInterrupt:
        failure = "cancelled", "cancelled by Ctrl-C"
    except OSError as exc:
        failure = "cut", f"reading failed: {exc.strerror}"
    at = source.now()
    yield from _hand_in(dump.receive_eof(), stream, at)
    yield stream.receive_failure(*failure, at) if failure else stream.receive_eof(at)


def _hand_in(
    parts: list[RawHead | bytes], stream: ChatStream, at: float | None
) -> Iterator[list[StreamEvent]]:
    for part in parts:
        if isinstance(part, RawHead):
            stream.receive_head(part.status, part.headers)
        else:
            yield stream.receive_data(part, at)
