"""Lines that are kept, and where they are."""

from __future__ import annotations

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untorn.chat.block import Block, KeptLine


def test_new_block_holds_nothing() -> None:
    block = Block()
    assert (len(block), block.size, block.lines, list(block)) == (0, 0, [], [])
    assert not block
    assert not block.needs_carrying()
    with pytest.raises(IndexError):
        _ = block.place


def test_lines_are_kept_with_their_places() -> None:
    block = Block()
    block.add(b"one", 4)
    block.add(b"", 5, is_error=True)
    assert list(block) == [KeptLine(b"one", 4, False), KeptLine(b"", 5, True)]
    assert block.lines == [b"one", b""]
    assert block.place == 4
    assert len(block) == 2


def test_block_has_errors_once_a_line_of_it_is_in_an_event_named_so() -> None:
    block, other = Block(), Block()
    block.add(b"one", 0)
    assert not block.has_errors
    block.add(b"two", 1, is_error=True)
    assert block.has_errors
    assert not other.has_errors


def test_size_counts_an_end_for_each_line() -> None:
    block = Block()
    block.add(b"one", 0)
    block.add(b"", 1)
    assert block.size == len(b"one\n\n")
    assert block.joined == b"one\n"


def test_carried_line_is_where_its_offset_says() -> None:
    block = Block()
    block.add(b"one", 1)
    assert block.needs_carrying()
    block.carry([0, 10, 14])
    assert list(block) == [KeptLine(b"one", -1 - 10, False)]
    assert not block.needs_carrying()


def test_line_that_was_carried_stays_where_it_is() -> None:
    block = Block()
    block.add(b"one", 0)
    block.carry([0, 4])
    block.add(b"two", 0)
    block.carry([4, 8])
    assert [kept.place for kept in block] == [-1, -5]


@given(st.lists(st.lists(st.binary(max_size=3), max_size=4), max_size=5))
def test_every_place_is_an_offset_once_its_list_is_done_with(lists: list[list[bytes]]) -> None:
    """Lists of lines whose ends are one byte, of one body."""
    block = Block()
    offset = 0
    for lines in lists:
        for number, line in enumerate(lines):
            block.add(line, number)
        assert block.needs_carrying() == bool(lines)
        offsets = list(accumulate((len(line) + 1 for line in lines), initial=offset))
        block.carry(offsets)
        offset = offsets[-1]
        assert not block.needs_carrying()
    every = [line for lines in lists for line in lines]
    starts = list(accumulate((len(line) + 1 for line in every), initial=0))[:-1]
    assert [-1 - kept.place for kept in block] == starts
    assert block.lines == every
    assert block.size == offset
