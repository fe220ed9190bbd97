"""JSON text → value, as leniently as it can be read without guessing.

Two readers. ``decode`` takes what servers really send: raw control characters in strings, NaN,
bytes that are not UTF-8, repeated keys; it says what it allowed. ``load`` goes by the letter
(RFC 8259): tool arguments are handed to other people's decoders.
"""

from __future__ import annotations

import json
from math import isfinite
from typing import Any

import msgspec
from msgspec import Struct

from untorn.chat.json_scan import (
    containers_in,
    has_control_in_strings,
    has_nonfinite,
    has_too_many_values,
    is_by_the_letter,
    keys_in,
    too_deep,
)
from untorn.options import Limits

Pairs = list[tuple[str, Any]]

BEGINS = frozenset(bytes([byte]) for byte in b'{["-0123456789tfnNI')
"""What a JSON text begins with, or one with ``NaN`` and ``Infinity``."""


class NotJson(Exception):
    """The text is no JSON, or more than the decoder bears. Never leaves untorn."""


class TooManyValues(NotJson):
    """It may be JSON, but is more than ``Limits.values`` allows."""


class Decoded(Struct, gc=False):
    """A value, and what had to be allowed to read it."""

    value: Any
    allowed: list[str]
    """Defect codes."""


def decode(data: bytes, limits: Limits, *, repeated_keys: bool = False) -> Decoded:
    """The value of ``data``; raises NotJson, or TooManyValues.

    With ``repeated_keys`` a repeated key is looked for, and its last value that is not null
    counts. Without, the last value counts, as in every JSON decoder. It costs a walk over the
    value, hence the choice.
    """
    if has_too_many_values(data, limits.values):
        raise TooManyValues(f"it holds more than {limits.values} values")
    if too_deep(data, limits.depth):
        raise NotJson(f"arrays and objects lie more than {limits.depth} deep")
    allowed: list[str] = []
    try:
        value = msgspec.json.decode(data)
    except (msgspec.MsgspecError, RecursionError):
        value = _read_by(_lenient, data)  # it is no JSON by the letter
        allowed = _what_was_allowed(data)
    if repeated_keys and has_repeated_keys(data, value):
        del value  # so that it is not there twice
        value = _read_by(_with_repeated_keys, data)
        allowed.insert(allowed[:1] == ["invalid-utf8"], "duplicate-key")
    return Decoded(value, allowed)


def has_repeated_keys(data: bytes, value: Any) -> bool:
    """Whether any object in ``data``, which decodes to ``value``, has a key twice."""
    keys = sum([len(item) for item in containers_in(value) if item.__class__ is dict])
    return data.count(b":") > keys and keys_in(data) > keys


def load(text: str, limits: Limits) -> Any:
    """The value of ``text`` by the letter; NOTHING if it is no JSON, or too much."""
    if not text or too_deep(text, limits.depth) or has_too_many_values(text, limits.values):
        return NOTHING
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError, UnicodeEncodeError):
        pass  # perhaps only a number that is out of range, or half a surrogate pair
    try:
        return _by_the_letter.decode(text)
    except (ValueError, RecursionError):
        return NOTHING


def can_be_read(data: bytes, limits: Limits) -> bool:
    """Whether ``value_of`` has a value for ``data``; mostly without making it."""
    if data.lstrip()[:1] not in BEGINS or has_too_many_values(data, limits.values):
        return False
    if too_deep(data, limits.depth):
        return False
    return is_by_the_letter(data) or value_of(data, limits) is not NOTHING


def value_of(data: bytes, limits: Limits) -> Any:
    """The value of ``data``, read leniently; NOTHING if it is no JSON. What had to be allowed is
    not told: this is to know where an event ends, not to take it."""
    try:
        return decode(data, limits).value
    except NotJson:
        return NOTHING


def is_torn(data: bytes) -> bool:
    """Whether ``data`` is no JSON, but for all that is seen the begin of one. (It makes the values,
    so the caller has seen to it that they are not too many.)"""
    text = data.decode("utf-8", "replace").rstrip()
    try:
        _lenient.decode(text)
    except json.JSONDecodeError as exc:
        # Where a literal or an escape is cut, the decoder points to its begin.
        near_the_end = len(text) - exc.pos < len("-Infinity")
        return near_the_end or exc.msg.startswith("Unterminated string")
    except RecursionError:
        pass
    return False


def normal_form(text: str, limits: Limits) -> str:
    """The same for texts that are JSON and mean the same; ``text`` itself if it is no JSON, or too
    much: more than an event may hold, and so more than could come again in another way.

    It is a text because values will not do: Python says that 1 equals True.
    """
    value = load(text, limits) if len(text) <= limits.event else NOTHING
    return text if value is NOTHING else compact(value, sort_keys=True)


def compact(value: Any, *, sort_keys: bool = False) -> str:
    """``value`` as JSON without spaces, non-ASCII as it is."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=sort_keys)


NOTHING: Any = object()
"""Stands for the value of what is no JSON."""


def _refuse(name: str) -> Any:
    raise ValueError(name)


def _read_by(decoder: json.JSONDecoder, data: bytes) -> Any:
    try:
        return decoder.decode(data.decode("utf-8", "replace"))
    except RecursionError as exc:
        raise NotJson("it is nested too deeply for the stack that is left") from exc
    except ValueError as exc:
        raise NotJson(str(exc)) from exc


def _what_was_allowed(data: bytes) -> list[str]:
    """Codes of what is not by the letter in a text that was read leniently."""
    found = []
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        found.append("invalid-utf8")
    if has_control_in_strings(data):
        found.append("json-control-char")
    if has_nonfinite(data):
        found.append("json-nonfinite")
    return found


def _finite(digits: str) -> float | None:
    number = float(digits)
    return number if isfinite(number) else None


def _int(digits: str) -> int | None:
    # Python refuses to read integers of more than 4300 digits; so does nobody who sends them.
    try:
        return int(digits)
    except ValueError:
        return None


def _last_that_is_not_null(pairs: Pairs) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) == len(pairs):
        return value
    return value | {key: item for key, item in pairs if item is not None}


def _null(_name: str) -> None:
    return None


_by_the_letter = json.JSONDecoder(parse_constant=_refuse)
_lenient = json.JSONDecoder(parse_constant=_null, parse_float=_finite, parse_int=_int, strict=False)
_with_repeated_keys = json.JSONDecoder(
    object_pairs_hook=_last_that_is_not_null,
    parse_constant=_null,
    parse_float=_finite,
    parse_int=_int,
    strict=False,
)
