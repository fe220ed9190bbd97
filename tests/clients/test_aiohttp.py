"""aiohttp as the client's own, and as the caller's."""

from __future__ import annotations

import json

import aiohttp
import pytest

from tests.clients.colours import MESSAGES, ask, import_without
from tests.colours import bounded
from untorn.clients import AsyncClient
from untorn.options import Clocks
from untorn.replay import streams
from untorn.testing import ReplayServer

WAY = "AsyncClient aiohttp"


def test_one_session_serves_all_calls(stream_server: ReplayServer) -> None:
    answers = ask(WAY, {}, {}, base_url=stream_server.url("text"))
    assert [answer.completion.content for answer in answers] == [streams.TEXT] * 2
    assert len(stream_server.log.connections) == 1


def test_a_client_that_was_never_used_can_be_closed() -> None:
    assert ask(WAY, base_url="http://127.0.0.1:1", max_retries=0)[0].error is not None

    @bounded
    async def unused() -> None:
        async with AsyncClient("http://127.0.0.1:1", backend="aiohttp"):
            pass

    unused()


def test_an_alarm_ends_what_the_librarys_timeout_does_not(stream_server: ReplayServer) -> None:
    clocks = Clocks(first_byte=100, idle=0.2)
    (answer,) = ask(WAY, base_url=stream_server.url("stall-mid-text"), clocks=clocks)
    assert answer.completion.verdict.reason == "no more bytes came for 0.2 seconds (clock idle)"


def test_the_librarys_timeout_for_the_head_is_over_with_the_head(
    stream_server: ReplayServer,
) -> None:
    clocks = Clocks(first_byte=0.2, idle=0.5)
    (answer,) = ask(WAY, base_url=stream_server.url("stall-mid-text"), clocks=clocks)
    assert answer.completion.verdict.reason == "no more bytes came for 0.5 seconds (clock idle)"


def test_a_body_that_came_with_its_head(stream_server: ReplayServer) -> None:
    (answer,) = ask(WAY, base_url=stream_server.url("status-401"))
    assert answer.completion.head is not None
    assert answer.completion.head.status == 401


@bounded
async def test_the_callers_own_session_is_used_and_left_open() -> None:
    async with ReplayServer() as server, aiohttp.ClientSession() as own:
        url = server.url("text")
        async with AsyncClient(url, http_client=own, backend="aiohttp") as client:
            answer = await client.chat(model="m", messages=MESSAGES).result()
            assert answer.content == streams.TEXT
        assert not own.closed


def test_a_large_request_is_sent_whole(stream_server: ReplayServer) -> None:
    messages = [{"role": "user", "content": "x" * (3 << 20)}]
    (answer,) = ask(WAY, {"messages": messages}, base_url=stream_server.url("text"))
    assert answer.completion.content == streams.TEXT
    (request,) = stream_server.log.requests
    assert json.loads(request.body)["messages"] == messages
    assert request.header("content-length") == str(len(request.body))


def test_http2_is_refused() -> None:
    with pytest.raises(ValueError, match="httpx2"):
        AsyncClient("http://api.example", backend="aiohttp", http2=True)


def test_without_the_library_its_name_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ImportError, match=r"untorn\[aiohttp\]"):
        import_without("aiohttp", "untorn.clients.aiohttp", monkeypatch)
