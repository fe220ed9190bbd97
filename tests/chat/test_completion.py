"""What is left at the end: calls, usage, choices, and the completion as report and as object."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from untorn.chat.completion import (
    ERRORS,
    RAISE_ON,
    Audio,
    Choice,
    Completion,
    Message,
    ToolCall,
    TornToolCall,
    Usage,
    decode_logprobs,
    outcomes_of,
)
from untorn.chat.verdict import Defect, Ending, ErrorObject, Outcome, Verdict
from untorn.errors import (
    AnswerFiltered,
    AnswerTruncated,
    IncompleteAnswer,
    NotWhole,
    StreamFailed,
    StreamInterrupted,
)
from untorn.head import Head
from untorn.sse.event_stream import Tail
from untorn.timing import Timing

WHOLE = ToolCall(0, "call_1", "function", "get_weather", '{"city":"Oslo"}')
TORN = TornToolCall(1, None, "function", None, '{"ci', "torn")
INVALID = TornToolCall(0, "call_2", "function", "f", "{", "invalid")
CUSTOM = ToolCall(0, "call_3", "custom", "run", "free text")

MESSAGE = Message(
    role="assistant",
    content=None,
    reasoning=None,
    reasoning_details=[],
    refusal=None,
    tool_calls=[],
    audio=None,
    annotations=[],
    extra={},
)
COMPLETE = Verdict(
    outcome="complete",
    ending="done",
    reason=None,
    error=None,
    defects=[],
    tail=None,
    usage_reported=False,
)


def message(**changes: Any) -> Message:
    return msgspec.structs.replace(MESSAGE, **changes)


def choice(finish_reason: str | None = "stop", index: int = 0, **of_message: Any) -> Choice:
    return Choice(index, message(**of_message), finish_reason, [], {})


def with_logprobs(*raw: bytes) -> Choice:
    return msgspec.structs.replace(choice(), raw_logprobs=list(raw))


def verdict(outcome: Outcome = "complete", ending: Ending = "done", **more: Any) -> Verdict:
    return msgspec.structs.replace(COMPLETE, outcome=outcome, ending=ending, **more)


def completion(*choices: Choice, **more: Any) -> Completion:
    empty = Completion(
        id=None,
        model=None,
        created=None,
        system_fingerprint=None,
        service_tier=None,
        choices=list(choices),
        usage=None,
        extra={},
        verdict=COMPLETE,
        timing=None,
        head=None,
    )
    return msgspec.structs.replace(empty, **more)


# Tool calls -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "value"),
    [
        (WHOLE, {"city": "Oslo"}),
        (ToolCall(0, "a", "function", "f", ""), {}),
        (ToolCall(0, "a", "function", "f", "[1]"), [1]),
        (CUSTOM, "free text"),
        (ToolCall(0, "a", "custom", "run", ""), ""),
        (ToolCall(0, "a", "custom", "run", '{"a":1}'), '{"a":1}'),
    ],
)
def test_arguments_of_a_whole_call_are_decoded_and_the_text_of_a_custom_one_is_not(
    call: ToolCall, value: Any
) -> None:
    assert call.parsed() == value
    assert call.state == "whole"


def test_arguments_of_a_call_that_is_not_whole_are_refused() -> None:
    with pytest.raises(NotWhole) as caught:
        TORN.parsed()
    assert caught.value.call is TORN
    sentence = 'the arguments cannot be used: a call without name({"ci), torn'
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (WHOLE, 'get_weather({"city":"Oslo"})'),
        (INVALID, "f({), invalid"),
        (TORN, 'a call without name({"ci), torn'),
        (CUSTOM, "run(free text)"),
        (ToolCall(0, None, "function", "f\x1b", "\n\ud83d"), r"f\x1b(\n\ud83d)"),
        (ToolCall(0, None, "function", "f", "x" * 61), f"f({'x' * 59}…)"),
    ],
)
def test_call_is_one_readable_line(call: ToolCall | TornToolCall, line: str) -> None:
    assert str(call) == line


# Usage ----------------------------------------------------------------------------------------


def test_usage_reports_every_count_that_was_sent() -> None:
    usage = Usage(12, 3, None, {"prompt_tokens_details": {"cached_tokens": 8}})
    assert usage.to_dict() == {
        "prompt_tokens": 12,
        "completion_tokens": 3,
        "total_tokens": None,
        "prompt_tokens_details": {"cached_tokens": 8},
    }


@pytest.mark.parametrize(
    ("usage", "line"),
    [
        (Usage(12, 0, 12), "12 prompt + 0 completion tokens"),
        (Usage(None, 3, None), "? prompt + 3 completion tokens"),
    ],
)
def test_usage_is_one_readable_line(usage: Usage, line: str) -> None:
    assert str(usage) == line


# Choices --------------------------------------------------------------------------------------


def test_logprobs_of_all_chunks_are_one_object_with_lists_joined() -> None:
    pieces = (
        b'{"content":[{"token":"a"}],"refusal":null,"top":1}',
        b'{"content":[{"token":"b"}],"refusal":[{"token":"r"}],"top":null}',
        b'{"content":null,"top":2}',
    )
    assert with_logprobs(*pieces).logprobs == {
        "content": [{"token": "a"}, {"token": "b"}],
        "refusal": [{"token": "r"}],
        "top": 2,
    }


def test_logprobs_that_never_came_are_none() -> None:
    assert choice().logprobs is None
    assert with_logprobs(b"{}").logprobs == {}
    assert with_logprobs(b'{"content":null}').logprobs == {"content": None}


def test_logprobs_are_not_changed_by_a_look_at_them() -> None:
    twice = with_logprobs(b'{"content":[1]}', b'{"content":[2]}')
    assert twice.logprobs == twice.logprobs == {"content": [1, 2]}


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (b'{"logprob":-0.5}', {"logprob": -0.5}),
        (b'{"logprob":-Infinity}', {"logprob": None}),
        (b'{"token":"\x01"}', {"token": "\x01"}),
        (b'{"a":' + b"[" * 300 + b"]" * 300 + b"}", {"a": json.loads("[" * 300 + "]" * 300)}),
        (b"[1]", {}),
        (b"null", {}),
    ],
)
def test_logprobs_are_read_as_leniently_as_chunks(raw: bytes, value: dict[str, Any]) -> None:
    assert decode_logprobs(raw) == value


@pytest.mark.parametrize(
    ("said", "line"),
    [
        (choice(), "choice 0, stop"),
        (choice(None, 2, content="Hi\n"), r'choice 2, content "Hi\n", not finished'),
        (
            choice("length", reasoning="Hm", content="", refusal="No"),
            'choice 0, reasoning "Hm", refusal "No", length',
        ),
        (
            choice("tool_calls", tool_calls=[WHOLE, TORN]),
            'choice 0, call get_weather({"city":"Oslo"}), call a call without name({"ci), torn, '
            "tool_calls",
        ),
    ],
)
def test_choice_is_one_readable_line(said: Choice, line: str) -> None:
    assert str(said) == line


# The completion -------------------------------------------------------------------------------


def test_what_choice_0_says_is_what_the_completion_says() -> None:
    first = choice("stop", content="Hi", reasoning="Hm", tool_calls=[WHOLE])
    both = completion(first, choice("length", 1, content="Ho"))
    assert (both.content, both.reasoning, both.finish_reason) == ("Hi", "Hm", "stop")
    assert both.tool_calls == [WHOLE]


@pytest.mark.parametrize("there", [completion(), completion(choice("stop", 1, content="Ho"))])
def test_completion_without_choice_0_says_nothing(there: Completion) -> None:
    assert (there.content, there.reasoning, there.finish_reason) == (None, None, None)
    assert there.tool_calls == []


@pytest.mark.parametrize(
    ("outcome", "error"),
    [
        ("interrupted", StreamInterrupted),
        ("failed", StreamFailed),
        ("truncated", AnswerTruncated),
        ("filtered", AnswerFiltered),
    ],
)
def test_each_outcome_has_its_exception_which_carries_the_completion(
    outcome: Outcome, error: type[IncompleteAnswer]
) -> None:
    torn = completion(verdict=verdict(outcome))
    with pytest.raises(error) as caught:
        torn.raise_for_verdict({outcome})
    assert caught.value.completion is torn
    assert str(caught.value) == str(torn.verdict)
    torn.raise_for_verdict(set(ERRORS) - {outcome})


def test_interrupted_and_failed_raise_unless_the_caller_says_otherwise() -> None:
    assert {"interrupted", "failed"} == RAISE_ON
    with pytest.raises(StreamFailed):
        completion(verdict=verdict("failed")).raise_for_verdict()
    completion(verdict=verdict("truncated")).raise_for_verdict()
    completion(verdict=verdict("failed")).raise_for_verdict(())


def test_complete_never_raises() -> None:
    completion().raise_for_verdict({"complete", *ERRORS})


def test_report_of_nothing_names_everything_as_absent() -> None:
    assert completion().to_dict() == {
        "outcome": "complete",
        "ending": "done",
        "reason": None,
        "choices": [],
        "usage": None,
        "error": None,
        "defects": [],
        "tail": None,
        "head": None,
        "id": None,
        "model": None,
        "created": None,
        "timing": None,
    }


def test_report_holds_everything_that_is_there() -> None:
    defect = Defect("truncated-event", "error", 7, 1, "the body ended inside an event")
    there = completion(
        choice("tool_calls", 0, content="Hi", reasoning="Hm", refusal="", tool_calls=[WHOLE]),
        id="c1",
        model="m",
        created=1_700_000_000,
        usage=Usage(1, 2, 3, {"cost": 0.5}),
        verdict=verdict(
            "failed",
            "torn",
            reason="cut",
            error=ErrorObject("busy", "503", "server_error", None, 503, {"message": "busy"}),
            defects=[defect],
            tail=Tail(7, b"data: {", [b"data: {"]),
        ),
        timing=Timing(0.1, 0.2, None, None, None, 0.3, 4, 5, 6),
        head=Head(503, "text/event-stream", "req_1", 2.0),
    )
    assert there.to_dict() == {
        "outcome": "failed",
        "ending": "torn",
        "reason": "cut",
        "choices": [
            {
                "index": 0,
                "role": "assistant",
                "content": "Hi",
                "reasoning": "Hm",
                "refusal": "",
                "tool_calls": [
                    {
                        "index": 0,
                        "id": "call_1",
                        "name": "get_weather",
                        "arguments": '{"city":"Oslo"}',
                        "state": "whole",
                    }
                ],
                "finish_reason": "tool_calls",
            }
        ],
        "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3, "cost": 0.5},
        "error": {
            "message": "busy",
            "code": "503",
            "type": "server_error",
            "param": None,
            "status": 503,
        },
        "defects": [
            {
                "code": "truncated-event",
                "severity": "error",
                "offset": 7,
                "count": 1,
                "detail": "the body ended inside an event",
            }
        ],
        "tail": {"offset": 7, "length": 7, "text": "data: {"},
        "head": {
            "status": 503,
            "content_type": "text/event-stream",
            "request_id": "req_1",
            "retry_after": 2.0,
        },
        "id": "c1",
        "model": "m",
        "created": 1_700_000_000,
        "timing": {
            "first_byte": 0.1,
            "first_content": 0.2,
            "gap_median": None,
            "gap_p95": None,
            "gap_max": None,
            "total": 0.3,
            "reads": 4,
            "events": 5,
            "heartbeats": 6,
        },
    }


def test_openai_object_of_a_plain_answer_has_only_what_openai_sends() -> None:
    there = completion(choice(content="Hi"), id="c1", model="m", created=1)
    assert there.to_openai() == {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "Hi", "refusal": None},
                "logprobs": None,
                "finish_reason": "stop",
            }
        ],
    }


def test_openai_object_holds_all_that_came_and_unknown_keys_in_their_places() -> None:
    said = choice(
        reasoning="Hm",
        reasoning_details=[{"type": "reasoning.text", "text": "Hm"}],
        refusal="No",
        audio=Audio("a1", "AAAA", "Hi", 9),
        annotations=[{"type": "url_citation"}],
        extra={"vendor": True},
    )
    said = msgspec.structs.replace(said, raw_logprobs=[b'{"content":[1]}'], extra={"stop_token": 7})
    there = completion(
        said,
        system_fingerprint="fp",
        service_tier="default",
        usage=Usage(1, 2, 3, {"cost": 0.5}),
        extra={"provider": "x"},
    )
    assert there.to_openai() == {
        "provider": "x",
        "id": None,
        "object": "chat.completion",
        "created": None,
        "model": None,
        "system_fingerprint": "fp",
        "service_tier": "default",
        "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3, "cost": 0.5},
        "choices": [
            {
                "stop_token": 7,
                "index": 0,
                "message": {
                    "vendor": True,
                    "role": "assistant",
                    "content": None,
                    "refusal": "No",
                    "reasoning_content": "Hm",
                    "reasoning_details": [{"type": "reasoning.text", "text": "Hm"}],
                    "annotations": [{"type": "url_citation"}],
                    "audio": {"id": "a1", "data": "AAAA", "transcript": "Hi", "expires_at": 9},
                },
                "logprobs": {"content": [1]},
                "finish_reason": "stop",
            }
        ],
    }


def test_openai_object_has_the_calls_that_are_not_torn() -> None:
    def openai_calls(*calls: ToolCall | TornToolCall) -> Any:
        there = completion(choice("tool_calls", tool_calls=list(calls)))
        return there.to_openai()["choices"][0]["message"].get("tool_calls")

    function = {"name": "get_weather", "arguments": '{"city":"Oslo"}'}
    assert openai_calls(WHOLE, TORN, INVALID, CUSTOM) == [
        {"id": "call_1", "type": "function", "function": function},
        {"id": "call_2", "type": "function", "function": {"name": "f", "arguments": "{"}},
        {"id": "call_3", "type": "custom", "custom": {"name": "run", "input": "free text"}},
    ]
    assert openai_calls(TORN) is None


@pytest.mark.parametrize(
    ("there", "line"),
    [
        (completion(), "complete: every choice finished normally [no choice]"),
        (
            completion(choice(content="Hi"), choice("length", 1), usage=Usage(1, 2, 3), id="c1"),
            'complete: every choice finished normally [choice 0, content "Hi", stop; '
            "choice 1, length; 1 prompt + 2 completion tokens]",
        ),
    ],
)
def test_completion_is_one_readable_line(there: Completion, line: str) -> None:
    assert str(there) == line


def test_outcomes_to_be_raised_are_those_that_there_are() -> None:
    assert outcomes_of(["failed", "failed"]) == {"failed"}
    assert outcomes_of(()) == frozenset()
    assert outcomes_of(ERRORS) == set(ERRORS)  # all of them
    wrong: list[Any] = ["failed", "", ["fail"], {"complete"}]
    for one in wrong:
        with pytest.raises(ValueError, match="raise_on is a collection of"):
            outcomes_of(one)
