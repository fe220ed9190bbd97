"""What hostile bodies are made of: bytes again and again, events, chunks.

A body comes in pieces of at most about 64 KiB, so that a process that reads it holds no more of it
than the reader does. Where it is made of events, ``BLANK`` ends each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, count, repeat
from typing import NamedTuple

from untorn import Limits

KIB = 1024
MIB = 1024 * KIB
PIECE = 64 * KIB

BLANK = b"\n\n"
"""The end of an event. (It is known by its identity.)"""

LIMITS = Limits()

Make = Callable[[int], Iterable[bytes]]


class Input(NamedTuple):
    """A body, and what is to become of it."""

    make: Make
    """Its pieces, for about so many bytes."""
    size: int
    """How many bytes of it are sent."""
    ends: str | tuple[str, ...]
    """The ending, or those that are right; for ``limit``, how the reason begins."""
    keeps: int = 0
    """The limit that applies: how many bytes may be kept of it. 0 where nothing is worth it."""
    are_events: bool = True
    """Whether it is made of events, to be set between an opening and an end."""
    read_size: int = PIECE
    status: int = 200
    limits: Limits = LIMITS


Inputs = dict[str, Input]
"""By what they are."""

EVENT = LIMITS.event
BODY = LIMITS.body
LONG_LINE = f"a line of more than {LIMITS.line} bytes"
LARGE_EVENT = f"an event of more than {LIMITS.event} bytes"
LARGE_BODY = f"a body of more than {LIMITS.body} bytes"
MANY_LINES = (
    f"an event of more than {LIMITS.lines} lines",
    f"a document of more than {LIMITS.lines} lines",
)
MANY_VALUES = f"an event of more than {LIMITS.values} values"
MANY_CHOICES = f"more than {LIMITS.choices} choices"
MANY_CALLS = f"more than {LIMITS.tool_calls} tool calls"
MANY_EXTRAS = f"more than {LIMITS.extras} unknown keys and values"
MUCH_TEXT = f"more than {LIMITS.text} characters"


# Bytes ---------------------------------------------------------------------------------------


def many(unit: bytes, size: int) -> Iterator[bytes]:
    """``unit`` again and again, about ``size`` bytes."""
    block = unit * max(1, PIECE // len(unit))
    size = max(size, 0)
    yield from repeat(block, size // len(block))
    yield unit * (size % len(block) // len(unit))


def numbered(template: bytes, size: int) -> Iterator[bytes]:
    """``template`` with a growing number in it, about ``size`` bytes."""
    sent = 0
    for number in count():
        if sent >= size:
            return
        piece = template % number
        sent += len(piece)
        yield piece


def lines_of(unit: bytes, begin: bytes = b"", end: bytes = b"") -> Make:
    """``unit`` again and again, between two others."""
    return lambda size: chain([begin], many(unit, size), [end])


def line_of(unit: bytes, begin: bytes = b"") -> Make:
    """The same as one line."""
    return lines_of(unit, begin, BLANK)


# Events --------------------------------------------------------------------------------------


def events(payloads: Iterable[bytes]) -> Iterator[bytes]:
    """Each as an event."""
    for payload in payloads:
        yield payload
        yield BLANK


def event(*parts: bytes | Iterable[bytes]) -> Iterator[bytes]:
    """One event."""
    for part in parts:
        if isinstance(part, bytes):
            yield part
        else:
            yield from part
    yield BLANK


def again(payload: bytes) -> Make:
    """One payload as many events."""
    return lambda size: events(repeat(payload, size // (len(payload) + len(b"data: \n\n"))))


def each(template: bytes) -> Make:
    """One payload with a growing number in it, as many events."""
    return lambda size: events(numbered(template, size))


def giant(begin: bytes, unit: bytes, end: bytes) -> Make:
    """One event in which ``unit`` comes again and again."""
    return lambda size: event(begin, many(unit, size - len(begin) - len(end)), end)


def after(first: Iterable[bytes], then: Make, last: Iterable[bytes] = ()) -> Make:
    """Many events, after the payloads of others, and before those of others."""
    kept, rest = list(first), list(last)
    return lambda size: chain(events(kept), then(size), events(rest))


def in_megabytes(begin: bytes, unit: bytes, end: bytes, megabytes: int = 1) -> Make:
    """Events of so many MB, each with its number in its begin."""
    size_of_each = megabytes * 1_000_000
    return lambda size: chain.from_iterable(
        event(begin.replace(b"%d", b"%d" % number), many(unit, size_of_each), end)
        for number in range(size // size_of_each)
    )


# Chunks --------------------------------------------------------------------------------------


def chunk(delta: bytes, index: int = 0) -> bytes:
    """A chunk with one choice."""
    return b'{"choices":[{"index":%d,"delta":%s}]}' % (index, delta)


def call(fragment: bytes, index: int = 0) -> bytes:
    """A chunk with one fragment of a call."""
    return chunk(b'{"tool_calls":[%s]}' % fragment, index)


def arguments(text: bytes, index: int = 0) -> bytes:
    """A chunk with more arguments, as they stand in JSON."""
    return call(b'{"index":0,"function":{"arguments":"%s"}}' % text, index)


OPENING = [
    chunk(b'{"role":"assistant","content":"Hi"}'),
    chunk(b'{"content":" there"}'),
]
FINISH = [b'{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}', b"[DONE]"]


def open_call(text: bytes, index: int = 0) -> bytes:
    """A chunk that opens a call, with the begin of its arguments."""
    return call(
        b'{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"%s"}}' % text,
        index,
    )
