"""Who reads: untorn by its two doors, and the loop that one would write by hand."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from time import monotonic
from typing import Any

import untorn
from bench.workloads import Said

Entrant = Callable[[Sequence[bytes]], Said]

HEAD = {"Content-Type": "text/event-stream"}


def chat_stream(reads: Sequence[bytes]) -> Said:
    """ChatStream from the head to the completion, with all of its events."""
    return said(read_to_end(reads))


def timed_chat_stream(reads: Sequence[bytes]) -> Said:
    """The same with the time of each read, as who wants ``timing`` hands it in."""
    stream = untorn.ChatStream()
    stream.receive_head(200, HEAD, monotonic())
    for data in reads:
        stream.receive_data(data, monotonic())
    stream.receive_eof(monotonic())
    return said(stream.completion)


def read_to_end(
    reads: Iterable[bytes], options: untorn.Options = untorn.Options()
) -> untorn.Completion:
    """Feed a new ChatStream, take what comes back, and ask for the completion."""
    stream = untorn.ChatStream(options)
    stream.receive_head(200, HEAD)
    for data in reads:
        stream.receive_data(data)
    stream.receive_eof()
    return stream.completion


def parse(reads: Sequence[bytes]) -> Said:
    """The same in one call."""
    return said(untorn.parse(reads))


def hand_loop(reads: Sequence[bytes]) -> Said:
    """The best loop that one writes by hand over the lines an HTTP library gives out."""
    return add_up(
        json.loads(line[6:])
        for line in iter_lines(reads)
        if line.startswith("data: ") and line != "data: [DONE]"
    )


def add_up(chunks: Iterable[dict[str, Any]]) -> Said:
    """What a careful hand keeps of decoded chunks: choices, reasoning and tool calls apart, finish
    reasons and the usage."""
    texts: dict[int, list[str]] = {}
    thought: list[str] = []
    arguments: dict[int, list[str]] = {}
    finish_reasons: dict[int, str] = {}
    usage = None
    for chunk in chunks:
        usage = chunk.get("usage") or usage
        for choice in chunk["choices"]:
            index, delta = choice["index"], choice["delta"]
            if (content := delta.get("content")) is not None:
                texts.setdefault(index, []).append(content)
            if reasoning := delta.get("reasoning_content"):
                thought.append(reasoning)
            for call in delta.get("tool_calls") or ():
                arguments.setdefault(call["index"], []).append(call["function"]["arguments"])
            if finish_reason := choice.get("finish_reason"):
                finish_reasons[index] = finish_reason
    return Said(
        ["".join(text) for text in texts.values()],
        "".join(thought),
        ["".join(pieces) for pieces in arguments.values()],
    )


def iter_lines(reads: Sequence[bytes]) -> Iterator[str]:
    """Lines of text, at less than the price of any HTTP library."""
    rest = b""
    for data in reads:
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            yield line.decode()


def said(completion: untorn.Completion) -> Said:
    """What a completion says; a completion that is not complete is no result."""
    if completion.verdict.outcome != "complete" or completion.verdict.defects:
        raise AssertionError(f"not read as complete and clean: {completion.verdict}")
    return Said(
        [choice.message.content or "" for choice in completion.choices],
        completion.reasoning or "",
        [call.arguments for call in completion.tool_calls],
    )
