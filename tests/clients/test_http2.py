"""HTTP/2 as it is, over TLS: many answers share one connection."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
import trustme

from tests.clients.certificates import trusting
from tests.clients.colours import MESSAGES, ask
from tests.clients.h2_server import End, h2_server
from tests.colours import bounded
from untorn import StreamInterrupted
from untorn.clients import AsyncClient, Client
from untorn.options import Clocks
from untorn.replay import streams

AUTHORITY = trustme.CA()
EVENTS = [read.data for read in streams.stream(streams.contents())]
WHOLE = b"".join(EVENTS)
HALF = b"".join(EVENTS[:4])
HELD: tuple[bytes, End] = (HALF, "hold")

each_way = pytest.mark.parametrize("way", ["Client httpx2", "AsyncClient httpx2"])


@pytest.fixture(autouse=True)
def trusts_one_authority(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value in trusting(AUTHORITY, tmp_path).items():
        monkeypatch.setenv(name, value)


@each_way
def test_answers_are_whole_and_share_a_connection(way: str) -> None:
    with h2_server(AUTHORITY, (WHOLE, "end")) as (url, log):
        answers = ask(way, {}, {}, base_url=url, http2=True)
    assert [answer.completion.content for answer in answers] == [streams.TEXT] * 2
    assert [answer.error for answer in answers] == [None, None]
    assert log.connections == 1


@each_way
@pytest.mark.parametrize("end", ["reset", "close"])
def test_an_answer_that_is_cut_is_torn(way: str, end: Any) -> None:
    with h2_server(AUTHORITY, (HALF, end)) as (url, _):
        (answer,) = ask(way, base_url=url, http2=True)
    assert isinstance(answer.error, StreamInterrupted)
    assert answer.completion.verdict.ending == "cut"
    assert answer.completion.content
    assert streams.TEXT.startswith(answer.completion.content)


@each_way
@pytest.mark.parametrize("end", ["reset", "close"])
def test_what_is_cut_before_its_content_is_asked_again(way: str, end: Any) -> None:
    with h2_server(AUTHORITY, (b"", end), (WHOLE, "end")) as (url, _):
        (answer,) = ask(way, base_url=url, http2=True)
    assert answer.completion.content == streams.TEXT
    assert len(answer.completion.attempts) == 2


@each_way
def test_an_answer_that_stalls_is_ended_by_its_clock(way: str) -> None:
    with h2_server(AUTHORITY, (HALF, "hold")) as (url, _):
        (answer,) = ask(way, base_url=url, http2=True, clocks=Clocks(idle=0.3))
    verdict = answer.completion.verdict
    assert verdict.reason == "no more bytes came for 0.3 seconds (clock idle)"
    assert verdict.ending == "stalled"


def test_leaving_early_resets_the_stream() -> None:
    with (
        h2_server(AUTHORITY, (HALF, "hold"), (WHOLE, "end")) as (url, log),
        Client(url, http2=True) as client,
    ):
        with client.chat(model="m", messages=MESSAGES) as stream:
            for _ in stream.text:
                break
        log.wait_for("reset")
        assert client.chat(model="m", messages=MESSAGES).result().content == streams.TEXT
        assert log.connections == 1


def test_streams_that_were_left_do_not_use_up_the_connection() -> None:
    with (
        h2_server(AUTHORITY, *[HELD] * 150, (WHOLE, "end")) as (url, log),
        Client(url, http2=True) as client,
    ):
        for _ in range(150):  # a server allows 100 at a time
            with client.chat(model="m", messages=MESSAGES) as stream:
                next(stream.text)
        assert client.chat(model="m", messages=MESSAGES).result().content == streams.TEXT
        assert log.connections == 1


@bounded
async def test_cancelling_the_task_resets_the_stream() -> None:
    with h2_server(AUTHORITY, (HALF, "hold"), (WHOLE, "end")) as (url, log):
        async with AsyncClient(url, http2=True) as client:
            has_begun = asyncio.Event()

            async def read() -> None:
                async for _ in client.chat(model="m", messages=MESSAGES).text:
                    has_begun.set()

            task = asyncio.create_task(read())
            await has_begun.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.to_thread(log.wait_for, "reset")
            answer = await client.chat(model="m", messages=MESSAGES).result()
            assert answer.content == streams.TEXT
        assert log.connections == 1
