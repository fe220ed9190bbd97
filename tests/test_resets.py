"""A stream of HTTP/2 that nobody reads on is reset, with httpx and with httpx2."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import httpx2
import pytest
import trustme

from tests.clients.certificates import trusting
from tests.clients.h2_server import h2_server
from tests.colours import bounded
from untorn import aread, read
from untorn.replay import streams
from untorn.resets import areset, is_http2, reset

AUTHORITY = trustme.CA()
EVENTS = [one.data for one in streams.stream(streams.contents())]
HALF = b"".join(EVENTS[:4])
WHOLE = b"".join(EVENTS)

each_library = pytest.mark.parametrize("library", [httpx, httpx2])


@pytest.fixture(autouse=True)
def trusts_one_authority(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value in trusting(AUTHORITY, tmp_path).items():
        monkeypatch.setenv(name, value)


@each_library
def test_a_reader_that_is_left_resets_its_stream(library: Any) -> None:
    with (
        h2_server(AUTHORITY, (HALF, "hold"), (WHOLE, "end")) as (url, log),
        library.Client(http2=True) as client,
    ):
        with client.stream("GET", url) as response, read(response) as stream:
            next(stream.text)
        log.wait_for("reset")
        with client.stream("GET", url) as response:
            assert read(response).result().content == streams.TEXT
        assert log.connections == 1


@each_library
@bounded
async def test_one_of_asyncio_too(library: Any) -> None:
    with h2_server(AUTHORITY, (HALF, "hold"), (WHOLE, "end")) as (url, log):
        async with library.AsyncClient(http2=True) as client:
            async with client.stream("GET", url) as response, aread(response) as stream:
                await anext(stream.text)
            await asyncio.to_thread(log.wait_for, "reset")
            async with client.stream("GET", url) as response:
                assert (await aread(response).result()).content == streams.TEXT
        assert log.connections == 1


@bounded
async def test_what_is_no_response_of_theirs_is_left_as_it_is() -> None:
    for response in (SimpleNamespace(), SimpleNamespace(stream=SimpleNamespace(_stream_id=1))):
        assert not is_http2(response)
        reset(response)
        await areset(response)


@bounded
async def test_a_stream_that_cannot_be_reset_is_closed_all_the_same() -> None:
    stream = SimpleNamespace(_stream_id=1, _connection=SimpleNamespace())
    reset(SimpleNamespace(stream=stream))
    await areset(SimpleNamespace(stream=stream))
