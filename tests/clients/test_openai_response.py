"""The response that the SDK gets from the drop-in: its body, by every door of the HTTP library."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import openai
import pytest

from tests.clients.sdk import COLOURS, LIBRARY
from untorn.clients.openai import async_http_client, http_client
from untorn.replay import faults
from untorn.replay.scenarios.making import ANSWER, GZIP, HALF, whole
from untorn.testing import ReplayServer

BODY = faults.body(ANSWER)
OPTIONS = {"include_usage": True}
ASKED = {"model": "m", "messages": [], "stream": True, "stream_options": OPTIONS}
SIZE = 7
PIECES = [BODY[at : at + SIZE] for at in range(0, len(BODY), SIZE)]

each_colour = pytest.mark.parametrize("colour", COLOURS)
Look = tuple[str, *tuple[int, ...]]
"""The name of a sync method, and what it is called with."""


class Looked:
    """A response that was looked at, one look after the other."""

    def __init__(self, colour: str, base_url: str, looks: Sequence[Look]) -> None:
        self.came: list[list[Any]] = []
        """What each look gave before it ended."""
        self.errors: list[Exception | None] = []
        """What each look raised in the end."""
        self.response: Any = None
        url = f"{base_url}/chat/completions"
        if colour == "sync":
            self._look(url, looks)
        else:
            asyncio.run(self._look_async(url, looks))

    def _look(self, url: str, looks: Sequence[Look]) -> None:
        with http_client() as client:
            request = client.build_request("POST", url, json=ASKED)
            self.response = client.send(request, stream=True)
            for name, *given in looks:
                came, error = self._begin()
                try:
                    found = getattr(self.response, name)(*given)
                    if name.startswith("iter_"):
                        for one in found:
                            came.append(one)
                    else:
                        came.append(found)
                except (LIBRARY.StreamError, openai.APIError) as exc:
                    error.append(exc)
                self._end(error)

    async def _look_async(self, url: str, looks: Sequence[Look]) -> None:
        async with async_http_client() as client:
            request = client.build_request("POST", url, json=ASKED)
            self.response = await client.send(request, stream=True)
            for name, *given in looks:
                came, error = self._begin()
                try:
                    found = getattr(self.response, f"a{name}")(*given)
                    if name.startswith("iter_"):
                        async for one in found:
                            came.append(one)
                    else:
                        came.append(await found)
                except (LIBRARY.StreamError, openai.APIError) as exc:
                    error.append(exc)
                self._end(error)

    def _begin(self) -> tuple[list[Any], list[Exception]]:
        self.came.append([])
        return self.came[-1], []

    def _end(self, error: list[Exception]) -> None:
        self.errors.append(error[0] if error else None)


@each_colour
def test_body_is_given_once_in_the_reads_in_which_it_comes(
    colour: str, stream_server: ReplayServer
) -> None:
    looked = Looked(colour, stream_server.url("text"), [("iter_bytes",), ("iter_bytes",)])
    assert b"".join(looked.came[0]) == BODY
    assert looked.came[0][0] == ANSWER[0].data
    assert looked.came[1] == []
    assert looked.errors[0] is None
    assert isinstance(looked.errors[1], LIBRARY.StreamConsumed)
    assert looked.response.num_bytes_downloaded == len(BODY)
    assert looked.response.is_closed


@each_colour
def test_body_is_given_in_pieces_of_the_size_that_is_asked_for(
    colour: str, stream_server: ReplayServer
) -> None:
    looked = Looked(colour, stream_server.url("text"), [("iter_bytes", SIZE)])
    assert looked.came == [PIECES]


@each_colour
def test_body_that_was_read_is_given_as_often_as_one_likes(
    colour: str, stream_server: ReplayServer
) -> None:
    looks: list[Look] = [("read",), ("iter_bytes",), ("iter_bytes", SIZE), ("iter_bytes",)]
    looked = Looked(colour, stream_server.url("text"), looks)
    assert looked.came == [[BODY], [BODY], PIECES, [BODY]]
    assert looked.response.content == BODY


@each_colour
@pytest.mark.parametrize("name", ["iter_raw", "iter_text", "iter_lines"])
def test_other_doors_give_the_same(colour: str, name: str, stream_server: ReplayServer) -> None:
    looked = Looked(colour, stream_server.url("text"), [(name,)])
    (came,) = looked.came
    if name == "iter_raw":
        assert b"".join(came) == BODY
    else:
        assert ("\n" if name == "iter_lines" else "").join(came).strip() == BODY.decode().strip()


@each_colour
def test_compressed_body_is_given_decompressed(colour: str, stream_server: ReplayServer) -> None:
    url = stream_server.url(whole(faults.compress(ANSWER), headers=GZIP))
    looked = Looked(colour, url, [("iter_bytes",)])
    assert b"".join(looked.came[0]) == BODY
    assert "content-encoding" not in looked.response.headers


@each_colour
def test_torn_body_is_given_and_then_raises_by_every_door(
    colour: str, stream_server: ReplayServer
) -> None:
    looks: list[Look] = [("iter_bytes",), ("iter_bytes", 9999), ("read",)]
    for look in looks:
        looked = Looked(colour, stream_server.url(whole(HALF)), [look])
        assert isinstance(looked.errors[0], openai.APIConnectionError)
        came = b"".join(looked.came[0])
        assert came == (faults.body(HALF) if look == ("iter_bytes",) else b"")


@each_colour
def test_closed_response_gives_no_body(colour: str, stream_server: ReplayServer) -> None:
    looked = Looked(colour, stream_server.url("text"), [("close",), ("iter_bytes",)])
    assert isinstance(looked.errors[1], LIBRARY.StreamClosed)
