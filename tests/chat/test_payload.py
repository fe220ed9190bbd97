"""What framing gives out, and the end mark in all its spellings (rule 4)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untorn.chat.payload import (
    USUAL,
    USUAL_PREFIX,
    WITHOUT_SPACE,
    KeepAlive,
    Note,
    Payload,
    is_done,
)


@pytest.mark.parametrize(
    "mark",
    [
        b"[DONE]",
        b"[done]",
        b"[Done]",
        b"DONE",
        b"done",
        b'"[DONE]"',
        b"'[DONE]'",
        b'"DONE"',
        b" [DONE]\t",
        b"[ DONE ]",
        b'" [ DONE ] "',
        b"[DONE]\n",
    ],
)
def test_end_mark_in_any_spelling_is_the_end(mark: bytes) -> None:
    assert is_done(mark)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" ",
        b"[]",
        b'""',
        b"[DONE",
        b"DONE]",
        b'"[DONE]',
        b"[DONE]'",
        b"[[DONE]]",
        b"[DONE].",
        b"[DON]",
        b"DO NE",
        b"[DONE][DONE]",
        b'["DONE"]',
        b"{DONE}",
        b"[DONE)",
        b"(DONE]",
        b'"DONE.',
        b"xDONEx",
        b"[      DONE      ]",
        b'{"choices": []}',
    ],
)
def test_anything_else_is_not(data: bytes) -> None:
    assert not is_done(data)


@given(st.binary(max_size=20))
def test_space_around_changes_nothing(data: bytes) -> None:
    assert is_done(b" \n" + data + b"\t") == is_done(data)


def test_line_of_a_usual_event_is_its_payload_behind_the_prefix() -> None:
    line = b'data: {"choices": []}'
    assert line.startswith(USUAL)
    assert line[USUAL_PREFIX:] == b'{"choices": []}'


def test_brace_is_the_first_of_a_payload_and_the_last_of_how_its_line_begins() -> None:
    for begin in (USUAL, WITHOUT_SPACE):
        line = begin + b'"choices": []}'
        assert line[len(begin) - 1 :] == b'{"choices": []}'
    assert len(USUAL) - 1 == USUAL_PREFIX
    assert USUAL.replace(b" ", b"") == WITHOUT_SPACE


def test_note_stands_for_one_place_unless_it_says_more() -> None:
    assert Note("stray-line", "a line was ignored", 3) == Note(
        "stray-line", "a line was ignored", 3, count=1
    )


def test_items_have_a_value_of_their_own() -> None:
    assert Payload(b"{}", "event", 0) == Payload(b"{}", "event", 0)
    assert Payload(b"{}", "event", 0) != Payload(b"{}", "error event", 0)
    assert KeepAlive() == KeepAlive()
