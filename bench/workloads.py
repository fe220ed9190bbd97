"""What is read: streams made here, the same bytes at every run, and how they are cut into reads.

Keys, their order and the sizes are those of real servers; the words are ours.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import cycle, islice
from typing import Any, NamedTuple

KIB = 1024

EVENT_SIZE = 324
"""Bytes of a text event, its blank line included; padding makes them equal, as OpenAI does."""

CALLS = 4
"""How many parallel tool calls, or choices where ``n`` is asked for."""

WORDS = (
    *(" the", " answer", " is", " not", "\n\n", "-", ' "quoted"', "1", " caf\u00e9", " stream"),
    *(" of", " small", " words", ",", " which", " together", " make", " a", " paragraph", ":"),
    *(" ;", "\u4f60\u597d", " and", " so", " on", " until", " it", " ends", "."),
)
PADDING = "abcdefghijklmnopqrstuvwxyz" * 12


class Said(NamedTuple):
    """What a stream says. Every entrant must give the same."""

    texts: list[str]
    """By choice."""
    reasoning: str = ""
    arguments: list[str] = []  # noqa: RUF012  # never changed
    """By tool call."""


class Workload(NamedTuple):
    """One stream."""

    name: str
    events: list[bytes]
    """Whole events, each with its blank line."""
    said: Said


def read_by_event(events: list[bytes]) -> list[bytes]:
    """One event a read."""
    return events


def read_by(size: int) -> Callable[[list[bytes]], list[bytes]]:
    """Reads of ``size`` bytes."""

    def cut(events: list[bytes]) -> list[bytes]:
        body = b"".join(events)
        return [body[start : start + size] for start in range(0, len(body), size)]

    return cut


READS = {
    "one event": read_by_event,
    "4 KiB": read_by(4 * KIB),
    "64 KiB": read_by(64 * KIB),
    "37 bytes": read_by(37),
}


def text(chunks: int = 5000) -> Workload:
    """One choice, one word a chunk, with all of OpenAI's keys."""
    return text_of(list(_words(chunks)))


def text_of(words: list[str]) -> Workload:
    """One choice that says these words, one a chunk."""
    events = _stream([_choice({"content": word}) for word in words], ["stop"])
    return Workload("text", events, Said(["".join(words)]))


def vendor(chunks: int = 5000) -> Workload:
    """Text with four keys that OpenAI does not know, at all three levels, as seen at gateways."""
    words = list(_words(chunks))
    choices = []
    for number, word in enumerate(words):
        choice = _choice({"content": word, "token_id": 1000 + number * 37 % 9000})
        choices.append({**choice, "native_finish_reason": None, "seed": 1509221127})
    events = _stream(choices, ["stop"], {"provider": "Example"})
    return Workload("vendor", events, Said(["".join(words)]))


def n4(chunks: int = 5000) -> Workload:
    """Four choices that take turns."""
    words = list(_words(chunks))
    choices = [_choice({"content": word}, n % CALLS) for n, word in enumerate(words)]
    events = _stream(choices, ["stop"] * CALLS)
    return Workload("n4", events, Said(["".join(words[n::CALLS]) for n in range(CALLS)]))


def reasoning(chunks: int = 2000) -> Workload:
    """Half of it reasoning, then the answer; the other of the two null, as DeepSeek sends it."""
    words = list(_words(chunks))
    thought, said = words[: chunks // 2], words[chunks // 2 :]
    deltas: list[dict[str, Any]] = [
        *({"content": None, "reasoning_content": word} for word in thought),
        *({"content": word, "reasoning_content": None} for word in said),
    ]
    events = _stream([_choice(delta) for delta in deltas], ["stop"])
    return Workload("reasoning", events, Said(["".join(said)], "".join(thought)))


def tools(chunks: int = 2000, calls: int = CALLS) -> Workload:
    """Parallel tool calls whose arguments come in turns."""
    pieces = [list(_arguments(chunks // calls)) for _ in range(calls)]
    fragments: list[dict[str, Any]] = [
        {
            "index": call,
            "id": f"call_{call:024}",
            "type": "function",
            "function": {"name": "get_weather", "arguments": ""},
        }
        for call in range(calls)
    ]
    for turn in zip(*pieces, strict=True):
        for call, piece in enumerate(turn):
            fragments.append({"index": call, "function": {"arguments": piece}})
    choices = [_choice({"tool_calls": [fragment]}) for fragment in fragments]
    events = _stream(choices, ["tool_calls"])
    return Workload("tools", events, Said([""], "", ["".join(piece) for piece in pieces]))


def logprobs(chunks: int = 2000) -> Workload:
    """Two tokens a chunk, each with the twenty likeliest: about 3 KB."""
    words = list(_words(chunks * 2))
    choices = []
    for number in range(chunks):
        pair = words[2 * number : 2 * number + 2]
        choice = _choice({"content": "".join(pair)})
        choice["logprobs"] = {"content": [_token(word) for word in pair], "refusal": None}
        choices.append(choice)
    return Workload("logprobs", _stream(choices, ["stop"]), Said(["".join(words)]))


ALL = (text, tools, n4, reasoning, logprobs, vendor)


def compact(value: Any) -> str:
    """JSON as servers send it."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _words(count: int) -> Iterator[str]:
    return islice(cycle(WORDS), count)


def _arguments(count: int) -> Iterator[str]:
    """One JSON object in ``count`` pieces."""
    yield '{"text":"'
    for word in _words(count - 2):
        yield compact(word)[1:-1]
    yield '"}'


def _token(word: str) -> dict[str, Any]:
    likeliest = [_logprob(other, rank) for rank, other in enumerate(WORDS[:20])]
    return {**_logprob(word, 0), "top_logprobs": likeliest}


def _logprob(word: str, rank: int) -> dict[str, Any]:
    return {"token": word, "logprob": -0.0176345 - rank * 1.118, "bytes": list(word.encode())}


def _choice(delta: dict[str, Any], index: int = 0) -> dict[str, Any]:
    return {"index": index, "delta": delta, "logprobs": None, "finish_reason": None}


def _stream(
    choices: list[dict[str, Any]], finish_reasons: list[str], extra: dict[str, Any] | None = None
) -> list[bytes]:
    """A first chunk for each choice with its role, the given ones, one with its finish reason."""
    role = {"role": "assistant", "content": "", "refusal": None}
    first = [_choice(role, index) for index in range(len(finish_reasons))]
    last = [
        {**_choice({}, index), "finish_reason": reason}
        for index, reason in enumerate(finish_reasons)
    ]
    events = [_event(choice, extra or {}) for choice in [*first, *choices, *last]]
    return [*events, b"data: [DONE]\n\n"]


def _event(choice: dict[str, Any], extra: dict[str, Any]) -> bytes:
    chunk = {
        "id": "chatcmpl-C4TVCLZLuwag67e523z3BPvTYc8ZZ",
        "object": "chat.completion.chunk",
        "created": 1755182754,
        "model": "gpt-4.1-2025-04-14",
        "service_tier": "default",
        "system_fingerprint": "fp_3502f4eb73",
        **extra,
        "choices": [choice],
        "obfuscation": "",
    }
    event = f"data: {compact(chunk)}\n\n".encode()
    missing = max(2, EVENT_SIZE - len(event))
    chunk["obfuscation"] = PADDING[:missing]
    return f"data: {compact(chunk)}\n\n".encode()
