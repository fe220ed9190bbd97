"""Exceptions of HTTP libraries → how the bytes stopped, and a sentence that says why.

None of them is imported: a class is known by the names of its bases and of their modules. The
sentence is the same whichever library it was; the exception itself becomes the ``__cause__``.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from typing import Literal, NamedTuple

from untorn.readable import plain

# The standard library's http.client and zlib, which urllib's responses are read with, are
# transports too; socket and ssl raise OSError.
TRANSPORTS = frozenset(
    "aiohttp anyio h11 h2 http httpcore httpcore2 httpx httpx2 urllib3 zlib".split()
)

RESETS = frozenset({errno.ECONNABORTED, errno.ECONNRESET, errno.EPIPE})
INCOMPLETE = ("Incomplete", "EOF", "RemoteProtocolError", "Payload", "ServerDisconnected")
UNDECODABLE = ("DecodingError", "DecodeError", "ContentEncodingError", "zlib.error")


class Failure(NamedTuple):
    """What ``ChatStream.receive_failure`` takes."""

    ending: Literal["cut", "stalled", "cancelled"]
    reason: str


def is_of_transport(exc: BaseException) -> bool:
    """Whether ``exc`` says that the transport failed, and not that somebody made a mistake.

    Libraries raise a RuntimeError where their caller did: a response is read twice, or was
    closed before.
    """
    if isinstance(exc, OSError | EOFError):
        return True
    if not isinstance(exc, Exception) or isinstance(exc, RuntimeError):
        return False
    return any(cls.__module__.partition(".")[0] in TRANSPORTS for cls in type(exc).__mro__)


def failure_of(exc: BaseException) -> Failure:
    """What ``exc``, raised by a read, means for the stream."""
    if not isinstance(exc, Exception):
        return Failure("cancelled", f"cancelled by {type(exc).__name__}")
    chain = list(chain_of(exc))
    names = [f"{cls.__module__}.{cls.__name__}" for one in chain for cls in type(one).__mro__]
    if not is_of_transport(exc):
        return Failure("cut", f"reading failed: {_described(exc)}")
    if any("Timeout" in name for name in names):
        return Failure("stalled", "nothing came within the read timeout of the HTTP library")
    if any(_is_reset(one) for one in chain):
        return Failure("cut", "the connection was reset")
    if any(mark in name for name in names for mark in UNDECODABLE):
        return Failure("cut", "the body cannot be decompressed")
    if any(mark in name for name in names for mark in INCOMPLETE):
        return Failure("cut", "the connection was closed before the end of the body")
    return Failure("cut", f"the connection failed: {_described(exc)}")


def _is_reset(exc: BaseException) -> bool:
    # aiohttp's ClientOSError has the number, and is no ConnectionError.
    return isinstance(exc, ConnectionError) or (isinstance(exc, OSError) and exc.errno in RESETS)


def chain_of(exc: BaseException | None) -> Iterator[BaseException]:
    """``exc`` and what it was raised from; a few, since a chain may be a circle."""
    for _ in range(8):
        if exc is None:
            return
        yield exc
        exc = exc.__cause__ or exc.__context__


def _described(exc: BaseException) -> str:
    said = plain(str(exc), 200)
    return f"{type(exc).__name__}: {said}" if said else type(exc).__name__
