"""Mutations of a body: of its events, of its lines, and of its bytes.

A body is a list of events, each with its blank line, until its lines or bytes are mutated.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import Any

from fuzz.chunks import Sender
from fuzz.json_mutations import mutated, random_style
from fuzz.json_tree import Literal, dump, parse, slots_named
from fuzz.words import ENDS, LINES, PAYLOADS, PIECES, TEXTS

EventMutation = Callable[[list[bytes], Random], list[bytes]]
BodyMutation = Callable[[bytes, Random], bytes]

EVENT = re.compile(rb"(?s).+?(?:(?:\r\n|\r|\n){2,}|\Z)")
LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|\Z)")
PREFIX = re.compile(rb"\A[ \t]*(?:data:[ ]?)?")

MOST_TEXT = 20_000
MOST_DEPTH = 200
"""Deeper JSON is left as it is: to walk a tree takes a stack."""


def events_of(body: bytes) -> list[bytes]:
    """A body's events, each with the blank lines after it."""
    return EVENT.findall(body)


def lines_of(body: bytes) -> list[bytes]:
    """A body's lines, each with its end."""
    return [line for line in LINE.findall(body) if line]


# Events --------------------------------------------------------------------------------------


def drop_event(events: list[bytes], rng: Random) -> list[bytes]:
    place = rng.randrange(len(events))
    return events[:place] + events[place + rng.choice([1, 1, 2, 9]) :]


def repeat_event(events: list[bytes], rng: Random) -> list[bytes]:
    place = rng.randrange(len(events))
    return (
        events[:place] + events[place : place + 1] * rng.choice([2, 2, 3, 5]) + events[place + 1 :]
    )


def move_event(events: list[bytes], rng: Random) -> list[bytes]:
    events = list(events)
    events.insert(rng.randrange(len(events)), events.pop(rng.randrange(len(events))))
    return events


def put_in_event(events: list[bytes], rng: Random) -> list[bytes]:
    """A payload that is no chunk, or a chunk from elsewhere."""
    place = rng.randrange(len(events) + 1)
    if rng.random() < 0.3:
        return [*events[:place], Sender(rng).event(), *events[place:]]
    frame = rng.choice([b"data: %b\n\n"] * 3 + [b"%b\n", b"event: error\ndata: %b\n\n"])
    return [*events[:place], frame % rng.choice(PAYLOADS).encode(), *events[place:]]


def cut_event(events: list[bytes], rng: Random) -> list[bytes]:
    """Half an event, in the middle or as the end."""
    place = rng.randrange(len(events))
    half = events[place][: rng.randrange(len(events[place]) + 1)]
    return [*events[:place], half, *(events[place + 1 :] if rng.random() < 0.5 else [])]


def in_one_block(events: list[bytes], rng: Random) -> list[bytes]:
    """No blank line after an event, or after any."""
    place = rng.randrange(len(events))
    chosen = range(len(events)) if rng.random() < 0.2 else [place]
    return [
        event.rstrip(b"\r\n") + b"\n" if number in chosen else event
        for number, event in enumerate(events)
    ]


def bare(events: list[bytes], rng: Random) -> list[bytes]:
    """Payloads without their prefix: all, or one."""
    place = rng.randrange(len(events))
    everywhere = rng.random() < 0.4
    return [
        PREFIX.sub(b"", event.rstrip(b"\r\n")) + b"\n" if everywhere or number == place else event
        for number, event in enumerate(events)
    ]


def array(events: list[bytes], rng: Random) -> list[bytes]:
    """All payloads as one JSON array, whole or not."""
    payloads = [PREFIX.sub(b"", event.strip()) for event in events]
    joined = rng.choice([b",", b",\n", b"\n"]).join(one for one in payloads if one[:1] == b"{")
    return [b"[" + joined + rng.choice([b"]", b"]", b"]\n", b""])]


def several_fields(events: list[bytes], rng: Random) -> list[bytes]:
    """One payload in several ``data`` fields."""
    place = rng.randrange(len(events))
    event = events[place]
    at = rng.randrange(len(event) + 1)
    return [*events[:place], event[:at] + b"\ndata:" + event[at:], *events[place + 1 :]]


def snapshots(events: list[bytes], rng: Random) -> list[bytes]:
    """Texts or arguments of all events become snapshots of what was said so far."""
    key = rng.choice(["content", "reasoning_content", "arguments"])
    so_far = ""
    changed = []
    for event in events:
        tree = tree_of_event(event)
        for slot in slots_named(tree, key):
            if isinstance(slot.value, str):
                so_far += slot.value
                slot.put(so_far)
        grows = so_far and len(so_far) < MOST_TEXT
        changed.append(framed_like(event, dump(tree)) if grows and tree is not None else event)
    return changed


def split_text(events: list[bytes], rng: Random) -> list[bytes]:
    """An event as two, each with a part of its text; an escape may stand on both sides."""
    place = rng.randrange(len(events))
    tree = tree_of_event(events[place])
    texts = [
        slot
        for slot in slots_named(tree, "content", "reasoning_content", "arguments", "text", "name")
        if type(slot.value) is str
    ]
    if not texts:
        return events
    slot = rng.choice(texts)
    text = slot.value + rng.choice(["", "😀", *TEXTS])
    units = _units(text)
    at = rng.randrange(len(units) + 1)
    parts = []
    for half in (units[:at], units[at:]):
        slot.put(Literal('"' + "".join(half) + '"'))
        parts.append(framed_like(events[place], dump(tree)))
    return [*events[:place], *parts, *events[place + 1 :]]


def mutate_json(events: list[bytes], rng: Random) -> list[bytes]:
    """The JSON of one event, mutated."""
    place = rng.randrange(len(events))
    tree = tree_of_event(events[place])
    if tree is None:
        return events
    event = framed_like(events[place], mutated(tree, rng))
    return [*events[:place], event, *events[place + 1 :]]


def rewrite(events: list[bytes], rng: Random) -> list[bytes]:
    """The same JSON, written in another way."""
    style = random_style(rng)
    trees = [tree_of_event(event) for event in events]
    return [
        event if tree is None else framed_like(event, dump(tree, style))
        for event, tree in zip(events, trees, strict=True)
    ]


def _units(text: str) -> list[str]:
    """A text as the escapes of its UTF-16 units: half a pair can be cut off."""
    data = text.encode("utf-16-be", "surrogatepass")
    return [f"\\u{data[at : at + 2].hex()}" for at in range(0, len(data), 2)]


def tree_of_event(event: bytes) -> Any:
    """The JSON of an event; None if it has none."""
    text = PREFIX.sub(b"", event, count=1).strip()
    if text[:1] not in (b"{", b"[") or text.count(b"{") + text.count(b"[") > MOST_DEPTH:
        return None
    try:
        return parse(text.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def framed_like(event: bytes, payload: str) -> bytes:
    """A payload in the frame that an event has; each of its lines in a field of its own."""
    found = PREFIX.match(event)
    prefix = found.group() if found else b""
    end = event[len(event.rstrip(b"\r\n")) :]
    return prefix + payload.encode("utf-8", "surrogatepass").replace(b"\n", b"\n" + prefix) + end


EVENT_MUTATIONS: dict[EventMutation, int] = {
    mutate_json: 12,
    drop_event: 2,
    repeat_event: 2,
    move_event: 2,
    put_in_event: 3,
    cut_event: 2,
    in_one_block: 1,
    bare: 1,
    array: 1,
    several_fields: 2,
    snapshots: 1,
    split_text: 2,
    rewrite: 1,
}
"""With the weight of each."""

# Lines ---------------------------------------------------------------------------------------


def drop_line(body: bytes, rng: Random) -> bytes:
    lines = lines_of(body)
    del lines[rng.randrange(len(lines))]
    return b"".join(lines)


def put_in_line(body: bytes, rng: Random) -> bytes:
    lines = lines_of(body)
    lines.insert(rng.randrange(len(lines) + 1), rng.choice(LINES) + rng.choice(ENDS))
    return b"".join(lines)


def before_line(body: bytes, rng: Random) -> bytes:
    """Something before what a line says: a second prefix, a byte order mark, white space."""
    lines = lines_of(body)
    place = rng.randrange(len(lines))
    before = rng.choice([b"data: ", b"data:", b"\xef\xbb\xbf", b" ", b"\t", b"error: ", b": "])
    lines[place] = before + lines[place]
    return b"".join(lines)


def other_end(body: bytes, rng: Random) -> bytes:
    """Another line end, everywhere or once."""
    lines = lines_of(body)
    end = rng.choice(ENDS)
    place = rng.randrange(len(lines))
    everywhere = rng.random() < 0.6
    return b"".join(
        line.rstrip(b"\r\n") + end if everywhere or number == place else line
        for number, line in enumerate(lines)
    )


def without_last_end(body: bytes, rng: Random) -> bytes:
    """The line ends at the end lost, or some of them."""
    stripped = body.rstrip(b"\r\n")
    return body[: rng.randint(len(stripped), len(body))]


# Bytes ---------------------------------------------------------------------------------------


def lose_bytes(body: bytes, rng: Random) -> bytes:
    start = rng.randrange(len(body))
    return body[:start] + body[start + rng.choice([1, 1, 2, 5, 40]) :]


def repeat_bytes(body: bytes, rng: Random) -> bytes:
    start = rng.randrange(len(body))
    end = start + rng.choice([1, 2, 5, 40])
    return body[:end] + body[start:]


def put_in_bytes(body: bytes, rng: Random) -> bytes:
    start = rng.randrange(len(body) + 1)
    return body[:start] + rng.choice(PIECES) + body[start:]


def change_byte(body: bytes, rng: Random) -> bytes:
    start = rng.randrange(len(body))
    value = rng.choice([body[start] ^ 1 << rng.randrange(8), rng.randrange(256)])
    return body[:start] + bytes([value]) + body[start + 1 :]


def cut_off(body: bytes, rng: Random) -> bytes:
    return body[: rng.randrange(len(body))]


def begin_later(body: bytes, rng: Random) -> bytes:
    return body[rng.randrange(min(len(body), 200)) :]


BODY_MUTATIONS: dict[BodyMutation, int] = {
    drop_line: 1,
    put_in_line: 3,
    before_line: 1,
    other_end: 1,
    without_last_end: 1,
    lose_bytes: 1,
    repeat_bytes: 1,
    put_in_bytes: 2,
    change_byte: 1,
    cut_off: 1,
    begin_later: 1,
}
"""With the weight of each."""
