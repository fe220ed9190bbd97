"""Whether an event is as one before it was, but for its text. Pure."""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec

_OPENING = re.compile(rb'"(?:content|reasoning|reasoning_content)"\s*+:\s*+"')
_OBFUSCATION = re.compile(rb'"obfuscation"\s*+:\s*+"')
_STRING = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+')


class Likeness(NamedTuple):
    """What an event has around its one text.

    OpenAI adds ``obfuscation`` of another length to each event (API reference, "stream_options",
    2026-11): that may differ, too.
    """

    before: bytes
    after: bytes
    end: bytes
    """What comes after the obfuscation; nothing where there is none."""

    def text_of(self, event: bytes) -> str | None:
        """The text of a like event, None for any other. Half a surrogate pair is like nothing."""
        before, after, end = self
        start = len(before)
        stop = event.find(b'"', start)
        while event[stop - 1 : stop] == b"\\" and stop > start:
            stop = event.find(b'"', stop + 1)  # if that one isn't escaped, it is not like this one
        if stop <= start or not event.startswith(before):
            return None
        rest = event[stop:]
        if end:
            like = rest.startswith(after) and rest.endswith(end)
            like = like and rest[len(after) : -len(end)].isalnum()
        else:
            like = rest == after
        if not like:
            return None
        try:
            text = event[start:stop].decode()
        except UnicodeDecodeError:
            return None
        return text if text.isprintable() and "\\" not in text else _unescaped(text)


def likeness_of(event: bytes) -> Likeness | None:
    """Of a whole event with a chunk that brings one text; None if it has more keys for texts, or
    may have: then the text would not be known to be the one that counts."""
    openings = list(_OPENING.finditer(event))
    if len(openings) != 1:
        return None
    start = openings[0].end()
    text = _STRING.match(event, start)
    assert text is not None
    before, after = event[:start], event[text.end() :]
    if b"\\u" in before or b"\\u" in after:  # it may be in a key: "c\u006fntent"
        return None
    if (obfuscation := _OBFUSCATION.search(after)) is None:
        return Likeness(before, after, b"")
    padding = _STRING.match(after, obfuscation.end())
    assert padding is not None
    return Likeness(before, after[: obfuscation.end()], after[padding.end() :])


def _unescaped(text: str) -> str | None:
    if "\\u" in text:  # it may be half of a pair
        return None
    try:
        return msgspec.json.decode(f'"{text}"', type=str)
    except msgspec.MsgspecError:
        return None
