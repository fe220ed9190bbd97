"""JSON text without its values: how deep it is, how much it holds, whether it is JSON at all.

Nothing here makes a value, so that a hostile text costs no more memory than it has bytes.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import accumulate, count
from math import isfinite
from operator import sub
from typing import Any

import msgspec

HALF_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")
"""The only way in which half a surrogate pair can come in valid UTF-8."""

WINDOW = 64 * 1024

CONTAINERS = (dict, list)


def outside_strings(text: str | bytes) -> Iterator[bytes]:
    """What is not in strings, piece by piece, with two quotes for each string. (Of what is no JSON
    it says something else, and of a string that reaches from one piece into the next.)"""
    in_string = escaped = False
    for start in range(0, len(text), WINDOW):
        window = text[start : start + WINDOW]
        piece = window.encode("ascii", "replace") if isinstance(window, str) else window
        # Pairs of backslashes go first, so that one before a quote is its escape.
        piece = piece[escaped:].replace(rb"\\", b"")
        escaped = piece.endswith(b"\\")
        parts = piece.replace(rb"\"", b"").split(b'"')
        yield b'""'.join(parts[in_string::2])
        in_string ^= len(parts) % 2 == 0


def too_deep(text: str | bytes, depth: int) -> bool:
    """Whether arrays and objects lie more than ``depth`` deep.

    The decoders' own bounds depend on the Python version and on the caller's stack; a bound of
    our own gives everybody the same answer.
    """
    if len(text) <= depth or _brackets_in(text) <= depth:
        return False
    level = 0
    for piece in outside_strings(text):
        steps = piece.translate(None, _NO_BRACKETS).translate(_STEPS)
        # Each step counts one too many: what is left is +1 or -1.
        if steps and level + max(map(sub, accumulate(steps), count(1))) > depth:
            return True
        level += sum(steps) - len(steps)
    return False


def _brackets_in(text: str | bytes) -> int:
    if isinstance(text, bytes):
        return text.count(b"{") + text.count(b"[")
    return text.count("{") + text.count("[")


def weight(data: bytes) -> int:
    """How many values there are, those in strings included, as ``Limits.values`` counts them.

    Decoded, one of them takes 12 to 55 bytes of memory: a number 40, two letters 72, an array 80,
    an object with one key 200, a further key 105.
    """
    strings = data.count(b'"') // 2
    return data.count(b",") + strings + 2 * data.count(b"[") + 4 * data.count(b"{")


def weight_of(value: Any) -> int:
    """About the same, of a value that is decoded."""
    total = 0
    for item in containers_in(value):
        if isinstance(item, dict):
            total += 4 + 2 * len(item) + [one.__class__ for one in item.values()].count(str)
        else:
            total += 2 + len(item) + [one.__class__ for one in item].count(str)
    return total


def containers_in(value: Any) -> list[dict[str, Any] | list[Any]]:
    """All objects and arrays in a decoded value, itself included, however deep they lie."""
    found = [value] if value.__class__ in CONTAINERS else []
    for item in found:  # it grows on the way
        for one in item.values() if item.__class__ is dict else item:
            if one.__class__ is dict or one.__class__ is list:
                found.append(one)  # noqa: PERF401  # a comprehension costs a call for each
    return found


def has_control_in_strings(data: bytes) -> bool:
    """Whether any string in ``data``, which is JSON but for this, holds a raw control character."""
    controls = _controls_in(data)
    return controls > 0 and controls > sum(map(_controls_in, outside_strings(data)))


def _controls_in(data: bytes) -> int:
    return len(data) - len(data.translate(None, _CONTROLS))


def has_nonfinite(data: bytes) -> bool:
    """Whether ``data``, which is JSON but for this, holds ``NaN``, an infinity, or a fraction that
    is out of range."""
    if not _PERHAPS_NONFINITE.search(data):
        return False
    outside = b"".join(outside_strings(data))
    if b"N" in outside or b"I" in outside:
        return True
    numbers = (match[0] for match in _NUMBER.finditer(outside))
    return any(not (number.isdigit() or isfinite(float(number))) for number in numbers)


def has_too_many_values(text: str | bytes, most: int) -> bool:
    """Whether to decode ``text`` would make more than ``most`` values."""
    # The heaviest of all is `[{},{},...]`, five in three bytes.
    if len(text) < most // 2:
        return False
    data = text.encode("utf-8", "replace") if isinstance(text, str) else text
    if weight(data) <= most:
        return False
    return sum(map(weight, outside_strings(data))) > most


def keys_in(data: bytes) -> int:
    """How many keys all objects have together, those that come twice counted twice."""
    return sum(piece.count(b":") for piece in outside_strings(data))


def may_stay_undecoded(json: bytes, depth: int, most: int) -> bool:
    """Whether JSON that msgspec passed over is UTF-8, no deeper than ``depth``, and surely holds
    no more than ``most`` values: it checks nothing of that."""
    size = len(json)
    if size > most // 2:
        return False
    # Each level has an end too. To count the brackets takes nearly as long as to pass over them.
    is_flat = size <= 2 * depth or json.count(b"{") + json.count(b"[") <= depth
    if is_flat and json.isascii():
        return True
    try:
        json.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return is_flat or not too_deep(json, depth)


def is_json(text: str, depth: int) -> bool:
    """Whether ``text`` is JSON by the letter (RFC 8259), no deeper than ``depth``, and
    ``json.loads`` can read it."""
    if not text or too_deep(text, depth):
        return False
    if not is_by_the_letter(_for_msgspec(text)):
        if "\\ud" not in text and "\\uD" not in text:
            return False
        # msgspec refuses half a surrogate pair, which the letter permits. JSON has a D only in
        # strings, where a C means as much to the letter, but never half a pair.
        if not is_by_the_letter(_for_msgspec(text.translate(_WITHOUT_D))):
            return False
    # Python reads no integer of more digits. (0: it reads them all.)
    most = sys.get_int_max_str_digits()
    return not most or len(text) <= most or not _holds_an_integer_over(most, text)


def _for_msgspec(text: str) -> str | bytes:
    # Of ASCII no copy is needed. (Of other texts msgspec would make one, and keep it.)
    return text if text.isascii() else text.encode("utf-8", "surrogatepass")


def is_by_the_letter(data: str | bytes) -> bool:
    """Whether ``data`` is JSON by the letter, but for bytes that are no UTF-8 and numbers that are
    out of range, which are not looked at."""
    try:
        _validate(data)
    except (msgspec.MsgspecError, RecursionError):
        return False
    return True


def _holds_an_integer_over(most: int, text: str) -> bool:
    if not re.search(f"[0-9]{{{most + 1}}}", text):
        return False
    numbers = (match[0].lstrip("-") for match in _STRING_OR_NUMBER.finditer(text))
    return any(len(number) > most and number.isdigit() for number in numbers)


_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_STEPS = bytes.maketrans(b"[{]}", b"\2\2\0\0")
_WITHOUT_D = bytes.maketrans(b"dD", b"cC")
_validate = msgspec.json.Decoder(msgspec.Raw).decode
_CONTROLS = bytes(range(0x20))
_PERHAPS_NONFINITE = re.compile(rb"NaN|Infinity|[eE]\+?[0-9]{3}|[0-9]{300}")
# Each digit is looked at once: a number begins at its first, and never gives one back.
_NUMBER = re.compile(rb"(?<![0-9])[0-9]++(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?")
# A string is one match, so that digits in it don't count.
_STRING_OR_NUMBER = re.compile(r'"(?:[^"\\]++|\\.)*+"|(?<![0-9.eE+-])[0-9.eE+-]{1000,}+', re.DOTALL)
