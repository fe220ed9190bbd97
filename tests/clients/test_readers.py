"""A reader that is asked for its answer first."""

from __future__ import annotations

import asyncio

import pytest

from tests.clients.colours import MESSAGES, WAYS, ask
from tests.clients.situations import DOWN
from tests.colours import bounded
from untorn import AsyncClient, Client, NoConnection, StreamFailed
from untorn.options import Clocks
from untorn.replay import streams
from untorn.testing import ReplayServer

each_way = pytest.mark.parametrize("way", WAYS)


@each_way
def test_entering_waits_for_an_answer(way: str, stream_server: ReplayServer) -> None:
    (answer,) = ask(way, base_url=stream_server.url(DOWN, "text"))
    assert answer.was_entered
    assert answer.completion.content == streams.TEXT


@each_way
def test_entering_raises_if_there_is_none(way: str, stream_server: ReplayServer) -> None:
    (answer,) = ask(way, base_url=stream_server.url("status-401"))
    assert not answer.was_entered
    assert isinstance(answer.error, StreamFailed)
    (answer,) = ask(way, base_url="http://127.0.0.1:1", max_retries=0)
    assert not answer.was_entered
    assert isinstance(answer.error, NoConnection)


@each_way
def test_a_head_that_does_not_come_is_a_stall(way: str, stream_server: ReplayServer) -> None:
    clocks = Clocks(connect=0.1, first_byte=0.2)
    (answer,) = ask(way, base_url=stream_server.url("stall-before-head"), clocks=clocks)
    assert answer.completion.verdict.reason == "no byte came within 0.2 seconds (clock first_byte)"


def test_reading_without_a_block_asks_too(stream_server: ReplayServer) -> None:
    with Client(stream_server.url("text")) as client:
        assert "".join(client.chat(model="m", messages=MESSAGES).text) == streams.TEXT


@bounded
async def test_reading_without_a_block_asks_in_asyncio_too() -> None:
    async with ReplayServer() as server, AsyncClient(server.url("text")) as client:
        texts = [text async for text in client.chat(model="m", messages=MESSAGES).text]
        assert "".join(texts) == streams.TEXT


def test_with_restart_torn_text_is_refused(stream_server: ReplayServer) -> None:
    with Client(stream_server.url("text"), restart_torn=True) as client:
        stream = client.chat(model="m", messages=MESSAGES)
        with pytest.raises(ValueError, match="restart_torn"):
            _ = stream.text


@bounded
async def test_with_restart_torn_text_is_refused_by_asyncio_too() -> None:
    async with AsyncClient("http://127.0.0.1:1", restart_torn=True) as client:
        with pytest.raises(ValueError, match="restart_torn"):
            _ = client.chat(model="m", messages=MESSAGES).text


def test_a_mistake_of_the_program_is_raised_on(stream_server: ReplayServer) -> None:
    with Client(stream_server.url("text")) as client:
        client.close()
        with pytest.raises(RuntimeError, match="closed"):
            client.chat(model="m", messages=MESSAGES).result()


@bounded
async def test_a_cancelled_task_is_cancelled_and_asks_no_more() -> None:
    async with (
        ReplayServer() as server,
        AsyncClient(server.url("stall-before-head")) as client,
    ):
        stream = client.chat(model="m", messages=MESSAGES)
        task = asyncio.create_task(stream.result())
        await server.until(lambda log: log.exchanges)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await server.closed()
        assert stream.completion.verdict.ending == "cancelled"
