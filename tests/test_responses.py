"""Whose response is it? Asked of real ones, and of what is none."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import aiohttp
import httpx
import httpx2
import pytest
import requests
import urllib3

from tests.colours import bounded
from tests.http_clients import ASYNC, BODY, SYNC
from untorn.async_sources import (
    AiohttpSource,
    AsyncHttpxSource,
    AsyncIterableSource,
    AsyncSource,
)
from untorn.replay import ReplayServer
from untorn.replay.reply import Reply
from untorn.replay.streams import contents, stream
from untorn.responses import async_source_of, source_of
from untorn.sources import FileSource, HttpxSource, IterableSource, Opened, Source, Urllib3Source

TEXT = Reply(reads=stream(contents()))
ANSWER = TEXT.body
ASYNCHRONOUS = r"this source is asynchronous: read it with untorn\.aread"
SYNCHRONOUS = r"this source is not asynchronous: read it with untorn\.read"
EVENT_STREAM = ("content-type", "text/event-stream")


@pytest.fixture(scope="module")
def server() -> Iterator[ReplayServer]:
    with ReplayServer() as server:
        yield server


def body_of(source: Source) -> bytes:
    body = b"".join(iter(source.read, None))
    source.close()
    return body


async def async_body_of(source: AsyncSource) -> bytes:
    body = b""
    while (data := await source.read()) is not None:
        body += data
    await source.close()
    return body


def is_head(opened: Opened) -> bool:
    status, headers = opened
    return status == 200 and EVENT_STREAM in [(name.lower(), value) for name, value in headers]


# Responses that are open ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("library", "kind"),
    [
        ("httpx2", HttpxSource),
        ("httpx", HttpxSource),
        ("requests", Urllib3Source),
        ("urllib3", Urllib3Source),
        ("urllib", FileSource),
    ],
)
def test_a_response_is_known_and_not_taken_for_an_asynchronous_one(
    library: str, kind: type, server: ReplayServer
) -> None:
    with SYNC[library]() as post:
        response = post(server.url(TEXT))
        with pytest.raises(TypeError, match=SYNCHRONOUS):
            async_source_of(response)
        source = source_of(response)
        assert type(source) is kind
        assert is_head(source.open())
        assert body_of(source) == ANSWER


@pytest.mark.parametrize(
    ("library", "kind"),
    [("httpx2", AsyncHttpxSource), ("httpx", AsyncHttpxSource), ("aiohttp", AiohttpSource)],
)
@bounded
async def test_an_asynchronous_response_is_known_and_not_taken_for_another(
    library: str, kind: type, server: ReplayServer
) -> None:
    async with ASYNC[library]() as post:
        response = await post(server.url(TEXT))
        with pytest.raises(TypeError, match=ASYNCHRONOUS):
            source_of(response)
        source = async_source_of(response)
        assert type(source) is kind
        assert is_head(await source.open())
        assert await async_body_of(source) == ANSWER


def test_a_response_of_openai_is_the_one_of_httpx_in_it(server: ReplayServer) -> None:
    with SYNC["httpx2"]() as post:
        source = source_of(SimpleNamespace(http_response=post(server.url(TEXT))))
        assert type(source) is HttpxSource
        assert body_of(source) == ANSWER


@bounded
async def test_an_asynchronous_response_of_openai_too(server: ReplayServer) -> None:
    async with ASYNC["httpx2"]() as post:
        response = SimpleNamespace(http_response=await post(server.url(TEXT)))
        source = async_source_of(response)
        assert type(source) is AsyncHttpxSource
        assert await async_body_of(source) == ANSWER


@bounded
async def test_the_stream_reader_of_aiohttp_is_enough(server: ReplayServer) -> None:
    async with ASYNC["aiohttp"]() as post:
        response = await post(server.url(TEXT))
        source = async_source_of(response.content)
        assert await source.open() == (None, [])
        assert await async_body_of(source) == ANSWER
        with pytest.raises(TypeError, match=ASYNCHRONOUS):
            source_of(response.content)


# Responses that were read already ---------------------------------------------------------------


def test_what_was_read_already_is_read_again(server: ReplayServer) -> None:
    url = server.url(TEXT)
    with urllib3.PoolManager() as pool:
        read = [
            httpx2.post(url, json=BODY, trust_env=False),
            httpx.post(url, json=BODY, trust_env=False),
            requests.post(url, json=BODY, timeout=10),
            pool.request("POST", url, json=BODY),
        ]
    for response in read:
        source = source_of(response)
        assert is_head(source.open())
        assert source.received() is None
        assert body_of(source) == ANSWER


@bounded
async def test_what_was_read_already_is_read_again_asynchronously(server: ReplayServer) -> None:
    url = server.url(TEXT)
    for library in ("httpx2", "httpx", "aiohttp"):
        async with ASYNC[library]() as post:
            response = await post(url)
            await (response.read() if library == "aiohttp" else response.aread())
            source = async_source_of(response)
            assert is_head(await source.open())
            assert await async_body_of(source) == ANSWER


@bounded
async def test_a_body_that_is_there_is_of_both_colours(server: ReplayServer) -> None:
    url = server.url(TEXT)
    response = httpx2.post(url, json=BODY, trust_env=False)
    assert await async_body_of(async_source_of(response)) == ANSWER
    async with ASYNC["httpx"]() as post:
        other = await post(url)
        await other.aread()
        assert body_of(source_of(other)) == ANSWER


def test_a_body_without_bytes_that_was_read_is_empty(server: ReplayServer) -> None:
    with urllib3.PoolManager() as pool:
        response = pool.request(
            "POST", server.url(Reply(status=504, framing="content-length")), json=BODY
        )
    source = source_of(response)
    assert source.open().status == 504
    assert body_of(source) == b""


def test_what_a_library_says_of_a_second_reading_comes_out(server: ReplayServer) -> None:
    for library in ("httpx2", "requests"):
        with SYNC[library]() as post:
            response = post(server.url(TEXT))
            for _ in response.iter_lines():
                pass
            with pytest.raises(RuntimeError, match=r"already been|already consumed"):
                source_of(response).read()


# What is no response --------------------------------------------------------------------------


@pytest.mark.parametrize("items", [[b"da", b"ta"], (b"da", b"ta"), iter([b"data"])])
def test_any_iterable_can_be_read(items: Any) -> None:
    source = source_of(items)
    assert type(source) is IterableSource
    assert source.open() == (None, [])
    assert body_of(source) == b"data"


def test_a_file_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "answer.sse"
    path.write_bytes(ANSWER)
    file = path.open("rb")
    assert body_of(source_of(file)) == ANSWER
    assert file.closed
    assert body_of(source_of(io.BytesIO(ANSWER))) == ANSWER


@bounded
async def test_any_asynchronous_iterable_can_be_read() -> None:
    async def items() -> AsyncIterator[bytes]:
        yield b"da"
        yield b"ta"

    with pytest.raises(TypeError, match=ASYNCHRONOUS):
        source_of(items())
    source = async_source_of(items())
    assert type(source) is AsyncIterableSource
    assert await source.open() == (None, [])
    assert await async_body_of(source) == b"data"
    with pytest.raises(TypeError, match=SYNCHRONOUS):
        async_source_of([b"data"])


def test_a_response_of_requests_with_something_else_in_it_can_be_read() -> None:
    response = requests.Response()
    response.status_code = 200
    response.raw = io.StringIO()  # as some libraries for tests do
    response._content = ANSWER
    response._content_consumed = True  # type: ignore[attr-defined]
    source = source_of(response)
    assert source.open().status == 200
    assert body_of(source) == ANSWER


@pytest.mark.parametrize("open_source", [source_of, async_source_of])
def test_a_body_is_referred_to_parse(open_source: Any) -> None:
    for body in ("data", b"data", bytearray(b"data"), memoryview(b"data")):
        with pytest.raises(TypeError, match=r"already: untorn\.parse reads it"):
            open_source(body)


@pytest.mark.parametrize("open_source", [source_of, async_source_of])
def test_what_cannot_be_read_is_refused(open_source: Any) -> None:
    with httpx2.Client() as client:
        for wrong in (None, 7, client.stream("GET", "http://127.0.0.1/")):
            with pytest.raises(TypeError, match=r"neither a response nor .* has to be entered"):
                open_source(wrong)


@pytest.mark.parametrize("open_source", [source_of, async_source_of])
@bounded
async def test_what_was_not_awaited_is_refused(open_source: Any) -> None:
    async with aiohttp.ClientSession() as session:
        request = session.get("http://127.0.0.1/")
        with pytest.raises(TypeError, match="has to be awaited"):
            open_source(request)
        request.close()


# Heads that are told --------------------------------------------------------------------------


def test_what_is_told_is_taken_in_place_of_the_responses_own(server: ReplayServer) -> None:
    with SYNC["httpx2"]() as post:
        source = source_of(post(server.url(TEXT)), 201, {"X-Request-Id": "r"})
        assert source.open() == (201, [("X-Request-Id", "r")])
        source.close()


@pytest.mark.parametrize(
    "headers", [{b"Retry-After": b"7"}, [("Retry-After", "7")], ((b"Retry-After", b"7"),)]
)
def test_headers_come_in_several_shapes(headers: Any) -> None:
    assert source_of([], None, headers).open() == (200, [("Retry-After", "7")])


def test_a_status_alone_is_a_head_too() -> None:
    assert source_of([], 503).open() == (503, [])


@pytest.mark.parametrize("headers", [7, [1], ["ab", "abc"], {"a": 1}])
def test_headers_that_are_none_are_refused(headers: Any) -> None:
    with pytest.raises(TypeError, match="headers are a mapping, or pairs"):
        source_of([], None, headers)


def test_a_header_is_found_in_any_case() -> None:
    opened = Opened(200, [("Vary", "a"), ("CONTENT-Encoding", " GZip"), ("content-encoding", "br")])
    assert opened.header("content-encoding") == "gzip, br"
    assert opened.header("date") == ""
