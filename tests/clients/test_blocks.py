"""Where events begin and end, and what is kept of them."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import cuttings, two_way_cuts
from untorn.clients.blocks import FRAME, Block, is_silence, pieces_of
from untorn.options import Limits

LIMITS = Limits(event=100, lines=4)
LONGEST = FRAME + 100


def blocks(reads: Iterable[bytes]) -> list[bytes]:
    """All blocks but silent ones, and what is left."""
    block = Block(LIMITS)
    taken = []
    for data in reads:
        for piece in pieces_of(data, block):
            if block.is_at_rest and is_silence(piece):
                continue
            if block.is_at_rest and piece.endswith(b"\n\n"):
                taken.append(piece)
            elif block.add(piece):
                taken.append(block.take())
    return [*taken, block.take()]


def test_block_ends_with_its_blank_line() -> None:
    assert blocks([b"data: a\n\nid: 1\n: b\n\ndata: c\n"]) == [
        b"data: a\n\n",
        b"id: 1\n: b\n\n",
        b"data: c\n",
    ]


def test_whole_event_at_rest_is_one_piece_and_other_lines_are_pieces() -> None:
    block = Block(LIMITS)
    data = b"data: a\n\nid: b\n\ndata: c\n\ndata: d"
    pieces = []
    for piece in pieces_of(data, block):
        pieces.append(piece)
        if not piece.startswith((b"data: a", b"data: c")) and block.add(piece):
            block.take()
    assert pieces == [b"data: a\n\n", b"id: b\n", b"\n", b"data: c\n\n", b"data: d"]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_comments_and_blank_lines_are_one_piece(end: bytes) -> None:
    silence = end + b": a" + end + b":" + end + end + end
    pieces = list(pieces_of(silence + b": b" + end + b"data: c", Block(LIMITS)))
    assert pieces == [silence + b": b" + end, b"data: c"]
    assert [is_silence(piece) for piece in pieces] == [True, False]
    assert not is_silence(b": b")


def test_comments_before_an_event_are_no_part_of_it() -> None:
    for reads in cuttings(b": a\n: b\r\ndata: c\n: d\n\n"):
        assert blocks(reads) == [b"data: c\n: d\n\n", b""]


def test_cr_at_the_end_of_a_read_ends_the_block_and_its_lf_belongs_to_it() -> None:
    body = b"data: a\r\n\r\ndata: b\r\n\r\n"
    for reads in two_way_cuts(body):
        assert blocks(reads) == [b"data: a\r\n\r\n", b"data: b\r\n\r\n", b""]


def test_cr_alone_ends_lines() -> None:
    for reads in cuttings(b"data: a\r\rdata: b\r\r"):
        assert blocks(reads) == [b"data: a\r\r", b"data: b\r\r", b""]


@given(st.lists(st.sampled_from([b"\r", b"\n", b"\r\n", b"a", b"data: b"]), max_size=9))
def test_blocks_do_not_depend_on_the_reads(parts: list[bytes]) -> None:
    body = b"".join(parts)
    whole = lines_of(blocks([body]))
    for reads in cuttings(body):
        assert lines_of(blocks(reads)) == whole


def lines_of(taken: list[bytes]) -> list[list[bytes]]:
    """The lines of blocks that have some."""
    return [one.strip().splitlines() for one in taken if one.strip()]


def test_bare_line_was_told_by_itself_and_any_other_by_the_next() -> None:
    block = Block(LIMITS)
    block.add(b'{"a":1}\r\n')
    assert block.take_told() == b'data: {"a":1}\n\n'
    block.add(b"data: b\n")
    block.add(b"data: c\n")
    assert block.take_told() == b"data: b\n\n"
    assert block.take() == b"data: c\n"


def test_data_line_before_a_data_line_may_be_an_event() -> None:
    block = Block(LIMITS)
    seen = []
    pieces = (b"data: a\n", b"data: b\n", b"data", b": c\n", b": d\n", b"data: e\n", b"data: \n")
    for piece in pieces:
        block.add(piece)
        seen.append(block.data_before)
    assert seen == [b"", b"data: a\n", b"", b"data: b\n", b"", b"", b""]


def test_nothing_was_told_of_no_line() -> None:
    assert Block(LIMITS).take_told() == b""


def test_lf_of_a_line_that_was_told_is_forgotten() -> None:
    block = Block(LIMITS)
    block.add(b'{"a":1}\r')
    block.take_told()
    assert not block.add(b"\n")
    assert block.take() == b""


def test_after_a_bare_line_every_line_is_a_piece() -> None:
    for bare in (b'{"a":1}\n\n', b" [1]\r\n\r\n", b'\xef\xbb\xbf{"a":1}\r\r'):
        for reads in cuttings(bare):
            block = Block(LIMITS)
            for data in reads:
                for piece in pieces_of(data, block):
                    if block.add(piece):
                        block.take()
            assert not block.is_at_rest
            assert list(pieces_of(b"data: a\n\n", block)) == [b"data: a\n", b"\n"]


def test_lf_of_a_line_that_is_too_long_ends_nothing() -> None:
    block = Block(LIMITS)
    block.add(b"x" * LONGEST + b"\r")
    assert not block.add(b"\n")
    assert block.add(b"\n")
    assert block.take() == b""


def test_too_long_block_is_not_kept_until_its_blank_line() -> None:
    block = Block(LIMITS)
    for _ in range(3):
        block.add(b"x" * LONGEST)
    assert not block.add(b"\n")
    assert not block.add(b"data: a\n")
    assert block.add(b"\n")
    assert block.take() == b""
    block.add(b"data: b\n")
    assert block.take() == b"data: b\n"


def test_what_was_told_of_a_too_long_block_is_not_kept_either() -> None:
    block = Block(LIMITS)
    block.add(b"x" * LONGEST + b"\n")
    assert block.take_told() == b""
    assert block.is_at_rest


def test_block_of_too_many_lines_is_not_kept_until_its_blank_line() -> None:
    for lines, is_kept in ((4, True), (5, False), (9, False)):
        body = b"id: a\n" * lines + b"\n"
        assert blocks([body, b"id: b\n\n"]) == [body if is_kept else b"", b"id: b\n\n", b""]
