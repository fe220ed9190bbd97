"""Chunks as OpenAI sends them: whether one is, and what it says. Pure.

Shapes and names are those of OpenAI's API reference, "chat.completion.chunk" (2026-11).
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Raw, Struct

from untorn.events import (
    AudioDelta,
    ChoiceFinished,
    ReasoningDelta,
    RefusalDelta,
    StreamEvent,
    TextDelta,
)
from untorn.sse.event_stream import EventStream
from untorn.sse.lines import CR

# The SDK takes an event of another line end for a part of the next one, and has a meaning of its
# own for events of these names.
_SILENT = rb"(?:(?:|id|retry|event(?!: ?(?:error|thread))):[^\r\n]*+\r?\n)*+"
_ONE_DATA_LINE = re.compile(_SILENT + rb"data: ?([^\r\n]*+)(\r?\n)" + _SILENT + rb"\2")
_MOST_DIGITS = 4300
"""Python's JSON decoder raises at a longer integer."""
_TOO_LONG_NUMBER = re.compile(rb"(?<![0-9])[0-9]{%d}" % (_MOST_DIGITS + 1))


FinishReason = Annotated[str, Meta(pattern=r"\A(?!(null)?\Z)")]
"""One that says something. Each is looked at, also where a repeated key hides it."""


class Delta(Struct, gc=False):
    """What is read of a delta."""

    role: Literal["assistant"] | None = None
    content: str | None = None
    refusal: str | None = None
    reasoning: str | None = None
    reasoning_content: str | None = None
    tool_calls: list[Any] | None = None
    function_call: dict[str, Any] | None = None
    audio: dict[str, Any] | None = None


class Logprobs(Struct, gc=False):
    """What is read of logprobs."""

    content: list[Raw] | None = None
    refusal: list[Raw] | None = None


class Choice(Struct, gc=False):
    """What is read of a choice."""

    index: Annotated[int, Meta(ge=0, le=2**63 - 1)]
    delta: Delta
    logprobs: Logprobs | None = None
    finish_reason: FinishReason | None = None


class Chunk(Struct, gc=False):
    """What is read of a chunk. Whoever sends all of this sends OpenAI's shape."""

    id: str
    object: Literal["chat.completion.chunk"]
    created: int
    model: str
    choices: list[Choice]
    system_fingerprint: str | None = None
    usage: dict[str, Any] | None = None
    error: None = None


_decode = msgspec.json.Decoder(Chunk).decode
_decode_logprobs = msgspec.json.Decoder(Logprobs).decode


def usual_payload_of(event: bytes) -> bytes | None:
    """The data of an event that is framed as nearly all are; None for any other."""
    if event[:6] != b"data: " or event.find(b"\n") != len(event) - 2 or CR in event:
        return None
    return event[6:-2] if event.endswith(b"\n\n") else None


def payload_of(event: bytes) -> bytes | None:
    """The data of an event with one ``data`` line that the SDK reads as it is, whatever fields
    it has that say nothing; None for any other."""
    match = _ONE_DATA_LINE.fullmatch(event)
    return match[1] if match is not None and _is_utf8(event) else None


def _is_utf8(event: bytes) -> bool:
    try:
        event.decode()
    except UnicodeDecodeError:
        return False
    return True


def data_of(event: bytes) -> bytes:
    """The data of any event, or the document that it is; nothing if it has none."""
    if event.lstrip()[:1] in (b"{", b"["):
        return event
    events = EventStream().receive_data(event + b"\n\n")
    return events[0].data.encode() if events else b""


def is_decodable(data: bytes) -> bool:
    """Whether Python's JSON decoder bears the numbers in it."""
    return len(data) <= _MOST_DIGITS or _TOO_LONG_NUMBER.search(data) is None


def chunk_of(payload: bytes) -> Chunk | None:
    """A chunk in OpenAI's shape; None for all that is not."""
    # msgspec does not check what it passes over.
    if not (is_decodable(payload) and (payload.isascii() or _is_utf8(payload))):
        return None
    try:
        return _decode(payload)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def are_logprobs(raw: bytes) -> bool:
    """Whether logprobs have OpenAI's shape."""
    try:
        _decode_logprobs(raw)
    except msgspec.MsgspecError:
        return False
    return True


def events_of(chunk: Chunk) -> list[StreamEvent] | None:
    """What a chunk says, as ChatStream tells it; None if it brings tool calls."""
    events: list[StreamEvent] = []
    for choice in chunk.choices:
        index, delta = choice.index, choice.delta
        if delta.tool_calls or delta.function_call:
            return None
        if reasoning := delta.reasoning_content or delta.reasoning:
            events.append(ReasoningDelta(index, reasoning))
        if delta.content:
            events.append(TextDelta(index, delta.content))
        if delta.refusal:
            events.append(RefusalDelta(index, delta.refusal))
        if delta.audio:
            data, transcript = delta.audio.get("data") or "", delta.audio.get("transcript") or ""
            if data or transcript:
                events.append(AudioDelta(index, data, transcript))
        if choice.finish_reason is not None:
            events.append(ChoiceFinished(index, choice.finish_reason))
    return events
