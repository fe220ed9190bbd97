"""httpx2 as the client's own, and as the caller's."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from tests.clients.colours import MESSAGES, ask, import_without
from tests.colours import bounded
from untorn.clients import AsyncClient, Client
from untorn.options import Clocks
from untorn.replay import streams
from untorn.testing import ReplayServer

each_way = pytest.mark.parametrize("way", ["Client httpx2", "AsyncClient httpx2"])


@each_way
def test_an_answer_is_read(way: str, stream_server: ReplayServer) -> None:
    (answer,) = ask(way, base_url=stream_server.url("text"))
    assert answer.completion.content == streams.TEXT


@each_way
def test_a_query_is_sent_and_not_logged(
    way: str, stream_server: ReplayServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    ask(way, base_url=f"{stream_server.url('text')}?key=canary-0123456789")
    (request,) = stream_server.log.requests
    assert request.path.endswith("?key=[hidden]")  # the server's own log hides it, too
    assert "canary" not in caplog.text


@each_way
def test_an_alarm_ends_what_the_librarys_timeout_does_not(
    way: str, stream_server: ReplayServer
) -> None:
    clocks = Clocks(first_byte=100, idle=0.2)
    (answer,) = ask(way, base_url=stream_server.url("stall-mid-text"), clocks=clocks)
    assert answer.completion.verdict.reason == "no more bytes came for 0.2 seconds (clock idle)"


def test_the_callers_own_client_is_used_and_left_open(stream_server: ReplayServer) -> None:
    with httpx2.Client(trust_env=False, headers={"X-Own": "1"}) as own:
        with Client(stream_server.url("text"), http_client=own) as client:
            client.chat(model="m", messages=MESSAGES).result()
        assert not own.is_closed
    assert stream_server.log.requests[0].header("x-own") == "1"


@bounded
async def test_the_callers_own_asynchronous_client_is_used_and_left_open() -> None:
    async with ReplayServer() as server, httpx2.AsyncClient(trust_env=False) as own:
        async with AsyncClient(server.url("text"), http_client=own) as client:
            assert (await client.chat(model="m", messages=MESSAGES).result()).content
        assert not own.is_closed


def test_a_response_without_a_socket_keeps_the_librarys_timeout() -> None:
    def answer(request: httpx2.Request) -> httpx2.Response:
        head = {"Content-Type": "text/event-stream"}
        body = [read.data for read in streams.stream(streams.contents())]
        return httpx2.Response(200, headers=head, stream=_Body(body))

    own = httpx2.Client(transport=httpx2.MockTransport(answer))
    with own, Client("http://api.example", http_client=own) as client:
        assert client.chat(model="m", messages=MESSAGES).result().content == streams.TEXT


class _Body(httpx2.SyncByteStream):
    def __init__(self, reads: list[bytes]) -> None:
        self._reads = reads

    def __iter__(self) -> Any:
        yield from self._reads


def test_without_the_library_its_name_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ImportError, match=r"untorn\[client\]"):
        import_without("httpx2", "untorn.clients.httpx2", monkeypatch)
