"""pydantic-ai: an agent with tools, which it runs by itself."""

from __future__ import annotations

import asyncio
from typing import Any

import openai
from pydantic_ai import Agent, Tool
from pydantic_ai.exceptions import AgentRunError, ContentFilterError, OutputTokenLimitExceeded
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from frameworks.seen import MODEL, PROMPT, Asked, Seen, Way


def stream(asked: Asked, seen: Seen) -> None:
    # It runs on the loop of its caller, and a thread has none by nature.
    with asyncio.Runner() as runner:
        asyncio.set_event_loop(runner.get_loop())
        try:
            with _agent(asked, seen).run_stream_sync(PROMPT) as result:
                for _ in result.stream_text(delta=True, debounce_by=None):
                    pass
                _end(result, seen)
        finally:
            runner.run(asked.http_client.aclose())
            asyncio.set_event_loop(None)


async def astream(asked: Asked, seen: Seen) -> None:
    async with _agent(asked, seen).run_stream(PROMPT) as result:
        async for _ in result.stream_text(delta=True, debounce_by=None):
            pass
        _end(result, seen)


def _agent(asked: Asked, seen: Seen) -> Agent[None, str]:
    provider = OpenAIProvider(openai_client=asked.sdk(openai.AsyncOpenAI))
    tools: list[Any] = [Tool(_runs(name, seen), name=name) for name in asked.tools]
    return Agent(OpenAIChatModel(MODEL, provider=provider), tools=tools)


def _runs(name: str, seen: Seen) -> Any:
    def run(**arguments: Any) -> str:
        seen.ran.append((name, arguments))
        return "done"

    return run


def _end(result: Any, seen: Seen) -> None:
    # After tools were run it has asked again; this is about the first answer.
    answer = next(part for part in result.all_messages() if isinstance(part, ModelResponse))
    seen.text = "".join(part.content for part in answer.parts if isinstance(part, TextPart))
    seen.calls = [
        (part.tool_name, part.args) for part in answer.parts if isinstance(part, ToolCallPart)
    ]


ERRORS = (AgentRunError, openai.OpenAIError)
STOPPED = (ContentFilterError, OutputTokenLimitExceeded)

WAYS = [
    Way("pydantic-ai", False, stream, ERRORS, STOPPED, closes=True),
    Way("pydantic-ai", True, astream, ERRORS, STOPPED),
]
