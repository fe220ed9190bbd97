"""The lines between two blank lines, and the payloads they are (rule 2)."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untorn.chat.event_block import EventBlock, data_of
from untorn.chat.payload import Item, Note, Payload
from untorn.options import Limits

WHOLE = b'data: {"a":1}'
FIRST_HALF = b'data: {"a":'
SECOND_HALF = b"data: 1}"


def opened(*lines: bytes) -> tuple[EventBlock, list[Item]]:
    """A block with these lines, at places 0, 1, ..., and what came of them so far.

    A line ``event: NAME`` is not handed in, but names the lines after it, as framing does it.
    """
    block = EventBlock(Limits(depth=8))
    items: list[Item] = []
    for place, line in enumerate(lines):
        if line.startswith(b"event: "):
            block.is_error = line == b"event: error"
        else:
            items += block.add(line, place)
    return block, items


def ended(*lines: bytes) -> list[Item]:
    """What comes of lines and a blank line."""
    block, items = opened(*lines)
    return [*items, *block.end()]


def cut(*lines: bytes) -> tuple[list[Item], list[bytes]]:
    """What comes of lines without a blank line, and the lines that the end cuts."""
    block, items = opened(*lines)
    return [*items, *block.end_at_eof()], list(block.cut)


def told(items: Iterable[Item]) -> list[object]:
    """Items in short: data and kind, or the code and the place of a note."""
    return [
        (item.data, item.kind) if isinstance(item, Payload) else (item.code, item.place)
        for item in items
        if isinstance(item, Payload | Note)
    ]


# Blank line ----------------------------------------------------------------------------------


def test_lines_of_one_event_are_joined_by_lf() -> None:
    assert ended(FIRST_HALF, SECOND_HALF) == [Payload(b'{"a":\n1}', "event", 0)]


def test_event_is_where_its_first_line_is() -> None:
    block, _ = opened()
    assert list(block.add(WHOLE, 7)) == []
    assert list(block.end()) == [Payload(b'{"a":1}', "event", 7)]


def test_block_without_a_line_is_no_event() -> None:
    assert ended() == []


@pytest.mark.parametrize("line", [b"data:", b"data: ", b"data", b"data: plain", b"data: {"])
def test_single_line_is_an_event_whatever_it_holds(line: bytes) -> None:
    assert ended(line) == [Payload(data_of(line), "event", 0)]


def test_joined_lines_that_are_any_json_are_one_event() -> None:
    assert told(ended(b'data: "a', b'data: b"')) == [(b'"a\nb"', "event")]


def test_after_its_end_a_block_is_empty_and_has_no_name() -> None:
    block, _ = opened(b"event: error", WHOLE)
    assert told(block.end()) == [(b'{"a":1}', "error event")]
    assert not block.lines
    assert not block.is_error
    assert list(block.end()) == []


# No blank line -------------------------------------------------------------------------------


@pytest.mark.parametrize("first", [WHOLE, b"data: [1]", b"data: [DONE]", b"data: done"])
def test_whole_first_line_is_an_event_as_soon_as_another_follows(first: bytes) -> None:
    block, items = opened(first, b"data: x")
    assert told(items) == [("no-blank-line", 1), (data_of(first), "event")]
    assert told(block.end()) == [(b"x", "event")]


def test_blank_data_lines_neither_end_an_event_nor_count_as_its_first() -> None:
    block, items = opened(b"data:", WHOLE, b"data: ", b"data:\t")
    assert items == []
    assert told(block.end()) == [(b'\n{"a":1}\n\n\t', "event")]


def test_scalar_is_not_whole() -> None:
    assert told(ended(b"data: 1", b"data: 2")) == [(b"1", "event"), (b"2", "event")]


def test_stream_without_blank_lines_is_delivered_as_it_comes() -> None:
    block, items = opened(*[WHOLE] * 3)
    assert told(items) == [
        ("no-blank-line", 1),
        (b'{"a":1}', "event"),
        ("no-blank-line", 2),
        (b'{"a":1}', "event"),
    ]
    assert told(block.end()) == [(b'{"a":1}', "event")]


def test_event_broken_off_by_a_whole_one_is_read_line_by_line() -> None:
    assert told(ended(FIRST_HALF, WHOLE)) == [
        ("no-blank-line", 1),
        (b'{"a":', "event"),
        (b'{"a":1}', "event"),
    ]


def test_lines_of_which_none_is_whole_are_read_one_by_one() -> None:
    assert told(ended(b"data: one", b"data:", b"data: two")) == [
        (b"one", "event"),
        (b"two", "event"),
    ]


def test_whole_bare_line_ends_the_event_before_it() -> None:
    block, _ = opened(FIRST_HALF)
    assert told(block.end_before(1)) == [("no-blank-line", 1), (b'{"a":', "event")]
    assert not block.lines


def test_whole_bare_line_ends_an_event_of_several_lines() -> None:
    block, _ = opened(FIRST_HALF, SECOND_HALF)
    assert told(block.end_before(2)) == [("no-blank-line", 2), (b'{"a":\n1}', "event")]
    assert not block.lines


def test_whole_bare_line_ends_nothing_where_no_event_is_open() -> None:
    block, _ = opened(b"data:")
    assert list(block.end_before(1)) == []


def test_event_is_where_its_line_is_and_its_end_is_told_in_a_sentence() -> None:
    ends = "no blank line ended the event before this line"
    assert ended(FIRST_HALF, WHOLE) == [
        Note("no-blank-line", ends, 1),
        Payload(b'{"a":', "event", 0),
        Payload(b'{"a":1}', "event", 1),
    ]
    assert ended(b"data: one", b"event: error", b"data: two", b"data: busy") == [
        Payload(b"one", "event", 0),
        Payload(b"two\nbusy", "error event", 2),
    ]
    assert cut(b"data:", b"data:", WHOLE)[0] == [
        Note("no-final-blank-line", "the last event had no blank line; it is used", 0),
        Payload(b'\n\n{"a":1}', "event", 0),
    ]


def test_end_mark_beside_blank_lines_is_one_event_with_them() -> None:
    assert ended(b"data:", b"data: [DONE]") == [Payload(b"\n[DONE]", "event", 0)]


def test_second_prefix_is_told_also_of_a_line_that_ends_an_event() -> None:
    _, items = opened(WHOLE, b"data: data: x")
    assert told(items) == [("double-data-prefix", 1), ("no-blank-line", 1), (b'{"a":1}', "event")]


def test_bare_line_is_data_as_it_is() -> None:
    assert told(ended(b'{"a": "data: b",', b"data: 1}")) == [
        (b'{"a": "data: b",', "event"),
        (b"1}", "event"),
    ]
    assert told(ended(b'{"a":', b"data: 1}")) == [(b'{"a":\n1}', "event")]


# Error events --------------------------------------------------------------------------------


def test_text_of_an_error_event_stays_joined() -> None:
    assert told(ended(b"event: error", b"data: too", b"data: busy")) == [
        (b"too\nbusy", "error event")
    ]


def test_event_field_names_the_lines_after_it() -> None:
    assert told(ended(b"data: one", b"data: two", b"event: error", b"data: busy")) == [
        (b"one", "event"),
        (b"two", "event"),
        (b"busy", "error event"),
    ]
    assert told(ended(b"event: error", FIRST_HALF, b"event: x", WHOLE)) == [
        ("no-blank-line", 1 + 2),
        (b'{"a":', "error event"),
        (b'{"a":1}', "event"),
    ]


def test_event_that_a_further_line_ends_keeps_the_name_before_it() -> None:
    assert told(ended(b"event: error", WHOLE, b"event: x", WHOLE)) == [
        ("no-blank-line", 3),
        (b'{"a":1}', "error event"),
        (b'{"a":1}', "event"),
    ]
    assert told(ended(WHOLE, b"event: error", WHOLE)) == [
        ("no-blank-line", 2),
        (b'{"a":1}', "event"),
        (b'{"a":1}', "error event"),
    ]


def test_event_field_after_the_lines_does_not_take_their_name() -> None:
    # Of a stream without blank lines, in which an event without data follows.
    assert told(ended(b"event: error", WHOLE, b"event: x")) == [(b'{"a":1}', "error event")]
    items, _ = cut(b"event: error", WHOLE, b"event: x")
    assert told(items)[1:] == [(b'{"a":1}', "error event")]


# The end of the body -------------------------------------------------------------------------


def test_last_event_is_used_if_it_is_whole() -> None:
    for lines in ([WHOLE], [FIRST_HALF, SECOND_HALF], [b"data:", WHOLE]):
        joined = b"\n".join(map(data_of, lines))
        items, rest = cut(*lines)
        assert told(items) == [("no-final-blank-line", 0), (joined, "event")]
        assert rest == []


def test_last_event_keeps_its_name() -> None:
    items, _ = cut(b"event: error", WHOLE)
    assert told(items) == [("no-final-blank-line", 1), (b'{"a":1}', "error event")]


@pytest.mark.parametrize(
    "lines",
    [
        [b"data:"],
        [b"data: plain"],
        [b"data: null"],
        [FIRST_HALF],
        [FIRST_HALF, b"data:", b"data: 1"],
        [b"event: error", b"data: busy"],
    ],
)
def test_last_event_is_cut_if_nothing_of_it_is_whole(lines: list[bytes]) -> None:
    items, rest = cut(*lines)
    assert items == []
    assert rest == [line for line in lines if not line.startswith(b"event:")]


def test_of_several_lines_the_last_is_used_if_it_is_whole() -> None:
    items, rest = cut(FIRST_HALF, b"data:", WHOLE)
    assert told(items) == [
        ("no-blank-line", 2),
        (b'{"a":', "event"),
        ("no-final-blank-line", 2),
        (b'{"a":1}', "event"),
    ]
    assert rest == []


def test_of_several_lines_the_last_is_cut_if_it_is_not_whole() -> None:
    items, rest = cut(b"data: x", WHOLE, b"event: error", FIRST_HALF)
    assert told(items) == [
        ("no-blank-line", 1),
        (b"x", "event"),
        (b'{"a":1}', "event"),
    ]
    assert rest == [FIRST_HALF]


def test_what_is_cut_is_where_its_first_line_is() -> None:
    for lines, place in (([FIRST_HALF, b"data: 1"], 0), ([b"data: x", WHOLE, FIRST_HALF], 2)):
        block, _ = opened(*lines)
        list(block.end_at_eof())
        assert block.cut_place == place


def test_white_space_that_json_does_not_know_stands_beside_an_event() -> None:
    # A form feed is white space to us, so its line is blank, but joined it would be no JSON.
    items, rest = cut(b"data: \x0c", WHOLE)
    assert told(items) == [("no-final-blank-line", 1), (b'{"a":1}', "event")]
    assert rest == []
    assert told(ended(b"data: \x0c", WHOLE)) == [(b'{"a":1}', "event")]


def test_end_of_the_body_cuts_nothing_where_no_line_is_open() -> None:
    assert cut() == ([], [])


# Data ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "data"),
    [
        (b"data: x", b"x"),
        (b"data:  x ", b" x "),
        (b"data", b""),
        (b"data: data: x", b"x"),
        (b"data:data:data:x", b"x"),
        (b"data: data", b"data"),
        (b"data:  data: x", b" data: x"),
        (b'{"data": 1}', b'{"data": 1}'),
        (b"[data: x", b"[data: x"),
    ],
)
def test_data_has_neither_its_prefix_nor_a_second_one(line: bytes, data: bytes) -> None:
    assert data_of(line) == data


@pytest.mark.parametrize("line", [b"data: data: x", b"data:data: data: x", b"data: data:"])
def test_second_prefix_is_told(line: bytes) -> None:
    _, items = opened(line)
    assert items == [Note("double-data-prefix", "the data begins with data: again", 0)]


def test_one_prefix_is_nothing_to_tell() -> None:
    _, items = opened(b"data: x", b'{"data": "data: x"', b"data: data")
    assert items == []


@pytest.mark.parametrize(
    ("data", "whole"),
    [
        (b"{}", True),
        (b" [1, 2] ", True),
        (b'{"a": "\xff\n", "b": NaN}', True),
        (b"[DONE]", True),
        (b'"[done]"', True),
        (b"", False),
        (b"{", False),
        (b"{}{}", False),
        (b"null", False),
        (b"1", False),
        (b'"x"', False),
        (b"[" * 9 + b"]" * 9, False),
    ],
)
def test_whole_is_an_object_an_array_or_the_end_mark(data: bytes, whole: bool) -> None:
    assert EventBlock(Limits(depth=8)).is_whole(data) is whole


# Properties ----------------------------------------------------------------------------------

lines = st.lists(
    st.sampled_from([WHOLE, FIRST_HALF, SECOND_HALF, b"data:", b"data: x", b"data: [DONE]", b"{"])
)


@given(lines)
def test_every_line_that_says_something_is_in_a_payload(given: list[bytes]) -> None:
    payloads = [item.data for item in ended(*given) if isinstance(item, Payload)]
    words = [word for data in payloads for word in data.split()]
    assert words == [word for line in given for word in data_of(line).split()]


@given(lines)
def test_at_the_end_of_the_body_no_line_is_lost_either(given: list[bytes]) -> None:
    items, rest = cut(*given)
    payloads = [item.data for item in items if isinstance(item, Payload)]
    words = [word for data in payloads for word in data.split()]
    words += [word for line in rest for word in data_of(line).split()]
    assert words == [word for line in given for word in data_of(line).split()]


def test_lines_are_weighed_together() -> None:
    block = EventBlock(Limits(values=20))
    assert not block.has_too_many_values()
    for place in range(12):
        assert list(block.add(b"data: [" + b"[]," * place, place)) == []
    assert block.has_too_many_values()


def test_long_text_is_not_many_values() -> None:
    block = EventBlock(Limits(values=20))
    block.add(b"data: " + b"a" * 100, 0)
    assert not block.has_too_many_values()


def test_event_of_more_values_than_allowed_is_given_as_one_for_the_reader_to_say_so() -> None:
    block = EventBlock(Limits(values=20))
    lines = [b"data: [[],[],[],", b"data: [],[],[],", b"data: [],[]]"]
    for place, line in enumerate(lines):
        assert list(block.add(line, place)) == []
    joined = b"\n".join(line[6:] for line in lines)
    assert list(block.end()) == [Payload(joined, "event", 0)]


def test_text_beside_blank_lines_is_read_alone() -> None:
    # Rule 2: data that is no JSON is read line by line.
    assert ended(b"data", b"data: text", b"data: ") == [Payload(b"text", "event", 1)]
