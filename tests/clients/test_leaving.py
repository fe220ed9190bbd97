"""Who leaves early closes the connection, and keeps what came."""

from __future__ import annotations

import asyncio
import signal
import threading
from typing import Any

import pytest

from tests.clients.colours import TIMEOUT
from tests.colours import bounded
from untorn.clients import AsyncClient, Client
from untorn.testing import ReplayServer


@pytest.mark.parametrize("backend", ["httpx2", "urllib3"])
def test_leaving_the_block_closes_the_connection(backend: Any, stream_server: ReplayServer) -> None:
    with Client(stream_server.url("stall-mid-text"), backend=backend) as client:
        with client.chat(model="m", messages=[]) as stream:
            for _ in stream.text:
                break
        stream_server.wait_closed()
        assert stream.completion.verdict.ending == "cancelled"
        assert stream.completion.content


@pytest.mark.parametrize("backend", ["httpx2", "aiohttp"])
@pytest.mark.parametrize("scenario", ["stall-mid-text", "stall-before-head", "stall-before-body"])
@bounded
async def test_cancelling_the_task_closes_the_connection(backend: Any, scenario: str) -> None:
    async with (
        ReplayServer() as server,
        AsyncClient(server.url(scenario), backend=backend) as client,
    ):
        stream = client.chat(model="m", messages=[])
        task = asyncio.create_task(stream.result())
        await server.until(lambda log: log.exchanges)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await server.closed()
        assert stream.completion.verdict.ending == "cancelled"
        assert len(server.log.exchanges) == 1


@pytest.mark.parametrize("backend", ["httpx2", "urllib3"])
@pytest.mark.parametrize("scenario", ["stall-mid-text", "stall-before-head"])
def test_control_c_closes_the_connection(
    backend: Any, scenario: str, stream_server: ReplayServer
) -> None:
    def press() -> None:
        stream_server.wait_until(lambda log: log.exchanges, TIMEOUT)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    with Client(stream_server.url(scenario), backend=backend) as client:
        stream = client.chat(model="m", messages=[])
        presser = threading.Thread(target=press)
        presser.start()
        with pytest.raises(KeyboardInterrupt):
            stream.result()
        presser.join(TIMEOUT)
        stream_server.wait_closed()
    assert stream.completion.verdict.ending == "cancelled"
