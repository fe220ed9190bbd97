"""``message`` in place of ``delta``, or beside it (rule 8)."""

from __future__ import annotations

from typing import Any

import pytest

from untorn.chat.quirks.message_for_delta import Said, holds_messages, what_is_said

DELTA = {"content": "piece"}
MESSAGE = {"content": "whole"}


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        ({"delta": DELTA}, Said(DELTA, is_message=False, both=False)),
        ({"delta": DELTA, "message": None}, Said(DELTA, is_message=False, both=False)),
        ({"delta": {}, "message": MESSAGE}, Said({}, is_message=False, both=True)),
    ],
)
def test_delta_is_used_where_it_is_there(choice: dict[str, Any], said: Said) -> None:
    assert what_is_said(choice) == said


@pytest.mark.parametrize("delta", [{}, {"delta": None}, {"delta": "text"}])
def test_message_stands_in_for_a_delta_that_is_no_object(delta: dict[str, Any]) -> None:
    assert what_is_said(delta | {"message": MESSAGE}) == Said(MESSAGE, is_message=True, both=False)


@pytest.mark.parametrize("choice", [{}, {"index": 0}, {"delta": None, "message": "text"}])
def test_choice_with_neither_says_nothing(choice: dict[str, Any]) -> None:
    assert what_is_said(choice) == Said(None, is_message=False, both=False)


@pytest.mark.parametrize(
    "body",
    [
        {"choices": [{"message": MESSAGE}]},
        {"choices": [{"message": MESSAGE}, {"index": 1}, "text"]},
        {"message": MESSAGE},
        {"choices": None, "message": MESSAGE},
    ],
)
def test_messages_alone_are_a_completion_that_was_not_streamed(body: dict[str, Any]) -> None:
    assert holds_messages(body)


@pytest.mark.parametrize(
    "body",
    [
        {"choices": [{"delta": DELTA}]},
        {"choices": [{"message": MESSAGE}, {"delta": DELTA}]},
        {"choices": [{"delta": DELTA, "message": MESSAGE}]},
        {"choices": []},
        {"choices": ["text"]},
        {"delta": DELTA},
        {},
    ],
)
def test_one_delta_makes_it_a_chunk(body: dict[str, Any]) -> None:
    assert not holds_messages(body)
