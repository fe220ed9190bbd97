# mypy: ignore-errors
# None of the libraries below is installed where types are checked.
"""The peers: other libraries that read the same streams, each through its own front door.

All are fed the same reads through a transport of their HTTP library that needs no socket, so what
is measured is the work of library and HTTP client. Clients are made beforehand. Where a library
adds up, its own sum is asked; where it only hands out chunks, they are added up here. Each factory
imports what it needs, so that one that is not installed stops no other.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from bench.entrants import HEAD, add_up, iter_lines
from bench.workloads import Said

Run = Callable[[], Said]

ASKED = [{"role": "user", "content": "Say something."}]
MODEL = "gpt-4.1-2025-04-14"

# litellm would ask the net for its table of prices.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"


def hand_loop_orjson(reads: Sequence[bytes]) -> Run:
    """The loop by hand with the fastest decoder that knows no types."""
    import orjson

    def run() -> Said:
        return add_up(
            orjson.loads(line[6:])
            for line in iter_lines(reads)
            if line.startswith("data: ") and line != "data: [DONE]"
        )

    return run


def httpx_iter_lines(reads: Sequence[bytes]) -> Run:
    """The best loop by hand over the lines of httpx."""
    import httpx

    def run() -> Said:
        return add_up(
            json.loads(line[6:])
            for line in httpx.Response(200, headers=HEAD, content=iter(reads)).iter_lines()
            if line.startswith("data: ") and line != "data: [DONE]"
        )

    return run


def httpx_sse(reads: Sequence[bytes]) -> Run:
    """httpx-sse, json, and adding up by hand."""
    import httpx
    from httpx_sse import EventSource

    def run() -> Said:
        response = httpx.Response(200, headers=HEAD, content=iter(reads))
        return add_up(
            json.loads(event.data)
            for event in EventSource(response).iter_sse()
            if event.data != "[DONE]"
        )

    return run


def openai_raw(reads: Sequence[bytes]) -> Run:
    """openai-python, the stream of chunks."""
    client = _openai_client(reads)

    def run() -> Said:
        return add_up_objects(
            client.chat.completions.create(model=MODEL, messages=ASKED, stream=True)
        )

    return run


def openai_stream(reads: Sequence[bytes]) -> Run:
    """openai-python, the helper that adds up."""
    client = _openai_client(reads)

    def run() -> Said:
        with client.chat.completions.stream(model=MODEL, messages=ASKED) as stream:
            for _ in stream:
                pass
            messages = [choice.message for choice in stream.get_final_completion().choices]
        return Said(
            [message.content for message in messages],
            "".join(getattr(message, "reasoning_content", "") for message in messages),
            [call.function.arguments for m in messages for call in m.tool_calls or ()],
        )

    return run


def langchain(reads: Sequence[bytes]) -> Run:
    """langchain-openai, its chunks merged."""
    import httpx2
    from langchain_openai import ChatOpenAI

    client = httpx2.Client(transport=httpx2.MockTransport(_answer(reads)))
    model = ChatOpenAI(model=MODEL, api_key="none", base_url="http://peer", http_client=client)

    def run() -> Said:
        merged = None
        for chunk in model.stream("Say something."):
            merged = chunk if merged is None else merged + chunk
        return Said([merged.text], "", [call["args"] for call in merged.tool_call_chunks])

    return run


def pydantic_ai(reads: Sequence[bytes]) -> Run:
    """pydantic-ai, one request to a model, streamed."""
    import httpx2
    from pydantic_ai.direct import model_request_stream
    from pydantic_ai.messages import ModelRequest
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    async def answer(request: httpx2.Request) -> httpx2.Response:
        async def body():
            for data in reads:
                yield data

        return httpx2.Response(200, headers=HEAD, content=body())

    async def ask() -> Said:
        client = httpx2.AsyncClient(transport=httpx2.MockTransport(answer))
        provider = OpenAIProvider(base_url="http://peer", api_key="none", http_client=client)
        model = OpenAIChatModel(MODEL, provider=provider)
        async with model_request_stream(
            model, [ModelRequest.user_text_prompt("Say something.")]
        ) as stream:
            async for _ in stream:
                pass
            parts = stream.get().parts

        def said(kind: str) -> list[str]:
            return [
                part.args if kind == "tool-call" else part.content
                for part in parts
                if part.part_kind == kind
            ]

        return Said(["".join(said("text"))], "".join(said("thinking")), said("tool-call"))

    return lambda: asyncio.run(ask())


def litellm(reads: Sequence[bytes]) -> Run:
    """litellm, the stream of chunks."""
    import litellm

    client = _openai_client(reads)

    def run() -> Said:
        return add_up_objects(
            litellm.completion(model=f"openai/{MODEL}", messages=ASKED, stream=True, client=client)
        )

    return run


PEERS = {
    "loop by hand, orjson": hand_loop_orjson,
    "httpx iter_lines, json": httpx_iter_lines,
    "httpx-sse, json": httpx_sse,
    "openai raw": openai_raw,
    "openai .stream()": openai_stream,
    "langchain-openai": langchain,
    "pydantic-ai": pydantic_ai,
    "litellm": litellm,
}
"""What makes a run from the reads, by name."""


def add_up_objects(chunks: Iterable[Any]) -> Said:
    """What ``add_up`` keeps, of chunks that are objects."""
    texts: dict[int, list[str]] = {}
    thought: list[str] = []
    arguments: dict[int, list[str]] = {}
    finish_reasons: dict[int, str] = {}
    for chunk in chunks:
        for choice in chunk.choices:
            delta = choice.delta
            if delta.content is not None:
                texts.setdefault(choice.index, []).append(delta.content)
            if reasoning := getattr(delta, "reasoning_content", None):
                thought.append(reasoning)
            for call in delta.tool_calls or ():
                arguments.setdefault(call.index, []).append(call.function.arguments)
            if choice.finish_reason:
                finish_reasons[choice.index] = choice.finish_reason
    return Said(
        ["".join(text) for text in texts.values()],
        "".join(thought),
        ["".join(pieces) for pieces in arguments.values()],
    )


def _openai_client(reads: Sequence[bytes]):
    import httpx2
    import openai

    transport = httpx2.MockTransport(_answer(reads))
    return openai.OpenAI(
        api_key="none", base_url="http://peer", http_client=httpx2.Client(transport=transport)
    )


def _answer(reads: Sequence[bytes]):
    import httpx2

    return lambda request: httpx2.Response(200, headers=HEAD, content=iter(reads))
