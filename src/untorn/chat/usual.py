"""Payload → chunk, the fast way: the usual shapes, decoded straight from bytes.

The structs forbid unknown keys and other types. They hold what nearly all chunks of a long answer
are: more text, more reasoning, more arguments of an open call. What they refuse is not wrong, only
not usual, and is read the plain way (``chunks.py``). Both must mean the same; where the bytes
alone don't show that they do, ``fast_way.py`` asks.
"""

from __future__ import annotations

from typing import Generic, Literal, Protocol, TypeVar

import msgspec
from msgspec import Raw, Struct, field

NOT_USUAL = (msgspec.MsgspecError, TypeError, RecursionError)
"""What decoding raises for a payload that is not usual. TypeError: it is no line at all, but a
Payload or a Note, which can't be sliced."""

DEPTH = 7
"""How deep arrays and objects lie in the deepest usual shape: arguments of a tool call."""

VALUES = 128
"""More than the values in a usual chunk of one choice, keys of a vendor included, as
``Limits.values`` counts them; but for its logprobs."""

Object = Literal["chat.completion.chunk", "chat.completion", "text_completion", ""]


class OnlyArguments(Struct, gc=False, forbid_unknown_fields=True):
    arguments: str
    name: None = None


class OnlyMore(Struct, gc=False, forbid_unknown_fields=True):
    """A fragment that brings arguments of an open call and nothing else."""

    index: int
    function: OnlyArguments
    id: None = None
    type: str | None = None


class OnlyText(Struct, gc=False, forbid_unknown_fields=True):
    """A delta that brings content and nothing else."""

    text: str = field(name="content")
    role: Literal["assistant"] | None = None
    reasoning_content: None = None
    reasoning: None = None
    tool_calls: None = None
    refusal: None = None
    function_call: None = None


class OnlyReasoningContent(Struct, gc=False, forbid_unknown_fields=True):
    """A delta that brings reasoning under DeepSeek's key and nothing else."""

    text: str = field(name="reasoning_content")
    role: Literal["assistant"] | None = None
    content: None = None
    reasoning: None = None
    tool_calls: None = None
    refusal: None = None
    function_call: None = None


class OnlyReasoning(Struct, gc=False, forbid_unknown_fields=True):
    """A delta that brings reasoning under OpenRouter's key and nothing else."""

    text: str = field(name="reasoning")
    role: Literal["assistant"] | None = None
    content: None = None
    reasoning_content: None = None
    tool_calls: None = None
    refusal: None = None
    function_call: None = None


class OnlyCall(Struct, gc=False, forbid_unknown_fields=True):
    """A delta that brings one fragment of arguments and nothing else."""

    tool_calls: tuple[OnlyMore]
    role: Literal["assistant"] | None = None
    content: None = None
    reasoning_content: None = None
    reasoning: None = None
    refusal: None = None
    function_call: None = None


D = TypeVar("D")


class Choice(Struct, Generic[D], gc=False, forbid_unknown_fields=True):
    index: int
    delta: D
    finish_reason: None = None
    logprobs: None = None


class ChoiceWithLogprobs(Struct, Generic[D], gc=False, forbid_unknown_fields=True):
    index: int
    delta: D
    finish_reason: None = None
    # Undecoded: they are nine tenths of such a chunk, and few ask for them. (As a field's type
    # `Raw | None` would mean null only.)
    logprobs: Raw = Raw(b"null")


C = TypeVar("C")


class Chunk(Struct, Generic[C], gc=False, forbid_unknown_fields=True):
    choices: C
    id: str | None = None
    object: Object = ""
    created: int | None = None
    model: str | None = None
    service_tier: str | None = None
    system_fingerprint: str | None = None
    obfuscation: str | None = None
    usage: None = None


CallChunk = Chunk[tuple[Choice[OnlyCall]]]
TextChunk = Chunk[tuple[Choice[OnlyText]]]
LogprobsChunk = Chunk[tuple[ChoiceWithLogprobs[OnlyText]]]


class SaysOnce(Protocol):
    """A chunk, and what it says that is said once for a whole stream."""

    @property
    def created(self) -> object: ...
    @property
    def service_tier(self) -> str | None: ...
    @property
    def system_fingerprint(self) -> str | None: ...


# These refuse a chunk with more than one choice.
decode_text = msgspec.json.Decoder(TextChunk).decode
decode_reasoning_content = msgspec.json.Decoder(Chunk[tuple[Choice[OnlyReasoningContent]]]).decode
decode_reasoning = msgspec.json.Decoder(Chunk[tuple[Choice[OnlyReasoning]]]).decode
decode_call = msgspec.json.Decoder(CallChunk).decode
decode_text_with_logprobs = msgspec.json.Decoder(LogprobsChunk).decode
