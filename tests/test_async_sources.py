"""What is particular to each HTTP library for asyncio, over real sockets."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, Self

import aiohttp
import pytest

from tests.colours import bounded
from tests.http_clients import ASYNC, TIMEOUT, no_task_left
from tests.replies import ANSWER, GZIPPED, NO_HEAD, begun, each_framing
from untorn import StreamInterrupted
from untorn.async_sources import AiohttpSource, AsyncHttpxSource, AsyncIterableSource
from untorn.capture import Read
from untorn.options import MIB, Clocks
from untorn.reader import AsyncReader, aread
from untorn.replay import ReplayServer, faults
from untorn.replay.reply import Framing, Reply
from untorn.replay.streams import ROLE
from untorn.responses import async_source_of

each_library = pytest.mark.parametrize("library", ASYNC)


@pytest.fixture
def server() -> Iterator[ReplayServer]:
    with ReplayServer() as server:
        yield server


@each_framing
@each_library
@bounded
async def test_an_event_is_there_as_soon_as_it_came(
    library: str, framing: Framing, server: ReplayServer
) -> None:
    async with ASYNC[library]() as post:
        source = async_source_of(await post(server.url(begun(framing))))
        assert await source.read() == ROLE.data
        assert source.received() == len(ROLE.data)
        await source.close()
        await server.closed(TIMEOUT)
        await no_task_left()


@pytest.mark.parametrize("framing", ["chunked", "content-length"])
@each_library
@bounded
async def test_five_answers_come_through_one_connection(
    library: str, framing: Framing, server: ReplayServer
) -> None:
    url = server.url(Reply(reads=ANSWER, framing=framing))
    async with ASYNC[library]() as post:
        for _ in range(5):
            async with aread(await post(url), clocks=Clocks(after_end=TIMEOUT)) as stream:
                assert (await stream.result()).verdict.ending == "done"
    assert len(server.log.exchanges) == 5
    assert len(server.log.connections) == 1


@each_library
@bounded
async def test_a_block_that_is_left_early_ends_the_connection(
    library: str, server: ReplayServer
) -> None:
    async with ASYNC[library]() as post:
        async with aread(await post(server.url(begun()))) as stream:
            async for _ in stream:
                break
        await server.closed(TIMEOUT)
        await no_task_left()
    assert server.log.connections[0].closed_by == "client"


@pytest.mark.parametrize("times", [1, 2])
@each_library
@bounded
async def test_a_cancelled_task_ends_the_connection(
    library: str, times: int, server: ReplayServer
) -> None:
    readers: list[AsyncReader] = []
    started = asyncio.Event()

    async def show(post: Callable[[str], Any]) -> None:
        async with aread(await post(server.url(begun()))) as stream:
            readers.append(stream)
            async for _ in stream:
                started.set()

    async with ASYNC[library]() as post:
        task = asyncio.create_task(show(post))
        await started.wait()
        for _ in range(times):
            await asyncio.sleep(0)  # one turn of the loop: it waits for bytes, or is closing
            task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await server.closed(TIMEOUT)
        await no_task_left()
    assert readers[0].completion.verdict.ending == "cancelled"


@each_library
@bounded
async def test_bytes_on_the_wire_are_counted_before_they_are_decompressed(
    library: str, server: ReplayServer
) -> None:
    squeezed = faults.compress(ANSWER)
    async with ASYNC[library]() as post:
        reply = Reply(reads=squeezed, headers=GZIPPED)
        source = async_source_of(await post(server.url(reply)))
        body = b""
        while (data := await source.read()) is not None:
            body += data
        assert body == b"".join(one.data for one in ANSWER)
        assert source.received() == sum(len(one.data) for one in squeezed)


@each_library
@bounded
async def test_a_bomb_costs_little_memory(library: str, server: ReplayServer) -> None:
    bomb = Reply(reads=[Read(0.0, gzip.compress(bytes(50 * MIB)))], headers=GZIPPED)
    async with ASYNC[library]() as post:
        source = async_source_of(await post(server.url(bomb)))
        data = await source.read()
        assert data is not None
        # httpx decompresses all of a read of the socket at once; gzip's most is 1032 times.
        assert len(data) <= (64 * MIB if library == "httpx" else MIB)
        await source.close()


# aiohttp --------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["fin", "reset"])
@bounded
async def test_what_came_before_a_failure_is_not_lost(end: Any, server: ReplayServer) -> None:
    broken = Reply(reads=ANSWER[:4], end=end, pause=0.05)
    async with ASYNC["aiohttp"]() as post:
        response = await post(server.url(broken))
        source = async_source_of(response)
        await server.closed(TIMEOUT)
        # Until aiohttp, too, knows that the connection is gone.
        while response.content.exception() is None:
            await asyncio.sleep(0)
        assert await source.read() == b"".join(one.data for one in ANSWER[:4])
        with pytest.raises(aiohttp.ClientError):
            await source.read()
        await source.close()


@bounded
async def test_a_reset_is_no_end_of_a_body_that_ends_with_its_connection(
    server: ReplayServer,
) -> None:
    broken = Reply(reads=ANSWER[:4], framing="close", end="reset", pause=0.05)
    async with ASYNC["aiohttp"]() as post:
        with pytest.raises(StreamInterrupted, match="the connection was reset"):
            await aread(await post(server.url(broken))).result()


@bounded
async def test_chunks_that_are_none_end_the_wait(server: ReplayServer) -> None:
    broken = Reply(reads=ANSWER[:4], stray=b"zz\r\n\r\n", end="fin", pause=0.05)
    async with ASYNC["aiohttp"]() as post:
        with pytest.raises(StreamInterrupted, match="closed before the end of the body"):
            await aread(await post(server.url(broken)), clocks=Clocks(idle=TIMEOUT)).result()


@bounded
async def test_a_reset_after_the_body_is_looked_at_by_nobody(server: ReplayServer) -> None:
    complaints: list[Any] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: complaints.append(context))
    url = server.url(Reply(reads=ANSWER, end="reset", pause=0.05))
    async with ASYNC["aiohttp"]() as post:
        for _ in range(2):
            await aread(await post(url)).result()
        await server.closed(TIMEOUT)
    await no_task_left()
    assert complaints == []


@bounded
async def test_the_stream_reader_alone_is_read_and_left_alone(server: ReplayServer) -> None:
    async with ASYNC["aiohttp"]() as post:
        response = await post(server.url(Reply(reads=ANSWER)))
        source = AiohttpSource(NO_HEAD, response.content, response.content)
        assert await source.open() is NO_HEAD
        assert await source.read() is not None
        await source.close()
        assert not response.closed
        response.close()


@bounded
async def test_a_connection_that_somebody_else_waited_for_is_no_matter(
    server: ReplayServer,
) -> None:
    async with ASYNC["aiohttp"]() as post:
        response = await post(server.url(begun()))
        lost = response.connection.protocol.closed
        source = async_source_of(response)
        lost.cancel()
        assert await source.read() == ROLE.data
        await source.close()


# Iterables ------------------------------------------------------------------------------------


class Closing:
    """Its closing waits until it may end."""

    def __init__(self, log: list[str], name: str) -> None:
        self._log = log
        self._name = name
        self.begun = asyncio.Event()
        self.may_end = asyncio.Event()
        self.extensions: dict[str, Any] = {}

    def __aiter__(self) -> Self:
        return self

    def aiter_bytes(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        raise StopAsyncIteration

    async def aclose(self) -> None:
        self.begun.set()
        await self.may_end.wait()
        self._log.append(self._name)
        raise ZeroDivisionError(self._name)


@bounded
async def test_whatever_happens_all_is_closed() -> None:
    log: list[str] = []
    iterator, owner = Closing(log, "iterator"), Closing(log, "owner")
    source = AsyncIterableSource(NO_HEAD, iterator, owner)
    assert await source.open() is NO_HEAD
    assert (await source.read(), source.received()) == (None, None)
    iterator.may_end.set()
    owner.may_end.set()
    with pytest.raises(ZeroDivisionError):
        await source.close()
    assert log == ["iterator", "owner"]


@bounded
async def test_what_cannot_be_closed_is_dropped() -> None:
    class Plain:
        def __aiter__(self) -> Self:
            return self

        async def __anext__(self) -> bytes:
            raise StopAsyncIteration

    await AsyncIterableSource(NO_HEAD, Plain()).close()


@bounded
async def test_a_response_is_closed_to_the_end_and_then_cancelled() -> None:
    log: list[str] = []
    response = Closing(log, "response")
    source = AsyncHttpxSource(NO_HEAD, response)
    closing = asyncio.create_task(source.close())
    await response.begun.wait()
    for _ in range(2):
        closing.cancel()
        await asyncio.sleep(0)
    assert not closing.done()
    response.may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await closing
    assert log == ["response"]
    with pytest.raises(ZeroDivisionError):
        await source.close()


class SharedResponse:
    """A response of httpx over HTTP/2, as another transport gives it."""

    extensions = {"http_version": b"HTTP/2"}  # noqa: RUF012
    was_closed = False

    async def aiter_bytes(self) -> AsyncIterator[bytes]:
        yield b"data"

    async def aclose(self) -> None:
        self.was_closed = True


@bounded
async def test_a_response_that_shares_its_connection_is_closed_without_it() -> None:
    response = SharedResponse()
    source = AsyncHttpxSource(NO_HEAD, response)
    assert await source.read() == b"data"
    await source.close()
    assert response.was_closed
