"""A surrogate pair divided between two deltas.

On the wire   {"content": "\\ud83d"}   then   {"content": "\\ude00!"}
Seen at       elie222/rakazo#416
We            hold the first half until the second comes; a half alone becomes U+FFFD
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

_LONE = re.compile("[\ud800-\udfff]")


class Joined(NamedTuple):
    """A fragment whose halves are dealt with."""

    text: str
    held: str
    """A high surrogate at its end; ``""`` if there is none."""
    split: bool
    """Whether a pair was joined."""
    lone: int
    """How many halves became U+FFFD."""


def join_halves(held: str, fragment: str) -> Joined:
    """``fragment`` (not empty) after a high surrogate that waits, or after ``""``."""
    split = bool(held) and "\udc00" <= fragment[0] <= "\udfff"
    text = held + fragment
    if _LONE.search(text):
        # Two halves that meet are a pair, also where they come in two parts of one delta.
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    last = text[-1] if "\ud800" <= text[-1] <= "\udbff" else ""
    text, lone = _LONE.subn("\N{REPLACEMENT CHARACTER}", text[: len(text) - len(last)])
    return Joined(text, last, split, lone)


def high_half(char: str) -> str:
    """What a character begins with in UTF-16."""
    code = ord(char)
    return char if code < 0x10000 else chr(0xD800 + ((code - 0x10000) >> 10))


def whole_text(text: str) -> str:
    """A text with its pairs joined, and U+FFFD for each half alone."""
    if not _LONE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class Scrubbed(NamedTuple):
    """A value without halves of pairs."""

    value: Any
    """The same object, if it is a list or an object."""
    lone: bool
    """Whether there were any."""


def scrub(value: Any, keep: frozenset[str] = frozenset()) -> Scrubbed:
    """See to it that in a decoded value no string, and no key, holds half a pair; strings under the
    keys in ``keep`` are left alone. It is done in place: a large value need not be there twice."""
    if isinstance(value, str):
        text = whole_text(value)
        return Scrubbed(text, text is not value)
    lone = False
    if isinstance(value, list):
        for place, item in enumerate(value):
            if isinstance(item, str | list | dict):
                value[place], found = scrub(item, keep)
                lone = lone or found
    elif isinstance(value, dict):
        lone = _scrub_keys(value)
        for key, item in value.items():
            if isinstance(item, list | dict) or (isinstance(item, str) and key not in keep):
                value[key], found = scrub(item, keep)
                lone = lone or found
    return Scrubbed(value, lone)


def _scrub_keys(value: dict[str, Any]) -> bool:
    if not any(map(_LONE.search, value)):
        return False
    items = list(value.items())
    value.clear()
    value.update((whole_text(key), item) for key, item in items)
    return True


def scrub_extras(values: dict[str, Any]) -> None:
    """Unknown keys of a delta: their strings may be pieces, everything else is whole."""
    for value in values.values():
        if not isinstance(value, str):
            scrub(value)
