"""Payload → chunk, shapes that are learned: text or reasoning beside a vendor's keys.

Gateways add keys of their own to every chunk, and some of them the usage so far. Once such chunks
were seen, a struct that knows the keys makes them as usual as OpenAI's. To make one costs as much
as reading fifty chunks the plain way; so shapes are shared by all streams, and forgotten when
others are newer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from untorn.chat.builder import CompletionBuilder
from untorn.chat.chunks import CHOICE_KEYS, CHUNK_KEYS, DELTA_KEYS, Types
from untorn.chat.kept import Level
from untorn.chat.pieces import join
from untorn.chat.usual import (
    NOT_USUAL,
    Choice,
    Chunk,
    OnlyReasoning,
    OnlyReasoningContent,
    OnlyText,
)
from untorn.chat.wide import decode_wide

Scalar = str | int | float | bool | None
Keys = tuple[tuple[str, bool], ...]
"""Keys, and whether the value of each is an array or an object."""
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

TEXT = "text"
"""The key of the completions API for the text of a choice: beside a delta nobody reads it."""

DELTAS: dict[str, type[OnlyText | OnlyReasoningContent | OnlyReasoning]] = {
    "content": OnlyText,
    "reasoning_content": OnlyReasoningContent,
    "reasoning": OnlyReasoning,
}
"""By the key of the text that they bring."""


class LearnedShape(NamedTuple):
    """Chunks with one choice, whose delta brings text of one kind, beside unknown keys and
    perhaps the usage. Each of them may be missing. A key holds what one of its kind held: a
    string, a number, a boolean or null; or anything, if that was an array or an object."""

    decode: Callable[[bytes], Any]
    is_reasoning: bool
    is_nested: bool
    """Whether values may be arrays or objects. Then ``decode`` bounds neither how deep they are
    nor how much they hold; MOST_BYTES does, if it is asked."""
    of_chunk: Fields
    of_choice: Fields
    of_delta: Fields

    def take(self, chunk: Any, builder: CompletionBuilder) -> bool:
        """Keep what stands beside the text of a chunk; False, and nothing kept, if some of it
        came for the first time. (To keep it again, the plain way, changes nothing.)"""
        choice = chunk.choices[0]
        delta, of_choice = choice.delta, builder.choices[choice.index]
        if delta.role is not None and of_choice.role is None:
            return False
        if chunk.usage is not None and not builder.expects_usage(chunk.usage):
            return False
        more = of_choice.message_extra
        for name, key in self.of_delta:
            if getattr(delta, name) is not None and key not in more:
                return False
        if not (
            _take_values(chunk, self.of_chunk, builder.extra)
            and _take_values(choice, self.of_choice, of_choice.extra)
        ):
            return False
        if self.is_nested and not self._holds_no_more(chunk, choice, builder):
            return False
        for name, key in self.of_delta:
            if (value := getattr(delta, name)) is not None:
                join(more, key, value)
        return True

    def _holds_no_more(self, chunk: Any, choice: Any, builder: CompletionBuilder) -> bool:
        """Whether arrays and objects hold no more than those that were kept before."""
        levels: tuple[tuple[Level, Any, Fields], ...] = (
            ("chunk", chunk, self.of_chunk),
            ("choice", choice, self.of_choice),
            ("delta", choice.delta, self.of_delta),
        )
        for level, struct, fields in levels:
            index = 0 if level == "chunk" else choice.index
            for name, key in fields:
                value = getattr(struct, name)
                if isinstance(value, dict | list) and not builder.kept.covers(
                    level, index, key, value
                ):
                    return False
        return True


def _take_values(struct: Any, fields: Fields, kept: dict[str, Any]) -> bool:
    """Keep the last value of each key; False if one was not kept before."""
    for name, key in fields:
        value = getattr(struct, name)
        if value is not None:
            if key not in kept:
                return False
            kept[key] = value
    return True


def learn(data: bytes) -> LearnedShape | None:
    """The shape of a payload; None if it has no unknown keys, or more that is unusual."""
    if len(data) > MOST_BYTES or _is_usual(data):
        return None
    try:
        body = msgspec.json.decode(data)
        (choice,) = body["choices"]
        delta = choice["delta"]
        kinds = [key for key in DELTAS if delta.get(key)]
        chunk_keys, choice_keys, delta_keys = map(_keys_of, (body, choice, delta))
    except (*NOT_USUAL, AttributeError, KeyError, ValueError):
        return None
    keys = [key for key, _ in chunk_keys + choice_keys + delta_keys]
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


def _is_usual(data: bytes) -> bool:
    try:
        decode_wide(data)
    except NOT_USUAL:
        return False
    return True


def _keys_of(level: dict[str, Any]) -> Keys:
    return tuple(sorted((key, isinstance(value, dict | list)) for key, value in level.items()))


@lru_cache(MOST_SHAPES)
def _shape(kind: str, chunk_keys: Keys, choice_keys: Keys, delta_keys: Keys) -> LearnedShape:
    delta, of_delta = _with(DELTAS[kind], delta_keys, DELTA_KEYS)
    choice, of_choice = _with(Choice, choice_keys, CHOICE_KEYS, ("delta", delta))
    choices: Any = tuple[choice]  # type: ignore[valid-type]  # it is made here
    usage: Any = dict[str, Any] | None if ("usage", True) in chunk_keys else None
    inner = (("choices", choices), ("usage", usage, None))
    chunk, of_chunk = _with(Chunk, chunk_keys, CHUNK_KEYS, *inner)
    return LearnedShape(
        decode=msgspec.json.Decoder(chunk).decode,
        is_reasoning=kind != "content",
        # Of each level, what is nested beside the level below.
        is_nested=sum(nested for _, nested in chunk_keys + choice_keys + delta_keys) > 2,
        of_chunk=of_chunk,
        of_choice=tuple(field for field in of_choice if field[1] != TEXT),
        of_delta=of_delta,
    )


def _with(usual: Any, keys: Keys, read: Types, *inner: tuple[Any, ...]) -> tuple[Any, Fields]:
    """The usual struct with further keys."""
    known = {field.encode_name for field in msgspec.structs.fields(usual)}
    new = {key: _type(key, is_nested, read) for key, is_nested in keys if key not in known}
    names = [f"extra_{number}" for number in range(len(new))]
    fields = tuple(zip(names, new, strict=True))
    struct = msgspec.defstruct(
        "Learned",
        [*inner, *((name, new[key], None) for name, key in fields)],
        bases=(usual,),
        rename=dict(fields),
        kw_only=True,
        gc=False,
        forbid_unknown_fields=True,
    )
    return struct, fields


def _type(key: str, is_nested: bool, read: Types) -> Any:
    if key == TEXT and read is CHOICE_KEYS:
        return str | None
    if key in read or key == "message":
        return None  # it is read elsewhere
    # In an object whose name begins so there may be a usage.
    return Any if is_nested and not key.startswith("x_") else Scalar
