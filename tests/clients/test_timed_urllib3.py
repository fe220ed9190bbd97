"""Responses of urllib3 keep the deadline of their thread."""

from __future__ import annotations

import socket
from pathlib import Path
from time import monotonic

import pytest
import trustme
import urllib3

from tests.clients.certificates import context_of, trusting
from tests.clients.raw_server import raw_server, request_of
from untorn.clients.deadline import deadline
from untorn.clients.timed_urllib3 import keep_deadlines

LONG = 100.0
HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"


def be_silent(sock: socket.socket) -> None:
    while sock.recv(65536):
        pass


def close_after(sock: socket.socket) -> None:
    request_of(sock)
    sock.sendall(HEAD + b"Connection: close\r\n\r\nhi")


def go_on(sock: socket.socket) -> None:
    while request_of(sock):
        sock.sendall(HEAD + b"\r\nhi")


def made() -> urllib3.PoolManager:
    pools = urllib3.PoolManager(timeout=LONG, retries=False)
    keep_deadlines(pools)
    return pools


def test_a_head_is_waited_for_until_the_deadline() -> None:
    with raw_server(be_silent) as url:
        pools = made()
        with deadline(monotonic() + 0.1), pytest.raises(urllib3.exceptions.ReadTimeoutError):
            pools.request("GET", url)
        pools.clear()


def test_over_tls_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    authority = trustme.CA()
    for name, value in trusting(authority, tmp_path).items():
        monkeypatch.setenv(name, value)
    with raw_server(close_after, context_of(authority)) as url:
        assert made().request("GET", url).data == b"hi"
    with raw_server(be_silent, context_of(authority)) as url:
        pools = made()
        with deadline(monotonic() + 0.3), pytest.raises(urllib3.exceptions.ReadTimeoutError):
            pools.request("GET", url)
        pools.clear()


def test_a_connection_is_used_again() -> None:
    with raw_server(go_on) as url:
        pools = made()
        assert [pools.request("GET", url).data for _ in range(3)] == [b"hi"] * 3
        assert pools.connection_from_url(url).num_connections == 1
        pools.clear()


def test_a_body_that_ends_with_its_connection() -> None:
    with raw_server(close_after) as url:
        assert made().request("GET", url).data == b"hi"
