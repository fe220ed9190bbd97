"""aiohttp, three times as fast as httpx2."""

from __future__ import annotations

import io

from untorn.async_sources import AsyncSource
from untorn.clients.requests import Request
from untorn.options import MIB
from untorn.responses import async_source_of

try:
    import aiohttp
    from yarl import URL
except ImportError as exc:
    raise ImportError('this backend needs aiohttp: pip install "untorn[aiohttp]"') from exc


class AsyncBackend:
    """Sends requests with an ``aiohttp.ClientSession``: the caller's own, or one that is made in
    the first request, since it belongs to an event loop."""

    def __init__(
        self, client: aiohttp.ClientSession | None, *, http2: bool, proxy: str | None
    ) -> None:
        if http2:
            raise ValueError("http2 needs the backend httpx2")
        self._client = client
        self._is_owned = client is None
        self._proxy = proxy

    async def send(self, request: Request) -> AsyncSource:
        """Send it, and wait for the head."""
        if self._client is None:
            # As many connections as there are streams; proxies of the environment, as elsewhere.
            connector = aiohttp.TCPConnector(limit=0)
            self._client = aiohttp.ClientSession(connector=connector, trust_env=True)
        clocks = request.clocks
        timeout = aiohttp.ClientTimeout(
            total=None, connect=None, sock_connect=clocks.connect, sock_read=clocks.first_byte
        )
        response = await self._client.post(
            URL(request.address.url, encoded=True),
            headers=request.revealed,
            # It warns of large bytes, since it would send them in one piece.
            data=io.BytesIO(request.body) if len(request.body) > MIB else request.body,
            timeout=timeout,
            allow_redirects=False,
            proxy=self._proxy,
        )
        _end_timeout(response)
        return async_source_of(response)

    async def close(self) -> None:
        """Close all connections, unless the session is the caller's own."""
        if self._is_owned and self._client is not None:
            await self._client.close()


def _end_timeout(response: aiohttp.ClientResponse) -> None:
    """From here on an alarm ends a read that takes too long."""
    connection = response.connection
    protocol = None if connection is None else connection.protocol
    if protocol is not None:
        protocol.read_timeout = None
        protocol.start_timeout()  # anew, and that is: never
