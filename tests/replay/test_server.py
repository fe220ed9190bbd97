"""The server as its users see it: in a thread or in an event loop, with any client."""

from __future__ import annotations

import asyncio
import gc
import os
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import suppress

import aiohttp
import httpx
import pytest
import urllib3

from tests.replay.peer import asked, connected, request
from untorn import parse
from untorn.capture import Capture, Close, Read
from untorn.replay import ReplayServer
from untorn.replay.errors import NotInTime, ReplayError, UnknownScenario
from untorn.replay.reply import Reply
from untorn.replay.scenarios import SCENARIOS
from untorn.replay.schedule import AT_ONCE
from untorn.replay.streams import TEXT

BODY = {"model": "text"}
CLOSED = b"Connection: close\r\n"


@pytest.fixture
def server() -> Iterator[ReplayServer]:
    with ReplayServer() as server:
        yield server


def chat(url: str) -> str:
    return f"{url}/chat/completions"


# Clients --------------------------------------------------------------------------------------


def test_httpx_gets_the_reads_of_a_chunked_body_one_by_one(server: ReplayServer) -> None:
    with httpx.stream("POST", chat(server.url("text-slices")), json=BODY) as response:
        reads = list(response.iter_raw())
    assert reads == [read.data for read in SCENARIOS["text-slices"].reply.reads]


def test_httpx_is_told_that_a_body_is_cut(server: ReplayServer) -> None:
    with pytest.raises(httpx.RemoteProtocolError), httpx.Client() as client:
        client.post(chat(server.url("fin-mid-text")), json=BODY)


def test_urllib_reads_an_answer(server: ReplayServer) -> None:
    asked = urllib.request.Request(chat(server.url("text")), data=b"{}")
    with urllib.request.urlopen(asked, timeout=10) as response:
        assert parse(response.read()).content == TEXT


def test_urllib3_is_told_that_a_body_is_cut(server: ReplayServer) -> None:
    with urllib3.PoolManager(retries=False) as pool, pytest.raises(urllib3.exceptions.HTTPError):
        pool.request("POST", chat(server.url("reset-mid-text")), json=BODY)


async def read_with_aiohttp(url: str) -> bytes:
    async with aiohttp.ClientSession() as session, session.post(chat(url), json=BODY) as response:
        return await response.read()


def test_aiohttp_decompresses_an_answer(server: ReplayServer) -> None:
    assert parse(asyncio.run(read_with_aiohttp(server.url("text-gzip")))).content == TEXT


# What is played -------------------------------------------------------------------------------


def test_a_model_names_a_scenario_for_a_client_with_one_url(server: ReplayServer) -> None:
    response = httpx.post(chat(server.base_url), json={"model": "no-done"})
    assert response.content == SCENARIOS["no-done"].reply.body


def test_first_so_then_so(server: ReplayServer) -> None:
    url = chat(server.url("status-503", "status-429", "text"))
    statuses = [httpx.post(url, json=BODY).status_code for _ in range(4)]
    assert statuses == [503, 429, 200, 200]


def test_what_is_queued_may_change_while_the_server_runs(server: ReplayServer) -> None:
    server.play("status-500")
    assert httpx.post(chat(server.base_url), json=BODY).status_code == 500
    server.play("text")
    assert httpx.post(chat(server.base_url), json=BODY).status_code == 200


def test_a_capture_is_played(server: ReplayServer) -> None:
    capture = Capture(
        status=429,
        headers=[("x-request-id", "r-1")],
        events=[Read(0.0, b"no"), Read(0.0, b"pe"), Close(0.0)],
    )
    with httpx.stream("POST", chat(server.url(capture)), json=BODY) as response:
        assert (response.status_code, response.headers["x-request-id"]) == (429, "r-1")
        assert list(response.iter_raw()) == [b"no", b"pe"]


def test_a_name_with_a_slip_is_an_error_before_any_request(server: ReplayServer) -> None:
    with pytest.raises(UnknownScenario, match="did you mean reset-mid-text"):
        server.url("rest-mid-text")
    with pytest.raises(UnknownScenario):
        server.play("text", "tex")


def test_at_once_a_slow_capture_is_not_slow() -> None:
    capture = Capture(events=[Read(1e6, b"data: a\n\n"), Close(1e6)])
    with ReplayServer(pace=AT_ONCE) as server:
        assert httpx.post(chat(server.url(capture)), json=BODY).content == b"data: a\n\n"


# Waiting for a client -------------------------------------------------------------------------


def test_a_wait_ends_when_the_client_has_closed(server: ReplayServer) -> None:
    with connected(server.base_url) as peer:
        peer.send(request(server.url("stall-mid-text")))
        server.wait_until(lambda log: log.exchanges)
        with pytest.raises(NotInTime, match="1 connection, 1 open; connection 1 \\(POST /stall"):
            server.wait_closed(timeout=0.0)
    server.wait_closed()
    assert server.log.connections[0].closed_by == "client"


def test_nobody_has_closed_where_nobody_was(server: ReplayServer) -> None:
    with pytest.raises(NotInTime, match="0 connections"):
        server.wait_closed(timeout=0.0)


def test_a_client_in_an_event_loop_waits_for_a_server_in_a_thread(server: ReplayServer) -> None:
    async def run() -> None:
        await read_with_aiohttp(server.url("text"))
        await server.closed()
        with pytest.raises(NotInTime, match="1 connection, 0 open"):
            await server.until(lambda log: log.open, timeout=0.0)

    asyncio.run(run())


def test_two_threads_may_wait_for_different_things(server: ReplayServer) -> None:
    waiting = threading.Thread(target=server.wait_closed)
    with connected(server.base_url) as peer:
        waiting.start()
        peer.send(request(server.url("stall-mid-text")))
        server.wait_until(lambda log: log.exchanges)
        assert waiting.is_alive()
    waiting.join(10)
    assert not waiting.is_alive()


# In an event loop -----------------------------------------------------------------------------


def test_it_runs_in_an_event_loop_of_its_users() -> None:
    async def run() -> None:
        threads = threading.active_count()
        async with ReplayServer() as server:
            assert threading.active_count() == threads
            assert parse(await read_with_aiohttp(server.url("text"))).content == TEXT
            await server.closed()
            assert server.log.connections[0].closed_by == "client"

    asyncio.run(run())


def test_a_cancelled_task_closes_its_connection() -> None:
    async def run() -> None:
        async with ReplayServer() as server:
            task = asyncio.create_task(read_with_aiohttp(server.url("stall-mid-text")))
            await server.until(lambda log: log.exchanges and log.exchanges[0].reads_sent == 5)
            task.cancel()
            await server.closed()

    asyncio.run(run())


def test_a_loop_that_would_wait_for_itself_is_told_so() -> None:
    async def run() -> None:
        async with ReplayServer() as server:
            with pytest.raises(ReplayError, match="await until\\(\\) or closed\\(\\)"):
                server.wait_closed()

    asyncio.run(run())


def test_leaving_the_block_in_a_loop_ends_stalls_and_tasks() -> None:
    async def run() -> None:
        async with ReplayServer() as server:
            reader, writer = await asyncio.open_connection("127.0.0.1", port_of(server))
            writer.write(request(server.url("stall-mid-text")))
            await server.until(lambda log: log.exchanges and log.exchanges[0].reads_sent == 5)
        assert len(asyncio.all_tasks()) == 1
        assert SCENARIOS["stall-mid-text"].reply.reads[-1].data in await reader.read()
        writer.close()
        await writer.wait_closed()
        assert server.log.connections[0].closed_by == "server"

    asyncio.run(run())


def port_of(server: ReplayServer) -> int:
    return int(server.base_url.rpartition(":")[2].partition("/")[0])


# The end --------------------------------------------------------------------------------------


needs_proc = pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="needs /proc")


def open_files() -> int:
    gc.collect()
    return len(os.listdir("/proc/self/fd"))


@needs_proc
def test_nothing_is_left_behind() -> None:
    files, threads = open_files(), threading.active_count()
    with ReplayServer() as server:
        for name in ("text", "reset-mid-text", "fin-mid-text"):
            asked(server.url(name))
        with connected(server.base_url) as peer:
            peer.send(request(server.url("stall-mid-text")))
            server.wait_until(lambda log: len(log.exchanges) == 4)
    assert (open_files(), threading.active_count()) == (files, threads)


def test_leaving_the_block_ends_a_stall_and_the_log_stays() -> None:
    with ReplayServer() as server:
        sock = socket.create_connection(("127.0.0.1", port_of(server)))
        sock.sendall(request(server.url("stall-before-head")))
        server.wait_until(lambda log: log.exchanges)
    with sock:
        assert sock.recv(1) == b""
    assert server.log.connections[0].closed_by == "server"
    assert server.log.exchanges[0].scenario == "stall-before-head"


def test_an_exception_in_the_block_comes_out_and_the_server_has_ended() -> None:
    with pytest.raises(KeyError, match="mine"), ReplayServer() as server:
        raise KeyError("mine")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port_of(server)))


def test_five_hundred_connections_at_once_are_served_and_ended() -> None:
    count = 500
    with ReplayServer() as server:
        peers = [connected(server.base_url) for _ in range(count)]
        for peer in peers:
            peer.__enter__().send(request(server.url("stall-mid-text")))
        reads = len(SCENARIOS["stall-mid-text"].reply.reads)
        server.wait_until(
            lambda log: sum(exchange.reads_sent == reads for exchange in log.exchanges) == count,
            timeout=60,
        )
        assert len(server.log.open) == count
        for peer in peers[::2]:
            peer.__exit__(None, None, None)
        server.wait_until(lambda log: len(log.open) == count // 2, timeout=60)
    assert server.log.open == []
    for peer in peers[1::2]:
        peer.__exit__(None, None, None)


@pytest.mark.parametrize("turns", range(6))
def test_a_connection_that_is_just_being_made_ends_too(turns: int) -> None:
    async def run() -> None:
        server = ReplayServer()
        async with server:
            sock = socket.create_connection(("127.0.0.1", port_of(server)), timeout=10)
            for _ in range(turns):  # of the loop: it accepts, makes a transport, and tells us
                await asyncio.sleep(0)
        for _ in range(6):
            await asyncio.sleep(0)
        with sock, suppress(ConnectionResetError):
            assert sock.recv(1) == b""
        assert server.log.open == []

    asyncio.run(run())


def test_a_thread_that_does_not_end_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("untorn.replay.server.PATIENCE", 0.05)
    let_go = threading.Event()
    server = ReplayServer()
    server.__enter__()
    assert server._loop is not None
    server._loop.call_soon_threadsafe(let_go.wait)
    with pytest.raises(ReplayError, match=r"did not end within 0\.05 s"):
        server.__exit__()
    let_go.set()
    server._thread.join(10)
    assert not server._thread.is_alive()


def test_a_reply_that_cannot_be_sent_is_a_failure_of_the_test_bed() -> None:
    server = ReplayServer()
    impossible = Reply(headers=[("x", "橋")])
    with pytest.raises(ReplayError, match="the replay server itself failed") as caught, server:
        asked(server.url(impossible))
    assert isinstance(caught.value.__cause__, UnicodeEncodeError)


TOO_FEW_FILES = """
import os, resource, socket
from untorn.replay import ReplayServer
from untorn.replay.errors import ReplayError
server = ReplayServer()
try:
    with server:
        port = int(server.base_url.rpartition(":")[2].partition("/")[0])
        sock = socket.socket()
        most = max(map(int, os.listdir("/proc/self/fd")))
        resource.setrlimit(resource.RLIMIT_NOFILE, (sock.fileno() + 1, most + 1))
        sock.connect(("127.0.0.1", port))
except ReplayError as exc:
    print(exc, "because", exc.__cause__)
sock.close()
"""


@needs_proc
def test_a_server_that_cannot_accept_says_so_at_its_end() -> None:
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", TOO_FEW_FILES],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ran.stderr, ran.returncode) == ("", 0)
    assert ran.stdout == (
        "the replay server itself failed because [Errno 24] Too many open files\n"
    )


def test_a_server_runs_once() -> None:
    with ReplayServer() as server:
        pass
    with pytest.raises(ReplayError, match="make another one"), server:
        raise AssertionError("it must not run again")


def test_before_it_runs_it_has_no_url() -> None:
    with pytest.raises(ReplayError, match="does not run yet"):
        ReplayServer().url("text")
