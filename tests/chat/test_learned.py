"""Keys of a vendor: learned from the chunks that have them, shared by all streams, and bounded."""

from __future__ import annotations

import copy
import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from untorn.chat.builder import CompletionBuilder
from untorn.chat.chunks import Chunk, read_chunk
from untorn.chat.learned import (
    DELTAS,
    KNOWN,
    MOST_BYTES,
    MOST_CHARACTERS,
    MOST_KEYS,
    Learned,
    kind_of,
    learn,
)
from untorn.chat.payload_reader import PayloadReader
from untorn.chat.usual import NOT_USUAL
from untorn.chat.wide import (
    WideDelta,
    decode_wide,
    decode_wide_with_logprobs,
    read_wide,
)
from untorn.options import Limits, Options

Levels = tuple[dict[str, Any], dict[str, Any], dict[str, Any]]

TEXT: dict[str, Any] = {"content": "a"}


def payload(delta: dict[str, Any], choice: dict[str, Any], chunk: dict[str, Any]) -> bytes:
    return json.dumps({"choices": [{"index": 0, "delta": delta, **choice}], **chunk}).encode()


def learned_from(*payloads: bytes) -> Learned:
    """What is known after these."""
    learned: Learned | None = KNOWN
    for data in payloads:
        assert learned is not None
        learned = learn(data, learned)
    assert learned is not None
    return learned


def values_in(struct: Any) -> dict[str, Any]:
    """What a vendor's keys hold."""
    return {key: getattr(struct, name) for name, key in struct.MORE}


# Learning ------------------------------------------------------------------------------------


def test_keys_of_all_three_levels_are_learned_by_name() -> None:
    data = payload({**TEXT, "x-1": "b"}, {"seen": 1}, {"id": "c", "class": True, "p": None})
    learned = learned_from(data)
    for decode in (learned.wide, learned.wide_with_logprobs, learned.text("content")):
        chunk = decode(payload({**TEXT, "x-1": 0.5}, {"seen": "s"}, {"p": 7}))
        (choice,) = chunk.choices
        assert values_in(choice.delta) == {"x-1": 0.5}
        assert values_in(choice) == {"seen": "s"}
        assert values_in(chunk) == {"class": None, "p": 7}


def test_keys_accumulate() -> None:
    first, second = payload({**TEXT, "x": 1}, {}, {}), payload(TEXT, {"y": 1}, {"z": 1})
    learned = learned_from(first, second)
    both = payload({**TEXT, "x": 2}, {"y": 2}, {"z": 2})
    chunk = learned.wide(both)
    assert [values_in(level) for level in (chunk.choices[0].delta, chunk.choices[0], chunk)] == [
        *({"x": 2}, {"y": 2}, {"z": 2}),
    ]
    assert learn(first, learned) is None
    assert learn(both, learned) is None


def test_keys_of_every_choice_are_learned() -> None:
    choices = [{"index": index, "delta": {**TEXT, f"x{index}": 1}} for index in (0, 1)]
    learned = learned_from(json.dumps({"choices": choices}).encode())
    chunk = learned.wide(payload({"x0": 1, "x1": 2}, {}, {}))
    assert values_in(chunk.choices[0].delta) == {"x0": 1, "x1": 2}


def test_value_that_was_nested_once_may_be_anything_from_then_on() -> None:
    flat, nested = payload({**TEXT, "x": 1}, {}, {}), payload({**TEXT, "x": [1]}, {}, {})
    learned = learned_from(flat)
    assert not learned.is_nested
    with pytest.raises(msgspec.ValidationError):
        learned.wide(nested)
    for more in (learned_from(flat, nested), learned_from(nested)):
        assert more.is_nested
        assert [values_in(more.wide(data).choices[0].delta) for data in (flat, nested)] == [
            *({"x": 1}, {"x": [1]}),
        ]
        assert learn(flat, more) is None


@pytest.mark.parametrize("nested", [{"piece": {}}, {"piece": []}])
def test_whether_values_are_nested_is_told_of_any_level(nested: dict[str, Any]) -> None:
    of_all: list[Levels] = [({**TEXT, **nested}, {}, {}), (TEXT, nested, {}), (TEXT, {}, nested)]
    assert all(learned_from(payload(*levels)).is_nested for levels in of_all)
    assert not learned_from(payload({**TEXT, "x": "b"}, {"y": 1}, {"z": None})).is_nested


def test_what_was_learned_is_shared() -> None:
    one = learned_from(payload({**TEXT, "x": 1}, {}, {}))
    assert learned_from(payload({"x": "b", "reasoning": "a"}, {}, {})) is one
    assert one.text("content") is one.text("content")
    assert one.wide is one.wide


def test_what_was_learned_is_shared_with_a_stream_that_is_copied() -> None:
    learned = learned_from(payload({**TEXT, "x": 1}, {}, {}))
    assert copy.deepcopy(learned) is learned
    assert copy.deepcopy(KNOWN) is KNOWN


def test_nothing_learned_is_all_that_is_known() -> None:
    assert KNOWN.wide is decode_wide
    assert KNOWN.wide_with_logprobs is decode_wide_with_logprobs
    assert not KNOWN.is_nested


@pytest.mark.parametrize(
    "data",
    [
        b"{",
        b"[]",
        b"7",
        b"{}",
        b'{"choices":7}',
        b'{"choices":null,"x":1}',
        b'{"choices":[],"x":1}',
        b'{"choices":[{}],"x":1}',
        b'{"choices":[7],"x":1}',
        b'{"choices":[{"delta":7}],"x":1}',
        payload(TEXT, {}, {}),
        payload(TEXT, {"finish_reason": "stop"}, {"id": "c", "object": "x", "created": 1}),
        payload(TEXT, {}, dict.fromkeys(map(str, range(MOST_KEYS + 1)), 1)),
        payload(TEXT, {}, {"x" * (MOST_CHARACTERS + 1): 1}),
        payload({"content": "a" * MOST_BYTES}, {}, {"x": 1}),
        payload(TEXT, {}, {"usage": None}),
    ],
)
def test_anything_else_teaches_nothing(data: bytes) -> None:
    assert learn(data, KNOWN) is None


def test_keys_that_are_too_many_together_teach_nothing() -> None:
    many = payload(TEXT, {}, dict.fromkeys(map(str, range(MOST_KEYS)), 1))
    learned = learned_from(many)
    assert learn(payload({**TEXT, "more": 1}, {}, {}), learned) is None
    long = learned_from(payload(TEXT, {}, {"x" * MOST_CHARACTERS: 1}))
    assert learn(payload({**TEXT, "y": 1}, {}, {}), long) is None


@pytest.mark.parametrize("key", ['a"b', "a\\b", "a\n", "\0", "\x1f"])
def test_key_that_json_escapes_is_not_learned(key: str) -> None:
    of_all: list[Levels] = [({**TEXT, key: 1}, {}, {}), (TEXT, {key: 1}, {}), (TEXT, {}, {key: 1})]
    for levels in of_all:
        assert learn(payload(*levels), KNOWN) is None


@pytest.mark.parametrize("key", ["", " ", "é", "\x7f", "\u2028", "__class__", "self", "1", "id"])
def test_any_other_key_is_learned_whatever_python_thinks_of_it(key: str) -> None:
    of_two: list[Levels] = [({**TEXT, key: 1}, {}, {}), (TEXT, {key: 1}, {})]
    for levels in of_two:
        learned = learned_from(payload(*levels))
        for decode in (learned.wide, learned.text("content")):
            (choice,) = decode(payload(*levels)).choices
            assert values_in(choice.delta) | values_in(choice) == {key: 1}


# Decoding ------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", DELTAS)
def test_text_is_decoded_under_the_key_of_its_kind(key: str) -> None:
    learned = learned_from(payload({key: "a", "x": 1}, {}, {}))
    chunk = learned.text(key)(payload({"x": 2, key: "b", "refusal": None}, {}, {}))
    assert chunk.choices[0].delta.text == "b"
    for other in DELTAS.keys() - {key}:
        with pytest.raises(msgspec.ValidationError):
            learned.text(other)(payload({"x": 2, key: "b"}, {}, {}))


def test_delta_that_is_text_may_hold_nothing_else_but_what_is_new_to_others() -> None:
    data = payload({**TEXT, "x": 1, "audio": None, "annotations": None}, {}, {})
    decode = learned_from(data).text("content")
    assert decode(data).choices[0].delta.text == "a"
    others: list[dict[str, Any]] = [
        *({"audio": {}}, {"refusal": "no"}, {"tool_calls": []}, {"reasoning": "b"}),
    ]
    for more in others:
        with pytest.raises(msgspec.ValidationError):
            decode(payload({**TEXT, "x": 1, **more}, {}, {}))


def test_reasoning_details_beside_text_may_be_an_empty_list() -> None:
    data = payload({**TEXT, "reasoning_details": []}, {}, {"p": 1})
    decode = learned_from(data).text("content")
    assert decode(data).choices[0].delta.text == "a"
    assert not decode(data).choices[0].delta.MORE
    with pytest.raises(msgspec.ValidationError):
        decode(payload({**TEXT, "reasoning_details": [{}]}, {}, {}))


def test_any_chunk_is_decoded_with_the_keys() -> None:
    learned = learned_from(payload({**TEXT, "x": 1}, {}, {"p": "q"}))
    call = {"index": 0, "id": "c", "function": {"name": "f", "arguments": "{"}}
    two: list[dict[str, Any]] = [
        {"index": 1, "delta": {"tool_calls": [call], "x": 2}, "finish_reason": "stop"},
        {"index": 0, "delta": {"role": "assistant", "reasoning": "b", "reasoning_details": [{}]}},
    ]
    body = {"choices": two, "p": "r"}
    data = json.dumps(body).encode()
    chunk = learned.wide(data)
    assert chunk.choices[0].finish_reason == "stop"
    assert values_in(chunk) == {"p": "r"}
    assert learned.wide(b'{"choices":[],"p":"q"}').choices == []


def test_logprobs_are_left_undecoded() -> None:
    data = payload({**TEXT, "x": 1}, {"logprobs": {"content": [1]}}, {})
    learned = learned_from(data)
    with pytest.raises(msgspec.ValidationError):
        learned.wide(data)
    (choice,) = learned.wide_with_logprobs(data).choices
    assert bytes(choice.logprobs) == b'{"content": [1]}'


@pytest.mark.parametrize(
    "levels",
    [
        ({}, {"usage": {"total_tokens": 1}}, {}),
        ({}, {"message": {"content": "a"}}, {}),
        ({}, {"error": {"message": "no"}}, {}),
        ({}, {}, {"error": {"message": "no"}}),
        ({}, {}, {"error": "no"}),
        ({}, {}, {"x_groq": {"usage": {"total_tokens": 1}}}),
        ({}, {"text": 7}, {}),
    ],
)
def test_key_that_is_read_elsewhere_is_never_one_of_a_vendor(levels: Levels) -> None:
    delta, choice, chunk = levels
    data = payload({**TEXT, **delta, "x": 1}, choice, chunk)
    learned = learn(data, KNOWN)
    assert learned is not None
    for decode in (learned.wide, learned.text("content")):
        with pytest.raises(msgspec.ValidationError):
            decode(data)


def test_key_that_is_read_elsewhere_may_be_null() -> None:
    data = payload({**TEXT, "x": 1}, {"usage": None, "message": None}, {"message": None})
    learned = learned_from(data)
    for decode in (learned.wide, learned.text("content")):
        assert not values_in(decode(data)).keys() & {"usage"}
        assert decode(data).choices[0].index == 0


def test_usage_is_decoded_if_it_has_come() -> None:
    data = payload(TEXT, {}, {"usage": {"total_tokens": 1}})
    learned = learned_from(data)
    assert learned.is_nested
    for decode in (learned.wide, learned.wide_with_logprobs, learned.text("content")):
        assert decode(data).usage == {"total_tokens": 1}
        assert decode(payload(TEXT, {}, {})).usage is None
        with pytest.raises(msgspec.ValidationError):
            decode(payload(TEXT, {}, {"usage": 7}))
    without = learned_from(payload(TEXT, {}, {"p": 1, "usage": None}))
    with pytest.raises(msgspec.ValidationError):
        without.wide(data)


@pytest.mark.parametrize(
    ("delta", "kind"),
    [
        ({"content": "a"}, "content"),
        ({"content": "", "role": "assistant"}, "content"),
        ({"reasoning": "a", "content": None}, "reasoning"),
        ({"reasoning_content": "a"}, "reasoning_content"),
        ({"reasoning_content": "a", "reasoning": "a"}, None),
        ({"content": "a", "reasoning": "b"}, None),
        ({"content": "a", "tool_calls": []}, None),
        ({"reasoning": "a", "reasoning_details": [{"text": "a"}]}, None),
        ({"content": "a", "reasoning_details": []}, "content"),
        ({"role": "assistant"}, None),
        ({}, None),
    ],
)
def test_kind_of_a_delta_is_the_key_of_its_text_if_it_brings_nothing_else(
    delta: dict[str, Any], kind: str | None
) -> None:
    assert kind_of(msgspec.convert(delta, WideDelta)) == kind


# What is kept of it ---------------------------------------------------------------------------

WHOLE = payload(
    {**TEXT, "piece": "b", "n": 1}, {"filter": {"hate": True}}, {"p": "q", "usage": {"x": 1}}
)
TEXTS = payload(TEXT, {}, {})


def building(*payloads: bytes) -> CompletionBuilder:
    """A builder that has taken these, the plain way."""
    builder = CompletionBuilder(Options(), None, lambda _: None)
    reader = PayloadReader(builder, Limits())
    for data in payloads:
        reader.receive(data)
    return builder


def kept(builder: CompletionBuilder) -> list[Any]:
    completion = builder.completion(None, None)
    (choice,) = completion.choices
    return [choice.message.extra, choice.extra, completion.extra]


@pytest.fixture(params=["wide", "text"])
def decode(request: pytest.FixtureRequest) -> Any:
    """Either decoder of chunks like WHOLE."""
    learned = learned_from(WHOLE)
    return learned.wide if request.param == "wide" else learned.text("content")


def test_strings_of_a_delta_are_joined_and_every_other_value_is_the_last(decode: Any) -> None:
    builder, learned = building(WHOLE, WHOLE), learned_from(WHOLE)
    more = payload({**TEXT, "piece": "c", "n": 2}, {"filter": {}}, {"p": None})
    assert learned.take(decode(more), builder)
    assert learned.take(decode(more.replace(b"2", b"null").replace(b'"c"', b'""')), builder)
    assert kept(builder) == [{"piece": "bbc", "n": 2}, {"filter": {}}, {"p": "q"}]


@pytest.mark.parametrize(
    "before",
    [
        payload({**TEXT, "piece": "b"}, {"filter": {"a": 1}}, {"p": "q"}),
        payload({**TEXT, "piece": "b", "n": 1}, {}, {"p": "q"}),
        payload({**TEXT, "piece": "b", "n": 1}, {"filter": {"a": 1}}, {}),
        payload({**TEXT, "piece": "b", "n": 1}, {"other": 1}, {"p": "q"}),
        TEXTS,
    ],
)
def test_nothing_of_a_delta_is_kept_where_a_key_came_for_the_first_time(
    decode: Any, before: bytes
) -> None:
    builder = building(before)
    chunk = decode(WHOLE.replace(b'"usage": {"x": 1}', b'"usage": null'))
    assert not learned_from(WHOLE).take(chunk, builder)
    assert kept(builder)[0] == kept(building(before))[0]


@pytest.mark.parametrize("levels", [({}, {"seen": 1}, {}), ({}, {}, {"p": 1}), ({"x": 1}, {}, {})])
def test_key_that_came_for_the_first_time_is_left_to_the_plain_way(levels: Levels) -> None:
    delta, choice, chunk = levels
    data = payload({**TEXT, **delta}, choice, chunk)
    learned, builder = learned_from(data), building(TEXTS)
    assert not learned.take(learned.wide(data), builder)
    assert kept(builder) == [{}, {}, {}]
    assert learned.take(learned.wide(data), building(data))


def test_nothing_is_kept_beside_a_usage_that_is_odd_for_the_first_time(decode: Any) -> None:
    more = decode(WHOLE.replace(b'"q"', b'"r"'))
    builder = building(TEXTS)
    assert not learned_from(WHOLE).take(more, builder)
    assert kept(builder)[2] == {}
    builder = building(WHOLE, WHOLE)
    assert learned_from(WHOLE).take(more, builder)
    assert kept(builder)[2] == {"p": "r"}


def test_text_of_the_completions_api_beside_a_delta_is_not_kept() -> None:
    both = payload(TEXT, {"text": "a", "seed": 1}, {"text": "b"})
    learned, builder = learned_from(both), building(both)
    for decode in (learned.wide, learned.text("content")):
        assert learned.take(decode(both), builder)
    assert kept(builder) == [{}, {"seed": 1}, {"text": "b"}]


@pytest.mark.parametrize("level", range(3))
def test_what_is_nested_is_taken_if_it_holds_no_more_than_before(level: int) -> None:
    def holding(values: list[int]) -> bytes:
        of_all: list[Levels] = [
            *[({**TEXT, "n": values}, {}, {}), (TEXT, {"n": values}, {})],
            (TEXT, {}, {"n": values}),
        ]
        return payload(*of_all[level])

    learned = learned_from(holding([1]))
    builder = building(TEXTS, holding([1, 2]), holding([3]))
    for decode in (learned.wide, learned.text("content")):
        assert learned.take(decode(holding([4, 5])), builder)
        assert not learned.take(decode(holding([4, 5, 6])), builder)
        assert learned.take(decode(holding([4, 5])), builder)
    assert kept(builder)[level] == {"n": [4, 5]}


def test_values_that_are_too_deep_to_compare_are_weighed() -> None:
    def nested(times: int) -> dict[str, Any]:
        value: dict[str, Any] = {}
        for _ in range(times):
            value = {"a": value}
        return value

    data = payload(TEXT, {}, {"p": {}})
    learned, builder = learned_from(data), building(data)
    chunk = learned.wide(data)
    ((name, key),) = chunk.MORE
    setattr(chunk, name, nested(100_000))
    builder.extra[key] = nested(100_000)
    assert not learned.take(chunk, builder)


def test_nothing_of_a_delta_is_taken_twice_where_another_choice_is_new_to_a_key() -> None:
    def choice(index: int, more: dict[str, Any]) -> dict[str, Any]:
        return {"index": index, "delta": {**TEXT, **more}}

    first = payload({**TEXT, "x": "a"}, {}, {})
    other = json.dumps({"choices": [choice(1, {})]}).encode()
    both = json.dumps({"choices": [choice(0, {"x": "b"}), choice(1, {"x": "c"})]}).encode()
    learned, builder = learned_from(first), building(first, other)
    assert not learned.take(learned.wide(both), builder)
    assert [builder.choices[index].build().message.extra for index in (0, 1)] == [{"x": "a"}, {}]


# Both ways mean the same ---------------------------------------------------------------------

scalars = st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(["", "a", "500", 0.5])
values = scalars | st.lists(scalars, max_size=2) | st.dictionaries(st.just("a"), scalars)
names = ["x", "y", "message", "code", "detail", "success", "usage", "text", "x_y", "audio", "id"]
extras = st.dictionaries(st.sampled_from(names), values, max_size=3)
deltas = st.sampled_from([TEXT, {"content": ""}, {"role": "assistant"}, {"reasoning": "b"}, {}])


@given(extras, extras, extras, deltas)
def test_what_is_decoded_with_its_keys_is_what_the_plain_way_reads(
    of_delta: dict[str, Any], of_choice: dict[str, Any], of_chunk: dict[str, Any], delta: Any
) -> None:
    data = payload({**of_delta, **delta}, of_choice, of_chunk)
    learned = learn(data, KNOWN)
    if learned is None:
        return
    try:
        wide = learned.wide(data)
    except NOT_USUAL:
        return
    chunk = read_wide(wide, data, building(), Limits())
    plain = read_chunk(json.loads(data), is_document=False)
    assert chunk is None or said(chunk) == said(plain)


def said(chunk: Chunk) -> Chunk:
    """A chunk but for what is known of a delta by its keys, which may be null."""
    for choice in chunk.choices:
        if choice.delta is not None:
            choice.delta.is_only_text = False
    return chunk
