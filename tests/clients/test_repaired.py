"""The repaired body, read by read, over real sockets."""

from __future__ import annotations

import asyncio

import httpx2
import pytest

from tests.clients.repairs import ASKED
from tests.http_clients import ASYNC, SYNC
from untorn.clients.repair import Repair
from untorn.clients.repaired import AsyncRepairedReader, RepairedReader
from untorn.options import Clocks, Options
from untorn.replay.scenarios.making import ANSWER, HALF, stall
from untorn.replay.streams import TEXT
from untorn.responses import async_source_of, source_of
from untorn.testing import ReplayServer


def repair(**clocks: float) -> Repair:
    return Repair(ASKED, Options(), Clocks(**clocks))


class Ends:
    """How often it was told that there is no more."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> None:
        self.count += 1


def test_reads_are_given_as_they_come_and_end_with_done(stream_server: ReplayServer) -> None:
    ends = Ends()
    with SYNC["httpx2"]() as post:
        response: httpx2.Response = post(f"{stream_server.url('text')}/chat/completions")
        reader = RepairedReader(source_of(response), repair())
        reads = list(reader.reads(ends))
    assert ends.count == 1
    assert reads[0] == ANSWER[0].data
    assert reads[-1].endswith(ANSWER[-1].data)
    assert reader.body.failure is None
    assert reader.completion.content == TEXT
    assert response.is_closed


def test_reads_are_given_with_asyncio_as_they_come(stream_server: ReplayServer) -> None:
    ends = Ends()

    async def main() -> tuple[list[bytes], AsyncRepairedReader]:
        async with ASYNC["httpx2"]() as post:
            response = await post(f"{stream_server.url('text')}/chat/completions")
            reader = AsyncRepairedReader(async_source_of(response), repair())
            return [data async for data in reader.reads(ends)], reader

    reads, reader = asyncio.run(main())
    assert ends.count == 1
    assert reads[0] == ANSWER[0].data
    assert reads[-1].endswith(ANSWER[-1].data)
    assert reader.body.failure is None
    assert reader.completion.content == TEXT


@pytest.mark.parametrize("colour", ["sync", "async"])
def test_clocks_end_it_and_nothing_is_raised_here(colour: str, stream_server: ReplayServer) -> None:
    url = f"{stream_server.url(stall(HALF))}/chat/completions"
    if colour == "sync":
        with SYNC["httpx2"]() as post:
            one = repair(idle=0.1)
            body = b"".join(RepairedReader(source_of(post(url)), one).reads(Ends()))
    else:

        async def main() -> tuple[bytes, Repair]:
            async with ASYNC["httpx2"]() as post:
                one = repair(idle=0.1)
                reader = AsyncRepairedReader(async_source_of(await post(url)), one)
                return b"".join([data async for data in reader.reads(Ends())]), one

        body, one = asyncio.run(main())
    assert body == b"".join(read.data for read in HALF)
    assert one.failure is not None
    assert "clock idle" in one.failure.why
