"""A Reader that gives the repaired body, read by read."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from untorn.async_sources import AsyncSource
from untorn.clients.repair import Repair
from untorn.reader import AsyncReader, Reader
from untorn.sources import Source


class RepairedReader(Reader):
    """See Repair. ``raise_for_end`` stays with the caller, who knows what to raise."""

    def __init__(self, source: Source, repair: Repair) -> None:
        super().__init__(source, repair)
        self.repair = repair

    def reads(self) -> Iterator[bytes]:
        """The body, as it comes."""
        repair = self.repair
        while True:
            if data := repair.take():
                yield data
            elif repair.is_over:
                return
            else:
                self._read()


class AsyncRepairedReader(AsyncReader):
    """The same for asyncio."""

    def __init__(self, source: AsyncSource, repair: Repair) -> None:
        super().__init__(source, repair)
        self.repair = repair

    async def reads(self) -> AsyncIterator[bytes]:
        """See RepairedReader."""
        repair = self.repair
        while True:
            if data := repair.take():
                yield data
            elif repair.is_over:
                return
            else:
                await self._read()
