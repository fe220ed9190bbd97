"""Hostile lines: endless ones, tiny ones, and lines that are no event."""

from __future__ import annotations

from itertools import chain

from bench.hostile.parts import (
    BODY,
    EVENT,
    KIB,
    LARGE_BODY,
    LARGE_EVENT,
    LIMITS,
    LONG_LINE,
    MANY_LINES,
    MIB,
    PIECE,
    Input,
    Inputs,
    Make,
    chunk,
    line_of,
    lines_of,
    many,
)
from untorn import Limits

RAISED = Limits(line=56 * MIB, event=56 * MIB)
TEXT = b'data: {"choices":[{"delta":{"content":"'


def _lines(
    make: Make,
    size: int,
    ends: str | tuple[str, ...],
    keeps: int = 0,
    *,
    read_size: int = PIECE,
    status: int = 200,
    limits: Limits = LIMITS,
) -> Input:
    return Input(make, size, ends, keeps, False, read_size, status, limits)


INPUTS: Inputs = {
    "an endless line": _lines(lines_of(b"x"), 128 * MIB, LONG_LINE, EVENT),
    "an endless line of data": _lines(lines_of(b"x", b'data: {"'), 128 * MIB, LONG_LINE, EVENT),
    "an endless line of NULs": _lines(lines_of(b"\0"), 128 * MIB, LONG_LINE, EVENT),
    "1 GB of one event, in reads of 4 KiB": _lines(
        lines_of(b"data: " + b"x" * 1017 + b"\n"), 10**9, LARGE_EVENT, EVENT, read_size=4 * KIB
    ),
    "a line of 50 MiB in reads of 37 bytes, limit raised": _lines(
        lines_of(b"x", TEXT, b'"}}]}\n\n'), 50 * MIB, "eof", 56 * MIB, read_size=37, limits=RAISED
    ),
    "a line of NULs": _lines(line_of(b"\0"), 8_000_000, "eof", EVENT),
    "a line of byte order marks": _lines(line_of(b"\xef\xbb\xbf"), 8_000_000, "eof", EVENT),
    "a line of data:": _lines(line_of(b"data:"), 8_000_000, "eof", EVENT),
    "a line of data: with spaces": _lines(line_of(b"data: "), 8_000_000, "eof", EVENT),
    "a line of colons": _lines(line_of(b":"), 8_000_000, "eof", EVENT),
    "a line of bytes that are no UTF-8": _lines(
        line_of(b"\xff", b"data: "), 8_000_000, "eof", EVENT
    ),
    "only CRs": _lines(lines_of(b"\r"), 10_000_000, "eof"),
    "only LFs": _lines(lines_of(b"\n"), 10_000_000, "eof"),
    "lines of a NUL": _lines(lines_of(b"\0\n"), 4_000_000, "eof"),
    "2,000,000 CRLFs, in reads of one byte": _lines(
        lines_of(b"\r\n"), 4_000_000, "eof", read_size=1
    ),
    "1,000,000 empty events": _lines(lines_of(b"data:\n\n"), 7_000_000, "eof"),
    "2,000,000 comments": _lines(lines_of(b":\n"), 4_000_000, "eof"),
    "1,000,000 names of events": _lines(lines_of(b"event: x\n\n"), 10_000_000, "eof"),
    "2,000,000 stray lines": _lines(lines_of(b"x\n"), 4_000_000, "eof"),
    "1,000,000 stray lines with choices": _lines(lines_of(b'"choices"\n'), 10_000_000, "eof"),
    "1,000,000 lines of a byte order mark": _lines(lines_of(b"\xef\xbb\xbf\n"), 4_000_000, "eof"),
    "1,000,000 errors as fields": _lines(lines_of(b"error: x\n"), 9_000_000, "eof"),
    "whole data lines without a blank one": _lines(
        lines_of(b"data: {}\n"), 9_000_000, ("eof", *MANY_LINES), EVENT
    ),
    "1,000,000 whole bare lines": _lines(lines_of(b"{}\n"), 3_000_000, "eof"),
    "bare lines that are torn": _lines(
        lines_of(b"{\n", b"data: {}\n\n"), 8_000_000, MANY_LINES, EVENT
    ),
    "an event of empty data lines": _lines(
        lines_of(b"data:\n", b":\n"), 8_000_000, MANY_LINES, EVENT
    ),
    "an event of short data lines": _lines(
        lines_of(b"data: 1\n", b":\n"), 8_000_000, MANY_LINES, EVENT
    ),
    "an event of torn data lines": _lines(
        lines_of(b"data: {\n", b":\n"), 8_000_000, MANY_LINES, EVENT
    ),
    "a document of blank lines": _lines(lines_of(b"\n", b"{", b"}"), 8_000_000, MANY_LINES, EVENT),
    "a document of short lines": _lines(
        lines_of(b"1,\n", b"[\n", b"1]"), 8_000_000, MANY_LINES, EVENT
    ),
    "a document of one long line": _lines(
        lines_of(b"[],", b"[", b"1]"),
        8_000_000,
        f"a document of more than {LIMITS.values} values",
        EVENT,
    ),
    "a text of short lines": _lines(lines_of(b"ab\n"), 8_000_000, MANY_LINES, EVENT, status=500),
    "a text of one line": _lines(line_of(b"ab"), 8_000_000, "document", EVENT, status=500),
    "a page of HTML": _lines(lines_of(b"<p>\n", b"<html>\n"), 16_000_000, "document"),
    "gzip": _lines(lines_of(b"x", b"\x1f\x8b"), 128 * MIB, ("eof", LONG_LINE), EVENT),
    "large comments": _lines(lines_of(b": " + b"x" * 1000 + b"\n"), 300 * MIB, LARGE_BODY),
    "one character, again and again, from the begin": _lines(
        lines_of(b"data: " + chunk(b'{"content":"a"}') + b"\n\n"), 27_000_000, "eof", BODY
    ),
    "snapshots, each 64 KiB longer": _lines(
        lambda size: chain.from_iterable(
            chain([TEXT], many(b"a", number * PIECE), [b'"}}]}\n\n'])
            for number in range(1, int((2 * size / PIECE) ** 0.5))
        ),
        100_000_000,
        "eof",
        EVENT,
    ),
}
