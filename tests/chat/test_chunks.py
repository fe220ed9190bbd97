"""JSON object to chunk, the plain way: the normal form of everything that servers send."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.chat.shapes import choice, chunk, codes, fragment, read_choice
from untorn.chat.chunks import (
    Chunk,
    ChunkChoice,
    Delta,
    Finding,
    Fragment,
    code_of_messages,
    findings_of,
    is_chunk,
    is_finite_without_logprobs,
    keep_logprobs_as_sent,
    read_chunk,
    wire_index,
)
from untorn.chat.defects import CODES

USAGE = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                "choices index delta message text finish_reason content reasoning role tool_calls"
                " function_call function custom name arguments input id usage x_groq audio logprobs"
                " reasoning_details thinking refusal annotations created object error".split()
            ),
            inner,
            max_size=6,
        )
    ),
    max_leaves=30,
)


def delta(**wire: Any) -> Delta:
    """A delta of these keys, read."""
    read = read_choice(choice(wire)).delta
    assert read is not None
    return read


def found_in(**wire: Any) -> list[str]:
    """The codes that a delta of these keys gives."""
    return codes(chunk(choice(wire)).findings)


def fragments(*entries: Any) -> list[Fragment]:
    return delta(tool_calls=list(entries)).fragments


# What is a chunk ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        {"choices": []},
        {"choices": None},
        {"usage": {}},
        {"delta": {}},
        {"message": {}},
        {"object": "chat.completion.chunk"},
        {"object": "chat.completion"},
    ],
)
def test_chunk_has_choices_or_usage_delta_or_message_or_its_object_says_so(
    body: dict[str, Any],
) -> None:
    assert is_chunk(body)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"id": "c1", "model": "m"},
        {"usage": None, "delta": "text", "message": "text"},
        {"object": "list"},
        {"object": ["chat.completion"]},
        {"error": {"message": "busy"}},
    ],
)
def test_other_objects_are_no_chunks(body: dict[str, Any]) -> None:
    assert not is_chunk(body)


# The chunk ------------------------------------------------------------------------------------


def test_usual_chunk_is_read_as_it_stands() -> None:
    body = {
        "id": "c1",
        "object": "chat.completion.chunk",
        "created": 1_700_000_000,
        "model": "m",
        "system_fingerprint": "fp",
        "service_tier": "default",
        "choices": [
            {"index": 1, "delta": {"role": "tool", "content": "Hi"}, "finish_reason": "stop"}
        ],
        "usage": USAGE,
    }
    said = Delta("tool", "Hi", is_only_text=True)
    assert read_chunk(body, is_document=False) == Chunk(
        id="c1",
        model="m",
        created=1_700_000_000,
        system_fingerprint="fp",
        service_tier="default",
        choices=[ChunkChoice(1, said, "stop", None, {})],
        usages=[USAGE],
        extra={},
        findings=[],
    )


def test_unknown_keys_that_are_not_null_are_kept_at_every_level_and_padding_is_dropped() -> None:
    body = {
        "choices": [{"index": 0, "delta": {"v": 1, "w": None}, "v": 2, "w": None}],
        "v": 3,
        "w": None,
        "obfuscation": "xxxx",
    }
    read = read_chunk(body, is_document=False)
    (of_choice,) = read.choices
    assert of_choice.delta is not None
    assert (of_choice.delta.extra, of_choice.extra, read.extra) == ({"v": 1}, {"v": 2}, {"v": 3})


def test_key_that_is_read_is_no_extra() -> None:
    in_delta = {
        "role": "assistant",
        "content": "Hi",
        "reasoning": "",
        "reasoning_content": "",
        "reasoning_details": [],
        "refusal": "",
        "tool_calls": [],
        "function_call": {},
        "audio": {},
        "annotations": [],
    }
    assert delta(**in_delta).extra == {}
    (read,) = chunk(choice(message={}, logprobs={}, usage={}, error="busy", text="Hi")).choices
    assert read.extra == {}
    assert chunk(error={"message": "busy"}, usage={}, object="", id="", model="").extra == {}


OTHER_TYPES: dict[str, Any] = {
    "role": ["assistant"],
    "content": 7,
    "reasoning": {},
    "reasoning_content": 7,
    "reasoning_details": "Hm",
    "refusal": True,
    "tool_calls": "f",
    "function_call": "auto",
    "audio": [],
    "annotations": {},
}


@pytest.mark.parametrize(("key", "value"), list(OTHER_TYPES.items()))
def test_value_of_another_type_in_a_delta_is_kept_as_it_came(key: str, value: Any) -> None:
    assert delta(**{key: value}).extra == {key: value}


def test_value_of_another_type_in_a_choice_or_a_chunk_is_kept_as_it_came() -> None:
    of_choice = {"index": [], "finish_reason": 7, "logprobs": [], "usage": 7, "error": 7, "text": 7}
    (read,) = chunk({"delta": {}, "message": "Hi", **of_choice}).choices
    assert read.extra == {"message": "Hi", **of_choice}
    of_chunk = {"id": 7, "object": 7, "created": [], "model": 7, "usage": 7, "error": 7}
    assert chunk(choice(), **of_chunk).extra == of_chunk


@pytest.mark.parametrize("name", ["id", "model", "system_fingerprint", "service_tier"])
@pytest.mark.parametrize("value", [None, 7, ["c1"]])
def test_name_that_is_no_text_counts_as_absent(name: str, value: Any) -> None:
    assert getattr(chunk(**{name: value}), name) is None


@pytest.mark.parametrize(
    ("created", "sentence"),
    [
        (1.7e9, "created is a number, not an integer"),
        (True, "created is true or false, not an integer"),
        ("now", "created is a string, not an integer"),
        ([], "created is a list, not an integer"),
        ({}, "created is an object, not an integer"),
    ],
)
def test_created_that_is_no_integer_is_absent_and_told(created: Any, sentence: str) -> None:
    read = chunk(created=created)
    assert read.created is None
    assert read.findings == [Finding("created-invalid", sentence)]


@pytest.mark.parametrize("more", [{}, {"created": None}])
def test_created_that_is_absent_is_no_defect(more: dict[str, Any]) -> None:
    assert (chunk(**more).created, chunk(**more).findings) == (None, [])


# Its choices (rule 8) -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "index"),
    [(0, 0), (2**63 - 1, 2**63 - 1), ("00", 0), ("12", 12), ("9" * 18, 10**18 - 1)],
)
def test_index_is_an_integer_that_is_not_negative_or_a_string_of_ascii_digits(
    value: Any, index: int
) -> None:
    assert wire_index(value) == index


@pytest.mark.parametrize(
    "value",
    [
        None,
        -2,
        True,
        0.0,
        "",
        "-1",
        "+1",
        " 1",
        "1.0",
        "\u0661",
        "\xb2",
        [0],
        2**63,
        pytest.param("9" * 5000, id="5000-digits"),
        "9" * 19,
    ],
)
def test_any_other_index_counts_as_missing(value: Any) -> None:
    assert wire_index(value) is None


@given(st.integers(0, 2**63 - 1))
def test_index_and_its_digits_are_the_same(index: int) -> None:
    assert wire_index(index) == wire_index(str(index)) == index


def test_index_of_a_choice_may_be_a_string_of_digits_too() -> None:
    read = chunk({"index": "3", "delta": {}})
    assert ([one.index for one in read.choices], read.findings) == ([3], [])


@pytest.mark.parametrize("more", [{}, {"index": None}, {"index": -1}, {"index": 2**63}])
def test_choice_without_an_index_is_choice_0(more: dict[str, Any]) -> None:
    read = chunk({"delta": {}, **more})
    assert [one.index for one in read.choices] == [0]
    assert read.findings == [Finding("choice-index-missing", "a choice has no index; taken as 0")]


@pytest.mark.parametrize("choices", [{}, {"choices": None}, {"choices": "text"}])
def test_object_with_a_delta_alone_is_choice_0(choices: dict[str, Any]) -> None:
    body = {"delta": {"content": "Hi"}, "index": 3, "finish_reason": "stop", "v": 1, **choices}
    read = read_chunk(body, is_document=False)
    (bare,) = read.choices
    assert bare.delta is not None
    assert (bare.index, bare.delta.content, bare.finish_reason) == (0, "Hi", "stop")
    assert bare.extra == {}
    # What is no list of choices is no loss: it is kept as it came.
    assert read.extra == {"v": 1, **{key: value for key, value in choices.items() if value}}
    assert read.findings == [Finding("choices-missing", "a chunk has no list of choices")]


def test_object_with_neither_choices_nor_delta_has_no_choice() -> None:
    read = read_chunk({"choices": None, "usage": USAGE, "index": 3}, is_document=False)
    assert (read.choices, read.usages, codes(read.findings)) == ([], [USAGE], ["choices-missing"])
    assert read.extra == {"index": 3}


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        (None, "a choice is null, not an object"),
        ("text", "a choice is a string, not an object"),
        ([], "a choice is a list, not an object"),
        (7, "a choice is a number, not an object"),
    ],
)
def test_choice_that_is_no_object_is_skipped(entry: Any, sentence: str) -> None:
    read = chunk(entry, choice({"content": "Hi"}))
    assert len(read.choices) == 1
    assert read.findings == [Finding("delta-missing", sentence)]


@pytest.mark.parametrize("more", [{}, {"delta": None}, {"delta": "Hi", "text": None}, {"text": 7}])
def test_choice_without_a_delta_adds_nothing_but_may_finish(more: dict[str, Any]) -> None:
    read = chunk({"index": 0, "finish_reason": "stop", **more})
    kept = {key: value for key, value in more.items() if value is not None}
    assert read.choices == [ChunkChoice(0, None, "stop", None, kept)]
    assert read.findings == [Finding("delta-missing", "a choice has neither delta nor message")]


def test_choice_without_a_delta_adds_its_text() -> None:
    read = chunk({"index": 0, "text": "Hi"})
    # An increment as any other: it is no message, which may repeat what came before it.
    assert [one.delta for one in read.choices] == [delta(content="Hi")]
    assert codes(read.findings) == ["delta-missing"]


def test_delta_is_used_where_there_is_a_message_too() -> None:
    read = chunk(choice({"content": "Hi"}, message={"content": "Hi Ho"}))
    assert [one.delta and one.delta.content for one in read.choices] == ["Hi"]
    assert read.findings == [Finding("message-and-delta", "a choice has both; message is ignored")]


@pytest.mark.parametrize("kind", ["chat.completion.chunk", None])
def test_message_in_place_of_a_delta_is_a_whole_message(kind: str | None) -> None:
    read = chunk({"index": 0, "message": {"content": "Hi"}}, object=kind)
    assert [one.delta and one.delta.is_message for one in read.choices] == [True]
    assert read.findings == [Finding("message-for-delta", "a choice has message in place of delta")]


def test_message_beside_deltas_of_other_choices_is_told_too() -> None:
    read = chunk(choice({}), {"index": 1, "message": {}}, object="chat.completion")
    assert codes(read.findings) == ["message-for-delta"]


def test_whole_completion_as_an_event_is_told_as_such() -> None:
    read = chunk({"index": 0, "message": {"content": "Hi"}}, object="chat.completion")
    assert read.findings == [
        Finding("completion-in-stream", "an event carries a whole chat.completion")
    ]


def test_messages_of_a_document_are_its_usual_shape() -> None:
    body = {"object": "chat.completion", "choices": [{"index": 0, "message": {"content": "Hi"}}]}
    read = read_chunk(body, is_document=True)
    assert [one.delta and one.delta.is_message for one in read.choices] == [True]
    assert read.findings == []


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"choices": [choice({})], "object": "chat.completion"}, None),
        ({"choices": [], "object": "chat.completion"}, None),
        ({"choices": ["text"]}, None),
        ({"usage": {}}, None),
        ({"message": {}}, "message-for-delta"),
        ({"message": {}, "object": "chat.completion"}, "completion-in-stream"),
        ({"choices": [{"message": {}}], "object": "chat.completion"}, "completion-in-stream"),
        ({"choices": [{"message": {}}]}, "message-for-delta"),
        ({"choices": [{"message": {}}, choice({})]}, "message-for-delta"),
        ({"choices": None, "delta": {}}, None),
        ({"choices": [choice({}, message={})]}, None),
    ],
)
def test_what_messages_in_a_chunk_mean(body: dict[str, Any], code: str | None) -> None:
    assert code_of_messages(body) == code


# Finish reason and logprobs -------------------------------------------------------------------


@pytest.mark.parametrize("reason", ["stop", "Stop", " ", "anything"])
def test_finish_reason_is_exactly_what_was_sent(reason: str) -> None:
    assert read_choice(choice(finish_reason=reason)).finish_reason == reason


@pytest.mark.parametrize("reason", [None, 7, False, ["stop"], {"type": "stop"}])
def test_anything_but_a_string_is_no_finish_reason(reason: Any) -> None:
    read = chunk(choice(finish_reason=reason))
    assert (read.choices[0].finish_reason, read.findings) == (None, [])


@pytest.mark.parametrize("reason", ["", "null"])
def test_empty_finish_reason_is_none_and_told(reason: str) -> None:
    read = chunk(choice(finish_reason=reason))
    assert read.choices[0].finish_reason is None
    assert read.findings == [Finding("finish-reason-empty", f'finish_reason is "{reason}"')]


@pytest.mark.parametrize(
    ("logprobs", "json"),
    [
        ({"content": [{"token": "é"}]}, '{"content":[{"token":"é"}]}'),
        ({}, "{}"),
        (None, None),
        ([], None),
        ("x", None),
    ],
)
def test_logprobs_are_kept_as_json_if_they_are_an_object(logprobs: Any, json: str | None) -> None:
    assert read_choice(choice(logprobs=logprobs)).logprobs == (
        None if json is None else json.encode()
    )


def test_half_a_pair_in_logprobs_becomes_u_fffd() -> None:
    read = read_choice(choice(logprobs={"content": "\ud83d"}))
    assert read.logprobs == '{"content":"\ufffd"}'.encode()


def test_logprobs_can_be_kept_exactly_as_sent() -> None:
    data = b'{"choices":[{"index":0,"logprobs": { "a" : 1.50 } },{"index":1,"logprobs":null}]}'
    read = chunk(choice(logprobs={"a": 1.5}), choice(index=1))
    keep_logprobs_as_sent(read, data)
    assert [one.logprobs for one in read.choices] == [b'{ "a" : 1.50 }', None]


@pytest.mark.parametrize(
    "data",
    [
        b'{"choices":[{"logprobs":{"a":NaN}}]}',
        b'{"choices":[{"logprobs":{"a":"\xff"}}]}',
        b'{"choices":[{"logprobs":{"a":1}},{"logprobs":{"a":2}}]}',
        b'{"choices":null}',
        b"{",
    ],
)
def test_logprobs_of_a_payload_that_is_read_leniently_stay_compact(data: bytes) -> None:
    read = chunk(choice(logprobs={"a": None}))
    keep_logprobs_as_sent(read, data)
    assert [one.logprobs for one in read.choices] == [b'{"a":null}']


# Role and texts -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("role", "read", "found"),
    [("tool", "tool", []), (None, None, []), (7, None, []), ("", None, ["role-empty"])],
)
def test_role_that_is_empty_counts_as_absent_and_is_told(
    role: Any, read: str | None, found: list[str]
) -> None:
    assert (delta(role=role).role, found_in(role=role)) == (read, found)


def test_role_that_is_empty_is_told_in_a_sentence() -> None:
    findings = chunk(choice({"role": ""})).findings
    assert findings == [Finding("role-empty", "the role is an empty string")]


@pytest.mark.parametrize("name", ["content", "refusal"])
@pytest.mark.parametrize("text", ["Hi", "", None])
def test_text_is_exactly_what_was_sent(name: str, text: str | None) -> None:
    assert getattr(delta(**{name: text}), name) == text
    assert found_in(**{name: text}) == []


def test_refusal_that_is_no_text_counts_as_absent() -> None:
    assert delta(refusal=["No"]).refusal is None


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ([], "content is a list"),
        ({"text": "Hi"}, "content is an object"),
        (7, "content is a number"),
        (True, "content is true or false"),
    ],
)
def test_content_that_is_no_string_is_told(content: Any, sentence: str) -> None:
    findings = chunk(choice({"content": content})).findings
    assert findings == [Finding("content-not-string", sentence)]


def test_parts_of_content_go_where_they_belong() -> None:
    image = {"type": "image_url"}
    read = delta(content=[{"text": "Hi"}, {"thinking": "Hm"}, image], reasoning="So ")
    assert (read.content, read.reasoning, read.parts) == ("Hi", "So Hm", [image])


def test_reasoning_may_come_under_any_key_or_as_parts_and_that_is_no_defect() -> None:
    wires: list[dict[str, Any]] = [
        {"reasoning": "Hm"},
        {"reasoning_content": "Hm"},
        {"reasoning_details": [{"text": "Hm"}]},
    ]
    for wire in wires:
        assert (delta(**wire).reasoning, found_in(**wire)) == ("Hm", [])
    parts = [{"thinking": "Hm"}]
    assert (delta(content=parts).reasoning, found_in(content=parts)) == (
        "Hm",
        ["content-not-string"],
    )


def test_same_reasoning_under_two_keys_counts_once_and_is_told() -> None:
    wire = {"reasoning": "Hm", "reasoning_content": "Hm"}
    assert delta(**wire).reasoning == "Hm"
    assert chunk(choice(wire)).findings == [
        Finding("reasoning-duplicated", "the same reasoning under two keys")
    ]


def test_audio_annotations_and_blocks_are_kept_as_sent_if_they_have_their_shape() -> None:
    read = delta(audio={"data": "AA=="}, annotations=[1, {}], reasoning_details=[{"text": "Hm"}, 7])
    assert (read.audio, read.annotations) == ({"data": "AA=="}, [1, {}])
    assert (read.reasoning_details, read.reasoning) == ([{"text": "Hm"}], "Hm")
    empty = delta(audio=[], annotations={}, reasoning_details="Hm")
    assert (empty.audio, empty.annotations, empty.reasoning_details) == (None, [], [])


# Tool calls (rule 9 and 10) -------------------------------------------------------------------


def test_fragment_is_read_as_it_stands() -> None:
    entry = {
        "index": 2,
        "id": "call_1",
        "type": "function",
        "function": {"name": "f", "arguments": '{"a'},
    }
    assert fragments(entry) == [fragment(2, "call_1", "f", '{"a')]
    assert found_in(tool_calls=[entry]) == []


@pytest.mark.parametrize(
    ("entry", "read"),
    [
        ({}, fragment()),
        ({"index": "1", "id": None, "function": None}, fragment(1)),
        ({"function": {"name": 7}}, fragment()),
        ({"function": {"name": ""}}, fragment()),
        ({"index": -1}, fragment()),
    ],
)
def test_what_is_absent_null_or_empty_in_a_fragment_is_none(
    entry: dict[str, Any], read: Fragment
) -> None:
    assert fragments(entry) == [read]


def test_what_is_unknown_in_a_fragment_or_of_another_type_is_kept() -> None:
    entry = {"index": 1, "id": 7, "function": "f", "extra_content": {"a": 1}, "new": None}
    (read,) = fragments(entry)
    assert (read.index, read.id, read.name) == (1, None, None)
    assert read.extra == {"id": 7, "function": "f", "extra_content": {"a": 1}}


def test_empty_id_is_told() -> None:
    assert fragments({"id": ""}) == [fragment()]
    assert chunk(choice({"tool_calls": [{"id": ""}]})).findings == [
        Finding("tool-id-empty", "a fragment has an empty id")
    ]


@pytest.mark.parametrize(
    ("arguments", "text", "finding"),
    [
        ("", "", None),
        (None, "", Finding("arguments-null", "arguments are null in a fragment")),
        ({"a": 1}, '{"a":1}', Finding("arguments-not-string", "arguments came as an object")),
        ([1, 2], "[1,2]", Finding("arguments-not-string", "arguments came as a list")),
        (False, "false", Finding("arguments-not-string", "arguments came as true or false")),
    ],
)
def test_arguments_that_are_no_text_become_text_and_are_told(
    arguments: Any, text: str, finding: Finding | None
) -> None:
    entry = {"function": {"arguments": arguments}}
    assert fragments(entry) == [fragment(arguments=text)]
    assert chunk(choice({"tool_calls": [entry]})).findings == ([finding] if finding else [])


def test_tool_calls_that_are_an_object_are_one_fragment() -> None:
    read = chunk(choice({"tool_calls": {"index": 1}}))
    assert read.choices[0].delta is not None
    assert read.choices[0].delta.fragments == [fragment(1)]
    assert read.findings == [Finding("tool-calls-not-list", "tool_calls is an object, not a list")]


@pytest.mark.parametrize("entries", [None, [], "f", [None, "f", 7]])
def test_tool_calls_that_hold_no_object_bring_nothing(entries: Any) -> None:
    assert delta(tool_calls=entries).fragments == []
    assert found_in(tool_calls=entries) == []


@pytest.mark.parametrize(
    ("custom", "read"),
    [
        ({"name": "run", "input": "free"}, fragment(0, None, "run", "free", custom=True)),
        ({"input": None}, fragment(0, custom=True)),
        ({"input": ["a"]}, fragment(0, None, None, '["a"]', custom=True)),
    ],
)
def test_custom_call_has_its_name_and_text_under_custom(
    custom: dict[str, Any], read: Fragment
) -> None:
    entry = {"index": 0, "type": "custom", "custom": custom}
    assert fragments(entry) == fragments(entry | {"function": None}) == [read]
    assert found_in(tool_calls=[entry]) == []


@pytest.mark.parametrize("more", [{"type": "custom"}, {"custom": {}}])
def test_call_is_custom_by_its_type_or_by_what_it_holds(more: dict[str, Any]) -> None:
    assert fragments({"index": 0, **more}) == [fragment(0, custom=True)]


def test_function_is_used_where_there_is_custom_too() -> None:
    entry = {"function": {"name": "f"}, "custom": {"name": "run"}}
    assert fragments(entry) == [fragment(name="f")]


def test_calls_of_a_whole_message_have_no_index_by_nature() -> None:
    said = {"tool_calls": [{"index": 3, "function": {"name": "f", "arguments": "{}"}}]}
    (read,) = chunk({"index": 0, "message": said}).choices
    assert read.delta is not None
    assert read.delta.fragments == [fragment(None, None, "f", "{}")]


def test_function_call_is_a_fragment_after_the_others() -> None:
    wire = {
        "function_call": {"name": "g", "arguments": None},
        "tool_calls": [{"index": 0, "function": {"name": "f"}}],
    }
    assert delta(**wire).fragments == [fragment(0, None, "f"), fragment(name="g", legacy=True)]
    assert chunk(choice(wire)).findings == [
        Finding("legacy-function-call", "the call came as function_call"),
        Finding("arguments-null", "arguments are null in a fragment"),
    ]
    assert found_in(function_call={"name": "", "arguments": ""}) == []


# Usage (rule 13) ------------------------------------------------------------------------------


def test_usages_count_in_the_order_extension_choice_top_level() -> None:
    first, second, third = ({"total_tokens": n} for n in (1, 2, 3))
    read = chunk(choice(usage=second), usage=third, x_groq={"usage": first})
    assert read.usages == [first, second, third]
    assert read.findings == [
        Finding("usage-in-extension", "usage is in a vendor's field"),
        Finding("usage-in-choice", "usage is inside a choice"),
    ]


@pytest.mark.parametrize("usage", [None, 7, []])
def test_usage_that_is_no_object_is_ignored_silently(usage: Any) -> None:
    read = chunk("text", choice(usage=usage), usage=usage)
    assert (read.usages, codes(read.findings)) == ([], ["delta-missing"])


def test_usage_beside_a_bare_delta_counts_once_and_is_at_top_level() -> None:
    read = read_chunk({"delta": {}, "usage": USAGE}, is_document=False)
    assert (read.usages, codes(read.findings)) == ([USAGE], ["choices-missing"])


# All of it ------------------------------------------------------------------------------------


@given(
    st.dictionaries(st.sampled_from(["choices", "delta", "usage", "object"]), json_values),
    st.booleans(),
)
def test_any_json_object_can_be_read_and_every_finding_has_a_code_of_the_vocabulary(
    body: dict[str, Any], is_document: bool
) -> None:
    read = read_chunk(body, is_document=is_document)
    assert set(codes(read.findings)) <= set(CODES)
    assert all(one.index >= 0 for one in read.choices)


@pytest.mark.parametrize(
    ("data", "finite"),
    [
        (b'{"choices":[{"logprobs":{"content":[1e999]}}]}', True),
        (b'{"choices":[{"logprobs":{"content":[1e999]}},{"logprobs":null}],"x":1}', True),
        (b'{"choices":[{"logprobs":{"content":[1e999]}}],"x":1e999}', False),
        (b'{"choices":[{"logprobs":{"content":[NaN]}}]}', False),
        (b'{"choices":7}', False),
        (b'{"usage":{"total_tokens":7}}', True),
        (b'{"usage":{"total_tokens":1e999}}', False),
    ],
)
def test_numbers_out_of_range_are_told_apart_by_where_they_are(data: bytes, finite: bool) -> None:
    assert is_finite_without_logprobs(data) == finite


def test_codes_become_one_finding_each_in_the_order_of_their_first() -> None:
    codes = ("lone-surrogate", "surrogate-split", "lone-surrogate")
    assert findings_of(codes, "here") == [
        Finding("lone-surrogate", "here", 2),
        Finding("surrogate-split", "here"),
    ]
    assert findings_of((), "here") == []
