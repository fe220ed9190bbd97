"""JSON text without its values: how deep it is, how much it holds, whether it is JSON at all.

Nothing here makes a value, so that a hostile text costs no more memory than it has bytes.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import accumulate, count
from operator import sub

import msgspec

MOST_VALUES = 1024 * 1024
"""How many values one JSON text may hold to be decoded, an object counted four times, since it
takes as much memory. The largest answers that are no attack, four thousand tokens with the
logprobs of twenty likelier ones each, hold 800,000."""

HALF_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")
"""The only way in which half a surrogate pair can come in valid UTF-8."""

WINDOW = 64 * 1024


def outside_strings(text: str | bytes) -> Iterator[bytes]:
    """What is not in strings, piece by piece. (Of what is no JSON it says something else.)"""
    in_string = escaped = False
    for start in range(0, len(text), WINDOW):
        window = text[start : start + WINDOW]
        piece = window.encode("ascii", "replace") if isinstance(window, str) else window
        # Pairs of backslashes go first, so that one before a quote is its escape.
        piece = piece[escaped:].replace(rb"\\", b"")
        escaped = piece.endswith(b"\\")
        parts = piece.replace(rb"\"", b"").split(b'"')
        yield b"".join(parts[in_string::2])
        in_string ^= len(parts) % 2 == 0


def too_deep(text: str, depth: int) -> bool:
    """Whether arrays and objects lie more than ``depth`` deep.

    The decoders' own bounds depend on the Python version and on the caller's stack; a bound of
    our own gives everybody the same answer.
    """
    if text.count("{") + text.count("[") <= depth:
        return False
    level = 0
    for piece in outside_strings(text):
        steps = piece.translate(None, _NO_BRACKETS).translate(_STEPS)
        # Each step counts one too many: what is left is +1 or -1.
        if steps and level + max(map(sub, accumulate(steps), count(1))) > depth:
            return True
        level += sum(steps) - len(steps)
    return False


def weight(data: bytes) -> int:
    """About how many values there are, those in strings included, an object counted four times."""
    return data.count(b",") + data.count(b"[") + 4 * data.count(b"{")


def has_too_many_values(text: str | bytes) -> bool:
    """Whether to decode ``text`` would take more memory than it is worth."""
    if len(text) < MOST_VALUES // 2:
        return False
    data = text.encode("utf-8", "replace") if isinstance(text, str) else text
    if weight(data) <= MOST_VALUES:
        return False
    return sum(map(weight, outside_strings(data))) > MOST_VALUES


def may_stay_undecoded(json: bytes, depth: int) -> bool:
    """Whether JSON that msgspec passed over is UTF-8, no deeper than ``depth``, and surely holds
    no more values than may be: it checks nothing of that."""
    size = len(json)
    if size > MOST_VALUES // 2:
        return False
    # Each level has an end too. To count the brackets takes nearly as long as to pass over them.
    is_flat = size <= 2 * depth or json.count(b"{") + json.count(b"[") <= depth
    if is_flat and json.isascii():
        return True
    try:
        text = json.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return is_flat or not too_deep(text, depth)


def is_json(text: str, depth: int) -> bool:
    """Whether ``text`` is JSON by the letter (RFC 8259), no deeper than ``depth``, and
    ``json.loads`` can read it."""
    if not text or too_deep(text, depth):
        return False
    data = text.encode("utf-8", "surrogatepass")
    if not _is_by_the_letter(data):
        # msgspec refuses half a surrogate pair, which the letter permits.
        whole = HALF_ESCAPE.sub(rb"\\u00", data)
        if whole == data or not _is_by_the_letter(whole):
            return False
    # Python reads no integer of more digits. (0: it reads them all.)
    most = sys.get_int_max_str_digits()
    return not most or len(data) <= most or not _holds_an_integer_over(most, data)


def _is_by_the_letter(data: bytes) -> bool:
    try:
        _validate(data)
    except (msgspec.MsgspecError, RecursionError):
        return False
    return True


def _holds_an_integer_over(most: int, data: bytes) -> bool:
    if not re.search(rb"[0-9]{%d}" % (most + 1), data):
        return False
    numbers = (match[0].lstrip(b"-") for match in _STRING_OR_NUMBER.finditer(data))
    return any(len(number) > most and number.isdigit() for number in numbers)


_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_STEPS = bytes.maketrans(b"[{]}", b"\2\2\0\0")
_validate = msgspec.json.Decoder(msgspec.Raw).decode
# A string is one match, so that digits in it don't count.
_STRING_OR_NUMBER = re.compile(
    rb'"(?:[^"\\]++|\\.)*+"|(?<![0-9.eE+-])[0-9.eE+-]{1000,}+', re.DOTALL
)
