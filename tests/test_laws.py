"""The five laws, each against an input that once broke it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.helpers import cuttings
from untorn import (
    ChatStream,
    ChoiceFinished,
    Completion,
    Limits,
    Options,
    Revised,
    StreamEvent,
    ToolCallFinished,
    parse,
)


def event(*choices: dict[str, Any], **more: Any) -> bytes:
    return b"data: " + json.dumps({"choices": list(choices), **more}).encode() + b"\n\n"


def says(index: int = 0, reason: str | None = None, **delta: Any) -> bytes:
    return event({"index": index, "delta": delta, "finish_reason": reason})


def calls(arguments: str, **more: Any) -> dict[str, Any]:
    return {"index": 0, "function": {"arguments": arguments, **more}}


CALL = says(tool_calls=[{**calls("{}", name="f"), "id": "a"}])
DONE = b"data: [DONE]\n\n"


def play(
    reads: list[bytes], options: Options | None = None
) -> tuple[list[StreamEvent], Completion]:
    stream = ChatStream(options or Options())
    events = [event for data in reads for event in stream.receive_data(data)]
    return events + stream.receive_eof(), stream.completion


# 1. No false whole


def test_call_that_began_after_an_event_was_lost_is_torn() -> None:
    # The lost event held its first arguments, and the server repeats name and id each time.
    lost = b'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a"\n\n'
    end = says(reason="tool_calls", tool_calls=[{**calls("5", name="f"), "id": "a"}])
    events, completion = play([lost + end + DONE])
    assert [call.state for call in completion.tool_calls] == ["torn"]
    assert not [event for event in events if isinstance(event, ToolCallFinished)]


def test_call_in_a_choice_that_finished_before_an_event_was_lost_stays_whole() -> None:
    _, completion = play([CALL + says(reason="stop") + b"data: {broken\n\n" + DONE])
    assert [call.state for call in completion.tool_calls] == ["whole"]
    assert completion.verdict.outcome == "interrupted"


@pytest.mark.parametrize("reason", ["abort", "content_filter", "nobody knows"])
def test_bad_finish_reason_after_audio_ended_takes_the_call_back(reason: str) -> None:
    audio = says(audio={"expires_at": 5}, tool_calls=[{**calls("{}", name="f"), "id": "a"}])
    events, completion = play([audio + DONE + says(reason=reason)])
    assert [call.state for call in completion.tool_calls] == ["torn"]
    assert len([event for event in events if isinstance(event, ChoiceFinished)]) == 1
    revised = [event.field for event in events if isinstance(event, Revised)]
    assert revised == ["finish_reason", "tool_calls"]


@pytest.mark.parametrize(
    ("limits", "more"),
    [
        (Limits(choices=1), says(1, content="never finished")),
        (Limits(tool_calls=0), CALL),
        (Limits(extras=1), event(a=1, b=2)),
        (Limits(text=1), says(content="!")),
        (Limits(body=len(says(content="x") + says(reason="stop"))), says(content="!")),
    ],
)
def test_answer_is_not_complete_if_a_limit_left_bytes_unread(limits: Limits, more: bytes) -> None:
    body = says(content="x") + says(reason="stop") + more
    _, completion = play([body], Options(limits=limits))
    assert completion.verdict.ending == "limit"
    assert completion.verdict.outcome == "interrupted"


def test_limit_after_done_changes_nothing() -> None:
    body = says(content="x") + says(reason="stop") + DONE
    _, completion = play([body + b": bye\n\n"], Options(limits=Limits(body=len(body))))
    assert (completion.verdict.ending, completion.verdict.outcome) == ("limit", "complete")


def test_event_named_error_stays_one_when_a_later_field_names_it_otherwise() -> None:
    failure = b'event: error\ndata: {"why":"overloaded"}\nevent: done\n\n'
    completion = parse(says(content="x", reason="stop") + failure + DONE)
    assert completion.verdict.outcome == "failed"


def test_arguments_with_a_number_out_of_range_are_not_run_with_null() -> None:
    body = b'{"index":0,"function":{"name":"f","arguments":{"x":1e999}}}'
    delta = b'data: {"choices":[{"index":0,"delta":{"tool_calls":[' + body + b"]}}]}\n\n"
    completion = parse(delta + says(reason="stop") + DONE)
    assert [call.state for call in completion.tool_calls] == ["torn"]


# 2. No invention


def test_number_out_of_range_is_null_and_told() -> None:
    body = b'data: {"choices":[{"index":0,"delta":{"content":"x","k":1e999}}]}\n\n'
    completion = parse(body + says(reason="stop") + DONE)
    assert completion.verdict.defects[0].code == "json-nonfinite"
    assert completion.choices[0].message.extra == {}


# 3. No loss


@pytest.mark.parametrize(
    ("level", "body"),
    [
        ("chunk", {"choices": {"delta": {"content": "lost"}}}),
        ("chunk", {"choices": [], "id": 7}),
        ("choice", {"choices": [{"index": 0, "delta": "lost"}]}),
        ("choice", {"choices": [{"index": 0, "delta": {}, "logprobs": [1]}]}),
        ("delta", {"choices": [{"index": 0, "delta": {"reasoning": {"text": "lost"}}}]}),
        ("delta", {"choices": [{"index": 0, "delta": {"tool_calls": "lost"}}]}),
    ],
)
def test_known_key_of_another_type_is_kept_as_it_came(level: str, body: dict[str, Any]) -> None:
    completion = parse(b"data: " + json.dumps(body).encode() + b"\n\n")
    kept = {
        "chunk": lambda: completion.extra,
        "choice": lambda: completion.choices[0].extra,
        "delta": lambda: completion.choices[0].message.extra,
    }[level]()
    assert len(kept) == 1


def test_error_that_a_second_key_hides_is_found() -> None:
    body = says(content="x", reason=None) + b'data: {"error":{"message":"m"},"error":null}\n\n'
    completion = parse(body + says(reason="stop") + DONE)
    assert completion.verdict.error is not None
    assert completion.verdict.error.message == "m"


def test_document_after_a_line_of_spaces_is_read() -> None:
    body = b' \n{\n"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}\n'
    assert parse(body, content_type=None).content == "x"


def test_usage_in_fractions_is_no_placeholder() -> None:
    completion = parse(event(usage={"prompt_tokens": 5.5}))
    assert completion.usage is not None
    assert completion.usage.prompt_tokens is None


def test_event_that_is_told_is_in_the_events_until_the_last() -> None:
    # Whoever follows the events has the calls that the completion has.
    late = says(tool_calls=[{"index": 0, "id": "a"}])
    nameless = says(reason="stop", tool_calls=[calls("{}", name="f")])
    events, completion = play([nameless + late + DONE])
    revised = [event.value for event in events if isinstance(event, Revised)]
    assert revised[-1] == completion.tool_calls


def test_torn_array_gives_no_chunk_without_those_before_it() -> None:
    body = b'[{"choices":[{"delta":{"content":"in"}}]},\n{"choices":[{"delta":{"content":" a"}}]}'
    completion = parse(body, content_type=None)
    assert completion.choices == []
    assert [defect.code for defect in completion.verdict.defects] == [
        "truncated-event",
        "empty-stream",
    ]


def test_call_that_is_sent_again_after_its_end_is_told_as_it_was() -> None:
    again = says(tool_calls=[calls("{}")])
    events, completion = play([CALL + says(reason="stop") + again + DONE])
    revised = [event.value for event in events if isinstance(event, Revised)]
    assert revised == [completion.tool_calls]
    assert completion.tool_calls[0].arguments == "{}"


# 4. Cuts mean nothing


def test_offset_of_a_line_that_waited_for_its_blank_line_is_its_own() -> None:
    empty = b'data: {"choices":[]}\n\n'
    odd = b'data: {"choices":[{"delta":{}}]}\n\n'
    body = empty + odd + empty
    split = len(empty + odd) - 1
    reads = [body[:split], body[split:-1], body[-1:]]
    (found,) = [
        defect for defect in play(reads)[1].verdict.defects if defect.code == "choice-index-missing"
    ]
    assert found.offset == len(empty)


@pytest.mark.parametrize(
    "limits",
    [
        Limits(line=5),
        Limits(line=150),
        Limits(event=1),
        Limits(event=60),
        Limits(text=0),
        Limits(text=3),
        Limits(choices=1),
        Limits(tool_calls=1),
        Limits(extras=1),
        Limits(name=2),
        *(Limits(body=size) for size in range(0, 700, 7)),
    ],
)
def test_limit_is_passed_at_the_same_place_for_every_cutting(limits: Limits) -> None:
    body = (
        says(role="assistant", content="ab")
        + says(content="cd", vendor="x")
        + says(1, tool_calls=[{**calls("{", name="fg"), "id": "a", "index": 1}])
        + says(1, tool_calls=[{**calls("}", name="h"), "index": 0, "id": "b"}], other=[1])
        + says(reason="stop", content="ef")
        + says(1, reason="stop")
        + DONE
    )
    options = Options(limits=limits)
    whole = play([body], options)
    for reads in cuttings(body):
        assert play(reads, options) == whole


# 5. Linear and bounded


def test_arguments_count_as_text_also_in_a_call_that_is_open() -> None:
    body = CALL + says(tool_calls=[calls("x" * 40)]) * 10
    _, completion = play([body], Options(limits=Limits(text=100)))
    assert completion.verdict.reason == "more than 100 characters in choice 0"
    assert len(completion.tool_calls[0].arguments) <= 140


def test_snapshots_that_turn_out_to_be_none_are_not_spread_out_over_the_limit() -> None:
    snapshots = ["x" * size for size in range(20, 60)]
    body = b"".join(says(content=text) for text in [*snapshots, "q"])
    _, completion = play([body], Options(limits=Limits(text=100)))
    assert completion.verdict.ending == "limit"
    assert completion.content == snapshots[-1]


# Whatever bytes come: no exception, and no control character in a sentence


def test_half_a_surrogate_pair_in_logprobs_is_no_exception() -> None:
    body = b'data: {"choices":[{"index":0,"delta":{},"logprobs":{"refusal":"\\ud800"}}]}\n\n'
    assert parse(body).choices[0].logprobs == {"refusal": "\N{REPLACEMENT CHARACTER}"}


def test_no_sentence_holds_what_a_terminal_would_obey() -> None:
    escape = "\x1b[31m\u202e"
    body = event({"index": 0, "delta": {}, "finish_reason": escape})
    body += b"data: " + json.dumps({"error": {"message": escape, "code": escape}}).encode()
    stream = ChatStream()
    stream.receive_head(200, {"content-type": escape})
    events = stream.receive_data(body + b"\n\n") + stream.receive_eof()
    sentences = [str(stream.completion), str(stream.completion.head), *map(str, events)]
    assert all(sentence.isprintable() for sentence in sentences)
