"""One response after the other, and what is logged of it."""

from __future__ import annotations

import collections
import logging
from pathlib import Path
from typing import Any

import httpx2
import pytest
import trustme

from tests.clients.certificates import trusting
from tests.clients.colours import MESSAGES, WAYS, ask, import_without
from tests.clients.h2_server import h2_server
from tests.clients.situations import BUSY, DOWN, refusal
from tests.colours import bounded
from untorn import AsyncClient, Client, Target
from untorn.clients.sources import AsyncClientSource, ClientSource, wire
from untorn.options import Clocks
from untorn.testing import ReplayServer

each_way = pytest.mark.parametrize("way", WAYS)
KEY = "canary-0123456789"


def said(caplog: pytest.LogCaptureFixture, name: str) -> list[str]:
    return [one.getMessage() for one in caplog.records if one.name == name]


@each_way
def test_the_wire_is_logged_when_asked_and_only_then(
    way: str, stream_server: ReplayServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    ask(way, base_url=stream_server.url("text"))
    assert said(caplog, "untorn.wire") == []
    caplog.set_level(logging.DEBUG, "untorn.wire")
    ask(way, base_url=stream_server.url("text"))
    lines = said(caplog, "untorn.wire")
    assert lines[0].startswith("> POST http://127.0.0.1:")
    assert lines[1] == "< 200"
    assert lines[-2:] == ["< data: [DONE]", "< "]


@each_way
def test_the_wire_has_no_key(
    way: str, stream_server: ReplayServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "untorn.wire")
    url = stream_server.url(refusal(401, f"wrong: {KEY}", "invalid_api_key"))
    (answer,) = ask(way, base_url=url, api_key=KEY)
    assert any("wrong: [hidden]" in line for line in said(caplog, "untorn.wire"))
    assert answer.completion.verdict.error is not None
    assert answer.completion.verdict.error.message == "wrong: [hidden]"


@each_way
def test_who_waits_is_told_for_what(
    way: str, stream_server: ReplayServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "untorn")
    url = stream_server.url(BUSY, "text")
    (answer,) = ask(way, base_url=url)
    assert said(caplog, "untorn") == [
        'request 1: failed: the server reported "slow down" (429, invalid_request_error, '
        f"rate_limit_exceeded); request 2 goes to {url}/chat/completions in 0.0 seconds"
    ]
    assert [attempt.waited for attempt in answer.completion.attempts] == [0, 0.02]


@each_way
def test_another_target_is_told_too(
    way: str, stream_server: ReplayServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "untorn")
    other = stream_server.url("text")
    ask(way, base_url=stream_server.url(DOWN), targets=[Target(base_url=other)], max_retries=0)
    (line,) = said(caplog, "untorn")
    assert line.endswith(
        f"(503, invalid_request_error, unavailable); request 2 goes to {other}/chat/completions"
    )


@each_way
def test_a_request_that_is_answered_is_not_told(
    way: str, stream_server: ReplayServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "untorn")
    ask(way, base_url=stream_server.url("text"))
    assert said(caplog, "untorn") == []


def sources_of(client: Client) -> ClientSource:
    source = client.chat(model="m", messages=MESSAGES)._source
    assert isinstance(source, ClientSource)
    return source


def test_a_source_that_is_not_open_has_nothing(stream_server: ReplayServer) -> None:
    with Client(stream_server.url("text")) as client:
        source = sources_of(client)
        assert source.received() is None
        source.interrupt()
        source.close()


def test_a_source_counts_what_came_and_can_be_interrupted(stream_server: ReplayServer) -> None:
    with Client(stream_server.url("stall-mid-text")) as client:
        source = sources_of(client)
        assert source.open().status == 200
        assert source.read()
        assert source.received()
        source.interrupt()
        with pytest.raises(httpx2.RemoteProtocolError):
            collections.deque(iter(source.read, None))
        source.close()


@bounded
async def test_a_source_of_asyncio_counts_too() -> None:
    async with ReplayServer() as server, AsyncClient(server.url("text")) as client:
        source: Any = client.chat(model="m", messages=MESSAGES)._source
        assert isinstance(source, AsyncClientSource)
        assert source.received() is None
        await source.close()
        assert (await source.open()).status == 200
        body = b""
        while data := await source.read():
            body += data
        assert source.received() == len(body)
        assert body.endswith(b"data: [DONE]\n\n")
        await source.close()


def test_over_http2_a_read_keeps_its_deadline(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    authority = trustme.CA()
    for name, value in trusting(authority, tmp_path).items():
        monkeypatch.setenv(name, value)
    with (
        h2_server(authority, (b"data: 1\n\n", "hold")) as (url, _),
        Client(url, http2=True, clocks=Clocks(idle=0.1)) as client,
    ):
        stream = client.chat(model="m", messages=MESSAGES, raise_on=())
        assert stream.result().verdict.ending == "stalled"
        assert stream.completion.verdict.reason == "no more bytes came for 0.1 seconds (clock idle)"


def test_a_level_that_a_program_has_set_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "level", logging.ERROR)
    import_without("nothing", "untorn.clients.sources", monkeypatch)
    assert wire.level == logging.ERROR
