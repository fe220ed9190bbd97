"""urllib3, for who has it already."""

from __future__ import annotations

import logging
from typing import Any

from untorn.clients.requests import Request
from untorn.responses import source_of
from untorn.sources import Source

try:
    import urllib3
except ImportError as exc:
    raise ImportError('this backend needs urllib3: pip install "untorn[urllib3]"') from exc

from untorn.clients.timed_urllib3 import keep_deadlines


class _WithoutQuery(logging.Filter):
    """urllib3 logs URLs, in whose query a key may stand."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            args = [arg.partition("?")[0] if isinstance(arg, str) else arg for arg in record.args]
            record.args = tuple(args)
        return True


logging.getLogger("urllib3.connectionpool").addFilter(_WithoutQuery())


POOLS = 16
"""Hosts whose connections are kept."""
KEPT = 100
"""Connections of a host that are kept; there may be more."""


class Backend:
    """Sends requests with a ``urllib3.PoolManager``: the caller's own, or one made for it."""

    def __init__(
        self, client: urllib3.PoolManager | None, *, http2: bool, proxy: str | None
    ) -> None:
        if http2:
            raise ValueError("http2 needs the backend httpx2")
        self._owned = None
        if client is None:
            client = self._owned = _pools(proxy)
        self._client = client

    def send(self, request: Request) -> Source:
        """Send it, and wait for the head."""
        response: Any = self._client.request(
            "POST",
            request.address.url,
            headers=request.revealed,
            body=request.body,
            timeout=urllib3.Timeout(connect=request.clocks.connect, read=request.longest_wait),
            retries=False,
            redirect=False,
            preload_content=False,
        )
        connection = response.connection
        if connection is not None and connection.sock is not None:
            connection.sock.settimeout(None)  # from here on an alarm ends what takes too long
        return source_of(response)

    def close(self) -> None:
        """Close all connections, unless the pools are the caller's own."""
        if self._owned is not None:
            self._owned.clear()


def _pools(proxy: str | None) -> urllib3.PoolManager:
    pools = (
        urllib3.PoolManager(num_pools=POOLS, maxsize=KEPT)
        if proxy is None
        else urllib3.ProxyManager(proxy, num_pools=POOLS, maxsize=KEPT)
    )
    keep_deadlines(pools)
    return pools
