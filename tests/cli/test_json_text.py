"""JSON that always can be written, and read by anyone."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from untorn.chat.completion import ToolCall, Usage
from untorn.chat.verdict import Defect, ErrorObject, Verdict
from untorn.cli.json_text import json_text, plain
from untorn.cli.render import safe
from untorn.events import (
    DefectFound,
    ErrorReported,
    LogprobsDelta,
    Revised,
    StreamEnded,
    StreamEvent,
    TextDelta,
    ToolCallFinished,
    UsageReported,
)
from untorn.sse.event_stream import Tail

ANY_TEXT = st.text(st.characters(exclude_categories=()))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | ANY_TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(ANY_TEXT, inner),
    max_leaves=8,
)


def refuse(name: str) -> Any:
    raise AssertionError(f"{name} is no JSON")


@given(VALUES, st.sampled_from([None, 2]))
def test_any_value_is_written_and_read_again(value: Any, indent: int | None) -> None:
    text = json_text(plain(value), indent=indent)
    assert text.encode().decode() == text
    assert safe(text) == text
    read = json.loads(text, parse_constant=refuse)
    # A number over the range of floats came from JSON like 1e999, and goes out as null.
    assert read == plain(value)


def test_people_can_read_what_they_write() -> None:
    assert json_text({"a": "Zürich 東京"}) == '{"a":"Zürich 東京"}'


def test_what_a_terminal_would_obey_is_escaped() -> None:
    assert json_text("\x1b\x7f\x9b\u202e\ud800\U000e0041") == (
        r'"\u001b\u007f\u009b\u202e\ud800\udb40\udc41"'
    )


@pytest.mark.parametrize("number", [float("inf"), float("-inf"), float("nan")])
def test_a_number_that_json_does_not_know_is_null(number: float) -> None:
    assert json_text(plain({"a": [number]})) == '{"a":[null]}'


def test_big_integers_stay_whole() -> None:
    assert json_text(plain({"n": 10**400})) == f'{{"n":{10**400}}}'


def test_deep_values_are_written() -> None:
    value: Any = []
    for _ in range(256):
        value = [value]
    assert json.loads(json_text(plain(value))) == value


def logprobs(raw: bytes) -> LogprobsDelta:
    return LogprobsDelta(1, msgspec.Raw(raw))


VERDICT = Verdict(
    "failed",
    "torn",
    None,
    ErrorObject("no", code="1", raw={"a": 1}),
    [Defect("bad-json", "error", 3, 1, "d")],
    Tail(offset=1, data=b"a\xff", lines=[b"a\xff"]),
    False,
)

EVENTS: list[tuple[StreamEvent, dict[str, Any]]] = [
    (TextDelta(0, "a"), {"type": "text_delta", "choice": 0, "text": "a"}),
    (
        ToolCallFinished(0, 1, None, ToolCall(1, "c", "function", "f", "{}")),
        {
            "type": "tool_call_finished",
            "choice": 0,
            "call": 1,
            "index": None,
            "tool_call": {
                "index": 1,
                "id": "c",
                "type": "function",
                "name": "f",
                "arguments": "{}",
                "state": "whole",
                "extra": {},
            },
        },
    ),
    (
        logprobs(b'{"content":[{"logprob":-0.5}]}'),
        {
            "type": "logprobs_delta",
            "choice": 1,
            "logprobs": {"content": [{"logprob": -0.5}]},
        },
    ),
    (
        logprobs(b'{"content":[1e999]}'),
        {"type": "logprobs_delta", "choice": 1, "logprobs": {"content": [None]}},
    ),
    (
        logprobs(b'{"torn'),
        {"type": "logprobs_delta", "choice": 1, "logprobs": '{"torn'},
    ),
    (
        UsageReported(Usage(1, 2, None, {"details": {"a": 10**30}})),
        {
            "type": "usage_reported",
            "usage": {
                "prompt_tokens": 1,
                "completion_tokens": 2,
                "total_tokens": None,
                "details": {"a": 10**30},
            },
        },
    ),
    (
        ErrorReported(ErrorObject("no", status=500, raw=b"x")),
        {
            "type": "error_reported",
            "error": {"message": "no", "code": None, "type": None, "param": None, "status": 500},
        },
    ),
    (
        DefectFound(Defect("bad-json", "error", None, 1, "d")),
        {
            "type": "defect_found",
            "defect": {
                "code": "bad-json",
                "severity": "error",
                "offset": None,
                "count": 1,
                "detail": "d",
            },
        },
    ),
    (
        Revised(0, "content", "whole"),
        {"type": "revised", "choice": 0, "field": "content", "value": "whole", "call": None},
    ),
    (
        StreamEnded(VERDICT),
        {"type": "stream_ended", "verdict": VERDICT.to_dict()},
    ),
]


@pytest.mark.parametrize(("event", "expected"), EVENTS)
def test_an_event_is_an_object_with_its_type_first(
    event: StreamEvent, expected: dict[str, Any]
) -> None:
    read = json.loads(json_text(plain(event)))
    assert read == expected
    assert next(iter(read)) == "type"
