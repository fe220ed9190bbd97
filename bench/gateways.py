"""Streams as gateways and inference servers send them, which add something to every chunk.

The shapes are those of captures of real servers (2024 to 2026); the words are ours.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from bench import workloads
from bench.workloads import Workload, compact

Chunk = dict[str, Any]
Change = Callable[[Chunk, Chunk], None]
"""Changes a chunk, and the one choice in it."""

RATING = {"filtered": False, "severity": "safe"}
FILTERS = dict.fromkeys(("hate", "self_harm", "sexual", "violence"), RATING)


def streams() -> Iterator[tuple[str, list[bytes]]]:
    """What is odd about each, and its events."""
    text, tools, thought = workloads.text(), workloads.tools(calls=1), workloads.reasoning()
    yield "text, data: without a space", framed(text, b"data: ", b"data:")
    yield "text, each event with a name", framed(text, b"", b"event: message\n")
    yield "text, lines that end in CRLF", framed(text, b"\n", b"\r\n")
    yield "text, role and keys of OpenRouter", changed(text, as_openrouter)
    yield "text, content filter of Azure", changed(text, as_azure)
    yield "text, usage so far", changed(text, with_usage)
    yield "arguments, keys of OpenRouter", changed(tools, as_openrouter)
    yield "arguments, content filter of Azure", changed(tools, as_azure)
    yield "arguments, keys of vLLM", changed(tools, as_vllm)
    yield "reasoning, keys of OpenRouter", changed(thought, as_openrouter_thinks)
    yield "reasoning, and again in reasoning_details", changed(thought, with_details)


def framed(workload: Workload, old: bytes, new: bytes) -> list[bytes]:
    """The same chunks, in events that look otherwise."""
    return [event.replace(old, new, -1 if old == b"\n" else 1) for event in workload.events]


def changed(workload: Workload, change: Change) -> list[bytes]:
    """The same events with chunks that have something more."""
    return [event if b"[DONE]" in event else _changed(event, change) for event in workload.events]


def _changed(event: bytes, change: Change) -> bytes:
    chunk = json.loads(event.removeprefix(b"data: "))
    for choice in chunk["choices"]:
        change(chunk, choice)
    return b"data: " + compact(chunk).encode() + b"\n\n"


def as_openrouter(chunk: Chunk, choice: Chunk) -> None:
    chunk["provider"] = "Example"
    choice["native_finish_reason"] = choice["finish_reason"]
    choice["delta"] = {"role": "assistant", "content": None, **choice["delta"]}


def as_openrouter_thinks(chunk: Chunk, choice: Chunk) -> None:
    as_openrouter(chunk, choice)
    delta = choice["delta"]
    delta["content"] = delta["content"] or ""
    delta["reasoning"] = delta.pop("reasoning_content", None)


def with_details(chunk: Chunk, choice: Chunk) -> None:
    as_openrouter_thinks(chunk, choice)
    text = choice["delta"]["reasoning"]
    block = {"type": "reasoning.text", "text": text, "format": "unknown", "index": 0}
    choice["delta"]["reasoning_details"] = [] if text is None else [block]


def as_azure(_chunk: Chunk, choice: Chunk) -> None:
    choice["content_filter_results"] = FILTERS


def as_vllm(_chunk: Chunk, choice: Chunk) -> None:
    choice["stop_reason"] = choice["token_ids"] = None


def with_usage(chunk: Chunk, _choice: Chunk) -> None:
    chunk["usage"] = {"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14}
