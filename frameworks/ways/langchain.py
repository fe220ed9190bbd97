"""langchain-openai: chunks are added up, and the sum has the calls."""

from __future__ import annotations

from typing import Any

import openai
from langchain_core.exceptions import LangChainException
from langchain_openai import ChatOpenAI

from frameworks.seen import KEY, MODEL, PROMPT, Asked, Seen, Way, schema_of

# It has clients of both colours, and loads certificates for each that it is not given.
IDLE = openai.DefaultHttpxClient(verify=False, trust_env=False)
IDLE_ASYNC = openai.DefaultAsyncHttpxClient(verify=False, trust_env=False)


def stream(asked: Asked, seen: Seen) -> None:
    whole: Any = None
    for chunk in _model(asked, asked.http_client, IDLE_ASYNC).stream(PROMPT):
        whole = chunk if whole is None else whole + chunk
    _end(whole, asked, seen)


async def astream(asked: Asked, seen: Seen) -> None:
    whole: Any = None
    async for chunk in _model(asked, IDLE, asked.http_client).astream(PROMPT):
        whole = chunk if whole is None else whole + chunk
    _end(whole, asked, seen)


def _model(asked: Asked, http_client: Any, http_async_client: Any) -> Any:
    model = ChatOpenAI(
        model=MODEL,
        base_url=asked.base_url,
        api_key=KEY,  # type: ignore[arg-type]
        max_retries=0,
        timeout=asked.timeout,
        stream_usage=True,
        http_client=http_client,
        http_async_client=http_async_client,
    )
    tools = [{"type": "function", "function": schema_of(name)} for name in asked.tools]
    return model.bind_tools(tools) if tools else model


def _end(message: Any, asked: Asked, seen: Seen) -> None:
    seen.text = message.text
    good = [(call["name"], call["args"]) for call in message.tool_calls]
    seen.calls = [*good, *((call["name"], call["args"]) for call in message.invalid_tool_calls)]
    seen.ran = [call for call in good if call[0] in asked.tools]
    if usage := message.usage_metadata:
        seen.usage = (usage["input_tokens"], usage["output_tokens"])


ERRORS = (openai.OpenAIError, LangChainException)

WAYS = [
    Way("langchain-openai", False, stream, ERRORS),
    Way("langchain-openai", True, astream, ERRORS),
]
