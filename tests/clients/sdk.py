"""The openai SDK with the drop-in under it, in both colours."""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import Any, NamedTuple

import openai
from openai.types.chat import ChatCompletionChunk

from untorn import Clocks, Completion
from untorn.clients.openai import async_http_client, http_client

MESSAGES: Any = [{"role": "user", "content": "Does it hold?"}]
COLOURS = ["sync", "async"]
TIMEOUT = 30

# httpx2, or httpx before openai 3.
LIBRARY: Any = import_module(
    next(
        base.__module__.partition(".")[0]
        for base in openai.DefaultHttpxClient.__mro__
        if base.__module__.startswith("httpx")
    )
)


class Heard(NamedTuple):
    """What a program gets of one call."""

    chunks: list[ChatCompletionChunk]
    error: openai.APIError | None
    completion: Completion | None
    """What untorn says of it."""

    @property
    def text(self) -> str:
        """The content of choice 0."""
        choices = [choice for chunk in self.chunks for choice in chunk.choices]
        return "".join(choice.delta.content or "" for choice in choices if choice.index == 0)

    @property
    def calls(self) -> list[tuple[str, str]]:
        """Names and arguments of the calls of choice 0, as a program joins them."""
        calls: dict[int, list[str]] = {}
        for chunk in self.chunks:
            for choice in chunk.choices:
                for part in choice.delta.tool_calls or ():
                    call = calls.setdefault(part.index, ["", ""])
                    assert part.function is not None
                    call[0] += part.function.name or ""
                    call[1] += part.function.arguments or ""
        return [(name, arguments) for name, arguments in calls.values()]

    @property
    def finish_reasons(self) -> list[str]:
        """Those that came."""
        choices = [choice for chunk in self.chunks for choice in chunk.choices]
        return [choice.finish_reason for choice in choices if choice.finish_reason]


def sync_sdk(base_url: str, **choices: Any) -> openai.OpenAI:
    """The SDK as a program makes it; ``choices`` are those of the drop-in."""
    client = http_client(**choices)
    return openai.OpenAI(base_url=base_url, api_key="k", max_retries=0, http_client=client)


def async_sdk(base_url: str, **choices: Any) -> openai.AsyncOpenAI:
    """The same for asyncio."""
    client = async_http_client(**choices)
    return openai.AsyncOpenAI(base_url=base_url, api_key="k", max_retries=0, http_client=client)


def ask(colour: str, base_url: str, *, clocks: Clocks = Clocks(), **call: Any) -> Heard:
    """Make one streamed call, and take all that comes."""
    call = {"model": "m", "messages": MESSAGES, "stream": True, **call}
    chunks: list[ChatCompletionChunk] = []
    error: openai.APIError | None = None
    if colour == "sync":
        with sync_sdk(base_url, clocks=clocks) as client:
            try:
                for chunk in client.chat.completions.create(**call):
                    chunks.append(chunk)  # noqa: PERF402  (what came before an exception counts)
            except openai.APIError as exc:
                error = exc
            return Heard(chunks, error, untorn_of(client).last)

    async def main() -> Heard:
        error: openai.APIError | None = None
        async with asyncio.timeout(TIMEOUT), async_sdk(base_url, clocks=clocks) as client:
            try:
                stream = await client.chat.completions.create(**call)
                async for chunk in stream:
                    chunks.append(chunk)  # noqa: PERF401  (what came before an exception counts)
            except openai.APIError as exc:
                error = exc
            return Heard(chunks, error, untorn_of(client).last)

    return asyncio.run(main())


def untorn_of(client: Any) -> Any:
    """What the drop-in under an SDK's client says."""
    return client._client.untorn
