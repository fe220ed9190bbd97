"""JSON text → value, as leniently as it can be read without guessing.

Two readers. ``decode`` takes what servers really send: raw control characters in strings, NaN,
bytes that are not UTF-8, repeated keys; it says what it allowed. ``load`` goes by the letter
(RFC 8259): tool arguments are handed to other people's decoders.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from math import isfinite
from typing import Any

import msgspec
from msgspec import Struct

from untorn.chat.json_scan import containers_in, has_too_many_values, keys_in, too_deep
from untorn.options import Limits

Pairs = list[tuple[str, Any]]


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
    depth = limits.depth
    if has_too_many_values(data, limits.values):
        raise TooManyValues(f"it holds more than {limits.values} values")
    if too_deep(data, depth):
        raise NotJson(f"arrays and objects lie more than {depth} deep")
    try:
        value = msgspec.json.decode(data)
    except (msgspec.MsgspecError, RecursionError):
        pass  # it is no JSON by the letter
    else:
        if not (repeated_keys and has_repeated_keys(data, value)):
            return Decoded(value, [])
        del value  # so that it is not there twice
    allowed: list[str] = []
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
        allowed.append("invalid-utf8")
    return Decoded(_decode_leniently(text, allowed, repeated_keys), allowed)


def has_repeated_keys(data: bytes, value: Any) -> bool:
    """Whether any object in ``data``, which decodes to ``value``, has a key twice."""
    keys = sum(len(item) for item in containers_in(value) if isinstance(item, dict))
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
        near_the_end = len(text) - exc.pos < len("Infinity")
        return near_the_end or exc.msg.startswith("Unterminated string")
    except (ValueError, RecursionError):
        pass
    return False


def normal_form(text: str, limits: Limits) -> str:
    """The same for texts that are JSON and mean the same; ``text`` itself if it is no JSON, or too
    much.

    It is a text because values will not do: Python says that 1 equals True.
    """
    value = load(text, limits)
    return text if value is NOTHING else compact(value, sort_keys=True)


def compact(value: Any, *, sort_keys: bool = False) -> str:
    """``value`` as JSON without spaces, non-ASCII as it is."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=sort_keys)


NOTHING: Any = object()
"""Stands for the value of what is no JSON."""


def _refuse(name: str) -> Any:
    raise ValueError(name)


_lenient = json.JSONDecoder(strict=False)
_by_the_letter = json.JSONDecoder(parse_constant=_refuse)


def _decode_leniently(text: str, allowed: list[str], repeated_keys: bool) -> Any:
    found: set[str] = set()
    hook = _pairs_hook(found) if repeated_keys else None

    def nonfinite(_name: str) -> None:
        found.add("json-nonfinite")

    try:
        try:
            value = _decoder(hook, nonfinite, strict=True).decode(text)
        except ValueError:
            found.clear()
            value = _decoder(hook, nonfinite, strict=False).decode(text)
            found.add("json-control-char")
    except RecursionError as exc:
        raise NotJson("it is nested too deeply for the stack that is left") from exc
    except ValueError as exc:
        raise NotJson(str(exc)) from exc
    allowed += sorted(found)
    return value


def _decoder(
    hook: Callable[[Pairs], Any] | None, nonfinite: Callable[[str], Any], *, strict: bool
) -> json.JSONDecoder:
    return json.JSONDecoder(
        object_pairs_hook=hook,
        parse_constant=nonfinite,
        parse_float=lambda digits: number if isfinite(number := float(digits)) else nonfinite(""),
        parse_int=_int,
        strict=strict,
    )


def _int(digits: str) -> int | None:
    # Python refuses to read integers of more than 4300 digits; so does nobody who sends them.
    try:
        return int(digits)
    except ValueError:
        return None


def _pairs_hook(found: set[str]) -> Callable[[Pairs], dict[str, Any]]:
    def collect(pairs: Pairs) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) == len(pairs):
            return value
        found.add("duplicate-key")
        return value | {key: item for key, item in pairs if item is not None}

    return collect
