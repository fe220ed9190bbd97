"""httpx2, the usual way to ask."""

from __future__ import annotations

from typing import Any

from untorn.async_sources import AsyncSource
from untorn.clients.requests import Request
from untorn.responses import async_source_of, source_of
from untorn.sources import Source

try:
    import httpx2
except ImportError as exc:
    raise ImportError('the client needs httpx2: pip install "untorn[client]"') from exc

from untorn.clients.timed_httpx2 import keep_deadlines


class Backend:
    """Sends requests with an ``httpx2.Client``: the caller's own, or one made for it."""

    def __init__(self, client: httpx2.Client | None, *, http2: bool, proxy: str | None) -> None:
        self._owned = None
        if client is None:
            client = self._owned = httpx2.Client(**_choices(http2, proxy))
            keep_deadlines(client)
        self._client = client

    def send(self, request: Request) -> Source:
        """Send it, and wait for the head."""
        response = self._client.send(
            _built(self._client, request), stream=True, auth=None, follow_redirects=False
        )
        source = source_of(response)
        if source.interrupt is not None:
            # From here on an alarm ends a read that takes too long.
            response.request.extensions["timeout"]["read"] = None
        return source

    def close(self) -> None:
        """Close all connections, unless the client is the caller's own."""
        if self._owned is not None:
            self._owned.close()


class AsyncBackend:
    """The same with an ``httpx2.AsyncClient``."""

    def __init__(
        self, client: httpx2.AsyncClient | None, *, http2: bool, proxy: str | None
    ) -> None:
        self._owned = None
        if client is None:
            client = self._owned = httpx2.AsyncClient(**_choices(http2, proxy))
        self._client = client

    async def send(self, request: Request) -> AsyncSource:
        """See Backend."""
        response = await self._client.send(
            _built(self._client, request), stream=True, auth=None, follow_redirects=False
        )
        response.request.extensions["timeout"]["read"] = None
        return async_source_of(response)

    async def close(self) -> None:
        """See Backend."""
        if self._owned is not None:
            await self._owned.aclose()


def _choices(http2: bool, proxy: str | None) -> dict[str, Any]:
    # As many connections as there are streams: a stream that waits for another's end is stalled.
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=100)
    return {"http2": http2, "proxy": proxy, "limits": limits}


def _built(client: httpx2.Client | httpx2.AsyncClient, request: Request) -> httpx2.Request:
    address = request.address
    # The query may hold a key, and httpx2 logs URLs: it gets one without, and sends this.
    path = address.url.removeprefix(address.origin).encode()
    longest = request.longest_wait
    return client.build_request(
        "POST",
        address.shown,
        headers=request.revealed,
        content=request.body,
        timeout=httpx2.Timeout(
            connect=request.clocks.connect, read=longest, write=longest, pool=None
        ),
        extensions={"target": path} if address.query else None,
    )
