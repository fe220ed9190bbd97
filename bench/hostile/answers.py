"""Hostile answers: too many choices and calls, odd indexes, broken events, deep nesting."""

from __future__ import annotations

from collections.abc import Iterator

from bench.hostile.parts import (
    EVENT,
    KIB,
    MANY_CALLS,
    MANY_CHOICES,
    MANY_VALUES,
    MIB,
    PIECE,
    Input,
    Inputs,
    after,
    again,
    arguments,
    call,
    chunk,
    each,
    events,
    giant,
    open_call,
)
from untorn import Limits

SAYS = b'{"index":0,"delta":{"content":"a"}},'
NUMBERED_CALL = (
    b'{"choices":[{"index":0,"delta":{"tool_calls":[{"index":%d,"id":"a",'
    b'"function":{"name":"f","arguments":"{}"}}]}}]}'
)
ANOTHER_ID = call(b'{"index":0,"id":"b","function":{"name":"f","arguments":"x"}}')


def long_call_again(size: int) -> Iterator[bytes]:
    """A call with four fifths of so many bytes of arguments, and then its name again and again."""
    yield from events([open_call(b'[\\"'), *[arguments(b"a" * PIECE)] * (size * 4 // 5 // PIECE)])
    yield from again(ANOTHER_ID)(size // 5)


INPUTS: Inputs = {
    "1,000,000 choices in one chunk, more than an event holds": Input(
        giant(b'{"choices":[', b'{"delta":{}},', b"{}]}"), 8_000_000, MANY_VALUES, EVENT
    ),
    "30,000 choices in one chunk": Input(
        giant(b'{"choices":[', SAYS, b'{"index":0,"delta":{}}]}'), 1_000_000, MANY_CHOICES, EVENT
    ),
    "1,000 choices in one chunk": Input(
        giant(b'{"choices":[', SAYS, b'{"index":0,"delta":{}}]}'), 35_000, MANY_CHOICES
    ),
    "1,000,000 choices over the stream": Input(
        each(b'{"choices":[{"index":%d,"delta":{"content":"a"}}]}'), 57_000_000, MANY_CHOICES
    ),
    "600,000 tool calls in one chunk, more than an event holds": Input(
        giant(b'{"choices":[{"index":0,"delta":{"tool_calls":[', b'{"index":0},', b"{}]}}]}"),
        8_000_000,
        MANY_VALUES,
        EVENT,
    ),
    "60,000 tool calls in one chunk": Input(
        giant(b'{"choices":[{"index":0,"delta":{"tool_calls":[', b'{"index":0},', b"{}]}}]}"),
        720_000,
        MANY_CALLS,
        EVENT,
    ),
    "1,000,000 tool calls over the stream": Input(each(NUMBERED_CALL), 120_000_000, MANY_CALLS),
    "one call's id and name, again and again, after long arguments": Input(
        long_call_again,
        20_000_000,
        "done",
        16 * MIB,
    ),
    "1,000,000 broken events": Input(again(b'{"choices":'), 19_000_000, "done"),
    "1,000,000 events of text": Input(again(b"x"), 9_000_000, "done"),
    "1,000,000 times {}": Input(again(b"{}"), 10_000_000, "done"),
    "1,000,000 times []": Input(again(b"[]"), 10_000_000, "done"),
    "1,000,000 times null": Input(again(b"null"), 12_000_000, "done"),
    "[DONE], again and again": Input(again(b"[DONE]"), 7_000_000, "done"),
    "300,000 errors": Input(again(b'{"error":{"message":"x"}}'), 10_000_000, "done"),
    "an error with millions of values": Input(
        giant(b'{"error":{"x":[', b"[],", b"0]}}"), 8_000_000, MANY_VALUES, EVENT
    ),
    "an error of one string": Input(giant(b'{"error":"', b"x", b'"}'), 8_000_000, "done", EVENT),
    "an error without a message": Input(
        giant(b'{"error":{"x":"', b"x", b'"}}'), 8_000_000, "done", EVENT
    ),
    "200,000 usages": Input(
        again(b'{"choices":[],"usage":{"prompt_tokens":1}}'), 10_000_000, "done"
    ),
    "200,000 finish reasons": Input(
        again(b'{"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}'), 14_000_000, "done"
    ),
    "arguments, nested 10^5 deep": Input(
        after([open_call(b"[")], again(arguments(b"[" * KIB))), 120_000, "done"
    ),
    "values nested 200 deep, all over": Input(
        giant(b'{"choices":[],"x":[', b"[" * 200 + b"]" * 200 + b",", b"0]}"),
        8_000_000,
        MANY_VALUES,
        EVENT,
    ),
}

for name, index in {
    "10^9": b"1000000000",
    "-1": b"-1",
    '"7"': b'"7"',
    "1.5": b"1.5",
    "of 10^5 digits": b"1" * 10**5,
    "a string of 10^5 digits": b'"' + b"1" * 10**5 + b'"',
}.items():
    odd = b'{"choices":[{"index":%s,"delta":{"content":"a"},"finish_reason":"stop"}]}' % index
    INPUTS[f"index {name}"] = Input(again(odd), 4_000_000, "done")
    odd = call(b'{"index":%s,"id":"a","function":{"name":"f"}}' % index)
    INPUTS[f"index {name} of a call"] = Input(again(odd), 4_000_000, "done")

for bracket, name in ((b"[", "arrays"), (b'{"a":', "objects")):
    INPUTS[f"nesting of 10^5 {name}"] = Input(
        giant(b'{"choices":[{"index":0,"delta":{"content":"a","x":', bracket, b""),
        10**5 * len(bracket),
        "done",
        EVENT,
    )

MANY_OPEN_CALLS = [
    chunk(
        b'{"tool_calls":[%s]}'
        % b",".join(
            b'{"index":%d,"id":"%d","function":{"name":"f","arguments":"1"}}' % (number, number)
            for number in range(100)
        ),
        choice,
    )
    for choice in range(20)
]
INPUTS["empty arrays near the limit of a text, beside 20 choices with 100 calls each"] = Input(
    after([*MANY_OPEN_CALLS, chunk(b'{"content":"%s"}' % (b"a" * 10_000))], again(b"[]")),
    6_000_000,
    "done",
    read_size=10,
    limits=Limits(text=11_000),
)
