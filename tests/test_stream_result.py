"""ChatStream: what is left at the end, with the head and the times that were handed in."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.chat_helpers import DONE, call, chunk, event, finish, play
from untorn import (
    AnswerFiltered,
    AnswerTruncated,
    ChatStream,
    Head,
    IncompleteAnswer,
    StreamFailed,
    StreamInterrupted,
    Timing,
)
from untorn.options import Limits, Options

HELLO = chunk({"role": "assistant", "content": "Hello"})
USAGE = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5, "cost": 0.5}


def headed(status: int = 200, **headers: str) -> ChatStream:
    stream = ChatStream()
    stream.receive_head(status, {name.replace("_", "-"): text for name, text in headers.items()})
    return stream


# The head ------------------------------------------------------------------------------------


def test_head_is_kept_with_the_completion() -> None:
    stream = headed(
        content_type="text/event-stream; charset=utf-8", x_request_id="req_1", retry_after="2"
    )
    _, completion = play([HELLO, finish(), DONE], stream)
    assert completion.head == Head(200, "text/event-stream; charset=utf-8", "req_1", 2.0)
    assert completion.verdict.defects == []


def test_completion_without_head_has_none() -> None:
    assert play([HELLO])[1].head is None


def test_status_of_failure_fails_also_a_stream_that_is_whole() -> None:
    events, completion = play([HELLO, finish(), DONE], headed(500))
    assert (completion.verdict.outcome, completion.content) == ("failed", "Hello")
    assert str(events[0]) == "defect, error http-error-status: the HTTP status is 500"


def test_status_of_failure_stands_in_the_error_of_the_body() -> None:
    error = {"message": "slow down", "code": "rate_limited"}
    _, completion = play([json.dumps({"error": error}).encode()], headed(429))
    assert completion.verdict.error is not None
    assert completion.verdict.error.status == 429
    assert str(completion.verdict.error) == '"slow down" (429, rate_limited)'
    assert completion.verdict.ending == "document"


def test_status_of_failure_without_a_body_fails() -> None:
    _, completion = play([], headed(502))
    assert (completion.verdict.outcome, completion.verdict.error) == ("failed", None)


# Times ---------------------------------------------------------------------------------------


def test_times_are_measured_from_the_head() -> None:
    stream = ChatStream()
    stream.receive_head(200, {}, at=10.0)
    more = chunk({"content": " you"})
    for at, data in [(10.5, b": ping\n"), (12.0, HELLO), (12.25, more[:9]), (13.0, more[9:])]:
        stream.receive_data(data, at=at)
    stream.receive_data(finish(), at=14.0)
    stream.receive_eof(at=15.0)
    assert stream.completion.timing == Timing(
        first_byte=0.5,
        first_content=2.0,
        gap_median=1.0,
        gap_p95=1.0,
        gap_max=1.0,
        total=5.0,
        reads=5,
        events=7,
        heartbeats=1,
    )


def test_times_of_payloads_and_of_a_failure_are_measured_too() -> None:
    stream = ChatStream()
    stream.receive_head(200, {}, at=10.0)
    two = {"choices": [{"index": index, "delta": {"content": "a"}} for index in range(2)]}
    stream.receive_payload(two, at=11.0)
    stream.receive_payload(json.loads(json.dumps(two).replace('"a"', '"b"')), at=12.0)
    stream.receive_failure("cut", "connection reset", at=13.0)
    timing = stream.completion.timing
    assert timing is not None
    assert (timing.first_byte, timing.total, timing.reads) == (1.0, 3.0, 2)
    # Started, four deltas, what is odd at the end (no role twice, no end), and the end itself.
    assert timing.events == 1 + 4 + 2 + 1


@pytest.mark.parametrize("limits", [Limits(event=9), Limits(body=9)])
def test_time_at_which_a_payload_passed_a_limit_is_the_end(limits: Limits) -> None:
    stream = ChatStream(Options(limits=limits))
    stream.receive_head(200, {}, at=10.0)
    stream.receive_payload(HELLO[6:-2], at=12.0)
    timing = stream.completion.timing
    assert timing is not None
    assert timing.total == 2.0


def test_without_times_nothing_is_measured() -> None:
    assert play([HELLO, finish(), DONE])[1].timing is None


def test_times_change_nothing_else() -> None:
    stream = ChatStream()
    timed = [
        *stream.receive_data(HELLO, at=1.0),
        *stream.receive_data(finish(), at=2.0),
        *stream.receive_failure("stalled", "no byte for 9 s", at=3.0),
    ]
    plain = ChatStream()
    assert timed == [
        *plain.receive_data(HELLO),
        *plain.receive_data(finish()),
        *plain.receive_failure("stalled", "no byte for 9 s"),
    ]
    assert stream.completion.to_dict() | {"timing": None} == plain.completion.to_dict()


# The report ----------------------------------------------------------------------------------


def test_report_has_exactly_its_keys() -> None:
    body = [HELLO, chunk(call(id="c", name="f", arguments="{")), event({"error": "no"}), b"data"]
    stream = ChatStream()
    stream.receive_head(200, {}, at=0.0)
    report = play(body, stream)[1].to_dict()
    assert (
        list(report)
        == (
            "outcome ending reason choices usage error defects tail head id model created timing"
        ).split()
    )
    (choice,) = report["choices"]
    assert list(choice) == ("index role content reasoning refusal tool_calls finish_reason").split()
    assert list(choice["tool_calls"][0]) == "index id name arguments state".split()
    assert list(report["error"]) == "message code type param status".split()
    assert list(report["defects"][0]) == "code severity offset count detail".split()
    assert list(report["tail"]) == "offset length text".split()
    assert list(report["head"]) == "status content_type request_id retry_after".split()
    assert json.loads(json.dumps(report)) == report


def test_report_names_as_null_what_is_absent() -> None:
    report = play([])[1].to_dict()
    absent = {key for key, value in report.items() if value is None}
    assert absent == set("reason usage error tail head id model created timing".split())
    choice = play([event({"choices": [{"index": 0, "delta": {}}]})])[1].to_dict()["choices"][0]
    assert choice == {
        "index": 0,
        "role": "assistant",
        "content": None,
        "reasoning": None,
        "refusal": None,
        "tool_calls": [],
        "finish_reason": None,
    }


def test_report_has_every_count_of_the_usage() -> None:
    assert play([event({"choices": [], "usage": USAGE})])[1].to_dict()["usage"] == USAGE


# As if it had not been streamed --------------------------------------------------------------


def test_openai_object_is_what_the_call_would_have_returned() -> None:
    logprobs = {"content": [{"token": "Hello", "logprob": -0.5}], "refusal": None}
    known = {"id": "c1", "created": 7, "model": "m", "system_fingerprint": "f", "x_vendor": 1}
    delta = {"role": "assistant", "content": "Hello", "reasoning_content": "Hm"}
    choice = {"index": 0, "delta": delta, "logprobs": logprobs}
    body = [
        event({**known, "choices": [choice]}),
        chunk(call(id="call_1", name="f", arguments="{}")),
        finish("tool_calls"),
        event({**known, "choices": [], "usage": USAGE}),
        DONE,
    ]
    function = {"name": "f", "arguments": "{}"}
    assert play(body)[1].to_openai() == {
        **known,
        "object": "chat.completion",
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": "Hello",
                    "refusal": None,
                    "reasoning_content": "Hm",
                    "tool_calls": [{"id": "call_1", "type": "function", "function": function}],
                },
                "logprobs": logprobs,
                "finish_reason": "tool_calls",
            }
        ],
        "usage": USAGE,
    }


def test_openai_object_read_again_gives_the_same_answer() -> None:
    body = [
        HELLO,
        chunk({"content": " you"}),
        chunk({"content": "B"}, 1),
        finish(),
        finish("stop", 1),
    ]
    completion = play([*body, DONE])[1]
    again = play([json.dumps(completion.to_openai()).encode()])[1]
    assert again.choices == completion.choices
    assert again.verdict.outcome == completion.verdict.outcome


def test_openai_object_leaves_out_calls_that_are_torn() -> None:
    calls = [
        chunk(call(n, id=f"c{n}", name="f", arguments=text)) for n, text in enumerate(["{}", "{"])
    ]

    def ids(*end: bytes) -> list[Any]:
        message = play([*calls, *end])[1].to_openai()["choices"][0]["message"]
        return [one["id"] for one in message.get("tool_calls", [])]

    assert ids() == []
    assert ids(finish("length")) == ["c0"]
    assert ids(finish("tool_calls")) == ["c0", "c1"]


# Exceptions ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("end", "raised"),
    [
        (b"", StreamInterrupted),
        (event({"error": "overloaded"}), StreamFailed),
        (finish("length"), AnswerTruncated),
        (finish("content_filter"), AnswerFiltered),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
def test_incomplete_answer_is_raised_with_all_that_arrived(
    end: bytes, raised: type[IncompleteAnswer]
) -> None:
    completion = play([HELLO, end])[1]
    with pytest.raises(raised) as caught:
        completion.raise_for_verdict({completion.verdict.outcome})
    assert caught.value.completion is completion
    assert str(caught.value) == str(completion.verdict)
    completion.raise_for_verdict(())


def test_only_what_is_torn_or_failed_raises_unless_the_caller_says_otherwise() -> None:
    for end in (finish(), finish("length"), finish("content_filter")):
        play([HELLO, end])[1].raise_for_verdict()
    with pytest.raises(StreamInterrupted):
        play([HELLO])[1].raise_for_verdict()
    with pytest.raises(StreamFailed):
        play([HELLO, finish("error")])[1].raise_for_verdict()
