"""Payload → chunk, shapes that are learned: text or reasoning beside a vendor's keys.

Gateways add keys of their own to every chunk. Once such chunks were seen, a struct that knows the
keys makes them as usual as OpenAI's. To make one costs as much as reading ten chunks the plain
way; so shapes are shared by all streams, and forgotten when others are newer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from untorn.chat.chunks import CHOICE_KEYS, CHUNK_KEYS, DELTA_KEYS, Types
from untorn.chat.usual import (
    NOT_USUAL,
    Choice,
    Chunk,
    OnlyReasoning,
    OnlyReasoningContent,
    OnlyText,
)

Scalar = str | int | float | bool | None
Keys = tuple[str, ...]
Fields = tuple[tuple[str, str], ...]
"""Names of attributes, and the keys that they stand for."""

MOST_KEYS = 32
MOST_CHARACTERS = 1024
"""How many unknown keys a chunk may have, and how long they may be together, to be learned."""
MOST_BYTES = 64 * 1024
"""How long the payload may be: what is longer is not worth another look."""
MOST_SHAPES = 64
"""How many shapes are remembered."""

# Characters that JSON escapes: no struct has a key with one.
_ESCAPED = re.compile(r'["\\\x00-\x1f]')

DELTAS: dict[str, type[OnlyText | OnlyReasoningContent | OnlyReasoning]] = {
    "content": OnlyText,
    "reasoning_content": OnlyReasoningContent,
    "reasoning": OnlyReasoning,
}
"""By the key of the text that they bring."""


class LearnedShape(NamedTuple):
    """Chunks with one choice, whose delta brings text of one kind, beside unknown keys that hold
    strings, numbers, booleans or null. Each of them may be missing."""

    decode: Callable[[bytes], Any]
    is_reasoning: bool
    of_chunk: Fields
    of_choice: Fields
    of_delta: Fields


def learn(data: bytes) -> LearnedShape | None:
    """The shape of a payload; None if more than unknown keys makes it unusual."""
    if len(data) > MOST_BYTES:
        return None
    try:
        body = msgspec.json.decode(data)
        (choice,) = body["choices"]
        delta = choice["delta"]
        kinds = [key for key in DELTAS if delta.get(key)]
        levels = (tuple(sorted(level)) for level in (body, choice, delta))
        chunk_keys, choice_keys, delta_keys = levels
    except (*NOT_USUAL, AttributeError, KeyError, ValueError):
        return None
    keys = chunk_keys + choice_keys + delta_keys
    if len(kinds) != 1 or len(keys) > MOST_KEYS or sum(map(len, keys)) > MOST_CHARACTERS:
        return None
    if any(map(_ESCAPED.search, keys)):
        return None
    shape = _shape(kinds[0], chunk_keys, choice_keys, delta_keys)
    try:
        shape.decode(data)
    except NOT_USUAL:
        return None
    return shape


@lru_cache(MOST_SHAPES)
def _shape(kind: str, chunk_keys: Keys, choice_keys: Keys, delta_keys: Keys) -> LearnedShape:
    delta, of_delta = _with(DELTAS[kind], delta_keys, DELTA_KEYS)
    choice, of_choice = _with(Choice, choice_keys, CHOICE_KEYS, ("delta", delta))
    choices: Any = tuple[choice]  # type: ignore[valid-type]  # it is made here
    chunk, of_chunk = _with(Chunk, chunk_keys, CHUNK_KEYS, ("choices", choices))
    decode = msgspec.json.Decoder(chunk).decode
    return LearnedShape(decode, kind != "content", of_chunk, of_choice, of_delta)


def _with(usual: Any, keys: Keys, read: Types, *inner: tuple[str, Any]) -> tuple[Any, Fields]:
    """The usual struct with further keys; those that are read elsewhere may only be null."""
    known = {field.encode_name for field in msgspec.structs.fields(usual)}
    new = [key for key in keys if key not in known]
    names = [f"extra_{number}" for number in range(len(new))]
    struct = msgspec.defstruct(
        "Learned",
        [
            *inner,
            *(
                (name, None if key in read or key == "message" else Scalar, None)
                for name, key in zip(names, new, strict=True)
            ),
        ],
        bases=(usual,),
        rename=dict(zip(names, new, strict=True)),
        kw_only=True,
        gc=False,
        forbid_unknown_fields=True,
    )
    return struct, tuple(zip(names, new, strict=True))
