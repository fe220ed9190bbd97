"""The floor: split, typed decode, join. What any reader must do at least, and nothing more.

It knows the shape of its workload beforehand, checks nothing and delivers nothing on the way. Each
is written out, since a function between would no longer be a floor. ``[DONE]`` ends the loop by
the decoder's refusal, which costs the other lines nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import DecodeError, Struct
from msgspec.json import Decoder

from bench.workloads import CALLS, Said


class Function(Struct, gc=False, forbid_unknown_fields=True):
    name: str | None = None
    arguments: str = ""


class ToolCall(Struct, gc=False, forbid_unknown_fields=True):
    index: int
    id: str | None = None
    type: str | None = None
    function: Function | None = None


class Delta(Struct, gc=False, forbid_unknown_fields=True):
    content: str | None = None
    role: str | None = None
    refusal: str | None = None
    reasoning_content: str | None = None
    tool_calls: list[ToolCall] | None = None


class Choice(Struct, gc=False, forbid_unknown_fields=True):
    index: int
    delta: Delta
    finish_reason: str | None = None
    logprobs: None = None


class Usage(Struct, gc=False, forbid_unknown_fields=True):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class Chunk(Struct, gc=False, forbid_unknown_fields=True):
    choices: list[Choice]
    id: str = ""
    object: str = ""
    created: int = 0
    model: str = ""
    service_tier: str | None = None
    system_fingerprint: str | None = None
    obfuscation: str | None = None
    usage: Usage | None = None


# With logprobs, decoded.


class Likely(Struct, gc=False, forbid_unknown_fields=True):
    token: str
    logprob: float
    bytes: list[int] | None = None


class Token(Struct, gc=False, forbid_unknown_fields=True):
    token: str
    logprob: float
    bytes: list[int] | None = None
    top_logprobs: list[Likely] = []


class Logprobs(Struct, gc=False, forbid_unknown_fields=True):
    content: list[Token] | None = None
    refusal: list[Token] | None = None


class ChoiceWithLogprobs(Struct, gc=False, forbid_unknown_fields=True):
    index: int
    delta: Delta
    finish_reason: str | None = None
    logprobs: Logprobs | None = None


class ChunkWithLogprobs(Struct, gc=False, forbid_unknown_fields=True):
    choices: list[ChoiceWithLogprobs]
    id: str = ""
    object: str = ""
    created: int = 0
    model: str = ""
    service_tier: str | None = None
    system_fingerprint: str | None = None
    obfuscation: str | None = None
    usage: Usage | None = None


# With unknown keys, passed over.


class OpenDelta(Struct, gc=False):
    content: str | None = None
    role: str | None = None
    refusal: str | None = None
    reasoning_content: str | None = None
    tool_calls: list[ToolCall] | None = None


class OpenChoice(Struct, gc=False):
    index: int
    delta: OpenDelta
    finish_reason: str | None = None
    logprobs: None = None


class OpenChunk(Struct, gc=False):
    choices: list[OpenChoice]
    id: str = ""
    object: str = ""
    created: int = 0
    model: str = ""
    service_tier: str | None = None
    system_fingerprint: str | None = None
    obfuscation: str | None = None
    usage: Usage | None = None


Floor = Callable[[Sequence[bytes]], Said]

decode_chunk = Decoder(Chunk).decode


def floor_of_text(
    decode: Callable[[bytes], Chunk | ChunkWithLogprobs | OpenChunk] = decode_chunk,
) -> Floor:
    """The floor where one choice says all."""

    def floor(reads: Sequence[bytes]) -> Said:
        buffer = b""
        parts: list[str] = []
        try:
            for data in reads:
                buffer += data
                lines = buffer.split(b"\n")
                buffer = lines.pop()
                for line in lines:
                    if line.startswith(b"data: "):
                        content = decode(line[6:]).choices[0].delta.content
                        if content:
                            parts.append(content)
        except DecodeError:
            pass
        return Said(["".join(parts)])

    return floor


def floor_of_n4(reads: Sequence[bytes]) -> Said:
    """The floor where several choices take turns."""
    buffer = b""
    parts: list[list[str]] = [[] for _ in range(CALLS)]
    try:
        for data in reads:
            buffer += data
            lines = buffer.split(b"\n")
            buffer = lines.pop()
            for line in lines:
                if line.startswith(b"data: "):
                    choice = decode_chunk(line[6:]).choices[0]
                    content = choice.delta.content
                    if content:
                        parts[choice.index].append(content)
    except DecodeError:
        pass
    return Said(["".join(part) for part in parts])


def floor_of_reasoning(reads: Sequence[bytes]) -> Said:
    """The floor where reasoning goes before the text."""
    buffer = b""
    thought: list[str] = []
    parts: list[str] = []
    try:
        for data in reads:
            buffer += data
            lines = buffer.split(b"\n")
            buffer = lines.pop()
            for line in lines:
                if line.startswith(b"data: "):
                    delta = decode_chunk(line[6:]).choices[0].delta
                    if delta.content:
                        parts.append(delta.content)
                    elif delta.reasoning_content:
                        thought.append(delta.reasoning_content)
    except DecodeError:
        pass
    return Said(["".join(parts)], "".join(thought))


def floor_of_tools(reads: Sequence[bytes]) -> Said:
    """The floor where all is arguments of tool calls."""
    buffer = b""
    parts: dict[int, list[str]] = {}
    try:
        for data in reads:
            buffer += data
            lines = buffer.split(b"\n")
            buffer = lines.pop()
            for line in lines:
                if line.startswith(b"data: "):
                    for call in decode_chunk(line[6:]).choices[0].delta.tool_calls or ():
                        if call.id:
                            parts[call.index] = []
                        if call.function:
                            parts[call.index].append(call.function.arguments)
    except DecodeError:
        pass
    return Said([""], "", ["".join(part) for part in parts.values()])


def floor_that_keeps(reads: Sequence[bytes]) -> Said:
    """The floor of logprobs that throws away no more of them than of the text."""
    kept: list[Logprobs | None] = []

    def decode(data: bytes) -> ChunkWithLogprobs:
        chunk = decode_logprobs(data)
        kept.extend(choice.logprobs for choice in chunk.choices)
        return chunk

    return floor_of_text(decode)(reads)


decode_logprobs = Decoder(ChunkWithLogprobs).decode

FLOORS: dict[str, Floor] = {
    "text": floor_of_text(),
    "tools": floor_of_tools,
    "n4": floor_of_n4,
    "reasoning": floor_of_reasoning,
    "logprobs": floor_of_text(decode_logprobs),
    "vendor": floor_of_text(Decoder(OpenChunk).decode),
}
"""By the name of the workload."""

OTHER_FLOORS: dict[str, dict[str, Floor]] = {"logprobs": {"floor that keeps": floor_that_keeps}}
"""Those of a workload that has more than one."""
