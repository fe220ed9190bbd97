"""LlamaIndex: each chunk of its stream holds all that came so far."""

from __future__ import annotations

from typing import Any

import openai
from llama_index.core.llms import ChatMessage
from llama_index.core.tools import FunctionTool
from llama_index.llms.openai import OpenAI

from frameworks.seen import KEY, PROMPT, Asked, Seen, Way

MODEL = "gpt-4o"
"""It wants to know the model."""


def stream(asked: Asked, seen: Seen) -> None:
    model, last = _model(asked, http_client=asked.http_client), None
    for response in _asks(model.stream_chat, model.stream_chat_with_tools, asked):
        last = response
    _end(model, last, asked, seen)


async def astream(asked: Asked, seen: Seen) -> None:
    model, last = _model(asked, async_http_client=asked.http_client), None
    async for response in await _asks(model.astream_chat, model.astream_chat_with_tools, asked):
        last = response
    _end(model, last, asked, seen)


def _model(asked: Asked, **client: Any) -> Any:
    return OpenAI(
        model=MODEL,
        api_base=asked.base_url,
        api_key=KEY,
        max_retries=0,
        timeout=asked.timeout,
        **client,
    )


def _asks(chat: Any, chat_with_tools: Any, asked: Asked) -> Any:
    if not asked.tools:
        return chat([ChatMessage(content=PROMPT)])
    tools = [FunctionTool.from_defaults(_tool, name=name) for name in asked.tools]
    return chat_with_tools(tools, user_msg=PROMPT)


def _tool(**arguments: Any) -> str:
    """A tool that takes anything."""
    return "done"


def _end(model: Any, last: Any, asked: Asked, seen: Seen) -> None:
    seen.text = last.message.content or ""
    chosen = model.get_tool_calls_from_response(last, error_on_no_tool_call=False)
    seen.calls = [(call.tool_name, call.tool_kwargs) for call in chosen]
    seen.ran = [call for call in seen.calls if call[0] in asked.tools]


WAYS = [
    Way("llama-index", False, stream, (openai.OpenAIError,)),
    Way("llama-index", True, astream, (openai.OpenAIError,)),
]
