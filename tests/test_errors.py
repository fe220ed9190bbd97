"""Exceptions: what they hold, and the sentences they say."""

from __future__ import annotations

import pytest

import untorn
from untorn import ToolCall, TornToolCall, parse
from untorn.errors import (
    AnswerFiltered,
    AnswerTruncated,
    IncompleteAnswer,
    LimitExceeded,
    NotWhole,
    StreamClosed,
    StreamFailed,
    StreamInterrupted,
    UntornError,
)


@pytest.mark.parametrize(
    ("error", "parent"),
    [
        (UntornError, Exception),
        (IncompleteAnswer, UntornError),
        (StreamInterrupted, IncompleteAnswer),
        (StreamFailed, IncompleteAnswer),
        (AnswerTruncated, IncompleteAnswer),
        (AnswerFiltered, IncompleteAnswer),
        (NotWhole, UntornError),
        (StreamClosed, UntornError),
        (LimitExceeded, UntornError),
    ],
)
def test_every_error_is_in_its_place_of_the_tree(
    error: type[Exception], parent: type[Exception]
) -> None:
    assert error.__bases__ == (parent,)
    assert getattr(untorn, error.__name__) is error


@pytest.mark.parametrize(
    "error", [StreamInterrupted, StreamFailed, AnswerTruncated, AnswerFiltered]
)
def test_incomplete_answer_keeps_the_completion_and_says_its_verdict(
    error: type[IncompleteAnswer],
) -> None:
    completion = parse(b'data: {"choices": [{"delta": {"content": "Yes, if"}}]}\n\n')
    raised = error(completion)
    assert raised.completion is completion
    assert str(raised) == str(completion.verdict)
    assert str(raised) == (
        "interrupted: the body ended after 56 bytes with no [DONE], choice 0 unfinished"
    )


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            TornToolCall(0, "c1", "function", "look", '{"at": "th', "torn"),
            'the arguments cannot be used: look({"at": "th), torn',
        ),
        (
            TornToolCall(1, None, "function", None, "\x1b[31m", "invalid"),
            r"the arguments cannot be used: a call without name(\x1b[31m), invalid",
        ),
    ],
)
def test_not_whole_shows_the_call_on_one_line(call: TornToolCall, sentence: str) -> None:
    raised = NotWhole(call)
    assert raised.call is call
    assert str(raised) == sentence


def test_not_whole_may_hold_any_call() -> None:
    call = ToolCall(0, None, "function", "look", "")
    assert str(NotWhole(call)) == "the arguments cannot be used: look()"


def test_stream_closed_says_what_to_do() -> None:
    assert str(StreamClosed()) == (
        "this stream is past that: each response needs an object of its own"
    )


def test_limit_exceeded_names_the_limit_and_its_place() -> None:
    raised = LimitExceeded("line", 8, 17)
    assert (raised.limit, raised.most, raised.offset) == ("line", 8, 17)
    assert str(raised) == "the line at byte 17 is over 8 bytes"


def test_limit_of_lines_is_said_as_such() -> None:
    assert str(LimitExceeded("lines", 8, 17)) == "the event at byte 17 has more than 8 data lines"
