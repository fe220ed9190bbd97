"""Inputs as mere bytes, for a search that knows nothing else: two bytes, and the body."""

from __future__ import annotations

from fuzz.inputs import CONTENT_TYPES, Ending, Input, limits_of
from fuzz.words import KEYS, LINES, PAYLOADS, PIECES
from untorn import Limits, Options

HEADS: list[tuple[int | None, str | None]] = [
    *((200, content_type) for content_type in CONTENT_TYPES),
    *((status, content_type) for status in (404, 500) for content_type in CONTENT_TYPES[:4]),
    (None, None),
]
ENDINGS: list[Ending] = ["eof", "cut", "stalled", "cancelled"]
LIMITS: list[Limits] = [
    Limits(),
    *(limits_of(line=size) for size in (5, 40, 300)),
    *(limits_of(event=size) for size in (5, 40, 300)),
    *(limits_of(body=size) for size in (1, 50, 300)),
    *(limits_of(text=size) for size in (1, 20)),
    *(limits_of(choices=1), limits_of(tool_calls=1), limits_of(extras=1), limits_of(name=4)),
    limits_of(depth=5),
]
OPTIONS = [
    Options(limits=limits, **more)
    for more in ({}, {"accept_done_without_finish_reason": True}, {"choices": 2})
    for limits in LIMITS
]


def input_of(data: bytes) -> Input:
    """The input that bytes stand for; any bytes do."""
    first, second = (data + b"\0\0")[:2]
    status, content_type = HEADS[first % len(HEADS)]
    ending = ENDINGS[first // len(HEADS) % len(ENDINGS)]
    return Input(data[2:], status, content_type, OPTIONS[second % len(OPTIONS)], ending)


def bytes_of(body: bytes, status: int, content_type: str | None) -> bytes:
    """The bytes that stand for a response, read without options; or for one much like it."""
    head = (status, content_type)
    return bytes([HEADS.index(head) if head in HEADS else 0, 0]) + body


def dictionary() -> str:
    """Words that streams are made of, as libFuzzer reads them."""
    words = {*(f'"{key}":'.encode() for key in KEYS), *(one.encode() for one in PAYLOADS)}
    words |= {*LINES, *PIECES}
    return "".join(f'"{_escaped(word)}"\n' for word in sorted(words) if word)


def _escaped(word: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in word)
