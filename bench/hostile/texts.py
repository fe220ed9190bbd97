"""Hostile texts: long strings, many short pieces, arguments, ids."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, repeat

from bench.hostile.parts import (
    BLANK,
    BODY,
    EVENT,
    LARGE_BODY,
    LIMITS,
    MUCH_TEXT,
    PIECE,
    Input,
    Inputs,
    after,
    again,
    arguments,
    call,
    chunk,
    event,
    events,
    giant,
    in_megabytes,
    numbered,
    open_call,
)

UNITS = {
    "letters": b"a",
    "escapes": b"\\n",
    "escaped letters": b"\\u0061",
    "halves of pairs": b"\\ud800",
    "escaped pairs": b"\\ud83d\\ude00",
    "raw control characters": b"\x01",
    "bytes that are no UTF-8": b"\xff",
    "think tags": b"<think>",
    "quotes": b'\\"',
    "backslashes": b"\\\\",
}
ARGUMENTS = {
    "empty arrays": b"[],",
    "objects": b'{\\"\\":0},',
    "no JSON": b"a",
    "empty strings": b'\\"\\",',
    "halves of pairs": b'\\"\\\\ud800\\",',
}
ONE_EMOJI = b'{"choices":[{"index":0,"delta":{"content":"\xf0\x9f\x98\x80'
WIDE_FRAGMENT = b'{"function":{"arguments":"\xe4\xbd\xa0"}}'


def spread(text: bytes, index: int) -> bytes:
    """A piece of text in every channel of a choice."""
    pieces = b",".join(b'"%s":"%s"' % (key, text) for key in (b"content", b"reasoning", b"refusal"))
    return b'{"index":%d,"delta":{%s}}' % (index, pieces)


def letters(size: int) -> Iterator[bytes]:
    """Chunks of one character each, not all alike."""
    pair = [chunk(b'{"content":"%s"}' % letter) for letter in (b"a", b"b")]
    for _ in range(size // (2 * len(pair[0]) + 2 * len(b"data: \n\n"))):
        yield from (pair[0], BLANK, pair[1], BLANK)


def strings_under_keys(size: int) -> Iterator[bytes]:
    """Chunks with 60,000 keys each, always the same."""
    for _ in range(max(1, size // 700_000)):
        keys = islice(numbered(b',"%x":"ab"', size), 60_000)
        yield from event(b'{"choices":[{"index":0,"delta":{"content":"a"', keys, b"}}]}")


def four_long_calls(size: int) -> Iterator[bytes]:
    """A call in each of four choices, with a quarter of so many bytes of arguments."""
    for index in range(4):
        yield from events([open_call(b'\\"', index)])
        yield from events(repeat(arguments(b"a" * PIECE, index), size // 4 // PIECE))
        last = arguments(b'\\"', index).replace(b"]}}]}", b']},"finish_reason":"tool_calls"}]}')
        yield from events([last])


INPUTS: Inputs = {
    **{
        f"a content of 8 MB of {name}": Input(
            giant(b'{"choices":[{"index":0,"delta":{"content":"', unit, b'"}}]}'),
            8_000_000,
            "done",
            EVENT,
        )
        for name, unit in UNITS.items()
    },
    "a content of 8 MB with one emoji, four bytes a character": Input(
        giant(ONE_EMOJI, b"a", b'"}}]}'), 8_000_000, "done", 4 * EVENT
    ),
    "a number of 8 MB": Input(giant(b'{"choices":[],"x":', b"1", b"}"), 8_000_000, "done", EVENT),
    "a fraction of 8 MB": Input(
        giant(b'{"choices":[],"x":0.', b"1", b"}"), 8_000_000, "done", EVENT
    ),
    "ids of 1 MB, each another": Input(
        in_megabytes(b'{"id":"%d', b"x", b'","choices":[]}'), 128_000_000, "done", EVENT
    ),
    "ids of calls of 1 MB, each another": Input(
        in_megabytes(
            b'{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"%d',
            b"x",
            b'","function":{"name":"f"}}]}}]}',
        ),
        250_000_000,
        "done",
        BODY,
    ),
    "characters of content, one a chunk": Input(letters, 320_000_000, LARGE_BODY, BODY),
    "one character, again and again": Input(
        again(chunk(b'{"content":"a"}')), 27_000_000, "done", BODY
    ),
    "content in chunks of 4 MB": Input(
        in_megabytes(b'{"choices":[{"index":0,"delta":{"content":"', b"ab", b'"}}]}', 4),
        80_000_000,
        MUCH_TEXT,
        LIMITS.text,
    ),
    "content in chunks of 4 MB with one emoji each, four bytes a character": Input(
        in_megabytes(ONE_EMOJI, b"ab", b'"}}]}', 4), 80_000_000, MUCH_TEXT, 4 * LIMITS.text
    ),
    "short texts in all channels of 100 choices": Input(
        again(b'{"choices":[%s]}' % b",".join(spread(b"ab", index) for index in range(100))),
        320_000_000,
        LARGE_BODY,
        BODY,
    ),
    "short strings under 60,000 keys": Input(strings_under_keys, 320_000_000, LARGE_BODY, BODY),
    "logprobs, empty": Input(
        again(b'{"choices":[{"index":0,"logprobs":{},"delta":{"content":"a"}}]}'),
        27_000_000,
        "done",
        BODY,
    ),
    "audio in short pieces": Input(
        again(chunk(b'{"audio":{"data":"ab","transcript":"ab"}}')), 27_000_000, "done", BODY
    ),
    **{
        f"arguments of {name}, in pieces of 4 KB": Input(
            after(
                [open_call(b"[")], again(arguments(unit * (4000 // len(unit)))), [arguments(b"0]")]
            ),
            120_000_000,
            MUCH_TEXT,
            LIMITS.text,
        )
        for name, unit in ARGUMENTS.items()
    },
    "other arguments after 60 MB of them": Input(
        after(
            [open_call(b'[\\"')],
            again(arguments(b"a" * 4000)),
            [
                arguments(b'\\"]'),
                call(b'{"index":0,"function":{"name":"f","arguments":"[1]"}}'),
                call(b'{"index":0,"function":{"arguments":"[2]"}}'),
            ],
        ),
        61_000_000,
        "done",
        LIMITS.text,
    ),
    "arguments in pieces of two characters": Input(
        after([open_call(b"[")], again(arguments(b"ab"))), 320_000_000, LARGE_BODY, BODY
    ),
    "arguments in pieces of one wide character, without an index": Input(
        after([open_call(b"[")], again(call(b",".join([WIDE_FRAGMENT] * 200)))),
        320_000_000,
        LARGE_BODY,
        BODY,
    ),
    "60 MB of arguments in each of four choices": Input(four_long_calls, 240_000_000, "done", BODY),
    "60 calls with one id and 1 MB of arguments each": Input(
        in_megabytes(
            b'{"choices":[{"index":0,"delta":{"tool_calls":[{"index":%d,"id":"a",'
            b'"function":{"name":"f","arguments":"[%d',
            b",[]",
            b']"}}]}}]}',
        ),
        60_000_000,
        "done",
        BODY,
    ),
}
