"""Whose response is it? Told by its attributes, so that no HTTP library need be imported."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from untorn.async_sources import (
    AiohttpSource,
    AsyncHttpxSource,
    AsyncIterableSource,
    AsyncSource,
)
from untorn.head import Headers, header_text
from untorn.sources import (
    FileSource,
    HttpxSource,
    IterableSource,
    Opened,
    Source,
    Urllib3Source,
)

BODY = str | bytes | bytearray | memoryview
NOT_SYNC = "this source is asynchronous: read it with untorn.aread"
NOT_ASYNC = "this source is not asynchronous: read it with untorn.read"


def source_of(source: Any, status: int | None = None, headers: Headers | None = None) -> Source:
    """What reads ``source``; ``status`` and ``headers`` are taken in place of its own.

    Raises TypeError for what cannot be read, or only by the other colour.
    """
    source = getattr(source, "http_response", source)  # openai's holds one of httpx
    opened = _opened(source, status, headers)
    if hasattr(source, "iter_bytes"):
        return _of_httpx(source, opened)
    raw = getattr(source, "raw", source)
    if hasattr(raw, "read1") and hasattr(raw, "release_conn"):
        if raw.isclosed():  # read already; the response holds what came
            body = source.data if raw is source else source.content
            return IterableSource(opened, [body or b""])
        return Urllib3Source(opened, raw, source)
    if hasattr(source, "iter_content"):  # of requests, with something of a test's in it
        return IterableSource(opened, source.iter_content(None), source)
    if hasattr(source, "read1"):
        inner = getattr(source, "fp", None)  # urllib's HTTPError holds a response of http.client
        return FileSource(opened, inner if hasattr(inner, "chunked") else source, source)
    if isinstance(source, BODY) or hasattr(source, "__await__"):
        raise _refusal(source)
    if hasattr(source, "__iter__"):
        return IterableSource(opened, source, source)
    if hasattr(source, "__aiter__") or _stream_reader(source) is not None:
        raise TypeError(NOT_SYNC)
    raise _refusal(source)


def async_source_of(
    source: Any, status: int | None = None, headers: Headers | None = None
) -> AsyncSource:
    """The same for an AsyncReader."""
    source = getattr(source, "http_response", source)
    opened = _opened(source, status, headers)
    if hasattr(source, "aiter_bytes"):
        return _of_async_httpx(source, opened)
    if isinstance(source, BODY) or hasattr(source, "__await__"):
        raise _refusal(source)
    if hasattr(source, "__iter__"):
        raise TypeError(NOT_ASYNC)
    content = _stream_reader(source)
    if content is not None:
        if content.at_eof() and hasattr(source, "read"):  # it keeps what was read
            return AsyncIterableSource(opened, _kept(source))
        return AiohttpSource(opened, content, source)
    if hasattr(source, "__aiter__"):
        return AsyncIterableSource(opened, source, source)
    raise _refusal(source)


def _of_httpx(response: Any, opened: Opened) -> Source:
    if (content := content_of(response)) is not None:
        return IterableSource(opened, [content])
    if not hasattr(response.stream, "__iter__"):
        raise TypeError(NOT_SYNC)
    return HttpxSource(opened, response)


def _of_async_httpx(response: Any, opened: Opened) -> AsyncSource:
    if (content := content_of(response)) is not None:
        return AsyncIterableSource(opened, _once(content))
    if not hasattr(response.stream, "__aiter__"):
        raise TypeError(NOT_ASYNC)
    return AsyncHttpxSource(opened, response)


def content_of(response: Any) -> bytes | None:
    """The body of httpx's response, if that was read already."""
    try:
        content: bytes = response.content
    except RuntimeError:  # ResponseNotRead
        return None
    return content


async def _once(data: bytes) -> AsyncIterator[bytes]:
    yield data


async def _kept(response: Any) -> AsyncIterator[bytes]:
    yield await response.read()


def _stream_reader(source: Any) -> Any:
    """The StreamReader of aiohttp's response; it is as good by itself."""
    content = source if hasattr(source, "readany") else getattr(source, "content", None)
    return content if hasattr(content, "readany") else None


def _opened(source: Any, status: int | None, headers: Headers | None) -> Opened:
    own_status = getattr(source, "status_code", getattr(source, "status", None))
    own_headers = getattr(source, "headers", None)
    if status is None:
        status = own_status if isinstance(own_status, int) else None if headers is None else 200
    if headers is None:
        headers = own_headers if hasattr(own_headers, "items") else ()
    return Opened(status, _pairs(headers))


def _pairs(headers: Any) -> list[tuple[str, str]]:
    pairs = headers.items() if hasattr(headers, "items") else headers
    try:
        return [(header_text(name), header_text(value)) for name, value in pairs]
    except (TypeError, ValueError, AttributeError) as exc:
        raise TypeError("headers are a mapping, or pairs, of names and values of text") from exc


def _refusal(source: object) -> TypeError:
    kind = type(source).__name__
    if isinstance(source, BODY):
        return TypeError(f"{kind} is a body that is there already: untorn.parse reads it")
    return TypeError(
        f"{kind} is neither a response nor an iterable of bytes. What a client's stream() returns"
        " has to be entered first, what it returns a coroutine for has to be awaited"
    )
