"""Payload → chunk, a way between the fast one and the plain one: every key that is known.

The structs hold the keys that ``chunks.py`` reads, with the types in which it reads them, and
forbid others; ``learned.py`` adds a vendor's. So of what they take nothing is left over, and no
error is in it. What is most usual is read from the structs at once; the rest is given to
``chunks.py``.
"""

from __future__ import annotations

from typing import Any, ClassVar, Generic, TypeVar

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from untorn.chat.builder import CompletionBuilder
from untorn.chat.chunks import (
    Chunk,
    ChunkChoice,
    Delta,
    Finding,
    Fragment,
    arguments_of,
    choice_index,
    created_of,
    finish_reason_of,
    fragment_id,
    read_delta,
    wire_index,
)
from untorn.chat.json_scan import too_deep
from untorn.chat.json_text import has_repeated_keys
from untorn.chat.usual import Object
from untorn.options import Limits

Fields = tuple[tuple[str, str], ...]
"""Names of attributes, and the keys that they stand for."""


class WideFunction(Struct, gc=False, forbid_unknown_fields=True, omit_defaults=True):
    name: str | None = None
    arguments: str | dict[str, Any] | list[Any] | UnsetType | None = UNSET


class WideFragment(Struct, gc=False, forbid_unknown_fields=True, omit_defaults=True):
    index: int | str | None = None
    id: str | None = None
    type: str | None = None
    function: WideFunction | None = None


class WideDelta(Struct, gc=False, forbid_unknown_fields=True, omit_defaults=True):
    """Any delta."""

    MORE: ClassVar[Fields] = ()
    """A vendor's keys, where they were learned."""
    content: str | list[Any] | dict[str, Any] | None = None
    role: str | None = None
    reasoning: str | None = None
    reasoning_content: str | None = None
    reasoning_details: list[Any] | None = None
    refusal: str | None = None
    tool_calls: list[WideFragment] | None = None
    function_call: dict[str, Any] | None = None
    audio: dict[str, Any] | None = None
    annotations: list[Any] | None = None


class WideChoice(Struct, gc=False, forbid_unknown_fields=True):
    MORE: ClassVar[Fields] = ()
    delta: WideDelta
    index: int | str | None = None
    finish_reason: str | None = None
    logprobs: None = None


class WideChoiceWithLogprobs(Struct, gc=False, forbid_unknown_fields=True):
    MORE: ClassVar[Fields] = ()
    delta: WideDelta
    index: int | str | None = None
    finish_reason: str | None = None
    # As in usual.py.
    logprobs: Raw = Raw(b"null")


C = TypeVar("C", WideChoice, WideChoiceWithLogprobs)


class Wide(Struct, Generic[C], gc=False, forbid_unknown_fields=True):
    MORE: ClassVar[Fields] = ()
    choices: list[C]
    id: str | None = None
    object: Object = ""
    created: int | float | str | None = None
    model: str | None = None
    service_tier: str | None = None
    system_fingerprint: str | None = None
    obfuscation: str | None = None
    usage: None = None


AnyWideChoice = WideChoice | WideChoiceWithLogprobs
WideChunk = Wide[WideChoice] | Wide[WideChoiceWithLogprobs]

decode_wide = msgspec.json.Decoder(Wide[WideChoice]).decode
decode_wide_with_logprobs = msgspec.json.Decoder(Wide[WideChoiceWithLogprobs]).decode


def read_wide(
    wide: WideChunk, data: bytes, builder: CompletionBuilder, limits: Limits
) -> Chunk | None:
    """The chunk that the payload ``data`` was decoded to; None if it is to be read the plain way.

    ``data`` is too short to hold too many values.
    """
    if len(wide.choices) > limits.choices:
        return None
    # Without choices a vendor's keys may say that something failed.
    if wide.MORE and not wide.choices:
        return None
    # In so few bytes nothing is too deep, and there are not too many calls.
    if len(data) > min(limits.depth, 2 * limits.tool_calls):
        if too_deep(data, limits.depth):
            return None
        for choice in wide.choices:
            if len(choice.delta.tool_calls or ()) > limits.tool_calls:
                return None
    for choice in wide.choices:
        if choice.logprobs is not None:
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
        created=None if wide.created is None else created_of(wide.created, findings),
        system_fingerprint=wide.system_fingerprint,
        service_tier=wide.service_tier,
        choices=choices,
        usages=[] if wide.usage is None else [wide.usage],
        extra=extra_of(wide) if wide.MORE else {},
        findings=findings,
    )


def extra_of(struct: WideChunk | AnyWideChoice | WideDelta) -> dict[str, Any]:
    """What a vendor's keys hold that is not null."""
    values = ((key, getattr(struct, name)) for name, key in struct.MORE)
    return {key: value for key, value in values if value is not None}


def _choice_of(choice: AnyWideChoice, findings: list[Finding]) -> ChunkChoice:
    reason = choice.finish_reason
    return ChunkChoice(
        index=choice_index(choice.index, findings),
        delta=_delta_of(choice.delta, findings),
        finish_reason=None if reason is None else finish_reason_of(reason, findings),
        logprobs=None,
        extra=extra_of(choice) if choice.MORE else {},
    )


def _delta_of(wide: WideDelta, findings: list[Finding]) -> Delta:
    content, role, calls = wide.content, wide.role, wide.tool_calls
    reasoning = wide.reasoning_content
    if reasoning is None:
        reasoning = wide.reasoning
    elif wide.reasoning is not None:
        return read_delta(msgspec.to_builtins(wide), False, findings)
    if (
        not (content is None or isinstance(content, str))
        or role == ""
        or wide.reasoning_details
        or is_rare(wide)
    ):
        return read_delta(msgspec.to_builtins(wide), False, findings)
    extra = extra_of(wide) if wide.MORE else {}
    if calls is None:
        return Delta(role, content, reasoning, extra=extra, is_only_text=not extra)
    fragments = [_fragment_of(call, findings) for call in calls]
    return Delta(role, content, reasoning, fragments=fragments, extra=extra)


def is_rare(wide: WideDelta) -> bool:
    """Whether a delta brings more than a role, texts, reasoning and calls."""
    return not (
        wide.refusal is None
        and wide.audio is None
        and wide.function_call is None
        and wide.annotations is None
    )


def _fragment_of(wide: WideFragment, findings: list[Finding]) -> Fragment:
    id, function = fragment_id(wide.id, findings), wide.function
    name, arguments = None, ""
    if function is not None:
        name = function.name or None
        if function.arguments is not UNSET:
            arguments = arguments_of(function.arguments, findings)
    custom = function is None and wide.type == "custom"
    return Fragment(wire_index(wide.index), id, name, arguments, custom)
