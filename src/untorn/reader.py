"""A response that somebody opened, read as it comes: synchronously, or with asyncio."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Iterator
from contextlib import suppress
from time import monotonic
from typing import Any, Self

from untorn.alarm import Alarm, TaskAlarm
from untorn.async_sources import AsyncSource
from untorn.chat.completion import RAISE_ON, Completion, outcomes_of
from untorn.chat.verdict import Outcome
from untorn.events import StreamEvent
from untorn.failures import is_of_transport
from untorn.head import Headers
from untorn.options import Clocks, Options
from untorn.reading import Reading
from untorn.recording import Recording
from untorn.responses import async_source_of, source_of
from untorn.sources import Source


def read(
    source: Any,
    *,
    status: int | None = None,
    headers: Headers | None = None,
    raise_on: Collection[Outcome] = RAISE_ON,
    options: Options = Options(),
    clocks: Clocks = Clocks(),
    record: str | os.PathLike[str] | None = None,
) -> Reader:
    """Read a response of httpx, httpx2, requests, urllib3 or urllib, or any iterable of bytes.

    ``status`` and ``headers`` are for bytes that are no response. Outcomes in ``raise_on`` raise
    where the reading ends. ``record`` names a file to which all that comes is written, too.

    Raises TypeError for a source that cannot be read, or only by ``aread``; ValueError for what
    is no outcome; OSError if the file to record to cannot be made.
    """
    source = source_of(source, status, headers)
    return Reader(source, _reading(raise_on, options, clocks, record))


def aread(
    source: Any,
    *,
    status: int | None = None,
    headers: Headers | None = None,
    raise_on: Collection[Outcome] = RAISE_ON,
    options: Options = Options(),
    clocks: Clocks = Clocks(),
    record: str | os.PathLike[str] | None = None,
) -> AsyncReader:
    """The same for httpx, httpx2, aiohttp, or any asynchronous iterable of bytes."""
    source = async_source_of(source, status, headers)
    return AsyncReader(source, _reading(raise_on, options, clocks, record))


def _reading(
    raise_on: Collection[Outcome],
    options: Options,
    clocks: Clocks,
    record: str | os.PathLike[str] | None,
) -> Reading:
    outcomes = outcomes_of(raise_on)
    return Reading(options, clocks, outcomes, None if record is None else Recording(record))


class _AnyReader:
    """What needs no waiting."""

    _reading: Reading

    @property
    def completion(self) -> Completion:
        """What there is, at any time. Never raises."""
        return self._reading.completion

    @property
    def recording_failure(self) -> OSError | None:
        """Why the end of the recording is missing; None if it is not, or nothing is recorded."""
        recording = self._reading.recording
        return None if recording is None else recording.failure


class Reader(_AnyReader):
    """A streamed answer. Iterate over it for its events, or over its ``text``.

    Both take from the same stream, and everything comes once: where one loop was left, the next
    one goes on. A loop that reaches the end raises if the answer is not whole (see ``read``),
    after all that had arrived was given out.

    In a ``with`` block the source is closed when the block is left, however that happens; the
    provider then stops generating. Without one it is closed at the end of the stream.
    """

    def __init__(self, source: Source, reading: Reading) -> None:
        self._reading = reading
        self._source = source
        self._alarm = Alarm(source.interrupt)

    @property
    def text(self) -> Iterator[str]:
        """The content of choice 0, as it comes. If that choice never comes, the content of the
        first one that did, at the end.

        What was given out cannot be taken back: should a ``Revised`` event change it, only
        ``completion`` has the new text.
        """
        reading = self._reading
        while True:
            while (text := reading.next_text()) is not None:
                yield text
            if reading.is_over:
                break
            self._read()
        reading.raise_for_end()

    def __iter__(self) -> Iterator[StreamEvent]:
        reading = self._reading
        while True:
            yield from reading.unread
            if reading.is_over:
                break
            self._read()
        reading.raise_for_end()

    def result(self) -> Completion:
        """Read to the end; raises as a loop does."""
        for _ in self:
            pass
        return self.completion

    def close(self) -> None:
        """Close the source. If the stream had not ended, its ending is ``cancelled``."""
        if not self._reading.is_over:
            self._reading.cancel(monotonic())
            self._close()

    def __enter__(self) -> Self:
        if not self._reading.has_begun:
            self._begin()
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def __del__(self) -> None:
        with suppress(Exception):  # there is nobody to tell
            self.close()

    def _begin(self) -> None:
        self._reading.begin(self._source.open(), self._source.received, monotonic())

    def _read(self) -> None:
        reading, alarm = self._reading, self._alarm
        try:
            if not reading.has_begun:
                self._begin()
            alarm.set(reading.wait(monotonic()))
            data = self._source.read()
            reading.receive(data, monotonic(), alarm.stop())
        except BaseException as exc:
            if not reading.fail(exc, monotonic(), alarm.stop()):
                raise
        finally:
            if reading.is_over:
                self._close()

    def _close(self) -> None:
        self._alarm.end()
        try:
            self._source.close()
        except Exception as exc:
            if not is_of_transport(exc):
                raise


class AsyncReader(_AnyReader):
    """The same for asyncio, with ``async with`` and ``async for``; ``result`` and ``aclose`` are
    awaited.

    Without an ``async with`` block, a stream that is left early stays open until ``aclose``.
    """

    def __init__(self, source: AsyncSource, reading: Reading) -> None:
        self._reading = reading
        self._source = source
        self._alarm = TaskAlarm()

    @property
    def text(self) -> AsyncIterator[str]:
        """See ``Reader.text``."""
        return _Texts(self._next_text)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> StreamEvent:
        reading = self._reading
        while True:
            for event in reading.unread:
                return event
            if reading.is_over:
                break
            await self._read()
        reading.raise_for_end()
        raise StopAsyncIteration

    async def result(self) -> Completion:
        """Read to the end; raises as a loop does."""
        async for _ in self:
            pass
        return self.completion

    async def aclose(self) -> None:
        """Close the source. If the stream had not ended, its ending is ``cancelled``."""
        if not self._reading.is_over:
            self._reading.cancel(monotonic())
            await self._close()

    async def __aenter__(self) -> Self:
        if not self._reading.has_begun:
            await self._begin()
        return self

    async def __aexit__(self, *_exc: object) -> None:
        await self.aclose()

    async def _next_text(self) -> str:
        reading = self._reading
        while True:
            if (text := reading.next_text()) is not None:
                return text
            if reading.is_over:
                break
            await self._read()
        reading.raise_for_end()
        raise StopAsyncIteration

    async def _begin(self) -> None:
        self._reading.begin(await self._source.open(), self._source.received, monotonic())

    async def _read(self) -> None:
        reading, alarm = self._reading, self._alarm
        try:
            if not reading.has_begun:
                await self._begin()
            alarm.set(reading.wait(monotonic()))
            data = await self._source.read()
            reading.receive(data, monotonic(), alarm.stop())
        except BaseException as exc:
            if not reading.fail(exc, monotonic(), alarm.stop()):
                raise
        finally:
            if reading.is_over:
                await self._close()

    async def _close(self) -> None:
        self._alarm.end()
        try:
            await self._source.close()
        except Exception as exc:
            if not is_of_transport(exc):
                raise


class _Texts:
    """An iterator, since an asynchronous generator that is left early would need a task to end
    it."""

    __slots__ = ("_next_text",)

    def __init__(self, next_text: Callable[[], Coroutine[Any, Any, str]]) -> None:
        self._next_text = next_text

    def __aiter__(self) -> Self:
        return self

    def __anext__(self) -> Coroutine[Any, Any, str]:
        return self._next_text()
