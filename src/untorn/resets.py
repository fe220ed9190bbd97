"""HTTP/2: a stream that nobody reads on is reset, so that the server stops.

httpcore ends a stream by forgetting it (github.com/encode/httpcore/issues/943): the server goes on
until its window is full. There is no public way to the connection, hence the private names, which
are those of httpcore and httpcore2; where they are others, nothing is done.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

CANCEL = 8
"""RFC 9113, 7: the stream is no longer needed."""
PATIENCE = 1.0
"""Seconds for a few bytes to be taken; a connection that takes none is broken."""


class _Request:
    """What httpcore looks at when it writes."""

    extensions = {"timeout": {"write": PATIENCE}}  # noqa: RUF012  (nobody writes to it)


def is_http2(response: Any) -> bool:
    """Whether others share the connection of a response."""
    return bool(getattr(response, "extensions", {}).get("http_version") == b"HTTP/2")


def reset(response: Any) -> None:
    """Reset the stream of a response of httpx or httpx2 whose body has not ended."""
    if (stream := _stream_of(response)) is not None:
        connection = stream._connection
        with suppress(Exception):  # it has ended, or its connection is broken
            with connection._state_lock:
                connection._h2_state.reset_stream(stream._stream_id, CANCEL)
            connection._write_outgoing_data(_Request)


async def areset(response: Any) -> None:
    """The same for asyncio."""
    if (stream := _stream_of(response)) is not None:
        connection = stream._connection
        with suppress(Exception):
            async with connection._state_lock:
                connection._h2_state.reset_stream(stream._stream_id, CANCEL)
            await connection._write_outgoing_data(_Request)


def _stream_of(response: Any) -> Any:
    """httpcore's stream, in the streams that httpx and the pool have laid around it."""
    stream = getattr(response, "stream", None)
    while stream is not None and not hasattr(stream, "_stream_id"):
        stream = getattr(stream, "_stream", getattr(stream, "_httpcore_stream", None))
    return stream if hasattr(stream, "_connection") else None
