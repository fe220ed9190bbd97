"""The same sentence, whichever library failed before a response came."""

from __future__ import annotations

import socket
import ssl

import pytest

from untorn.clients.no_head import NoHead, no_head_of, stalled_before_head
from untorn.options import Clocks


def raised_from(outer: BaseException, inner: BaseException) -> BaseException:
    outer.__cause__ = inner
    return outer


class PoolTimeout(OSError):
    pass


class ProxyError(OSError):
    pass


class NewConnectionError(TimeoutError):
    pass


class ReadError(ssl.SSLError):
    pass


class RemoteProtocolError(OSError):
    pass


UNTRUSTED = ssl.SSLCertVerificationError(1, "certificate verify failed")
UNTRUSTED.verify_message = "self-signed certificate"


CONNECT = "no connection within 3 seconds (clock connect)"
FIRST_BYTE = "no byte came within 7 seconds (clock first_byte)"
NO_HTTP = "the connection was closed before the response began, or what came is not HTTP"


@pytest.mark.parametrize(
    ("exc", "reason", "was_connected"),
    [
        (ConnectionRefusedError(111, "no"), "the connection was refused", False),
        (OSError("all failed", ConnectionRefusedError()), "the connection was refused", False),
        (raised_from(OSError(), OSError(113, "x")), "the host cannot be reached", False),
        (UNTRUSTED, "TLS failed, the certificate is refused: self-signed certificate", False),
        (ssl.SSLError(1, "x"), "TLS failed: the server does not speak it as expected", False),
        (socket.gaierror(-2, "x"), "the name of the host is not known", False),
        (TimeoutError("handshake operation timed out"), CONNECT, False),
        (raised_from(ssl.SSLWantReadError(), TimeoutError("connect")), FIRST_BYTE, True),
        (raised_from(ReadError(1, "x"), RemoteProtocolError()), NO_HTTP, True),
        (NewConnectionError(), "no connection can be made", False),
        (PoolTimeout(), CONNECT, False),
        (ProxyError(), "the proxy cannot be used", False),
        (TimeoutError(), FIRST_BYTE, True),
        (ConnectionResetError(), "the connection was reset before the response began", True),
        (OSError("odd"), "the connection failed: OSError: odd", True),
    ],
)
def test_why_no_response_came(exc: BaseException, reason: str, was_connected: bool) -> None:
    found = no_head_of(exc, Clocks(connect=3, first_byte=7))
    assert (found.reason, found.was_connected) == (reason, was_connected)
    assert found.is_hopeless == (exc is UNTRUSTED)
    assert found.ending == ("stalled" if "clock" in reason else "cut")


@pytest.mark.parametrize(
    ("clocks", "reason"),
    [
        (Clocks(first_byte=2), "no byte came within 2 seconds (clock first_byte)"),
        (Clocks(first_byte=2, total=1), "the answer took longer than 1 seconds (clock total)"),
        (Clocks(first_byte=None, total=9), "the answer took longer than 9 seconds (clock total)"),
    ],
)
def test_which_clock_ran_out(clocks: Clocks, reason: str) -> None:
    assert stalled_before_head(clocks) == NoHead("stalled", reason, True)


def test_a_circle_of_exceptions_is_walked_once() -> None:
    one, other = OSError("one"), OSError("other")
    one.__cause__, other.__cause__ = other, one
    assert no_head_of(one, Clocks()).was_connected


def test_a_long_chain_of_exceptions_is_not_walked_to_its_end() -> None:
    one: BaseException = ConnectionRefusedError()
    for _ in range(20):
        one = raised_from(OSError(), one)
    assert no_head_of(one, Clocks()).was_connected
