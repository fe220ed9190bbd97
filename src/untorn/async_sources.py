"""The same as ``sources.py`` for asyncio."""

from __future__ import annotations

from collections.abc import AsyncIterable, Awaitable, Coroutine
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, Protocol

from untorn.resets import areset, is_http2
from untorn.sources import Opened, network_stream

if TYPE_CHECKING:
    import asyncio


class AsyncSource(Protocol):
    """The same for an AsyncReader. Its ``read`` is ended by cancelling it."""

    async def open(self) -> Opened:
        """See Source."""
        ...

    def read(self) -> Awaitable[bytes | None]:
        """See Source."""
        ...

    def received(self) -> int | None:
        """See Source."""
        ...

    async def close(self) -> None:
        """See Source."""
        ...


class AsyncIterableSource:
    """Any asynchronous iterable of bytes. ``owner`` is what is closed with it."""

    def __init__(self, opened: Opened, items: AsyncIterable[bytes], owner: object = None) -> None:
        self._opened = opened
        self._iterator = aiter(items)
        self._owner = None if owner is self._iterator else owner

    async def open(self) -> Opened:
        return self._opened

    def read(self) -> Awaitable[bytes | None]:
        return anext(self._iterator, None)

    def received(self) -> int | None:
        return None

    async def close(self) -> None:
        async with AsyncExitStack() as stack:
            for one in (self._owner, self._iterator):
                if (close := getattr(one, "aclose", None)) is not None:
                    stack.push_async_callback(close)


class AsyncHttpxSource(AsyncIterableSource):
    """A response of httpx or httpx2, or one with the same methods. See HttpxSource."""

    def __init__(
        self, opened: Opened, response: Any, reads: AsyncIterable[bytes] | None = None
    ) -> None:
        super().__init__(opened, response.aiter_bytes() if reads is None else reads, response)
        self._response = response
        self._has_ended = False

    async def read(self) -> bytes | None:
        data = await anext(self._iterator, None)
        self._has_ended = data is None
        return data

    def received(self) -> int | None:
        return getattr(self._response, "num_bytes_downloaded", None)

    async def close(self) -> None:
        await _to_the_end(self._close())

    async def _close(self) -> None:
        if is_http2(self._response) and not self._has_ended:
            await areset(self._response)
        await super().close()
        stream = network_stream(self._response)
        if stream is not None and not self._has_ended:
            # A task that is cancelled twice leaves it open: httpcore was closing it.
            await stream.aclose()


async def _to_the_end(coroutine: Coroutine[Any, Any, None]) -> None:
    """Await it, and be cancelled only after that: half closed, a connection would keep its place
    in httpcore's pool."""
    import asyncio  # who reads synchronously need not load it

    task = asyncio.ensure_future(coroutine)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as exc:
            cancelled = exc
    if cancelled is None:
        return task.result()
    task.exception()  # the cancellation is more, but it was looked at
    raise cancelled


class AiohttpSource:
    """A response of aiohttp, or the StreamReader in it."""

    def __init__(self, opened: Opened, content: Any, response: Any) -> None:
        self._opened = opened
        self._content = content
        self._response = response
        connection = getattr(response, "connection", None)  # None once the body has come
        self._protocol = getattr(connection, "protocol", None)
        framed = opened.header("transfer-encoding") or opened.header("content-length")
        self._ends_with_connection = not framed
        self._lost_connection = getattr(self._protocol, "closed", None)
        if self._lost_connection is not None:
            self._lost_connection.add_done_callback(self._wake)

    async def open(self) -> Opened:
        return self._opened

    async def read(self) -> bytes | None:
        content = self._content
        if rest := self._rest():
            return rest
        try:
            data: bytes = await content.readany()
        except Exception:
            if (lost := self._lost()) is None:
                raise
            raise lost  # noqa: B904  (its own cause says more)
        # It takes a reset for the end of a body that ends with its connection.
        if not data and self._ends_with_connection and (lost := self._lost()) is not None:
            raise lost
        return data or None

    def received(self) -> int | None:
        return getattr(self._content, "total_raw_bytes", None)

    async def close(self) -> None:
        if self._lost_connection is not None:
            # The connection may live on, and needs nobody of this response.
            for callback in (self._wake, _look_at):
                self._lost_connection.remove_done_callback(callback)
            self._lost_connection.add_done_callback(_look_at)
        if hasattr(self._response, "close"):
            self._response.close()

    def _wake(self, lost: asyncio.Future[None]) -> None:
        """The connection is closed. At chunks that are none, aiohttp closes it and forgets who
        waits for the body."""
        content = self._content
        if _look_at(lost) and not content.is_eof() and content.exception() is None:
            content.set_exception(EOFError("the connection was closed inside the body"))

    def _rest(self) -> bytes | None:
        """What had come when the connection failed; aiohttp itself would only say that."""
        content = self._content
        failure = content.exception()
        if failure is None:
            return None
        content.set_exception(None)
        try:
            rest: bytes = content.read_nowait()
        finally:
            content.set_exception(failure)
        return rest

    def _lost(self) -> OSError | None:
        """What the system said when it failed; aiohttp tells it to the connection alone."""
        failure = None if self._protocol is None else self._protocol.exception()
        return failure if isinstance(failure, OSError) else None


def _look_at(lost: asyncio.Future[None]) -> bool:
    """Whether the connection is lost, and not somebody's wait for that. A future that failed,
    and that nobody looks at, is complained of."""
    if lost.cancelled():
        return False
    lost.exception()
    return True
