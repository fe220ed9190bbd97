"""Connections of httpx2 keep the deadline of their thread."""

from __future__ import annotations

import socket
from pathlib import Path
from time import monotonic

import httpcore2
import httpx2
import pytest
import trustme

from tests.clients.certificates import context_of, trusting
from tests.clients.raw_server import raw_server, request_of
from untorn.clients.deadline import deadline
from untorn.clients.timed_httpx2 import DeadlineBackend, keep_deadlines

LONG = 100.0


def be_silent(sock: socket.socket) -> None:
    while sock.recv(65536):
        pass


def answer(sock: socket.socket) -> None:
    request_of(sock)
    sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi")


def test_a_head_is_waited_for_until_the_deadline() -> None:
    with raw_server(be_silent) as url, httpx2.Client(trust_env=False, timeout=LONG) as client:
        keep_deadlines(client)
        with deadline(monotonic() + 0.1), pytest.raises(httpx2.ReadTimeout):
            client.get(url)


def test_a_request_that_is_not_taken_is_sent_until_the_deadline() -> None:
    backend = DeadlineBackend(httpcore2.SyncBackend())
    with socket.create_server(("127.0.0.1", 0)) as listening:
        host, port = listening.getsockname()
        stream = backend.connect_tcp(host, port)
        with deadline(monotonic() + 0.1), pytest.raises(httpcore2.WriteTimeout):
            stream.write(bytes(1 << 24), LONG)
        stream.close()


def test_over_tls_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    authority = trustme.CA()
    for name, value in trusting(authority, tmp_path).items():
        monkeypatch.setenv(name, value)
    with raw_server(answer, context_of(authority)) as url, httpx2.Client() as client:
        keep_deadlines(client)
        assert client.get(url).text == "hi"
    with raw_server(be_silent, context_of(authority)) as url, httpx2.Client(timeout=LONG) as client:
        keep_deadlines(client)
        with deadline(monotonic() + 0.3), pytest.raises(httpx2.ReadTimeout):
            client.get(url)


def test_a_proxys_connections_too() -> None:
    with raw_server(be_silent) as url, httpx2.Client(proxy=url, timeout=LONG) as client:
        keep_deadlines(client)
        with deadline(monotonic() + 0.1), pytest.raises(httpx2.ReadTimeout):
            client.get("http://api.example")


def test_a_unix_socket_too(tmp_path: Path) -> None:
    path = str(tmp_path / "socket")
    backend = DeadlineBackend(httpcore2.SyncBackend())
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen()
        stream = backend.connect_unix_socket(path)
        with deadline(monotonic() + 0.1), pytest.raises(httpcore2.ReadTimeout):
            stream.read(1, LONG)
        assert stream.get_extra_info("socket") is not None
        stream.close()


def test_it_sleeps_as_the_other_does() -> None:
    DeadlineBackend(httpcore2.SyncBackend()).sleep(0)


def test_a_transport_of_another_kind_is_left_as_it_is() -> None:
    transport = httpx2.MockTransport(lambda _: httpx2.Response(204))
    with httpx2.Client(transport=transport) as client:
        keep_deadlines(client)
        assert client.get("http://api.example").status_code == 204
