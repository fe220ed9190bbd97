"""The drop-in as an HTTP client: everything else that the SDK, and its user, do with one."""

from __future__ import annotations

import asyncio
import gc
import sys
import weakref
from importlib import import_module
from socket import create_connection, socket
from typing import Any
from urllib.parse import urlsplit

import openai
import pytest

from tests.clients.raw_server import PATIENCE, raw_server, request_of
from tests.clients.sdk import COLOURS, LIBRARY, MESSAGES, ask, async_sdk, sync_sdk, untorn_of
from tests.http_clients import no_task_left
from untorn.capture import Read
from untorn.clients.openai import async_http_client, http_client
from untorn.options import Clocks
from untorn.replay import faults
from untorn.replay.reply import Reply
from untorn.replay.scenarios.making import ANSWER, GZIP, HALF, JSON, stall, whole
from untorn.replay.streams import TEXT
from untorn.testing import ReplayServer

each_colour = pytest.mark.parametrize("colour", COLOURS)
CALL: dict[str, Any] = {"model": "m", "messages": MESSAGES, "stream": True}
BODY = faults.body(ANSWER)


def text_of(stream: Any) -> str:
    chunks = [choice for chunk in stream for choice in chunk.choices]
    return "".join(choice.delta.content or "" for choice in chunks)


# What untorn says --------------------------------------------------------------------------------


def test_last_is_the_stream_that_began_last_and_of_the_one_that_is_meant(
    stream_server: ReplayServer,
) -> None:
    with sync_sdk(stream_server.url("text", whole(HALF))) as client:
        untorn = untorn_of(client)
        before: Any = untorn.last
        assert before is None
        one = client.chat.completions.create(**CALL)
        other = client.chat.completions.create(**CALL)
        assert text_of(one) == TEXT
        assert untorn.of(one).verdict.outcome == "complete"
        assert untorn.of(one.response) == untorn.of(one)
        assert untorn.last == untorn.of(other)
        assert untorn.last.verdict.ending is None
        for other_thing in (object(), [], None, LIBRARY.Response(200)):
            assert untorn.of(other_thing) is None
        other.close()


def test_response_is_not_kept(stream_server: ReplayServer) -> None:
    with sync_sdk(stream_server.url("text")) as client:
        stream = client.chat.completions.create(**CALL)
        text_of(stream)
        response = weakref.ref(stream.response)
        del stream
        gc.collect()
        assert response() is None
        assert untorn_of(client).last.content == TEXT


def test_without_the_sdk_the_import_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    monkeypatch.delitem(sys.modules, "untorn.clients.openai")
    with pytest.raises(ImportError, match=r'pip install "untorn\[openai\]"'):
        import_module("untorn.clients.openai")


# Other doors of the SDK --------------------------------------------------------------------------


def test_raw_and_streaming_responses_are_repaired_too(stream_server: ReplayServer) -> None:
    with sync_sdk(stream_server.url("text", "text", whole(HALF))) as client:
        completions = client.chat.completions
        raw = completions.with_raw_response.create(**CALL)
        assert raw.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert text_of(raw.parse()) == TEXT
        assert untorn_of(client).of(raw).content == TEXT
        with completions.with_streaming_response.create(**CALL) as response:
            lines = list(response.iter_lines())
        assert lines[0] == ANSWER[0].data.decode().strip()
        assert lines[-2] == "data: [DONE]"
        with completions.with_streaming_response.create(**CALL) as response:
            lines = response.iter_lines()
            assert next(lines) == ANSWER[0].data.decode().strip()
            with pytest.raises(openai.APIConnectionError, match="unfinished"):
                list(lines)


DOCUMENT = b'{ "object" : "list",\r\n "data": [],\t"choices": [], "model": "m"}\n'


@each_colour
def test_all_other_requests_pass_untouched(colour: str, stream_server: ReplayServer) -> None:
    document = Reply(reads=[Read(0.0, DOCUMENT)], headers=JSON, framing="content-length")
    url = stream_server.url(document)

    def calls(client: Any) -> list[Any]:
        raw = "with_raw_response"
        return [
            getattr(client.embeddings, raw).create(model="m", input="a", encoding_format="float"),
            getattr(client.models, raw).list(),
            getattr(client.chat.completions, raw).create(model="m", messages=MESSAGES),
            getattr(client.files, raw).create(file=("a.bin", b"\0\r\n" * 9), purpose="assistants"),
        ]

    if colour == "sync":
        with sync_sdk(url) as client:
            responses = calls(client)
    else:

        async def main() -> list[Any]:
            async with async_sdk(url) as client:
                return [await one for one in calls(client)]

        responses = asyncio.run(main())
    assert [one.http_response.content for one in responses] == [DOCUMENT] * 4
    assert all(one.headers["content-length"] == str(len(DOCUMENT)) for one in responses)
    assert b"\0\r\n" * 9 in stream_server.log.requests[-1].body


@each_colour
def test_body_that_comes_from_an_iterator_passes_untouched(
    colour: str, stream_server: ReplayServer
) -> None:
    url = f"{stream_server.url('no-done')}/chat/completions"
    if colour == "sync":
        with http_client() as client:
            response = client.post(url, content=iter([b'{"stream": true}']))
    else:

        async def chunks() -> Any:
            yield b'{"stream": true}'

        async def main() -> Any:
            async with async_http_client() as client:
                return await client.post(url, content=chunks())

        response = asyncio.run(main())
    assert response.content == faults.body(ANSWER[:-1])


# Connections -------------------------------------------------------------------------------------


@each_colour
def test_connection_is_used_again_after_done(colour: str, stream_server: ReplayServer) -> None:
    url = stream_server.url("text")
    if colour == "sync":
        with sync_sdk(url) as client:
            for _ in range(3):
                text_of(client.chat.completions.create(**CALL))
    else:

        async def main() -> None:
            async with async_sdk(url) as client:
                for _ in range(3):
                    async for _chunk in await client.chat.completions.create(**CALL):
                        pass

        asyncio.run(main())
    assert len(stream_server.log.connections) == 1


def test_who_leaves_early_ends_the_generation(stream_server: ReplayServer) -> None:
    with sync_sdk(stream_server.url(stall(HALF))) as client:
        with client.chat.completions.create(**CALL) as stream:
            next(stream)
        stream_server.wait_closed()
        left = client.chat.completions.create(**CALL)
        next(left)
        left.close()
        stream_server.wait_closed()
        assert untorn_of(client).last.verdict.ending == "cancelled"


def test_cancelled_task_ends_the_generation(stream_server: ReplayServer) -> None:
    async def read(client: openai.AsyncOpenAI, begun: asyncio.Event) -> None:
        async for _ in await client.chat.completions.create(**CALL):
            begun.set()

    async def main() -> None:
        async with async_sdk(stream_server.url(stall(HALF))) as client:
            begun = asyncio.Event()
            task = asyncio.create_task(read(client, begun))
            await begun.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await stream_server.closed()
            stream = await client.chat.completions.create(**CALL)
            await anext(aiter(stream))
            await stream.close()
            await stream_server.closed()
        await no_task_left()

    asyncio.run(main())


def test_streams_run_beside_each_other(stream_server: ReplayServer) -> None:
    async def main() -> None:
        async with async_sdk(stream_server.url("text-slow")) as client:

            async def one() -> None:
                stream = await client.chat.completions.create(**CALL)
                text = [c.delta.content or "" async for chunk in stream for c in chunk.choices]
                assert "".join(text) == TEXT
                assert untorn_of(client).of(stream).content == TEXT

            await asyncio.gather(*(one() for _ in range(20)))

    asyncio.run(main())


# What can be chosen ------------------------------------------------------------------------------


def test_redirect_is_followed(stream_server: ReplayServer) -> None:
    there = f"{stream_server.url('text')}/chat/completions"
    moved = Reply(status=307, headers=(("Location", there),))
    with sync_sdk(stream_server.url(moved)) as client:
        stream = client.chat.completions.create(**CALL)
        assert text_of(stream) == TEXT
        assert [one.status_code for one in stream.response.history] == [307]


def test_hooks_see_the_request_and_the_response(stream_server: ReplayServer) -> None:
    seen: list[Any] = []
    hooks = {"request": [seen.append], "response": [seen.append]}
    with sync_sdk(stream_server.url("text"), event_hooks=hooks) as client:
        assert text_of(client.chat.completions.create(**CALL)) == TEXT
    request, response = seen
    assert request.url.path.endswith("/chat/completions")
    assert response.headers["content-type"] == "text/event-stream"
    assert response.request is request


@each_colour
@pytest.mark.parametrize("headers", [GZIP, GZIP[:1]])
def test_body_that_a_hook_has_read_is_repaired(
    colour: str, headers: Any, stream_server: ReplayServer
) -> None:
    compressed = len(headers) > 1
    url = stream_server.url(whole(faults.compress(HALF) if compressed else HALF, headers=headers))
    if colour == "sync":
        with (
            sync_sdk(url, event_hooks={"response": [lambda one: one.read()]}) as client,
            pytest.raises(openai.APIConnectionError, match="unfinished"),
        ):
            text_of(client.chat.completions.create(**CALL))
        return

    async def read(response: Any) -> None:
        await response.aread()

    async def main() -> None:
        async with async_sdk(url, event_hooks={"response": [read]}) as client:
            async for _ in await client.chat.completions.create(**CALL):
                pass

    with pytest.raises(openai.APIConnectionError, match="unfinished"):
        asyncio.run(main())


def test_response_that_a_hook_has_closed_is_left_alone(stream_server: ReplayServer) -> None:
    hooks = {"response": [lambda response: response.close()]}
    with (
        sync_sdk(stream_server.url("text"), event_hooks=hooks) as client,
        pytest.raises(RuntimeError),
    ):
        text_of(client.chat.completions.create(**CALL))


def test_mount_answers(stream_server: ReplayServer) -> None:
    def answer(request: Any) -> Any:
        return LIBRARY.Response(200, content=iter([BODY[:90], BODY[90:]]))

    mounts = {"all://mounted.invalid": LIBRARY.MockTransport(answer)}
    with sync_sdk("http://mounted.invalid/v1", mounts=mounts) as client:
        assert text_of(client.chat.completions.create(**CALL)) == TEXT


@each_colour
def test_timeout_of_the_sdk_ends_a_silence(colour: str, stream_server: ReplayServer) -> None:
    heard = ask(colour, stream_server.url(stall(HALF)), timeout=0.2)
    assert isinstance(heard.error, openai.APIConnectionError)
    assert heard.completion is not None
    assert heard.completion.verdict.outcome == "interrupted"


def test_clocks_can_be_chosen(stream_server: ReplayServer) -> None:
    clocks = Clocks(first_byte=0.1)
    with (
        sync_sdk(stream_server.url(stall()), clocks=clocks) as client,
        pytest.raises(openai.APIConnectionError, match="clock first_byte"),
    ):
        text_of(client.chat.completions.create(**CALL))


def test_proxy_is_used(stream_server: ReplayServer) -> None:
    there = urlsplit(stream_server.url(whole(framing="close")))

    def serve(sock: socket) -> None:
        asked = request_of(sock)
        assert asked.startswith(b"POST http://far.invalid/")
        with create_connection((there.hostname, there.port), PATIENCE) as server:
            server.sendall(asked.replace(b"http://far.invalid", b"", 1))
            while data := server.recv(65536):
                sock.sendall(data)

    with (
        raw_server(serve) as proxy,
        sync_sdk(f"http://far.invalid{there.path}", proxy=proxy) as client,
    ):
        assert text_of(client.chat.completions.create(**CALL)) == TEXT


def test_time_that_it_took_is_known(stream_server: ReplayServer) -> None:
    async def main() -> Any:
        async with async_sdk(stream_server.url("text")) as client:
            stream = await client.chat.completions.create(**CALL)
            async for _ in stream:
                pass
            return stream.response

    with sync_sdk(stream_server.url("text")) as client:
        stream = client.chat.completions.create(**CALL)
        text_of(stream)
    if LIBRARY.__name__ == "httpx2":  # httpx sets it where nobody can see it
        for response in (stream.response, asyncio.run(main())):
            assert response.elapsed.total_seconds() > 0
