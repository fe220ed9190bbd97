"""One test for both colours: a program with a Reader, and the same with an AsyncReader."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterable, Callable, Coroutine, Iterable
from typing import Any, Literal, Self

from untorn import Completion, StreamEvent
from untorn.reader import AsyncReader, Reader, aread, read

TIMEOUT = 60


class Reads:
    """Reads for ``read`` and ``aread``, perhaps with an exception after them."""

    def __init__(self, reads: Iterable[Any], failure: BaseException | None = None) -> None:
        self._reads = iter(reads)
        self._failure = failure
        self.closed = 0
        """How often it was closed."""

    def next_read(self, over: Exception) -> Any:
        for data in self._reads:
            return data
        raise self._failure or over


class SyncReads(Reads):
    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        return self.next_read(StopIteration())

    def close(self) -> None:
        self.closed += 1


class AsyncReads(Reads):
    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        await asyncio.sleep(0)
        return self.next_read(StopAsyncIteration())

    async def aclose(self) -> None:
        await asyncio.sleep(0)
        self.closed += 1


class Program:
    """Does with a reader of one colour what programs do. With ``most`` a loop is left early."""

    def __init__(self, colour: Literal["sync", "async"]) -> None:
        self._is_sync = colour == "sync"
        self.source: SyncReads | AsyncReads
        self.reader: Reader | AsyncReader
        self.taken: list[Any] = []
        """What the last loop took, also if it raised."""

    def open(
        self, reads: Iterable[Any], failure: BaseException | None = None, **choices: Any
    ) -> Self:
        """Begin to read."""
        if self._is_sync:
            self.source = SyncReads(reads, failure)
            self.reader = read(self.source, **choices)
        else:
            self.source = AsyncReads(reads, failure)
            self.reader = aread(self.source, **choices)
        return self

    @property
    def completion(self) -> Completion:
        return self.reader.completion

    async def events(self, most: int | None = None) -> list[StreamEvent]:
        return await self._take(self.reader, most)

    async def texts(self, most: int | None = None) -> list[str]:
        return await self._take(self.reader.text, most)

    async def result(self) -> Completion:
        if isinstance(self.reader, Reader):
            return self.reader.result()
        return await self.reader.result()

    async def close(self) -> None:
        if isinstance(self.reader, Reader):
            self.reader.close()
        else:
            await self.reader.aclose()

    async def __aenter__(self) -> Self:
        if isinstance(self.reader, Reader):
            assert self.reader.__enter__() is self.reader
        else:
            assert await self.reader.__aenter__() is self.reader
        return self

    async def __aexit__(self, *exc: object) -> None:
        if isinstance(self.reader, Reader):
            self.reader.__exit__(*exc)
        else:
            await self.reader.__aexit__(*exc)

    async def _take(self, items: Any, most: int | None) -> list[Any]:
        self.taken = []
        if isinstance(items, AsyncIterable):
            async for item in items:
                self.taken.append(item)
                if len(self.taken) == most:
                    break
        else:
            for item in items:
                self.taken.append(item)
                if len(self.taken) == most:
                    break
        return self.taken


def bounded(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Run an asynchronous test, and end it if it takes too long."""

    @functools.wraps(test)
    def run(*args: Any, **kwargs: Any) -> None:
        async def main() -> None:
            async with asyncio.timeout(TIMEOUT):
                await test(*args, **kwargs)

        asyncio.run(main())

    return run
