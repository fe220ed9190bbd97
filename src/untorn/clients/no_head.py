"""Why no response came: an exception of an HTTP library → a sentence. Pure.

As in ``untorn.failures``, no library is imported, and the sentence is the same for all of them.
"""

from __future__ import annotations

import errno
from typing import Literal, NamedTuple

from untorn.failures import failure_of
from untorn.options import Clocks
from untorn.readable import plain

REFUSED = frozenset({errno.ECONNREFUSED})
CONNECTING = frozenset("ConnectError ClientConnectorError NewConnectionError".split())
"""Classes that say that there was no connection yet."""
NO_HTTP = frozenset(
    "RemoteProtocolError RemoteDisconnected ServerDisconnectedError BadStatusLine HTTPException "
    "ClientResponseError ClientPayloadError".split()
)
"""Libraries do not agree on which of the two it is when a head is cut."""
WAITING = frozenset({"SSLWantReadError", "SSLWantWriteError"})
"""Kinds of SSLError that are none: a handshake goes on when more has come."""
CONNECTED = frozenset({"ReadError", "WriteError", "ProtocolError"})
"""Classes that say that TLS was spoken already."""
UNREACHABLE = frozenset({errno.EHOSTUNREACH, errno.ENETUNREACH})


class NoHead(NamedTuple):
    """Why there is no head."""

    ending: Literal["cut", "stalled"]
    reason: str
    was_connected: bool
    """Whether there was a connection: then the server may have begun to answer."""
    is_hopeless: bool = False
    """Whether asking again cannot help."""


def no_head_of(exc: BaseException, clocks: Clocks) -> NoHead:
    """Why ``exc`` was raised before a head came."""
    chain = _chain(exc)
    names = [cls.__name__ for one in chain for cls in type(one).__mro__]
    if "SSLError" in names and (WAITING | CONNECTED).isdisjoint(names):
        return _of_tls(chain, names)
    if any("gaierror" in name or "DNS" in name or "NameResolution" in name for name in names):
        return _unconnected("the name of the host is not known")
    numbers = {one.errno for one in chain if isinstance(one, OSError)}
    if "ConnectionRefusedError" in names or numbers & REFUSED:
        return _unconnected("the connection was refused")
    if numbers & UNREACHABLE:
        return _unconnected("the host cannot be reached")
    if "NewConnectionError" in names:  # urllib3 takes it for a kind of timeout
        return _unconnected("no connection can be made")
    if any("Timeout" in name for name in names):
        in_handshake = any("handshake operation timed out" in str(one) for one in chain)
        return _stalled(names, clocks, was_connecting=in_handshake)
    if any("ProxyError" in name or "ProxyConnection" in name for name in names):
        return _unconnected("the proxy cannot be used")
    ending, reason = failure_of(exc)
    if NO_HTTP.intersection(names):
        reason = "the connection was closed before the response began, or what came is not HTTP"
    elif reason == "the connection was reset":
        reason = "the connection was reset before the response began"
    was_connected = not CONNECTING.intersection(names)
    return NoHead("stalled" if ending == "stalled" else "cut", reason, was_connected)


def stalled_before_head(clocks: Clocks) -> NoHead:
    """A clock of ours ran out before the head came."""
    total, first_byte = clocks.total, clocks.first_byte
    if total is not None and (first_byte is None or total <= first_byte):
        reason = f"the answer took longer than {total:g} seconds (clock total)"
    else:
        reason = f"no byte came within {first_byte or 0.0:g} seconds (clock first_byte)"
    return NoHead("stalled", reason, was_connected=True)


def _of_tls(chain: list[BaseException], names: list[str]) -> NoHead:
    if "SSLCertVerificationError" not in names:
        return _unconnected("TLS failed: the server does not speak it as expected")
    why = next((w for one in chain if (w := getattr(one, "verify_message", ""))), "untrusted")
    return _unconnected(f"TLS failed, the certificate is refused: {plain(why, 120)}", hopeless=True)


def _stalled(names: list[str], clocks: Clocks, *, was_connecting: bool) -> NoHead:
    was_connecting |= any("Connect" in name and "Timeout" in name for name in names)
    if was_connecting or "PoolTimeout" in names:
        reason = f"no connection within {clocks.connect or 0.0:g} seconds (clock connect)"
        return NoHead("stalled", reason, was_connected=False)
    return stalled_before_head(clocks)


def _unconnected(reason: str, *, hopeless: bool = False) -> NoHead:
    return NoHead("cut", reason, was_connected=False, is_hopeless=hopeless)


def _chain(exc: BaseException) -> list[BaseException]:
    """``exc``, what it was raised from, and what stands in its arguments, as urllib3's do."""
    found = [exc]
    for one in found:  # it grows meanwhile
        inner = [one.__cause__, one.__context__, *one.args]
        found += [more for more in inner if isinstance(more, BaseException) and more not in found]
        if len(found) > 16:
            break
    return found
