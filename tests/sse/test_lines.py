"""Bytes to lines, however they are cut."""

from __future__ import annotations

import re
import tracemalloc
from collections.abc import Iterable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.helpers import cuttings, two_way_cuts
from tests.sse.strategies import bodies, reads
from untorn.sse.lines import MOST_PIECES, MUCH, LineSplitter, merge_pieces

BOM = b"\xef\xbb\xbf"

Reading = tuple[list[tuple[int, bytes]], tuple[int, bytes] | None]
"""Lines with their offsets; offset and first bytes of a line over the limit."""


def expected(body: bytes, limit: int) -> Reading:
    """By a regular expression on the whole body."""
    lines: list[tuple[int, bytes]] = []
    start = len(BOM) if body.startswith(BOM) else 0
    for end in re.compile(rb"\r\n|\r|\n|\Z").finditer(body, start):
        line = body[start : end.start()]
        if len(line) > limit:
            return lines, (start, line[:limit])
        if line or end.group():
            lines.append((start, line))
        start = end.end()
    return lines, None


def split(parts: Iterable[bytes], limit: int = 1000) -> Reading:
    """The same from a LineSplitter. Checks what must hold after each read."""
    splitter = LineSplitter(limit)
    body = b""
    found: list[tuple[int, bytes]] = []

    def take(lines: list[bytes]) -> None:
        offsets = [splitter.line_offset(number) for number in range(len(lines))]
        found.extend(zip(offsets, lines, strict=True))
        assert body[splitter.offset :].startswith(lines[0] if lines else splitter.rest)

    for data in parts:
        body += data
        lines = splitter.receive_data(data)
        take(lines)
        offsets = splitter.line_offsets()
        assert offsets == [splitter.line_offset(number) for number in range(len(lines) + 1)]
        assert offsets[0] == splitter.offset
        assert body[offsets[-1] :].startswith(splitter.rest)
        assert splitter.exceeded or len(body) == offsets[-1] + len(splitter.rest)
    take(splitter.receive_eof())
    assert splitter.line_offsets() == [splitter.offset]
    return found, (splitter.offset, splitter.rest) if splitter.exceeded else None


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        (b"", []),
        (b"a", [b"a"]),
        (b"a\n", [b"a"]),
        (b"a\nb\n\n", [b"a", b"b", b""]),
        (b"a\rb\r\r", [b"a", b"b", b""]),
        (b"a\r\nb\r\n\r\n", [b"a", b"b", b""]),
        (b"a\n\rb", [b"a", b"", b"b"]),
        (b"a\r\r\nb", [b"a", b"", b"b"]),
        (b"a\x0b\x0c\x1c\x1d\x1e\x85\xe2\x80\xa8b\r", [b"a\x0b\x0c\x1c\x1d\x1e\x85\xe2\x80\xa8b"]),
        (BOM, []),
        (BOM + b"\n" + BOM, [b"", BOM]),
        (BOM + BOM, [BOM]),
        (b"\xef\xbb", [b"\xef\xbb"]),
        (b"\xef\xbb\n", [b"\xef\xbb"]),
        (b"\xef\xbba", [b"\xef\xbba"]),
    ],
)
def test_lf_cr_and_crlf_end_a_line_and_nothing_else_does(body: bytes, lines: list[bytes]) -> None:
    for parts in (*cuttings(body), *two_way_cuts(body)):
        assert [line for _, line in split(parts)[0]] == lines


@given(reads(), st.integers(0, 60) | st.just(1000))
@example([b"a\nb", b"\nb\nccc\nd"], 2)
@example([b"a\r\nb", b"\r\nb\rccc\nd", b"\n"], 2)
@example([b"a\r", b"", b"\n", b"b"], 1000)
@example([b"\xef", b"\xbb"], 1)
@example([b"a\nbb\ncc\n"], 1)
@example([b"a\r\nb\rbb", b"b\r\nc"], 3)
def test_every_cutting_gives_the_same_lines_at_their_offsets(
    parts: list[bytes], limit: int
) -> None:
    body = b"".join(parts)
    lines, over = expected(body, limit)
    assert split(parts, limit) == (lines, over)
    assert all(body[offset : offset + len(line)] == line for offset, line in lines)


@given(bodies)
def test_lines_come_at_the_earliest_byte(body: bytes) -> None:
    splitter = LineSplitter()
    lines: list[bytes] = []
    for size in range(1, len(body) + 1):
        lines += splitter.receive_data(body[size - 1 : size])
        ended = re.findall(rb"([^\r\n]*)(?:\r\n|\r|\n)", body[:size].removeprefix(BOM))
        assert lines == ended


def test_cr_at_end_of_read_ends_the_line_at_once() -> None:
    splitter = LineSplitter()
    assert splitter.receive_data(b"a\r") == [b"a"]
    assert splitter.receive_data(b"\n") == []
    assert splitter.offset == 3
    assert splitter.receive_data(b"\n") == [b""]


def test_empty_read_is_no_end_and_changes_nothing() -> None:
    splitter = LineSplitter()
    for data, lines in [(b"a\r", [b"a"]), (b"", []), (b"\n", []), (b"b", []), (b"", [])]:
        assert splitter.receive_data(data) == lines
    assert (splitter.offset, splitter.rest) == (3, b"b")
    assert splitter.receive_data(b"\n") == [b"b"]


def test_torn_bom_is_held_until_it_is_known() -> None:
    splitter = LineSplitter()
    assert splitter.receive_data(b"\xef") == []
    assert splitter.rest == b"\xef"
    assert splitter.receive_data(b"\xbb") == []
    assert splitter.receive_data(b"\xbf") == []
    assert (splitter.offset, splitter.rest) == (3, b"")


def test_last_line_is_given_once() -> None:
    splitter = LineSplitter()
    assert splitter.receive_data(b"a\nbc") == [b"a"]
    assert splitter.receive_eof() == [b"bc"]
    assert (splitter.offset, splitter.rest) == (2, b"")
    assert splitter.receive_eof() == []
    assert splitter.offset == 4


def test_line_at_the_limit_is_whole_and_one_byte_more_is_over_it() -> None:
    for parts in cuttings(BOM + b"12345\r\n123456\n1\n"):
        assert split(parts, 6) == ([(3, b"12345"), (10, b"123456"), (17, b"1")], None)
        assert split(parts, 5) == ([(3, b"12345")], (10, b"12345"))


def test_bytes_after_a_long_line_are_ignored() -> None:
    splitter = LineSplitter(3)
    assert splitter.receive_data(b"a\nbcdef") == [b"a"]
    assert splitter.exceeded
    assert splitter.receive_data(b"\nx\n") == []
    assert splitter.receive_eof() == []
    assert (splitter.offset, splitter.rest) == (2, b"bcd")


def test_long_line_in_tiny_reads_takes_little_more_memory_than_its_size() -> None:
    reads = 20 * MOST_PIECES
    splitter = LineSplitter()
    splitter.receive_data(b"a\n" + b"x" * MUCH)
    tracemalloc.start()
    for number in range(reads):
        splitter.receive_data(b"%02d" % (number % 100))
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert used < 1.5 * (MUCH + 2 * reads)
    (line,) = splitter.receive_data(b"\n")
    assert line == b"x" * MUCH + b"".join(b"%02d" % (n % 100) for n in range(reads))
    assert splitter.offset == 2


def test_pieces_that_were_merged_are_not_copied_when_more_are() -> None:
    pieces: list[bytes | bytearray] = [b"a", b"b"]
    merge_pieces(pieces, b"\n")
    (merged,) = pieces
    pieces.append(b"c")
    merge_pieces(pieces, b"\n")
    assert pieces == [b"a\nb\nc"]
    assert pieces[0] is merged


def test_whole_lines_may_be_read_past_the_splitter() -> None:
    splitter = LineSplitter()
    assert not splitter.is_between_lines  # a byte order mark may come
    assert splitter.receive_data(b"a\nb") == [b"a"]
    assert (splitter.is_between_lines, splitter.held) == (False, 1)
    assert splitter.receive_data(b"\n") == [b"b"]
    assert (splitter.is_between_lines, splitter.held) == (True, 0)
    splitter.start += len(b"c\n\n")
    assert splitter.receive_data(b"d\r") == [b"d"]
    assert splitter.offset == splitter.line_offset(0) == 7
    assert not splitter.is_between_lines  # the LF of a CRLF may come


def test_read_can_be_forgotten_once_nobody_asks_for_its_offsets() -> None:
    splitter = LineSplitter()
    splitter.receive_data(b"a\nbc\nd")
    assert splitter.line_offset(1) == 2
    splitter.forget_read()
    assert splitter.receive_data(b"e\n") == [b"de"]
    assert (splitter.offset, splitter.line_offsets()) == (5, [5, 8])


def test_nothing_is_held_before_the_first_read() -> None:
    splitter = LineSplitter()
    assert (splitter.held, splitter.rest, splitter.line_offsets()) == (0, b"", [0])


def halves(begin: bytes, data: bytes) -> tuple[list[bytes], bytes] | None:
    """Splits at the last LF, if there is one."""
    made, end, rest = (begin + data).rpartition(b"\n")
    return (made.split(b"\n"), rest) if end else None


def test_read_may_be_split_by_somebody_else() -> None:
    splitter = LineSplitter()
    splitter.receive_data(b"a\nb")
    assert splitter.let_split(halves, b"c\nd\nef") == [b"bc", b"d"]
    assert (splitter.rest, splitter.held) == (b"ef", 2)
    assert splitter.line_offsets() == [2, 5, 7]
    assert splitter.let_split(halves, b"gh\n") == [b"efgh"]
    assert (splitter.rest, splitter.is_between_lines) == (b"", True)
    assert (splitter.offset, splitter.line_offset(0)) == (7, 7)
    assert splitter.let_split(halves, b"i") is None
    assert splitter.receive_data(b"j\n") == [b"j"]
    assert splitter.offset == 12


def test_somebody_else_gets_all_that_is_held_of_a_line_and_nothing_that_is_not() -> None:
    splitter = LineSplitter()
    splitter.receive_data(b"a\n")
    assert splitter.let_split(halves, b"b\nc") == [b"b"]
    splitter.receive_data(b"d")
    assert splitter.let_split(halves, b"ef\n") == [b"cdef"]


def test_read_is_not_split_by_somebody_else_where_the_splitter_has_to_look() -> None:
    splitter = LineSplitter(limit=6)
    assert splitter.let_split(halves, b"a\n") is None  # a byte order mark may come
    splitter.receive_data(b"a\r")
    assert splitter.let_split(halves, b"\nb\n") is None  # the LF of a CRLF may come
    splitter.receive_data(b"\nabc")
    assert splitter.let_split(halves, b"d\n") is None  # more is held than comes
    assert splitter.let_split(halves, b"de\nf\n") is None  # it may be over the limit
    assert splitter.let_split(halves, b"de\n") == [b"abcde"]


def test_nothing_begins_a_line_after_the_limit() -> None:
    splitter = LineSplitter(limit=2)
    splitter.receive_data(b"abc\n")
    assert splitter.exceeded
    assert not splitter.is_between_lines
