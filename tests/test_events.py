"""What comes out while it streams: kinds, fields, and the line that each shows."""

from __future__ import annotations

import typing
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from untorn import events
from untorn.chat.completion import ToolCall, TornToolCall, Usage
from untorn.chat.verdict import Defect, ErrorObject, Verdict
from untorn.events import (
    AudioDelta,
    ChoiceFinished,
    DefectFound,
    ErrorReported,
    Heartbeat,
    LogprobsDelta,
    ReasoningDelta,
    RefusalDelta,
    Restarted,
    Revised,
    Started,
    StreamEnded,
    StreamEvent,
    TextDelta,
    ToolCallDelta,
    ToolCallFinished,
    ToolCallStarted,
    UsageReported,
)

KINDS: tuple[Any, ...] = typing.get_args(StreamEvent)

WHOLE = ToolCall(0, "c1", "function", "look", '{"at":1}')
TORN = TornToolCall(1, "c2", "function", "look", '{"at', "torn")
DEFECT = Defect("not-json", "warning", 7, 1, "text came as data and was ignored")
VERDICT = Verdict("complete", "done", None, None, [], None, False)


@pytest.mark.parametrize(
    ("event", "type", "line"),
    [
        (Started("c1", "m-1"), "started", 'started, "m-1"'),
        (Started(None, None), "started", "started, no model named"),
        (TextDelta(0, "a\nb"), "text_delta", r'choice 0 text "a\nb"'),
        (ReasoningDelta(1, "hm"), "reasoning_delta", 'choice 1 reasoning "hm"'),
        (RefusalDelta(0, "no"), "refusal_delta", 'choice 0 refusal "no"'),
        (Restarted(2, "cut"), "restarted", "restarted with request 2, cut"),
        (
            ToolCallStarted(0, 1, 3, "c1", "look"),
            "tool_call_started",
            'choice 0 call 1 started, "look"',
        ),
        (
            ToolCallStarted(0, 1, None, None, None),
            "tool_call_started",
            "choice 0 call 1 started, without name",
        ),
        (ToolCallDelta(0, 1, 3, '{"a'), "tool_call_delta", 'choice 0 call 1 arguments "{"a"'),
        (
            ToolCallFinished(0, 1, 3, WHOLE),
            "tool_call_finished",
            'choice 0 call 1 finished, look({"at":1})',
        ),
        (
            AudioDelta(0, "UklGRg==", "Hi"),
            "audio_delta",
            'choice 0 audio, 8 base64 characters, transcript "Hi"',
        ),
        (
            LogprobsDelta(0, Raw(b'{"content":[]}')),
            "logprobs_delta",
            "choice 0 logprobs, 14 bytes of JSON",
        ),
        (ChoiceFinished(0, "stop"), "choice_finished", 'choice 0 finished, "stop"'),
        (ChoiceFinished(0, None), "choice_finished", 'choice 0 finished, "no reason sent"'),
        (
            UsageReported(Usage(3, None, 3)),
            "usage_reported",
            "usage, 3 prompt + ? completion tokens",
        ),
        (
            ErrorReported(ErrorObject("slow down", code="429")),
            "error_reported",
            'error, "slow down" (429)',
        ),
        (Heartbeat(), "heartbeat", "heartbeat"),
        (
            DefectFound(DEFECT),
            "defect_found",
            "defect, warning not-json at byte 7: text came as data and was ignored",
        ),
        (Revised(0, "content", "new"), "revised", 'choice 0 content is now "new"'),
        (
            Revised(0, "tool_calls", [WHOLE, TORN]),
            "revised",
            'choice 0 tool_calls is now look({"at":1}), look({"at), torn',
        ),
        (
            StreamEnded(VERDICT),
            "stream_ended",
            "ended, complete: every choice finished normally",
        ),
    ],
)
def test_event_has_a_type_and_shows_one_line(event: StreamEvent, type: str, line: str) -> None:
    assert event.type == type
    assert str(event) == line
    assert msgspec.json.decode(msgspec.json.encode(event))["type"] == type


def test_every_kind_is_in_the_union() -> None:
    structs = [
        value
        for value in vars(events).values()
        if isinstance(value, type) and value.__module__ == events.__name__
    ]
    assert list(KINDS) == structs
    assert len({kind.type for kind in KINDS}) == len(KINDS) == 17


@pytest.mark.parametrize("kind", KINDS)
def test_events_are_frozen(kind: Any) -> None:
    assert kind.__struct_config__.frozen
    assert kind.__struct_config__.tag == kind.type


def test_revised_name_says_which_call() -> None:
    assert Revised(0, "name", "look", 2).call == 2
    assert Revised(0, "content", "x").call is None


def test_logprobs_are_decoded_at_access() -> None:
    delta = LogprobsDelta(0, Raw(b'{"content": [{"token": "a", "logprob": -0.5}]}'))
    assert delta.logprobs == {"content": [{"token": "a", "logprob": -0.5}]}


@given(st.text(st.characters(exclude_categories=())))
def test_no_text_of_a_stream_reaches_the_line_raw(text: str) -> None:
    shown: list[StreamEvent] = [
        Started(text, text),
        TextDelta(0, text),
        ReasoningDelta(0, text),
        RefusalDelta(0, text),
        ToolCallStarted(0, 0, 0, text, text),
        ToolCallDelta(0, 0, 0, text),
        ToolCallFinished(0, 0, 0, ToolCall(0, text, "function", text, text)),
        AudioDelta(0, text, text),
        ChoiceFinished(0, text),
        ErrorReported(ErrorObject(text)),
        Revised(0, "content", text),
        Revised(0, "tool_calls", [TornToolCall(0, text, "custom", text, text, "invalid")]),
    ]
    assert all(str(event).isprintable() for event in shown)


@given(st.text(st.characters(exclude_categories=())))
def test_no_code_or_type_of_an_error_reaches_the_line_raw(text: str) -> None:
    assert str(ErrorReported(ErrorObject("", code=text, type=text))).isprintable()
