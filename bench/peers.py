# mypy: ignore-errors
# None of the libraries below is installed where types are checked.
"""The peers: other libraries that read the same streams, each through its own front door.

All are fed the same reads through a transport of their HTTP library that needs no socket, so what
is measured is the work of library and HTTP client. Clients are made beforehand. They are asked for
one choice of text. Each factory imports what it needs, so that one that is not installed stops no
other.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Sequence

from bench.entrants import HEAD, add_up
from bench.workloads import Said

Run = Callable[[], Said]

ASKED = [{"role": "user", "content": "Say something."}]
MODEL = "gpt-4.1-2025-04-14"

# litellm would ask the net for its table of prices.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"


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
        stream = client.chat.completions.create(model=MODEL, messages=ASKED, stream=True)
        return Said(["".join(chunk.choices[0].delta.content or "" for chunk in stream)])

    return run


def openai_stream(reads: Sequence[bytes]) -> Run:
    """openai-python, the helper that adds up."""
    client = _openai_client(reads)

    def run() -> Said:
        with client.chat.completions.stream(model=MODEL, messages=ASKED) as stream:
            for _ in stream:
                pass
            return Said([stream.get_final_completion().choices[0].message.content])

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
        return Said([merged.text])

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
            return Said([stream.get().parts[0].content])

    return lambda: asyncio.run(ask())


def litellm(reads: Sequence[bytes]) -> Run:
    """litellm, the stream of chunks."""
    import litellm

    client = _openai_client(reads)

    def run() -> Said:
        stream = litellm.completion(
            model=f"openai/{MODEL}", messages=ASKED, stream=True, client=client
        )
        return Said(["".join(chunk.choices[0].delta.content or "" for chunk in stream)])

    return run


PEERS = {
    "httpx iter_lines, json": httpx_iter_lines,
    "httpx-sse, json": httpx_sse,
    "openai raw": openai_raw,
    "openai .stream()": openai_stream,
    "langchain-openai": langchain,
    "pydantic-ai": pydantic_ai,
    "litellm": litellm,
}
"""What makes a run from the reads, by name."""


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
