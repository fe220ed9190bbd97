"""What a Reader reads, for a client: it is opened again for each request."""

from __future__ import annotations

import asyncio
import logging
from time import monotonic, sleep
from typing import Protocol

from untorn.async_sources import AsyncSource
from untorn.clients.asking import Asking
from untorn.clients.deadline import deadline
from untorn.clients.keys import Echo, Secrets
from untorn.clients.requests import Request
from untorn.sources import Opened, Source
from untorn.sse import LineSplitter

log = logging.getLogger("untorn")
wire = logging.getLogger("untorn.wire")
if wire.level == logging.NOTSET:
    wire.setLevel(logging.INFO)  # a program that logs all there is does not mean prompts


class Backend(Protocol):
    """How requests are sent."""

    def send(self, request: Request) -> Source:
        """Send it, and wait for the head."""
        ...

    def close(self) -> None:
        """End what belongs to it."""
        ...


class AsyncBackend(Protocol):
    """The same for asyncio."""

    async def send(self, request: Request) -> AsyncSource:
        """See Backend."""
        ...

    async def close(self) -> None:
        """See Backend."""
        ...


class Wire:
    """Logs one request and the lines of its response, without secrets, if anybody listens."""

    def __init__(self, request: Request, secrets: Secrets) -> None:
        self._is_heard = wire.isEnabledFor(logging.DEBUG)
        self._secrets = secrets
        self._lines = LineSplitter()
        self._log("> POST %s, %d bytes", request.address.shown, len(request.body))

    def opened(self, opened: Opened) -> None:
        """The head."""
        self._log("< %s", opened.status)

    def read(self, data: bytes | None) -> None:
        """A read, or the end."""
        if self._is_heard:
            lines = self._lines.receive_eof() if data is None else self._lines.receive_data(data)
            for line in lines:
                self._log("< %s", self._secrets.hide(line.decode("utf-8", "replace")))

    def _log(self, message: str, *values: object) -> None:
        if self._is_heard:
            wire.debug(message, *values)


def _tell(asking: Asking, wait: float, request: Request) -> None:
    """Logs that another request is to be made: whoever waits wants to know for what."""
    if not asking.attempts:
        return
    number, last = len(asking.attempts), asking.attempts[-1]
    log.info(
        "request %d: %s; request %d goes to %s%s",
        number,
        last.why,
        number + 1,
        request.address.shown,
        f" in {wait:.1f} seconds" if wait else "",
    )


class _Body:
    """What is done to each read of one response, in both colours."""

    def __init__(self, request: Request, asking: Asking) -> None:
        self._wire = Wire(request, asking.secrets)
        self._secrets = asking.secrets
        self._echo: Echo | None = None

    def opened(self, opened: Opened) -> Opened:
        self._wire.opened(opened)
        if opened.status is not None and opened.status >= 400:
            self._echo = Echo(self._secrets)
        hide = self._secrets.hide
        return opened._replace(headers=[(name, hide(value)) for name, value in opened.headers])

    def read(self, data: bytes | None) -> bytes | None:
        self._wire.read(data)
        if self._echo is not None:
            data = (
                (self._echo.receive_eof() or None)
                if data is None
                else self._echo.receive_data(data)
            )
        return data


class ClientSource:
    """One response after the other."""

    def __init__(self, backend: Backend, asking: Asking) -> None:
        self._backend = backend
        self._asking = asking
        self._source: Source | None = None
        self._body: _Body | None = None

    def open(self) -> Opened:
        self.close()
        at = monotonic()
        until = self._asking.wait_for_head(at)
        wait, request = self._asking.next_request(at)
        _tell(self._asking, wait, request)
        if wait:
            sleep(wait)
        self._body = _Body(request, self._asking)
        with deadline(until):
            self._source = self._backend.send(request)
        return self._body.opened(self._source.open())

    def read(self) -> bytes | None:
        source = self._source
        assert source is not None
        assert self._body is not None
        if source.interrupt is not None:
            return self._body.read(source.read())
        with deadline(self._asking.until):  # over HTTP/2: the socket is not this answer's alone
            return self._body.read(source.read())

    def received(self) -> int | None:
        return None if self._source is None else self._source.received()

    def interrupt(self) -> None:
        """Called in another thread."""
        interrupt = None if self._source is None else self._source.interrupt
        if interrupt is not None:
            interrupt()

    def close(self) -> None:
        source, self._source = self._source, None
        if source is not None:
            source.close()


class AsyncClientSource:
    """The same for asyncio."""

    def __init__(self, backend: AsyncBackend, asking: Asking) -> None:
        self._backend = backend
        self._asking = asking
        self._source: AsyncSource | None = None
        self._body: _Body | None = None

    async def open(self) -> Opened:
        await self.close()
        wait, request = self._asking.next_request(monotonic())
        _tell(self._asking, wait, request)
        if wait:
            await asyncio.sleep(wait)
        self._body = _Body(request, self._asking)
        self._source = await self._backend.send(request)
        return self._body.opened(await self._source.open())

    async def read(self) -> bytes | None:
        assert self._source is not None
        assert self._body is not None
        return self._body.read(await self._source.read())

    def received(self) -> int | None:
        return None if self._source is None else self._source.received()

    async def close(self) -> None:
        source, self._source = self._source, None
        if source is not None:
            await source.close()
