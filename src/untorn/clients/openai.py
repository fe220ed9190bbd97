"""The drop-in: an HTTP client for the openai SDK that gives it whole answers, or an exception.

    client = openai.OpenAI(http_client=untorn.clients.openai.http_client())

It is the SDK's own default client (of httpx2, or of httpx before openai 3), and all that can be
chosen there can be chosen here. Streamed chat completions are read by untorn on their way; every
other response is passed on untouched.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from functools import cache
from importlib import import_module
from typing import Any, cast
from weakref import WeakKeyDictionary

from untorn.async_sources import AsyncHttpxSource, AsyncSource
from untorn.chat.completion import Completion
from untorn.clients.asked import asked_by
from untorn.clients.body import Body
from untorn.clients.error_body import ErrorBody
from untorn.clients.repair import Repair
from untorn.clients.repaired import AsyncRepairedReader, RepairedReader
from untorn.options import Clocks, Options
from untorn.responses import async_source_of, content_of, source_of
from untorn.sources import HttpxSource, Opened, Source

try:
    import openai
except ImportError as exc:
    raise ImportError('the drop-in needs the openai SDK: pip install "untorn[openai]"') from exc

EVENT_STREAM = ("content-type", "text/event-stream; charset=utf-8")


def http_client(
    *, clocks: Clocks = Clocks(), options: Options = Options(), **choices: Any
) -> RepairingClient:
    """What ``openai.OpenAI`` takes as ``http_client``.

    ``clocks`` and ``options`` are those of ``untorn.read``. ``choices`` are those of
    ``openai.DefaultHttpxClient``: proxies, mounts, timeouts, event hooks ...
    """
    return RepairingClient(clocks, options, choices)


def async_http_client(
    *, clocks: Clocks = Clocks(), options: Options = Options(), **choices: Any
) -> AsyncRepairingClient:
    """What ``openai.AsyncOpenAI`` takes as ``http_client``. For asyncio."""
    return AsyncRepairingClient(clocks, options, choices)


class Streams:
    """What untorn says of the streams that a client has read."""

    def __init__(self) -> None:
        # As long as somebody has the response; and the last one, since frameworks show none.
        self._bodies: WeakKeyDictionary[Any, Body] = WeakKeyDictionary()
        self._last: Body | None = None

    @property
    def last(self) -> Completion | None:
        """The completion of the stream that began last, as far as it has come; None before the
        first. Where there are several at a time, ask for the one you mean: ``of``."""
        return None if self._last is None else self._last.completion

    def of(self, response: Any) -> Completion | None:
        """The completion of a response, or of the SDK's stream that holds one; None if that was
        not read by untorn."""
        for name in ("http_response", "response", "_response"):
            response = getattr(response, name, response)
        try:
            return self._bodies[response].completion
        except (KeyError, TypeError):  # not every object can be a key
            return None

    def add(self, response: Any, body: Body) -> None:
        """A stream has begun. (For the client.)"""
        self._bodies[response] = self._last = body


class RepairingClient(openai.DefaultHttpxClient):
    """See ``http_client``."""

    def __init__(self, clocks: Clocks, options: Options, choices: dict[str, Any]) -> None:
        super().__init__(**choices)
        self.untorn = Streams()
        self._read_with = (options, clocks)

    def send(self, request: Any, **choices: Any) -> Any:
        """Send a request. The answer to a streamed chat completion is read by untorn."""
        response = super().send(request, **choices)
        body = _body_of(request, response, *self._read_with)
        if body is None:
            return response
        reader = RepairedReader(_source(response), body)
        return _anew(response, RepairedStream, reader, self.untorn)


class AsyncRepairingClient(openai.DefaultAsyncHttpxClient):
    """See ``async_http_client``."""

    def __init__(self, clocks: Clocks, options: Options, choices: dict[str, Any]) -> None:
        super().__init__(**choices)
        self.untorn = Streams()
        self._read_with = (options, clocks)

    async def send(self, request: Any, **choices: Any) -> Any:
        """See RepairingClient."""
        response = await super().send(request, **choices)
        body = _body_of(request, response, *self._read_with)
        if body is None:
            return response
        reader = AsyncRepairedReader(_async_source(response), body)
        return _anew(response, AsyncRepairedStream, reader, self.untorn)


class RepairedResponse:
    """The response that the SDK gets; a Response of the library in use."""

    BASE = "Response"

    is_stream_consumed: bool
    iter_raw: Callable[[], Iterator[bytes]]
    aiter_raw: Callable[[], AsyncIterator[bytes]]

    def iter_bytes(self, chunk_size: int | None = None) -> Iterator[bytes]:
        """The raw body, the first time: there is nothing to decompress."""
        if chunk_size is None and not self.is_stream_consumed:
            return self.iter_raw()
        theirs: Any = super()
        return cast("Iterator[bytes]", theirs.iter_bytes(chunk_size))

    def aiter_bytes(self, chunk_size: int | None = None) -> AsyncIterator[bytes]:
        """See ``iter_bytes``."""
        if chunk_size is None and not self.is_stream_consumed:
            return self.aiter_raw()
        theirs: Any = super()
        return cast("AsyncIterator[bytes]", theirs.aiter_bytes(chunk_size))


class _AnyStream:
    """The body of that response. ``response`` is the one that the server gave."""

    def __init__(self, reader: Any, response: Any) -> None:
        self._reader = reader
        self._response = response

    @property
    def elapsed(self) -> Any:
        """From the request to the end of the body; None before that."""
        return getattr(self._response.stream, "elapsed", None)

    def _end(self) -> None:
        failure = self._reader.body.failure
        if failure is not None:
            error = openai.APIConnectionError(message=failure.why, request=self._response.request)
            raise error from failure.cause


class RepairedStream(_AnyStream):
    """For the sync client."""

    BASE = "SyncByteStream"

    def __iter__(self) -> Iterator[bytes]:
        reads: Iterator[bytes] = self._reader.reads(self._end)
        return reads

    def close(self) -> None:
        self._reader.close()


class AsyncRepairedStream(_AnyStream):
    """For the one of asyncio."""

    BASE = "AsyncByteStream"

    def __aiter__(self) -> AsyncIterator[bytes]:
        reads: AsyncIterator[bytes] = self._reader.reads(self._end)
        return reads

    async def aclose(self) -> None:
        await self._reader.aclose()


def _body_of(request: Any, response: Any, options: Options, clocks: Clocks) -> Body | None:
    """What becomes of the body, if it is to be read by untorn."""
    if response.is_closed and content_of(response) is None:  # somebody does not want it
        return None
    # A body that comes from an iterator cannot be looked at; the SDK has none for chat completions.
    try:
        asked = asked_by(request.method, request.url.path, request.content)
    except _library(response).RequestNotRead:
        return None
    if asked is None or response.status_code < 200 or response.is_redirect:
        return None
    if response.status_code < 300:
        return Repair(asked, options, clocks)
    return ErrorBody(options, clocks)  # what the status means, the SDK says itself


def _source(response: Any) -> Source:
    # The response is nobody's but ours: its stream gives the same bytes at half the cost.
    if "content-encoding" in response.headers or response.is_closed:
        return source_of(response)
    return HttpxSource(_opened(response), response, response.stream)


def _async_source(response: Any) -> AsyncSource:
    if "content-encoding" in response.headers or response.is_closed:
        return async_source_of(response)
    return AsyncHttpxSource(_opened(response), response, response.stream)


def _opened(response: Any) -> Opened:
    return Opened(response.status_code, response.headers.multi_items())


def _anew(
    response: Any, body: Any, reader: RepairedReader | AsyncRepairedReader, to: Streams
) -> Any:
    """The response with another body, a stream of that class; ``to`` is told of it."""
    library = _library(response)
    headers = [
        (name, value)
        for name, value in response.headers.multi_items()
        if name not in ("content-encoding", "content-length")
    ]
    if response.is_success:
        headers = [pair for pair in headers if pair[0] != "content-type"] + [EVENT_STREAM]
    anew = _class_of(RepairedResponse, library)(
        response.status_code,
        headers=headers,
        stream=_class_of(body, library)(reader, response),
        request=response.request,
        extensions=response.extensions,
        history=response.history,
        default_encoding=response.default_encoding,
    )
    to.add(anew, reader.body)
    return anew


def _library(response: Any) -> Any:
    """httpx2 or httpx, whichever the SDK uses."""
    return import_module(type(response).__module__.partition(".")[0])


@cache
def _class_of(ours: Any, library: Any) -> Any:
    """The class with the base by which the library knows its own."""
    return type(ours.__name__, (ours, getattr(library, ours.BASE)), {})
