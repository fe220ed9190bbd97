"""Certificates that are refused, and such as are not, with TLS as it is."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable
from pathlib import Path

import pytest
import trustme

from tests.clients.certificates import context_of, trusting
from tests.clients.colours import WAYS, ask
from tests.clients.raw_server import raw_server, request_of
from untorn import NoConnection, Target
from untorn.options import Clocks
from untorn.replay import streams
from untorn.testing import ReplayServer

AUTHORITY = trustme.CA()
OTHER = trustme.CA()
BODY = b"".join(read.data for read in streams.stream(streams.contents()))
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"

each_way = pytest.mark.parametrize("way", WAYS)


def answer(sock: socket.socket) -> None:
    request_of(sock)
    sock.sendall(HEAD + BODY)


@pytest.fixture(autouse=True)
def trusts_one_authority(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value in trusting(AUTHORITY, tmp_path).items():
        monkeypatch.setenv(name, value)
    # aiohttp looks at the environment once, when it is imported.
    monkeypatch.setattr("aiohttp.connector._SSL_CONTEXT_VERIFIED", ssl.create_default_context())


@each_way
def test_who_is_trusted_is_read(way: str) -> None:
    with raw_server(answer, context_of(AUTHORITY)) as url:
        (answered,) = ask(way, base_url=url)
    assert answered.error is None
    assert answered.completion.content == streams.TEXT


@each_way
@pytest.mark.parametrize(
    ("context", "why"),
    [
        pytest.param(lambda: context_of(OTHER), "certificate", id="not trusted"),
        pytest.param(lambda: context_of(AUTHORITY, "other.example"), "valid for", id="other host"),
        pytest.param(lambda: context_of(AUTHORITY, has_expired=True), "expired", id="expired"),
    ],
)
def test_a_certificate_that_is_refused_is_told_at_once(
    way: str, context: Callable[[], ssl.SSLContext], why: str
) -> None:
    with raw_server(answer, context()) as url:
        (answered,) = ask(way, base_url=url)
    assert isinstance(answered.error, NoConnection)
    assert "TLS failed, the certificate is refused: " in str(answered.error)
    assert why in str(answered.error)
    assert len(answered.completion.attempts) == 1  # asking again changes no certificate


def shut(sock: socket.socket) -> None:
    request_of(sock)
    sock.shutdown(socket.SHUT_WR)  # without TLS's own farewell
    while sock.recv(65536):
        pass


@each_way
def test_a_connection_that_is_shut_before_the_answer_was_one(way: str) -> None:
    with raw_server(shut, context_of(AUTHORITY)) as url:
        (answered,) = ask(way, base_url=url, max_retries=0)
    assert not isinstance(answered.error, NoConnection)
    assert "the connection was closed before the response began" in str(answered.error)


def refuse(sock: socket.socket) -> None:
    sock.recv(65536)
    sock.sendall(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")


def be_silent(sock: socket.socket) -> None:
    while sock.recv(65536):
        pass


@each_way
def test_a_server_that_says_nothing_to_tls_is_no_connection(way: str) -> None:
    with raw_server(be_silent) as url:
        url = url.replace("http:", "https:")
        (answered,) = ask(way, base_url=url, clocks=Clocks(connect=0.2), max_retries=0)
    assert isinstance(answered.error, NoConnection)
    assert answered.completion.verdict.reason == "no connection within 0.2 seconds (clock connect)"


@each_way
def test_a_server_without_tls_is_no_connection(way: str) -> None:
    with raw_server(refuse) as url:
        (answered,) = ask(way, base_url=url.replace("http:", "https:"), max_retries=0)
    assert isinstance(answered.error, NoConnection)
    assert "TLS failed: the server does not speak it" in str(answered.error)


@each_way
def test_a_server_with_tls_that_is_asked_without(way: str) -> None:
    with raw_server(answer, context_of(AUTHORITY)) as url:
        (answered,) = ask(way, base_url=url.replace("https:", "http:"), max_retries=0)
    assert answered.completion.verdict.outcome == "interrupted"
    assert "before the response began" in str(answered.error)


@each_way
def test_the_next_target_is_asked_when_a_certificate_is_refused(
    way: str, stream_server: ReplayServer
) -> None:
    other = Target(base_url=stream_server.url("text"))
    with raw_server(answer, context_of(OTHER)) as url:
        (answered,) = ask(way, base_url=url, targets=[other])
    assert answered.completion.content == streams.TEXT
    assert [attempt.status for attempt in answered.completion.attempts] == [None, 200]
