"""The SDK itself: ``create(stream=True)``, and ``.stream()``."""

from __future__ import annotations

import json
from typing import Any

import openai

from frameworks.seen import Asked, Seen, Way

WITH_USAGE = {"stream_options": {"include_usage": True}}


class Raw:
    """Adds up chunks, as OpenAI's guide to function calling does to the letter."""

    def __init__(self, asked: Asked, seen: Seen) -> None:
        self._tools = asked.tools
        self._seen = seen
        self._calls: dict[Any, Any] = {}

    def take(self, chunk: Any) -> None:
        if chunk.usage:
            self._seen.usage = (chunk.usage.prompt_tokens, chunk.usage.completion_tokens)
        for choice in chunk.choices:
            if choice.index:
                continue  # one of several that were asked for
            self._seen.text += choice.delta.content or ""
            for call in choice.delta.tool_calls or ():
                if call.index not in self._calls:
                    self._calls[call.index] = call  # OpenAI's first one has no arguments yet
                self._calls[call.index].function.arguments += call.function.arguments

    def end(self) -> None:
        self._seen.calls = [said_by(call) for call in self._calls.values()]
        for name, arguments in self._seen.calls:
            if name in self._tools and is_json(arguments):
                self._seen.ran.append((name, arguments))


def said_by(call: Any) -> tuple[str, str]:
    """Name and arguments of a call of the SDK."""
    return call.function.name, call.function.arguments


def is_json(text: str) -> bool:
    """Whether arguments can be decoded: a program has nothing else to look at."""
    try:
        json.loads(text or "{}")
    except ValueError:
        return False
    return True


def raw(asked: Asked, seen: Seen) -> None:
    reader = Raw(asked, seen)
    client = asked.sdk(openai.OpenAI)
    for chunk in client.chat.completions.create(**asked.request, **WITH_USAGE, stream=True):
        reader.take(chunk)
    reader.end()


async def araw(asked: Asked, seen: Seen) -> None:
    reader = Raw(asked, seen)
    client = asked.sdk(openai.AsyncOpenAI)
    async for chunk in await client.chat.completions.create(
        **asked.request, **WITH_USAGE, stream=True
    ):
        reader.take(chunk)
    reader.end()


def stream(asked: Asked, seen: Seen) -> None:
    client = asked.sdk(openai.OpenAI)
    with client.chat.completions.stream(**_strict(asked.request), **WITH_USAGE) as events:
        for event in events:
            take_event(event, asked, seen)
        end_stream(events.get_final_completion(), seen)


async def astream(asked: Asked, seen: Seen) -> None:
    client = asked.sdk(openai.AsyncOpenAI)
    async with client.chat.completions.stream(**_strict(asked.request), **WITH_USAGE) as events:
        async for event in events:
            take_event(event, asked, seen)
        end_stream(await events.get_final_completion(), seen)


def _strict(request: dict[str, Any]) -> dict[str, Any]:
    """With tools as ``.stream()`` takes them before openai 3."""
    for tool in request.get("tools", ()):
        tool["function"]["strict"] = True
    return request


def take_event(event: Any, asked: Asked, seen: Seen) -> None:
    """An event may say that the arguments of a call are done."""
    if event.type == "tool_calls.function.arguments.done" and event.name in asked.tools:
        seen.ran.append((event.name, event.arguments))


def end_stream(completion: Any, seen: Seen) -> None:
    """What ``.stream()`` gives at the end."""
    message = completion.choices[0].message
    seen.text = message.content or ""
    seen.calls = [said_by(call) for call in message.tool_calls or ()]
    if completion.usage:
        seen.usage = (completion.usage.prompt_tokens, completion.usage.completion_tokens)


ERRORS = (openai.OpenAIError,)
STOPPED = (openai.LengthFinishReasonError, openai.ContentFilterFinishReasonError)

WAYS = [
    Way("openai raw", False, raw, ERRORS, has_choices=True),
    Way("openai raw", True, araw, ERRORS, has_choices=True),
    Way("openai .stream()", False, stream, ERRORS, STOPPED, has_choices=True),
    Way("openai .stream()", True, astream, ERRORS, STOPPED, has_choices=True),
]
