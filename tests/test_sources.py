"""What is particular to each HTTP library, over real sockets: when bytes are there, and when a
connection is kept, closed, or ended from outside."""

from __future__ import annotations

import gc
import gzip
import io
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.http_clients import KEEPING_ALIVE, SYNC, TIMEOUT, no_thread_left
from tests.replies import ANSWER, GZIPPED, NO_HEAD, begun, each_framing
from untorn.capture import Read
from untorn.options import MIB, Clocks
from untorn.reader import read
from untorn.replay import ReplayServer, faults
from untorn.replay.reply import Framing, Reply
from untorn.replay.streams import ROLE
from untorn.responses import source_of
from untorn.sources import FileSource, HttpxSource, IterableSource, Opened

each_library = pytest.mark.parametrize("library", SYNC)


@pytest.fixture
def server() -> Iterator[ReplayServer]:
    with ReplayServer() as server:
        yield server


@each_framing
@each_library
def test_an_event_is_there_as_soon_as_it_came(
    library: str, framing: Framing, server: ReplayServer
) -> None:
    with SYNC[library]() as post:
        source = source_of(post(server.url(begun(framing))))
        assert source.read() == ROLE.data
        assert source.received() == len(ROLE.data)
        source.close()
        server.wait_closed(TIMEOUT)


@each_framing
@each_library
def test_a_read_that_is_blocked_can_be_ended_from_another_thread(
    library: str, framing: Framing, server: ReplayServer
) -> None:
    # The reader's own thread does so: see test_alarm.py for when.
    with SYNC[library]() as post, ThreadPoolExecutor(1) as other:
        stream = read(post(server.url(begun(framing))), clocks=Clocks(idle=0.05), raise_on=())
        completion = other.submit(stream.result).result(TIMEOUT)
        assert completion.verdict.ending == "stalled"
        server.wait_closed(TIMEOUT)
    no_thread_left()


@pytest.mark.parametrize("framing", ["chunked", "content-length"])
@each_library
def test_five_answers_come_through_one_connection(
    library: str, framing: Framing, server: ReplayServer
) -> None:
    url = server.url(Reply(reads=ANSWER, framing=framing))
    with KEEPING_ALIVE[library]() as post:
        for _ in range(5):
            with read(post(url), clocks=Clocks(after_end=TIMEOUT)) as stream:
                assert stream.result().verdict.ending == "done"
    assert len(server.log.exchanges) == 5
    assert len(server.log.connections) == 1


@each_library
def test_a_block_that_is_left_early_ends_the_connection(library: str, server: ReplayServer) -> None:
    with SYNC[library]() as post:
        with read(post(server.url(begun()))) as stream:
            next(iter(stream))
        server.wait_closed(TIMEOUT)
    assert server.log.connections[0].closed_by == "client"


@each_library
def test_a_reader_that_is_garbage_ends_the_connection(library: str, server: ReplayServer) -> None:
    with SYNC[library]() as post:
        for _ in read(post(server.url(begun()))):
            break
        gc.collect()
        server.wait_closed(TIMEOUT)
    no_thread_left()


def test_a_connection_of_http_client_does_not_go_on_in_the_middle_of_a_body(
    server: ReplayServer,
) -> None:
    with KEEPING_ALIVE["urllib"]() as post:
        with read(post(server.url(begun()))) as stream:
            next(iter(stream))
        server.wait_closed(TIMEOUT)
        with pytest.raises(OSError, match=r"[Bb]roken pipe|reset|closed"):
            post(server.url(Reply(reads=ANSWER)))


# Compressed bodies ----------------------------------------------------------------------------


@each_library
def test_bytes_on_the_wire_are_counted_before_they_are_decompressed(
    library: str, server: ReplayServer
) -> None:
    squeezed = faults.compress(ANSWER)
    with SYNC[library]() as post:
        source = source_of(post(server.url(Reply(reads=squeezed, headers=GZIPPED))))
        body = b"".join(iter(source.read, None))
        assert body == b"".join(one.data for one in ANSWER)
        assert source.received() == sum(len(one.data) for one in squeezed)


@each_library
def test_a_bomb_is_a_limit_and_costs_little_memory(library: str, server: ReplayServer) -> None:
    bomb = Reply(reads=[Read(0.0, gzip.compress(bytes(50 * MIB)))], headers=GZIPPED)
    with SYNC[library]() as post:
        source = source_of(post(server.url(bomb)))
        data = source.read()
        assert data is not None
        # httpx decompresses all of a read of the socket at once; gzip's most is 1032 times.
        assert len(data) <= (64 * MIB if library == "httpx" else MIB)
        source.close()


def test_a_file_is_decompressed_if_the_headers_say_so() -> None:
    body = b"data: 1\n\n" * 400_000
    for squeezed in (gzip.compress(body), zlib.compress(body)):
        opened = Opened(
            200, [("Content-Encoding", "gzip" if squeezed[:1] == b"\x1f" else "deflate")]
        )
        file = io.BytesIO(squeezed)
        source = FileSource(opened, file, file)
        reads = [*iter(source.read, None)]
        assert b"".join(reads) == body
        assert max(map(len, reads)) == MIB
        assert source.received() == len(squeezed)


def test_a_compressed_file_that_is_damaged_fails_like_a_transport() -> None:
    file = io.BytesIO(b"no gzip at all")
    source = FileSource(Opened(200, [("content-encoding", "gzip")]), file, file)
    with pytest.raises(zlib.error):
        source.read()


# What the libraries do not tell -----------------------------------------------------------------


def test_a_body_shorter_than_its_length_is_not_whole(server: ReplayServer) -> None:
    short = Reply(reads=[ROLE], framing="content-length", content_length=5000, end="fin")
    with SYNC["urllib"]() as post:
        source = source_of(post(server.url(short)))
        assert source.read() == ROLE.data
        with pytest.raises(EOFError, match=r"\d+ bytes of the Content-Length never came"):
            source.read()
        source.close()


class ShutDown(Exception):
    """A socket was shut down."""


class FakeSocket:
    def shutdown(self, how: int) -> None:
        raise ShutDown


class FakeStream:
    def get_extra_info(self, name: str) -> Any:
        return FakeSocket() if name == "socket" else None


class FakeResponse:
    """A response of httpx, as another transport gives it."""

    def __init__(self, **extensions: Any) -> None:
        self.extensions = extensions
        self.is_closed = False

    def iter_bytes(self) -> Iterator[bytes]:
        return iter([b"data"])


def test_a_socket_that_others_share_is_left_alone() -> None:
    response = FakeResponse(network_stream=FakeStream(), http_version=b"HTTP/2")
    source = HttpxSource(NO_HEAD, response)
    assert source.interrupt is None
    source.close()  # which resets its stream, see test_resets.py
    assert HttpxSource(NO_HEAD, FakeResponse()).interrupt is None


def test_a_socket_that_was_given_back_is_left_alone() -> None:
    response = FakeResponse(network_stream=FakeStream(), http_version=b"HTTP/1.1")
    source = HttpxSource(NO_HEAD, response)
    assert source.interrupt is not None
    with pytest.raises(ShutDown):
        source.interrupt()
    response.is_closed = True
    source.interrupt()
    assert source.received() is None


# Iterables ------------------------------------------------------------------------------------


class Closing:
    def __init__(self, log: list[str], name: str) -> None:
        self._log = log
        self._name = name

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        raise StopIteration

    def close(self) -> None:
        self._log.append(self._name)
        raise ZeroDivisionError(self._name)


def test_whatever_happens_all_is_closed() -> None:
    log: list[str] = []
    source = IterableSource(NO_HEAD, Closing(log, "iterator"), Closing(log, "owner"))
    assert source.open() is NO_HEAD
    assert (source.read(), source.received(), source.interrupt) == (None, None, None)
    with pytest.raises(ZeroDivisionError):
        source.close()
    assert log == ["iterator", "owner"]
    IterableSource(NO_HEAD, []).close()
