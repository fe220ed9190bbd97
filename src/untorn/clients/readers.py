"""A Reader whose source is asked for the answer first, and perhaps again."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from time import monotonic
from typing import Self

from untorn.clients.asking import Asking
from untorn.clients.keys import without_tracebacks
from untorn.clients.sources import AsyncClientSource, ClientSource
from untorn.reader import AsyncReader, Reader

NO_TEXT = (
    "with restart_torn, text that was given out may turn out to be void: iterate over the events,"
    " and begin anew at Restarted"
)


class ClientReader(Reader):
    """See ``untorn.Reader``. The request is sent when the block is entered, or at the first read;
    entering raises if no request is answered."""

    def __init__(self, source: ClientSource, asking: Asking, *, has_text: bool) -> None:
        super().__init__(source, asking)
        self._asking = asking
        self._has_text = has_text

    @property
    def text(self) -> Iterator[str]:
        """See ``Reader.text``. Raises ValueError with ``restart_torn``."""
        if not self._has_text:
            raise ValueError(NO_TEXT)
        return super().text

    def __enter__(self) -> Self:
        while not self._asking.is_answered:
            self._read()
        if self._asking.is_over:
            self._asking.raise_for_end()
        return self

    def _read(self) -> None:
        if self._asking.has_begun:
            return super()._read()
        try:
            self._begin()
        except BaseException as exc:
            if not self._asking.fail(exc, monotonic(), rang=False):
                without_tracebacks(exc)
                raise
        finally:
            if self._asking.is_over:
                self._close()


class AsyncClientReader(AsyncReader):
    """The same for asyncio."""

    def __init__(self, source: AsyncClientSource, asking: Asking, *, has_text: bool) -> None:
        super().__init__(source, asking)
        self._asking = asking
        self._has_text = has_text

    @property
    def text(self) -> AsyncIterator[str]:
        """See ClientReader."""
        if not self._has_text:
            raise ValueError(NO_TEXT)
        return super().text

    async def __aenter__(self) -> Self:
        while not self._asking.is_answered:
            await self._read()
        if self._asking.is_over:
            self._asking.raise_for_end()
        return self

    async def _read(self) -> None:
        if self._asking.has_begun:
            return await super()._read()
        alarm = self._alarm
        try:
            alarm.set(self._asking.wait_for_head(monotonic()))
            await self._begin()
            alarm.stop()
        except BaseException as exc:
            if not self._asking.fail(exc, monotonic(), alarm.stop()):
                without_tracebacks(exc)
                raise
        finally:
            if self._asking.is_over:
                await self._close()
