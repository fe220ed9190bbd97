"""Payload → chunk, shapes that are learned: a vendor's keys beside those that are known.

Gateways add keys of their own to every chunk, and some of them the usage so far. Once such chunks
were seen, structs that know the keys make them as usual as OpenAI's. To make one costs as much as
reading fifty chunks the plain way; so they are shared by all streams, and forgotten when others
are newer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Any

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
from untorn.chat.wide import (
    Wide,
    WideChoice,
    WideChoiceWithLogprobs,
    WideDelta,
    decode_wide,
    decode_wide_with_logprobs,
)

Decode = Callable[[bytes], Any]
Scalar = str | int | float | bool | None
Keys = tuple[tuple[str, bool], ...]
"""Keys, and whether the value of each is an array or an object."""

MOST_KEYS = 32
MOST_CHARACTERS = 1024
"""How many unknown keys chunks may have, and how long they may be together, to be learned."""
MOST_BYTES = 64 * 1024
"""How long the payload may be: what is longer is not worth another look."""
MOST_SHAPES = 64
"""How many sets of keys are remembered."""

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


class Learned:
    """A vendor's keys at each level, and the decoders of chunks that have them, or some of them.

    A key holds what one of its kind held: a string, a number, a boolean or null; or anything, if
    that was an array or an object. Then a decoder bounds neither how deep it is nor how much it
    holds.
    """

    def __init__(self, chunk: Keys, choice: Keys, delta: Keys) -> None:
        self.keys = chunk, choice, delta
        self.is_nested = any(nested for level in self.keys for _, nested in level)
        """Whether values may be arrays or objects."""
        self._texts: dict[str, Decode] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return _learned, self.keys  # a stream that is copied shares it as well

    @cached_property
    def wide(self) -> Decode:
        """Decodes any chunk, to a Wide."""
        return self._decoder(WideChoice, WideDelta) if any(self.keys) else decode_wide

    @cached_property
    def wide_with_logprobs(self) -> Decode:
        """The same, where chunks have logprobs."""
        if not any(self.keys):
            return decode_wide_with_logprobs
        return self._decoder(WideChoiceWithLogprobs, WideDelta)

    def text(self, kind: str) -> Decode:
        """Decodes a chunk of one choice whose delta brings text of one kind, a key of DELTAS."""
        decode = self._texts.get(kind)
        if decode is None:
            decode = self._texts[kind] = self._decoder(Choice, DELTAS[kind])
        return decode

    def _decoder(self, base_of_choice: Any, base_of_delta: Any) -> Decode:
        of_chunk, of_choice, of_delta = self.keys
        is_wide = base_of_delta is WideDelta
        delta = _with(base_of_delta, of_delta, DELTA_KEYS)
        choice = _with(base_of_choice, of_choice, CHOICE_KEYS, ("delta", delta))
        choices: Any = list[choice] if is_wide else tuple[choice]  # type: ignore[valid-type]
        usage: Any = dict[str, Any] | None if ("usage", True) in of_chunk else None
        inner = ("choices", choices), ("usage", usage, None)
        chunk = _with(Wide if is_wide else Chunk, of_chunk, CHUNK_KEYS, *inner)
        return msgspec.json.Decoder(chunk).decode

    def take(self, chunk: Any, builder: CompletionBuilder) -> bool:
        """Keep what stands beside the text of a chunk; False, and nothing kept, if some of it
        came for the first time, or holds more than before. (To keep it again, the plain way,
        changes nothing.)"""
        if chunk.usage is not None and not builder.expects_usage(chunk.usage):
            return False
        if self.is_nested and not _holds_no_more(chunk, builder):
            return False
        choices = chunk.choices
        for choice in choices:
            if choice.MORE and not _take_values(choice, builder.choices[choice.index].extra):
                return False
        if chunk.MORE and not _take_values(chunk, builder.extra):
            return False
        delta = choices[0].delta
        fields = delta.MORE
        if not fields:
            return True
        if len(choices) > 1:
            return False  # strings are joined: if those of one choice are taken, all must be
        more = builder.choices[choices[0].index].message_extra
        for name, key in fields:
            if getattr(delta, name) is not None and key not in more:
                return False
        for name, key in fields:
            if (value := getattr(delta, name)) is not None:
                join(more, key, value)
        return True


def _take_values(struct: Any, kept: dict[str, Any]) -> bool:
    """Keep the last value of each key; False if one was not kept before."""
    for name, key in struct.MORE:
        value = getattr(struct, name)
        if value is not None:
            if key not in kept:
                return False
            kept[key] = value
    return True


def _holds_no_more(chunk: Any, builder: CompletionBuilder) -> bool:
    """Whether arrays and objects hold no more than those that were kept before."""
    if not _covers(builder, "chunk", 0, chunk, builder.extra):
        return False
    for choice in chunk.choices:
        index, of_choice = choice.index, builder.choices[choice.index]
        if not (
            _covers(builder, "choice", index, choice, of_choice.extra)
            and _covers(builder, "delta", index, choice.delta, of_choice.message_extra)
        ):
            return False
    return True


def _covers(
    builder: CompletionBuilder, level: Level, index: int, struct: Any, kept: dict[str, Any]
) -> bool:
    for name, key in struct.MORE:
        value = getattr(struct, name)
        if not isinstance(value, dict | list):
            continue
        if key not in kept:
            return False
        # Mostly it is the same again, which costs less to see than to weigh it.
        if not (_is_same(value, kept[key]) or builder.kept.covers(level, index, key, value)):
            return False
    return True


def _is_same(value: Any, kept: Any) -> bool:
    try:
        return bool(value == kept)
    except RecursionError:  # the caller's stack is nearly full
        return False


def kind_of(delta: WideDelta) -> str | None:
    """The key of the text that a delta brings, if it brings nothing else but a vendor's keys."""
    if delta.tool_calls is not None or delta.reasoning_details:
        return None
    kinds = [key for key in DELTAS if getattr(delta, key) is not None]
    return kinds[0] if len(kinds) == 1 else None


def learn(data: bytes, before: Learned) -> Learned | None:
    """What was known before, and the keys of a payload; None if there are no others, or too many,
    or if it has no choices."""
    if len(data) > MOST_BYTES:
        return None
    of_chunk, of_choice, of_delta = map(dict[str, bool], before.keys)
    try:
        body = msgspec.json.decode(data)
        _add_keys(of_chunk, body, _OF_CHUNK, CHUNK_KEYS)
        for choice in body["choices"]:
            _add_keys(of_choice, choice, _OF_CHOICE, CHOICE_KEYS)
            _add_keys(of_delta, choice["delta"], _OF_DELTA, DELTA_KEYS)
    except (*NOT_USUAL, AttributeError, KeyError):
        return None
    keys = [*of_chunk, *of_choice, *of_delta]
    if len(keys) > MOST_KEYS or sum(map(len, keys)) > MOST_CHARACTERS:
        return None
    if not body["choices"] or any(map(_ESCAPED.search, keys)):
        return None
    learned = _learned(_sorted(of_chunk), _sorted(of_choice), _sorted(of_delta))
    return None if learned.keys == before.keys else learned


def _add_keys(
    keys: dict[str, bool], level: dict[str, Any], known: frozenset[str], read: Types
) -> None:
    for key, value in level.items():
        is_kept = key not in read or key == "usage"
        is_nested = is_kept and isinstance(value, dict | list)
        if key not in known or (key == "usage" and is_nested):
            keys[key] = is_nested or keys.get(key, False)


def _names_in(struct: Any) -> frozenset[str]:
    return frozenset(field.encode_name for field in msgspec.structs.fields(struct))


_OF_CHUNK, _OF_CHOICE, _OF_DELTA = map(_names_in, (Wide, WideChoice, OnlyText))


def _sorted(keys: dict[str, bool]) -> Keys:
    return tuple(sorted(keys.items()))


@lru_cache(MOST_SHAPES)
def _learned(chunk: Keys, choice: Keys, delta: Keys) -> Learned:
    return Learned(chunk, choice, delta)


KNOWN = _learned((), (), ())
"""Nothing was learned."""


def _with(usual: Any, keys: Keys, read: Types, *inner: tuple[Any, ...]) -> Any:
    """The usual struct with further keys."""
    known = _names_in(usual)
    types = {key: _type(key, is_nested, read) for key, is_nested in keys if key not in known}
    names = {f"extra_{number}": key for number, key in enumerate(types)}
    return msgspec.defstruct(
        "Learned",
        [*inner, *((name, types[key], None) for name, key in names.items())],
        bases=(usual,),
        namespace={"MORE": tuple((name, key) for name, key in names.items() if key not in read)},
        rename=names,
        kw_only=True,
        gc=False,
        forbid_unknown_fields=True,
    )


def _type(key: str, is_nested: bool, read: Types) -> Any:
    if key == TEXT and read is CHOICE_KEYS:
        return str | None
    if key == "reasoning_details" and read is DELTA_KEYS:
        return tuple[()] | None  # OpenRouter (2025) sends it with every text
    if key in read or key == "message":
        return None  # it is read elsewhere
    # In an object whose name begins so there may be a usage.
    return Any if is_nested and not key.startswith("x_") else Scalar
