"""urllib3, made to keep the deadline of the thread that it is used in."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection

from untorn.clients.deadline import time_left


def keep_deadlines(pools: Any) -> None:
    """See ``deadline``, for all responses of connections that a PoolManager makes from now on."""
    pools.pool_classes_by_scheme = {"http": _Pool, "https": _TLSPool}


class _Reads(io.RawIOBase):
    """What a response is read from."""

    def __init__(self, sock: Any) -> None:
        self._sock = sock
        self._timeout: float | None = sock.gettimeout()
        self._raw: io.RawIOBase = sock.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = time_left(self._timeout)
        if left is not self._timeout:
            self._sock.settimeout(left)
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Socket:
    """A socket of which http.client makes a response."""

    def __init__(self, sock: Any) -> None:
        self._sock = sock

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Reads(self._sock))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sock, name)


def _timed(connection: Any, respond: Callable[[], Any]) -> Any:
    sock = connection.sock
    connection.sock = _Socket(sock)
    try:
        return respond()
    finally:
        if connection.sock is not None:  # as it is where the body ends with the connection
            connection.sock = sock


class _Connection(HTTPConnection):
    def getresponse(self) -> Any:
        return _timed(self, super().getresponse)


class _TLSConnection(HTTPSConnection):
    def getresponse(self) -> Any:
        return _timed(self, super().getresponse)


class _Pool(HTTPConnectionPool):
    ConnectionCls: Any = _Connection


class _TLSPool(HTTPSConnectionPool):
    ConnectionCls: Any = _TLSConnection
