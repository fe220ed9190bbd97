"""ChatStream: tool calls. When they begin and end, and which of them may be run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from tests.chat_helpers import DONE, call, chunk, event, finish, of, play
from untorn import (
    ChatStream,
    ChoiceFinished,
    Completion,
    DefectFound,
    NotWhole,
    Options,
    Revised,
    Started,
    StreamEnded,
    StreamEvent,
    ToolCall,
    ToolCallDelta,
    ToolCallFinished,
    ToolCallStarted,
    TornToolCall,
)

END = [finish("tool_calls"), DONE]


def opened(arguments: str = "", **more: Any) -> bytes:
    """The first fragment of a call."""
    function: dict[str, Any] = {"id": "call_1", "name": "look_up", "arguments": arguments}
    return chunk(call(**function | more))


def fragments(*texts: str, index: int | None = 0) -> list[bytes]:
    return [chunk(call(index, arguments=text)) for text in texts]


def told(events: Iterable[StreamEvent]) -> list[StreamEvent]:
    """The events of calls, and Revised."""
    others = Started | DefectFound | ChoiceFinished | StreamEnded
    return [event for event in events if not isinstance(event, others)]


def only_call(completion: Completion) -> ToolCall | TornToolCall:
    (only,) = completion.tool_calls
    return only


# What a call holds ---------------------------------------------------------------------------


def test_unknown_keys_of_a_call_are_kept_each_with_its_last_value() -> None:
    # Gemini's signature has to go back with the result, or its next answer is an error (400).
    first = {"index": 0, "id": "call_1", "extra_content": {"google": {"thought_signature": "ab"}}}
    parts = [
        chunk({"tool_calls": [first | {"function": {"name": "f", "arguments": "{"}}]}),
        chunk({"tool_calls": [{"index": 0, "state": 1, "function": {"arguments": "}"}}]}),
        chunk({"tool_calls": [{"index": 0, "state": 2, "extra_content": None}]}),
    ]
    for end in (END, []):
        completion = play([*parts, *end])[1]
        call = only_call(completion)
        assert call.extra == {"extra_content": first["extra_content"], "state": 2}
    (given,) = play([*parts, *END])[1].to_openai()["choices"][0]["message"]["tool_calls"]
    assert given == {
        "id": "call_1",
        "type": "function",
        "function": {"name": "f", "arguments": "{}"},
        "extra_content": first["extra_content"],
        "state": 2,
    }


# How a call is told --------------------------------------------------------------------------


def test_call_starts_with_its_first_arguments_and_finishes_with_its_choice() -> None:
    stream = ChatStream()
    assert told(stream.receive_data(opened())) == []
    assert told(stream.receive_data(fragments('{"word":')[0])) == [
        ToolCallStarted(0, 0, 0, "call_1", "look_up"),
        ToolCallDelta(0, 0, 0, '{"word":'),
    ]
    assert told(stream.receive_data(fragments('"ebb"}')[0])) == [ToolCallDelta(0, 0, 0, '"ebb"}')]
    whole = ToolCall(0, "call_1", "function", "look_up", '{"word":"ebb"}')
    assert stream.receive_data(finish("tool_calls")) == [
        ToolCallFinished(0, 0, 0, whole),
        ChoiceFinished(0, "tool_calls"),
    ]
    assert stream.completion.tool_calls == [whole]
    assert whole.parsed() == {"word": "ebb"}


def test_call_without_arguments_starts_and_finishes_at_its_end() -> None:
    events, completion = play([opened(), *END])
    whole = ToolCall(0, "call_1", "function", "look_up", "")
    assert told(events) == [
        ToolCallStarted(0, 0, 0, "call_1", "look_up"),
        ToolCallFinished(0, 0, 0, whole),
    ]
    assert whole.parsed() == {}
    assert [defect.code for defect in completion.verdict.defects] == [
        *("role-missing", "arguments-empty")
    ]


def test_call_that_never_got_arguments_is_told_also_where_the_stream_is_torn() -> None:
    events, completion = play([opened()])
    assert told(events) == [ToolCallStarted(0, 0, 0, "call_1", "look_up")]
    assert only_call(completion).state == "torn"


def test_parallel_calls_are_told_apart_by_number_and_index() -> None:
    body = [
        opened(index=3, id="c", arguments="{"),
        opened(index=1, id="a", arguments="[1"),
        *fragments("}", index=3),
        *fragments("]", index=1),
        *END,
    ]
    events, completion = play(body)
    assert [(one.call, one.index, one.arguments) for one in of(ToolCallDelta, events)] == [
        *((0, 3, "{"), (1, 1, "[1"), (0, 3, "}"), (1, 1, "]"))
    ]
    finished = {one.call: one for one in of(ToolCallFinished, events)}
    assert (finished[0].index, finished[0].tool_call.index) == (3, 1)
    assert (finished[1].index, finished[1].tool_call.index) == (1, 0)
    assert [(one.index, one.id, one.arguments) for one in completion.tool_calls] == [
        *((0, "a", "[1]"), (1, "c", "{}"))
    ]


def test_calls_of_two_choices_are_told_apart() -> None:
    body = [
        chunk(call(id="a", name="f", arguments="{}"), index=0),
        chunk(call(id="b", name="f", arguments="[]"), index=1),
        *(finish("tool_calls", 1), finish("tool_calls", 0), DONE),
    ]
    events, completion = play(body)
    assert [(one.choice, one.tool_call.id) for one in of(ToolCallFinished, events)] == [
        *((1, "b"), (0, "a"))
    ]
    assert [choice.message.tool_calls[0].arguments for choice in completion.choices] == ["{}", "[]"]


def test_call_without_index_has_none() -> None:
    events, _ = play([opened("{}", index=None), *END])
    assert [event.index for event in of(ToolCallStarted, events)] == [None]


def test_call_of_type_custom_brings_free_text_and_is_whole_when_its_choice_is() -> None:
    custom = {"name": "shell", "input": "ls -l"}
    delta = {"tool_calls": [{"index": 0, "id": "call_1", "type": "custom", "custom": custom}]}
    _, completion = play([chunk(delta), *END])
    assert completion.tool_calls == [ToolCall(0, "call_1", "custom", "shell", "ls -l")]
    assert completion.tool_calls[0].parsed() == "ls -l"
    assert only_call(play([chunk(delta)])[1]).state == "torn"
    assert only_call(play([chunk(delta), finish("length"), DONE])[1]).state == "torn"


def test_legacy_function_call_is_a_call_without_id_and_index() -> None:
    delta = {"function_call": {"name": "look_up", "arguments": "{}"}}
    events, completion = play([chunk(delta), finish("function_call"), DONE])
    assert [event.index for event in of(ToolCallStarted, events)] == [None]
    assert completion.tool_calls == [ToolCall(0, None, "function", "look_up", "{}")]


# What is revised -----------------------------------------------------------------------------


def test_late_name_revises_the_one_that_was_told() -> None:
    late = chunk(call(name="look_up"))
    events, completion = play(
        [chunk(call(id="call_1", arguments="{")), late, *fragments("}"), *END]
    )
    assert of(ToolCallStarted, events) == [ToolCallStarted(0, 0, 0, "call_1", None)]
    assert of(Revised, events) == [Revised(0, "name", "look_up", 0)]
    assert completion.tool_calls == [ToolCall(0, "call_1", "function", "look_up", "{}")]


def test_name_in_pieces_is_told_whole_if_the_arguments_come_after_it() -> None:
    events, completion = play([opened(name="look"), chunk(call(name="_up", arguments="{}")), *END])
    assert of(ToolCallStarted, events) == [ToolCallStarted(0, 0, 0, "call_1", "look_up")]
    assert of(Revised, events) == []
    assert only_call(completion).name == "look_up"


@pytest.mark.parametrize(
    ("texts", "arguments"),
    [
        (["{}", '{"a":', "1}"], '{"a":1}'),
        (['{"a":', "1}", '{"a": 1}'], '{"a":1}'),
        (['{"a"', '{"a":1', '{"a":1}'], '{"a":1}'),
    ],
    ids=["placeholder", "resent", "cumulative"],
)
def test_repaired_arguments_are_revised_before_the_call_finishes(
    texts: list[str], arguments: str
) -> None:
    events, completion = play([opened(), *fragments(*texts), *END])
    whole = ToolCall(0, "call_1", "function", "look_up", arguments)
    assert [event.arguments for event in of(ToolCallDelta, events)] == texts
    assert told(events)[-2:] == [
        Revised(0, "tool_calls", [whole]),
        ToolCallFinished(0, 0, 0, whole),
    ]
    assert completion.tool_calls == [whole]


def test_copy_of_a_call_is_revised_away_and_finishes_once() -> None:
    events, completion = play([opened("{}"), opened("{}", index=1), *END])
    whole = ToolCall(0, "call_1", "function", "look_up", "{}")
    assert of(Revised, events) == [Revised(0, "tool_calls", [whole])]
    assert of(ToolCallFinished, events) == [ToolCallFinished(0, 0, 0, whole)]
    assert completion.tool_calls == [whole]


# Which may be run ----------------------------------------------------------------------------


def end_of(arguments: str, *end: bytes, options: Options | None = None) -> tuple[str, bool]:
    """The state of a call after this end, and whether it was told to be finished."""
    events, completion = play([opened(arguments), *end], ChatStream(options or Options()))
    finished = of(ToolCallFinished, events)
    assert [event.tool_call for event in finished] == completion.tool_calls[: len(finished)]
    return only_call(completion).state, bool(finished)


@pytest.mark.parametrize(
    ("arguments", "reason", "state"),
    [
        ('{"a":1}', "tool_calls", "whole"),
        ('{"a":1}', "stop", "whole"),
        ("", "tool_calls", "whole"),
        ("[1]", "tool_calls", "whole"),
        ('{"a":', "tool_calls", "invalid"),
        ('{"a":NaN}', "tool_calls", "invalid"),
        ('{"a":"\t"}', "tool_calls", "invalid"),
        ("{'a':1}", "tool_calls", "invalid"),
        ('{"a":1}', "length", "whole"),
        ('{"a":', "length", "torn"),
        ("[1]", "length", "torn"),
        ("1", "length", "torn"),
        ("", "length", "torn"),
        ('{"a":1}', "content_filter", "torn"),
        ('{"a":1}', "error", "torn"),
        ('{"a":1}', "abort", "torn"),
        ('{"a":1}', "who_knows", "torn"),
    ],
)
def test_call_is_whole_if_its_choice_and_its_arguments_are(
    arguments: str, reason: str, state: str
) -> None:
    assert end_of(arguments, finish(reason), DONE) == (state, state == "whole")


@pytest.mark.parametrize("end", [[], [DONE], [b"data: {"]], ids=["eof", "done", "torn"])
def test_whole_arguments_of_a_choice_that_never_finished_are_torn(end: list[bytes]) -> None:
    assert end_of('{"a":1}', *end) == ("torn", False)


def test_callers_own_finish_reason_makes_a_call_whole() -> None:
    options = Options(normal_finish_reasons=frozenset({"who_knows"}))
    assert end_of("{}", finish("who_knows"), DONE, options=options) == ("whole", True)


def test_done_makes_a_call_whole_where_the_caller_accepts_it() -> None:
    options = Options(accept_done_without_finish_reason=True)
    assert end_of("{}", DONE, options=options) == ("whole", True)
    assert end_of("{}", options=options) == ("torn", False)


@pytest.mark.parametrize("lost", [b'data: {"choices":[}\n\n', b'data: x "choices"\n\n'])
def test_lost_event_makes_open_calls_torn_however_whole_they_look(lost: bytes) -> None:
    assert end_of("{}", lost, finish("tool_calls"), DONE) == ("torn", False)


def test_lost_event_after_the_finish_leaves_calls_whole() -> None:
    assert end_of("{}", finish("tool_calls"), b"data: {\n\n", DONE) == ("whole", True)


def test_lost_event_tears_calls_too_whose_begin_it_may_have_held() -> None:
    _, completion = play([chunk({"content": "a"}), b"data: {\n\n", opened("{}"), *END])
    assert only_call(completion).state == "torn"
    assert completion.verdict.outcome == "interrupted"


def test_call_without_name_is_torn() -> None:
    _, completion = play([chunk(call(id="call_1", arguments="{}")), *END])
    assert completion.tool_calls == [TornToolCall(0, "call_1", "function", None, "{}", "torn")]


@pytest.mark.parametrize(("arguments", "end"), [("{", END), ("{}", [])], ids=["invalid", "torn"])
def test_arguments_of_a_call_that_is_not_whole_are_not_parsed(
    arguments: str, end: list[bytes]
) -> None:
    _, completion = play([opened(arguments), *end])
    torn = only_call(completion)
    with pytest.raises(NotWhole, match="the arguments cannot be used: look_up") as raised:
        torn.parsed()
    assert raised.value.call is torn


def test_arguments_after_the_finish_are_kept_and_revise_the_call() -> None:
    body = [opened('{"a":'), finish("tool_calls"), *fragments("1}"), DONE]
    events, completion = play(body)
    assert only_call(completion) == ToolCall(0, "call_1", "function", "look_up", '{"a":1}')
    assert [event.tool_call for event in of(ToolCallFinished, events)] == completion.tool_calls
    assert "content-after-finish" in [defect.code for defect in completion.verdict.defects]


def test_arguments_after_a_call_was_told_to_be_whole_revise_it() -> None:
    body = [opened('{"a":1}'), finish("tool_calls"), *fragments("}"), DONE]
    events, completion = play(body)
    changed = TornToolCall(0, "call_1", "function", "look_up", '{"a":1}}', "invalid")
    assert of(Revised, events) == [Revised(0, "tool_calls", [changed])]
    assert completion.tool_calls == [changed]


def test_calls_of_a_whole_message_are_whole_calls() -> None:
    function = {"name": "look_up", "arguments": "{}"}
    message = {"role": "assistant", "tool_calls": [{"id": "call_1", "function": function}]}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    events, completion = play([event({"choices": [choice]}), DONE])
    assert completion.tool_calls == [ToolCall(0, "call_1", "function", "look_up", "{}")]
    assert [event.tool_call for event in of(ToolCallFinished, events)] == completion.tool_calls
