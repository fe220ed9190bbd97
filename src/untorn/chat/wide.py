"""Payload → chunk, a way between the fast one and the plain one: every key that is known.

The structs hold the keys that ``chunks.py`` reads, with the types in which it reads them, and
forbid others. So of what they take nothing is left over, no error is in it, and most of it is
text. It is read as on the plain way, which costs less where nobody has to look for what may be
there.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from untorn.chat.builder import CompletionBuilder
from untorn.chat.chunks import (
    Chunk,
    ChunkChoice,
    Delta,
    Finding,
    choice_index,
    created_of,
    finish_reason_of,
    read_delta,
)
from untorn.chat.json_scan import too_deep
from untorn.chat.json_text import has_repeated_keys
from untorn.chat.usual import NOT_USUAL, Object
from untorn.options import Limits


class WideDelta(Struct, gc=False, forbid_unknown_fields=True):
    """Any delta without a vendor's keys."""

    role: str | None = None
    content: str | list[Any] | dict[str, Any] | None = None
    reasoning: str | None = None
    reasoning_content: str | None = None
    reasoning_details: list[Any] | None = None
    refusal: str | None = None
    tool_calls: list[Any] | dict[str, Any] | None = None
    function_call: dict[str, Any] | None = None
    audio: dict[str, Any] | None = None
    annotations: list[Any] | None = None


class WideChoice(Struct, gc=False, forbid_unknown_fields=True):
    delta: WideDelta
    index: int | str | None = None
    finish_reason: str | None = None
    logprobs: None = None


class WideChunk(Struct, gc=False, forbid_unknown_fields=True):
    choices: list[WideChoice]
    id: str | None = None
    object: Object = ""
    created: int | float | str | None = None
    model: str | None = None
    service_tier: str | None = None
    system_fingerprint: str | None = None
    obfuscation: str | None = None
    usage: None = None


decode_wide = msgspec.json.Decoder(WideChunk).decode


def read_wide(data: bytes, builder: CompletionBuilder, limits: Limits) -> Chunk | None:
    """The chunk in a payload; None if it is to be read the plain way."""
    # A second error would hide the first, and too much is told by what the plain way tells.
    if len(data) > limits.values // 2 or b'"error"' in data or too_deep(data, limits.depth):
        return None
    try:
        wide = decode_wide(data)
    except NOT_USUAL:
        return None
    if len(wide.choices) > limits.choices:
        return None
    for choice in wide.choices:
        calls = choice.delta.tool_calls
        if calls.__class__ is list and len(calls) > limits.tool_calls:
            return None
    chunk = _chunk_of(wide)
    if builder.is_first_of_a_kind(chunk) and has_repeated_keys(data, msgspec.json.decode(data)):
        return None
    return chunk


def _chunk_of(wide: WideChunk) -> Chunk:
    findings: list[Finding] = []
    choices = [_choice_of(choice, findings) for choice in wide.choices]
    return Chunk(
        id=wide.id,
        model=wide.model,
        created=created_of(wide.created, findings),
        system_fingerprint=wide.system_fingerprint,
        service_tier=wide.service_tier,
        choices=choices,
        usages=[],
        extra={},
        findings=findings,
    )


def _choice_of(choice: WideChoice, findings: list[Finding]) -> ChunkChoice:
    reason = choice.finish_reason
    return ChunkChoice(
        index=choice_index(choice.index, findings),
        delta=_delta_of(choice.delta, findings),
        finish_reason=None if reason is None else finish_reason_of(reason, findings),
        logprobs=None,
        extra={},
    )


def _delta_of(wide: WideDelta, findings: list[Finding]) -> Delta:
    role, content = wide.role, wide.content
    if role != "" and (content is None or content.__class__ is str) and _is_only_text(wide):
        return Delta(role, content, is_only_text=True)
    said = {key: value for key, value in asdict(wide).items() if value is not None}
    return read_delta(said, False, findings)


def _is_only_text(wide: WideDelta) -> bool:
    return (
        wide.tool_calls is None
        and wide.reasoning_content is None
        and wide.reasoning is None
        and wide.reasoning_details is None
        and wide.function_call is None
        and wide.refusal is None
        and wide.audio is None
        and wide.annotations is None
    )
