"""Streams of our own making: what servers send for a chat completion, one event a read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from untorn import sse
from untorn.capture import Read

INTERVAL = 0.001
"""Seconds between two events: enough for a reader to take them one by one, mostly."""

PIECES = ("Die Brücke", " hält:", " zwölf Bögen,", " 三つの塔", " and one", " lamp", " 🏮", ".")
TEXT = "".join(PIECES)
THOUGHTS = ("Zähle", " die Bögen", "… 十二")
TOOL = "measure"
FRAGMENTS = ('{"bri', 'dge": "Br', 'ücke 🌉", "un', 'it": "m"}')
ARGUMENTS = "".join(FRAGMENTS)

USAGE = {"prompt_tokens": 9, "completion_tokens": 21, "total_tokens": 30}
_ABOUT = {"id": "chatcmpl-bridge", "created": 1_770_000_000, "model": "replay"}


def event(data: Any) -> Read:
    """One event: JSON, or text as it is."""
    text = data if isinstance(data, str) else msgspec.json.encode(data).decode()
    return Read(INTERVAL, sse.encode(text))


def chunk(delta: Mapping[str, Any], finish_reason: str | None = None, *, index: int = 0) -> Read:
    """The event of a chunk with one choice."""
    choice = {"index": index, "delta": delta, "finish_reason": finish_reason}
    return event({**_ABOUT, "object": "chat.completion.chunk", "choices": [choice]})


ROLE = chunk({"role": "assistant", "content": ""})
USAGE_CHUNK = event({**_ABOUT, "object": "chat.completion.chunk", "choices": [], "usage": USAGE})
DONE = event("[DONE]")


def stream(deltas: Iterable[Mapping[str, Any]], finish_reason: str = "stop") -> tuple[Read, ...]:
    """All of one choice: its role, a chunk for each delta, the finish reason, usage, ``[DONE]``."""
    return (ROLE, *map(chunk, deltas), chunk({}, finish_reason), USAGE_CHUNK, DONE)


def contents(pieces: Iterable[str] = PIECES) -> list[dict[str, Any]]:
    """A delta for each piece of text."""
    return [{"content": piece} for piece in pieces]


def thoughts(pieces: Iterable[str] = THOUGHTS) -> list[dict[str, Any]]:
    """A delta for each piece of reasoning."""
    return [{"reasoning_content": piece} for piece in pieces]


def call(index: int = 0, fragments: Iterable[str] = FRAGMENTS) -> list[dict[str, Any]]:
    """The deltas of one tool call: its name, then its arguments in fragments."""
    named: dict[str, Any] = {"index": index, "id": f"call_{index}", "type": "function"}
    named["function"] = {"name": TOOL, "arguments": ""}
    more = [{"index": index, "function": {"arguments": part}} for part in fragments]
    return [{"tool_calls": [part]} for part in [named, *more]]


def completion(message: Mapping[str, Any], finish_reason: str = "stop") -> bytes:
    """The JSON document that a call without streaming gives."""
    whole = {"role": "assistant", **message}
    choice = {"index": 0, "message": whole, "finish_reason": finish_reason}
    return msgspec.json.encode(
        {**_ABOUT, "object": "chat.completion", "choices": [choice], "usage": USAGE}
    )


def error(message: str, code: str | None = None, kind: str = "server_error") -> bytes:
    """The JSON of an error object."""
    return msgspec.json.encode({"error": {"message": message, "type": kind, "code": code}})
