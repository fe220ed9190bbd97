"""What the exceptions of a read mean. Those of real libraries are in test_parity.py."""

from __future__ import annotations

import asyncio
import errno
import http.client
import ssl
import zlib

import aiohttp
import httpx
import httpx2
import pytest
import urllib3

from untorn.failures import failure_of, is_of_transport

TOO_EARLY = "the connection was closed before the end of the body"
RESET = "the connection was reset"
UNDECODABLE = "the body cannot be decompressed"
TIMEOUT = "nothing came within the read timeout of the HTTP library"


def caused(exc: BaseException, cause: BaseException) -> BaseException:
    exc.__cause__ = cause
    return exc


@pytest.mark.parametrize(
    ("exc", "ending", "reason"),
    [
        (ConnectionResetError(errno.ECONNRESET, "reset"), "cut", RESET),
        (ConnectionResetError("Connection lost"), "cut", RESET),
        (BrokenPipeError(), "cut", RESET),
        (aiohttp.ClientOSError(errno.ECONNRESET, "reset"), "cut", RESET),
        (caused(httpx.ReadError("x"), ConnectionResetError()), "cut", RESET),
        (caused(httpx2.ReadError("x"), ConnectionResetError()), "cut", RESET),
        (httpx2.RemoteProtocolError("peer closed"), "cut", TOO_EARLY),
        (http.client.IncompleteRead(b""), "cut", TOO_EARLY),
        (urllib3.exceptions.IncompleteRead(1, 2), "cut", TOO_EARLY),
        (aiohttp.ClientPayloadError("x"), "cut", TOO_EARLY),
        (aiohttp.ServerDisconnectedError(), "cut", TOO_EARLY),
        (EOFError("7 bytes never came"), "cut", TOO_EARLY),
        (asyncio.IncompleteReadError(b"", 1), "cut", TOO_EARLY),
        (ssl.SSLEOFError(8, "EOF occurred in violation of protocol"), "cut", TOO_EARLY),
        (httpx2.DecodingError("x"), "cut", UNDECODABLE),
        (urllib3.exceptions.DecodeError("x"), "cut", UNDECODABLE),
        (zlib.error("Error -3"), "cut", UNDECODABLE),
        (httpx2.ReadTimeout("x"), "stalled", TIMEOUT),
        (aiohttp.SocketTimeoutError(), "stalled", TIMEOUT),
        (TimeoutError(), "stalled", TIMEOUT),
        (OSError(errno.EIO, "Input/output error"), "cut", "the connection failed: OSError: "),
        (httpx2.ReadError("odd\x1b[1m"), "cut", 'the connection failed: ReadError: odd\\x1b[1m'),
        (ssl.SSLError(1, "bad record mac"), "cut", "the connection failed: SSLError: "),
    ],
)  # fmt: skip
def test_failures_of_the_transport(exc: BaseException, ending: str, reason: str) -> None:
    assert is_of_transport(exc)
    failure = failure_of(exc)
    assert failure.ending == ending
    assert failure.reason.startswith(reason)


@pytest.mark.parametrize(
    ("exc", "reason"),
    [
        (ValueError("odd"), "reading failed: ValueError: odd"),
        (MemoryError(), "reading failed: MemoryError"),
        # The caller's mistakes: read twice, or after it was closed.
        (httpx2.StreamConsumed(), "reading failed: StreamConsumed: "),
        (httpx.StreamClosed(), "reading failed: StreamClosed: "),
        (RuntimeError("The content for this response was already consumed"), "reading failed: "),
    ],
)
def test_what_is_somebodys_mistake_is_no_failure_of_the_transport(
    exc: Exception, reason: str
) -> None:
    assert not is_of_transport(exc)
    failure = failure_of(exc)
    assert failure.ending == "cut"
    assert failure.reason.startswith(reason)


@pytest.mark.parametrize("exc", [KeyboardInterrupt(), asyncio.CancelledError(), SystemExit(1)])
def test_what_the_caller_wants_is_a_cancellation(exc: BaseException) -> None:
    assert not is_of_transport(exc)
    assert failure_of(exc) == ("cancelled", f"cancelled by {type(exc).__name__}")


def test_a_chain_that_is_a_circle_ends() -> None:
    one, other = OSError("one"), OSError("other")
    one.__cause__, other.__cause__ = other, one
    assert failure_of(one).reason == "the connection failed: OSError: one"
