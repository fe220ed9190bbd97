"""Hostile values: a few bytes each, and many times as much memory once they are decoded."""

from __future__ import annotations

from collections.abc import Iterator

from bench.hostile.parts import (
    BODY,
    EVENT,
    LIMITS,
    MANY_CHOICES,
    MANY_EXTRAS,
    MANY_VALUES,
    Input,
    Inputs,
    Make,
    again,
    call,
    chunk,
    each,
    event,
    giant,
    many,
    numbered,
)

KINDS = {
    "empty arrays": b"[],",
    "empty objects": b"{},",
    "small objects": b'{"":0},',
    "numbers": b"0,",
    "floats": b"0.5,",
    "empty strings": b'"",',
    "short strings": b'"ab",',
}
PLACES = {
    "the usage": b'{"choices":[],"usage":{"prompt_tokens":1,"x":[*]}}',
    "a usage in an extension": b'{"choices":[],"x_groq":{"usage":{"total_tokens":1,"x":[*]}}}',
    "logprobs": (b'{"choices":[{"index":0,"delta":{"content":"a"},"logprobs":{"content":[*]}}]}'),
    "annotations": chunk(b'{"annotations":[*]}'),
    "reasoning details": chunk(b'{"reasoning_details":[*]}'),
    "content parts": chunk(b'{"content":[*]}'),
    "audio": chunk(b'{"audio":{"x":[*]}}'),
    "arguments that are no string": call(
        b'{"index":0,"id":"a","function":{"name":"f","arguments":[*]}}'
    ),
    "choices": b'{"choices":[*]}',
    "tool calls": chunk(b'{"tool_calls":[*]}'),
    "an array": b"[*]",
    "an event that is nothing": b'{"x":[*]}',
}
# As many as just fit into one event: what they are, and how many times they count.
FITTING = {
    "objects": (b'{"":0},', 6),
    "keys that come twice": (b'{"":0,"":0},', 8),
    "arrays": (b"[],", 3),
    "arrays in arrays": (b"[" * 100 + b"]" * 100 + b",", 201),
    "short strings": (b'"ab",', 2),
    "floats": (b"0.5,", 1),
}
# What a key holds counts by sixteens.
LARGE_VALUE = b"[" + b"[]," * 10_000 + b"0]"


def giant_in(place: bytes, unit: bytes) -> Make:
    """One event, full of ``unit`` where the place has its asterisk."""
    begin, end = place.split(b"*")
    return giant(begin, unit, b"0" + end)


def fitting(unit: bytes, weight: int, escape: bytes) -> Make:
    """One event with nearly as many values as it may hold, and a long string beside them."""
    begin = b'{"choices":[],"usage":{"prompt_tokens":1,"":"%s","x":[' % escape

    def make(size: int) -> Iterator[bytes]:
        most = (LIMITS.values - 100) // weight * len(unit) * size // EVENT
        values = min(most, size - 1000)
        filling = size - 1000 - values
        return event(begin, many(unit, values), b'"', many(b"x", filling), b'"]}}')

    return make


def distinct_keys(size: int) -> Iterator[bytes]:
    """One chunk with as many keys as fit into so many bytes."""
    return event(chunk(b'{"content":"a"}')[:-1], numbered(b',"key%d":0', size), b"}")


INPUTS: Inputs = {
    "a chunk with 300,000 keys": Input(distinct_keys, 4_000_000, MANY_VALUES, EVENT),
    "a chunk with 100,000 keys": Input(distinct_keys, 1_200_000, MANY_EXTRAS, EVENT),
    "100,000 different keys of chunks over the stream": Input(
        each(b'{"choices":[{"index":0,"delta":{"content":"a"}}],"key%d":0}'), 7_000_000, MANY_EXTRAS
    ),
    "100,000 different keys of choices over the stream": Input(
        each(b'{"choices":[{"index":0,"delta":{"content":"a"},"key%d":0}]}'), 7_000_000, MANY_EXTRAS
    ),
    "100,000 different keys of deltas over the stream": Input(
        each(b'{"choices":[{"index":0,"delta":{"content":"a","key%d":0}}]}'), 7_000_000, MANY_EXTRAS
    ),
    "100,000 different keys of one reasoning block over the stream": Input(
        each(b'{"choices":[{"index":0,"delta":{"reasoning_details":[{"type":"a","key%d":0}]}}]}'),
        10_000_000,
        MANY_EXTRAS,
    ),
    "different keys full of values, over the stream": Input(
        each(b'{"choices":[{"index":0,"delta":{"key%d":' + LARGE_VALUE + b"}}]}"),
        32_000_000,
        MANY_EXTRAS,
    ),
    "one key full of values, replaced again and again": Input(
        again(chunk(b'{"x":' + LARGE_VALUE + b"}")), 32_000_000, "done"
    ),
    "numbers of 4,300 digits": Input(
        giant(b'{"choices":[],"x":[', b"1" * 4300 + b",", b"0]}"), 8_000_000, "done", EVENT
    ),
    "NaNs": Input(giant(b'{"choices":[],"x":[', b"NaN,", b"0]}"), 8_000_000, MANY_VALUES, EVENT),
    "a number out of range beside the logprobs of many choices": Input(
        giant(b'{"x":1e999,"choices":[', b'{"logprobs":{"a":0}},', b"{}]}"),
        800_000,
        MANY_CHOICES,
        EVENT,
    ),
    "an array of chunks": Input(
        giant(b"[", chunk(b'{"content":"a"}') + b",", chunk(b'{"content":"a"}') + b"]"),
        1_000_000,
        "done",
        EVENT,
    ),
    "an array of chunks with half a pair": Input(
        giant(b"[", chunk(b'{"content":"\\ud83d"}') + b",", chunk(b'{"content":"a"}') + b"]"),
        1_000_000,
        "done",
        EVENT,
    ),
}

for name, unit in KINDS.items():
    INPUTS[f"millions of {name} under an unknown key"] = Input(
        giant_in(chunk(b'{"content":"a","x":[*]}'), unit), 8_000_000, MANY_VALUES, EVENT
    )
for name, place in PLACES.items():
    INPUTS[f"millions of empty objects in {name}"] = Input(
        giant_in(place, b"{},"), 8_000_000, MANY_VALUES, EVENT
    )
for name, (unit, weight) in FITTING.items():
    for more, escape in {"": b"", " beside half a pair": b"\\ud800"}.items():
        INPUTS[f"as many {name} as fit into one event{more}"] = Input(
            fitting(unit, weight, escape), 8_000_000, "done", EVENT
        )
for name, delta in {
    "annotations": b'{"annotations":[%s]}',
    "reasoning details": b'{"reasoning_details":[{"type":"a","data":%s}]}',
    "content parts": b'{"content":[{"type":"image","x":%s}]}',
}.items():
    INPUTS[f"{name} full of values, over the stream"] = Input(
        again(chunk(delta % LARGE_VALUE)), 32_000_000, MANY_EXTRAS, BODY
    )
