"""A Reader that gives the repaired body, read by read."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator

from untorn.async_sources import AsyncSource
from untorn.clients.body import Body
from untorn.reader import AsyncReader, Reader
from untorn.sources import Source


class RepairedReader(Reader):
    """See Body. ``raise_for_end`` stays with the caller, who knows what to raise."""

    def __init__(self, source: Source, body: Body) -> None:
        super().__init__(source, body)
        self.body = body

    def reads(self, end: Callable[[], object]) -> Iterator[bytes]:
        """The body, as it comes. ``end`` is called after it, and may raise."""
        body = self.body
        while not body.is_over:
            self._read()
            if data := body.take():
                yield data
        end()


class AsyncRepairedReader(AsyncReader):
    """The same for asyncio."""

    def __init__(self, source: AsyncSource, body: Body) -> None:
        super().__init__(source, body)
        self.body = body

    async def reads(self, end: Callable[[], object]) -> AsyncIterator[bytes]:
        """See RepairedReader."""
        body = self.body
        while not body.is_over:
            await self._read()
            if data := body.take():
                yield data
        end()
