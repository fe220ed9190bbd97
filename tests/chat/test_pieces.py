"""Values that grow piece by piece, and the blocks of ``reasoning_details``."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untorn.chat.pieces import MANY, join, joined, joins_block, merge_block

Block = dict[str, Any]


def joined_values(*values: Any) -> Any:
    """What values of one key are in the end."""
    kept: dict[str, Any] = {}
    for value in values:
        join(kept, "key", value)
    return joined(kept)["key"]


def merged(*pieces: Block) -> list[Block]:
    blocks: list[Block] = []
    for piece in pieces:
        merge_block(blocks, piece)
    return [joined(block) for block in blocks]


@given(st.lists(st.text(), min_size=1))
def test_strings_are_joined(pieces: list[str]) -> None:
    assert joined_values(*pieces) == "".join(pieces)


def test_block_counts_its_keys_and_what_is_in_their_values() -> None:
    blocks: list[Block] = []
    assert merge_block(blocks, {"type": "t", "text": "a"}) == 2
    assert merge_block(blocks, {"type": "t", "text": "b", "more": [[], {}]}) == 1 + 10


def test_many_small_strings_weigh_little_more_than_one() -> None:
    kept: dict[str, Any] = {}
    tracemalloc.start()
    for number in range(200 * MANY):
        join(kept, "key", f"{number % 100:02}")
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert used < 3 * 2 * 200 * MANY


def test_many_strings_are_joined_in_their_order() -> None:
    pieces = [str(number) for number in range(2 * MANY + 1)]
    assert joined_values(*pieces) == "".join(pieces)
    assert joined_values(*pieces[:MANY]) == "".join(pieces[:MANY])


@pytest.mark.parametrize(
    ("values", "last"),
    [
        ([1, 2], 2),
        ([["a"], ["b"]], ["b"]),
        (["a", 1], 1),
        ([1, "a", "b"], "ab"),
        (["a", None], None),
    ],
)
def test_another_value_replaces(values: list[Any], last: Any) -> None:
    assert joined_values(*values) == last


def test_keys_grow_apart() -> None:
    kept: dict[str, Any] = {}
    for key, value in [("a", "1"), ("b", "2"), ("a", "3")]:
        join(kept, key, value)
    assert joined(kept) == {"a": "13", "b": "2"}


def test_values_can_be_looked_at_while_they_grow() -> None:
    kept: dict[str, Any] = {}
    join(kept, "a", "1")
    early = joined(kept)
    join(kept, "a", "2")
    assert (early, joined(kept)) == ({"a": "1"}, {"a": "12"})


def test_surrogate_pair_in_two_pieces_is_joined_and_a_half_alone_becomes_u_fffd() -> None:
    assert joined_values("\ud83d", "\ude00") == "\U0001f600"
    assert joined_values("\ud83d", "a") == "\ufffda"


def test_pieces_of_one_block_in_a_row_are_one_block() -> None:
    first = {"type": "reasoning.text", "index": 0, "text": "Let ", "format": None}
    second = {"type": "reasoning.text", "index": 0, "text": "me see", "format": "v1", "id": None}
    assert merged(first, second) == [
        {"type": "reasoning.text", "index": 0, "text": "Let me see", "format": "v1", "id": None}
    ]


def test_summary_grows_like_text_and_nothing_else_does() -> None:
    first = {"type": "reasoning.summary", "summary": "a", "note": "x"}
    second = {"type": "reasoning.summary", "summary": "b", "note": "y"}
    assert merged(first, second) == [{"type": "reasoning.summary", "summary": "ab", "note": "y"}]


def test_null_takes_nothing_back() -> None:
    signed = {"type": "t", "text": "a", "signature": "S"}
    assert merged({"type": "t", "text": "a"}, {"type": "t", "text": None, "signature": "S"}) == [
        signed
    ]
    assert merged({"type": "t", "text": None}, {"type": "t", "text": "a", "signature": "S"}) == [
        signed
    ]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"type": "reasoning.text", "text": "a"}, {"type": "reasoning.summary", "summary": "b"}),
        ({"type": "t", "index": 0, "text": "a"}, {"type": "t", "index": 1, "text": "b"}),
        ({"type": "t", "text": "a", "signature": "S"}, {"type": "t", "text": "b"}),
        ({"type": "t", "data": "AAAA"}, {"type": "t", "data": "BBBB"}),
        ({"type": "t", "text": "a"}, {"type": "t", "data": "BBBB"}),
        ({"type": "t", "data": "AAAA"}, {"type": "t", "text": "b"}),
    ],
)
def test_another_type_or_index_a_signature_or_encrypted_data_ends_a_block(
    first: Block, second: Block
) -> None:
    assert merged(first, second) == [first, second]


def test_block_of_an_earlier_type_is_a_new_one() -> None:
    a, b = {"type": "a", "text": "1"}, {"type": "b", "text": "2"}
    assert merged(a, b, a) == [a, b, a]


OPEN = {"type": "t", "index": 0, "text": "a", "format": None, "signature": None}


@pytest.mark.parametrize(
    "piece",
    [
        {"type": "t", "index": 0, "text": "b"},
        {"type": "t", "index": 0, "text": None, "signature": "S"},
        {"type": "t", "index": 0, "format": "f"},
        OPEN,
    ],
)
def test_piece_joins_the_open_block_if_it_brings_no_key(piece: Block) -> None:
    blocks: list[Block] = []
    merge_block(blocks, OPEN)
    assert joins_block(blocks, piece)


@pytest.mark.parametrize(
    "piece",
    [
        {"type": "t", "index": 0, "text": "b", "id": "x"},
        {"type": "t", "index": 0, "text": "b", "format": {}},
        {"type": "t", "index": 0, "text": []},
        {"type": "t", "index": 1, "text": "b"},
        {"type": "t", "text": "b"},
        {"type": "u", "index": 0, "text": "b"},
        {"type": "t", "index": 0, "data": None},
        {},
    ],
)
def test_piece_that_brings_more_or_begins_a_block_does_not_join(piece: Block) -> None:
    blocks: list[Block] = []
    assert not joins_block(blocks, OPEN)
    merge_block(blocks, OPEN)
    assert not joins_block(blocks, piece)


def test_nothing_joins_a_block_that_was_signed() -> None:
    blocks: list[Block] = []
    merge_block(blocks, {**OPEN, "signature": "S"})
    assert not joins_block(blocks, OPEN)


block_values = st.none() | st.sampled_from(["", "a", 1]) | st.just([]) | st.just({"b": "c"})
block_keys = st.sampled_from(["type", "index", "text", "summary", "signature", "data", "format"])
some_blocks = st.dictionaries(block_keys, block_values, max_size=4)


@given(st.lists(some_blocks, max_size=4), some_blocks)
def test_piece_that_joins_makes_no_block_and_keeps_no_more(
    before: list[Block], piece: Block
) -> None:
    blocks: list[Block] = []
    for block in before:
        merge_block(blocks, block)
    known = [set(block) for block in blocks]
    if joins_block(blocks, piece):
        assert merge_block(blocks, piece) == 0
        assert [set(block) for block in blocks] == known


def test_merging_leaves_the_pieces_alone() -> None:
    first, second = {"type": "t", "text": "a"}, {"type": "t", "text": "b"}
    merged(first, second)
    assert (first, second) == ({"type": "t", "text": "a"}, {"type": "t", "text": "b"})
