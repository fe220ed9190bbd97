"""What ``curl -i`` writes down of one response: head and body told apart."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untorn.capture import RawHead
from untorn.capture.dump import HEAD_LIMIT, DumpReader

OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nX-Request-Id: r1\r\n\r\n"
OK_HEAD = RawHead(200, [("Content-Type", "text/event-stream"), ("X-Request-Id", "r1")])
BODY = b"data: {}\n\ndata: [DONE]\n\n"


def read(reads: list[bytes]) -> tuple[RawHead | None, bytes]:
    """The head and the body of a dump; fails if a head comes twice or after the body."""
    reader = DumpReader()
    parts = [part for data in reads for part in reader.receive_data(data)]
    parts += reader.receive_eof()
    heads = [part for part in parts if isinstance(part, RawHead)]
    assert parts[: len(heads)] == heads[:1]
    return (heads[0] if heads else None), b"".join(p for p in parts if isinstance(p, bytes))


def every_cutting(dump: bytes) -> list[list[bytes]]:
    two = [[dump[:at], dump[at:]] for at in range(len(dump) + 1)]
    sized = [[dump[at : at + n] for at in range(0, len(dump), n)] for n in (1, 2, 3, 7, 37)]
    return [*two, *sized]


DUMPS = {
    "raw-body": (BODY, None, BODY),
    "empty": (b"", None, b""),
    "crlf": (OK + BODY, OK_HEAD, BODY),
    "lf": (OK.replace(b"\r\n", b"\n") + BODY, OK_HEAD, BODY),
    "no-body": (OK, OK_HEAD, b""),
    "http-2": (
        b"HTTP/2 429 \r\nretry-after: 3\r\n\r\n" + BODY,
        RawHead(429, [("retry-after", "3")]),
        BODY,
    ),
    "no-headers": (b"HTTP/1.0 500\n\nsorry", RawHead(500, []), b"sorry"),
    "continue": (b"HTTP/1.1 100 Continue\r\n\r\n" + OK + BODY, OK_HEAD, BODY),
    "proxy": (b"HTTP/1.1 200 Connection established\r\nvia: p\r\n\r\n" + OK + BODY, OK_HEAD, BODY),
    "redirects": (2 * b"HTTP/2 302 \r\nlocation: /v1\r\n\r\n" + OK + BODY, OK_HEAD, BODY),
    "folded": (b"HTTP/1.1 200 OK\r\na: b\r\n\t c\r\n\r\n", RawHead(200, [("a", "b c")]), b""),
    "folded-first": (b"HTTP/1.1 200 OK\r\n c\r\na: b\r\n\r\n", RawHead(200, [("a", "b")]), b""),
    "no-colon": (b"HTTP/1.1 200 OK\r\nodd\r\na: b:c\r\n\r\n", RawHead(200, [("a", "b:c")]), b""),
    "latin-1": (
        b"HTTP/1.1 200 OK\r\na: \xe9\xa0\r\n\r\n\xe9",
        RawHead(200, [("a", "\xe9\xa0")]),
        b"\xe9",
    ),
    "blank-lines-first": (b"\r\n" + OK, None, b"\r\n" + OK),
    "body-begins-like-a-head": (OK + b"HTTP/x is a name\n\n", OK_HEAD, b"HTTP/x is a name\n\n"),
    "body-is-the-prefix": (OK + b"HTT", OK_HEAD, b"HTT"),
    "no-status-line": (b"HTTP/1.1 2000 OK\n\n", None, b"HTTP/1.1 2000 OK\n\n"),
    "cut-in-status-line": (b"HTTP/1.1 200 O", None, b"HTTP/1.1 200 O"),
    "cut-in-header": (
        b"HTTP/1.1 200 OK\r\na: b\r\nc: d",
        RawHead(200, [("a", "b")]),
        b"",
    ),
}


@pytest.mark.parametrize("name", DUMPS)
def test_a_dump_reads_the_same_for_every_cutting(name: str) -> None:
    dump, head, body = DUMPS[name]
    for reads in every_cutting(dump):
        assert read(reads) == (head, body)


@given(
    pieces=st.lists(
        st.sampled_from(
            [
                b"HTTP/1.1 200 OK",
                b"HTTP/",
                b"a: b",
                b"\r",
                b"\n",
                b"\r\n",
                b"\n\n",
                b" ",
                b"data: x",
            ]
        ),
        max_size=12,
    ),
    cuts=st.lists(st.integers(min_value=0, max_value=120), max_size=6),
)
def test_cuts_mean_nothing(pieces: list[bytes], cuts: list[int]) -> None:
    dump = b"".join(pieces)
    edges = [0, *sorted(min(cut, len(dump)) for cut in cuts), len(dump)]
    reads = [dump[a:b] for a, b in pairwise(edges)]
    assert read(reads) == read([dump]) == read([dump[n : n + 1] for n in range(len(dump))])


@given(st.binary())
def test_what_does_not_begin_with_a_head_is_all_body(data: bytes) -> None:
    assert read([b"data: " + data]) == (None, b"data: " + data)


def test_body_bytes_come_out_with_the_read_that_brings_them() -> None:
    reader = DumpReader()
    assert reader.receive_data(b"d") == [b"d"]
    assert reader.receive_data(b"") == []
    assert reader.receive_data(b"HTTP/1.1 200 OK\n\n") == [b"HTTP/1.1 200 OK\n\n"]
    assert reader.receive_eof() == []


def test_the_head_comes_with_the_first_byte_that_cannot_begin_another() -> None:
    reader = DumpReader()
    assert reader.receive_data(OK) == []
    assert reader.receive_data(b"d") == [OK_HEAD, b"d"]


@pytest.mark.parametrize("size", [1024, 65_536, HEAD_LIMIT * 2])
def test_a_head_over_the_limit_is_body(size: int) -> None:
    line = b"a: " + b"x" * 500 + b"\n"
    start = b"HTTP/1.1 200 OK\n"
    fits = start + line * ((HEAD_LIMIT - len(start) - 1) // len(line))
    for dump, whole in ((fits + b"\n" + BODY, True), (fits + line + b"\n" + BODY, False)):
        head, body = read([dump[at : at + size] for at in range(0, len(dump), size)])
        assert (head is not None, body) == ((True, BODY) if whole else (False, dump))


def test_a_status_line_without_an_end_is_held_only_up_to_the_limit() -> None:
    reader = DumpReader()
    data = b"HTTP/" + b"x" * (HEAD_LIMIT - 6)
    assert reader.receive_data(data) == []
    assert reader.receive_data(b"xyz") == [data + b"xyz"]
