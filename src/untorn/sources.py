"""How to take bytes from whose response, how many came, and how to close it.

No HTTP library is imported. What is particular to one of them stands here and in
``async_sources.py``; ``responses.py`` tells whose a response is. All bodies come decompressed.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import Any, NamedTuple, Protocol

from untorn.options import KIB, MIB
from untorn.resets import is_http2, reset

READ_SIZE = 64 * KIB
BOTH_WAYS = 2  # socket.SHUT_RDWR, without the import


class Opened(NamedTuple):
    """The head of a response whose body is still to come."""

    status: int | None
    """None for bytes that are no response."""
    headers: list[tuple[str, str]]
    """In their order; names in any letter case."""

    def header(self, name: str) -> str:
        """The value of a header in lower case; ``""`` where it is absent."""
        found = [value for key, value in self.headers if key.lower() == name]
        return ", ".join(found).strip().lower()


class Source(Protocol):
    """What a Reader reads: it is opened, gives its body in reads, and is closed."""

    def open(self) -> Opened:
        """The head. Called once, before the first read."""
        ...

    def read(self) -> bytes | None:
        """The next bytes, as soon as there are any; None at the end of the body."""
        ...

    def received(self) -> int | None:
        """How many bytes of the body came over the wire, still compressed; None if nobody
        knows."""
        ...

    @property
    def interrupt(self) -> Callable[[], object] | None:
        """Ends a ``read`` that is blocked in another thread; None where nothing can."""
        ...

    def close(self) -> None:
        """Give the connection back if the body has ended, else end it."""
        ...


class IterableSource:
    """Any iterable of bytes. ``owner`` is what is closed with it."""

    interrupt: Callable[[], object] | None = None

    def __init__(self, opened: Opened, items: Iterable[bytes], owner: object = None) -> None:
        self._opened = opened
        self._iterator = iter(items)
        # A list is no iterator, and a file is its own.
        self._owner = None if owner is self._iterator else owner

    def open(self) -> Opened:
        return self._opened

    def read(self) -> bytes | None:
        return next(self._iterator, None)

    def received(self) -> int | None:
        return None

    def close(self) -> None:
        with ExitStack() as stack:
            for one in (self._owner, self._iterator):
                if (close := getattr(one, "close", None)) is not None:
                    stack.callback(close)


class HttpxSource(IterableSource):
    """A response of httpx or httpx2, or one with the same methods. ``reads`` is its body where
    that is not to be had from ``iter_bytes``."""

    def __init__(self, opened: Opened, response: Any, reads: Iterable[bytes] | None = None) -> None:
        super().__init__(opened, response.iter_bytes() if reads is None else reads, response)
        self._response = response
        self._has_ended = False
        stream = network_stream(response)
        self._socket: Any = None if stream is None else stream.get_extra_info("socket")
        if self._socket is not None:
            self.interrupt = self._shut_down

    def read(self) -> bytes | None:
        data = next(self._iterator, None)
        self._has_ended = data is None
        return data

    def close(self) -> None:
        if is_http2(self._response) and not self._has_ended:
            reset(self._response)
        super().close()

    def received(self) -> int | None:
        return getattr(self._response, "num_bytes_downloaded", None)

    def _shut_down(self) -> None:
        if not self._response.is_closed:  # else the socket is another request's by now
            self._socket.shutdown(BOTH_WAYS)


def network_stream(response: Any) -> Any:
    """The connection, if it is only this response's: over HTTP/2 others share it."""
    if is_http2(response):
        return None
    return getattr(response, "extensions", {}).get("network_stream")


class Urllib3Source:
    """A response of urllib3; requests' ``response`` holds one.

    requests' own ``iter_content`` gives chunks of a size, or HTTP's chunks; ``read1`` gives what
    has come, also from a body without chunks.
    """

    def __init__(self, opened: Opened, raw: Any, response: Any) -> None:
        self._opened = opened
        self._raw = raw
        self._response = response
        self.interrupt: Callable[[], object] | None = getattr(raw, "shutdown", None)

    def open(self) -> Opened:
        return self._opened

    def read(self) -> bytes | None:
        data: bytes | None = self._raw.read1(READ_SIZE, True)
        return data or None

    def received(self) -> int | None:
        return int(self._raw.tell())

    def close(self) -> None:
        self._response.close()


class FileSource:
    """A response of urllib (http.client), or a file: ``read1`` gives what has come.

    http.client decompresses nothing, and takes a body that is shorter than its Content-Length for
    a whole one. ``owner`` is what is closed: an HTTPError closes the file in it when it goes.
    """

    def __init__(self, opened: Opened, file: Any, owner: Any) -> None:
        self._opened = opened
        self._file = file
        self._owner = owner
        self._received = 0
        compressed = opened.header("content-encoding") in ("gzip", "x-gzip", "deflate")
        self._inflate = zlib.decompressobj(zlib.MAX_WBITS | 32) if compressed else None
        self.interrupt: Callable[[], object] | None = None
        if self._socket is not None:
            self.interrupt = self._shut_down

    def open(self) -> Opened:
        return self._opened

    def read(self) -> bytes | None:
        inflate = self._inflate
        if inflate is None:
            return self._read()
        while (data := inflate.unconsumed_tail or self._read()) is not None:
            if inflated := inflate.decompress(data, MIB):
                return inflated
        return inflate.flush() or None

    def received(self) -> int | None:
        return self._received

    def close(self) -> None:
        with ExitStack() as stack:
            stack.callback(self._owner.close)
            # An HTTPConnection would go on with its next response in the middle of this one.
            self._shut_down()

    def _read(self) -> bytes | None:
        data: bytes = self._file.read1(READ_SIZE)
        if data:
            self._received += len(data)
            return data
        left = getattr(self._file, "length", None)
        if isinstance(left, int) and left > 0:
            raise EOFError(f"{left} bytes of the Content-Length never came")
        return None

    @property
    def _socket(self) -> Any:
        """Under the response, while something of its body is missing."""
        if getattr(self._file, "length", None) == 0:
            return None
        buffered = getattr(self._file, "fp", None)
        return getattr(getattr(buffered, "raw", None), "_sock", None)

    def _shut_down(self) -> None:
        if (socket := self._socket) is not None:
            socket.shutdown(BOTH_WAYS)
