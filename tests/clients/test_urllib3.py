"""urllib3 as the client's own, and as the caller's."""

from __future__ import annotations

import logging
import socket

import pytest
import urllib3

from tests.clients.colours import MESSAGES, ask, import_without
from tests.clients.raw_server import raw_server, request_of
from untorn.clients import Client
from untorn.options import Clocks
from untorn.replay import streams
from untorn.testing import ReplayServer

WAY = "Client urllib3"


def test_an_answer_is_read(stream_server: ReplayServer) -> None:
    (answer,) = ask(WAY, base_url=stream_server.url("text"))
    assert answer.completion.content == streams.TEXT


def test_a_query_is_sent_and_not_logged(
    stream_server: ReplayServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    ask(WAY, base_url=f"{stream_server.url('text')}?key=canary-0123456789")
    (request,) = stream_server.log.requests
    assert request.path.endswith("?key=[hidden]")  # the server's own log hides it, too
    assert "urllib3.connectionpool" in caplog.text
    assert "canary" not in caplog.text


def test_what_else_is_logged_stays(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    log = logging.getLogger("urllib3.connectionpool")
    log.debug("%(host)s?", {"host": "api.example"})
    log.debug("%d connections", 2)
    assert [one.getMessage() for one in caplog.records] == ["api.example?", "2 connections"]


def test_an_alarm_ends_what_the_librarys_timeout_does_not(stream_server: ReplayServer) -> None:
    clocks = Clocks(first_byte=100, idle=0.2)
    (answer,) = ask(WAY, base_url=stream_server.url("stall-mid-text"), clocks=clocks)
    assert answer.completion.verdict.reason == "no more bytes came for 0.2 seconds (clock idle)"


def test_a_body_that_came_with_its_head(stream_server: ReplayServer) -> None:
    (answer,) = ask(WAY, base_url=stream_server.url("status-401"))
    assert answer.completion.head is not None
    assert answer.completion.head.status == 401


def test_a_body_that_ends_with_its_connection() -> None:
    def answer(sock: socket.socket) -> None:
        request_of(sock)
        body = b"".join(read.data for read in streams.stream(streams.contents()))
        sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n" % len(body))
        sock.sendall(b"Connection: close\r\n\r\n" + body)

    with raw_server(answer) as url:
        (answered,) = ask(WAY, base_url=url)
    assert answered.completion.content == streams.TEXT


def test_the_callers_own_pools_are_used_and_left_open(stream_server: ReplayServer) -> None:
    own = urllib3.PoolManager()
    url = stream_server.url("text")
    with Client(url, http_client=own, backend="urllib3") as client:
        assert client.chat(model="m", messages=MESSAGES).result().content == streams.TEXT
    assert len(own.pools) == 1
    own.clear()


def test_a_proxy_is_asked(stream_server: ReplayServer) -> None:
    stream_server.play("text")
    proxy = stream_server.base_url.removesuffix("/v1")
    ask(WAY, base_url="http://api.example/v1", proxy=proxy, max_retries=0)
    assert stream_server.log.requests[0].path == "http://api.example/v1/chat/completions"


def test_http2_is_refused() -> None:
    with pytest.raises(ValueError, match="httpx2"):
        Client("http://api.example", backend="urllib3", http2=True)


def test_without_the_library_its_name_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ImportError, match=r"untorn\[urllib3\]"):
        import_without("urllib3", "untorn.clients.urllib3", monkeypatch)
