"""Shapes with a vendor's keys: learned from one payload, shared, and bounded."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from untorn.chat.builder import CompletionBuilder
from untorn.chat.learned import MOST_CHARACTERS, MOST_KEYS, LearnedShape, learn
from untorn.chat.payload_reader import PayloadReader
from untorn.options import Limits, Options


def payload(delta: dict[str, Any], choice: dict[str, Any], chunk: dict[str, Any]) -> bytes:
    return json.dumps({"choices": [{"index": 0, "delta": delta, **choice}], **chunk}).encode()


Levels = tuple[dict[str, Any], dict[str, Any], dict[str, Any]]

TEXT: dict[str, Any] = {"content": "a"}


def test_keys_of_all_three_levels_are_learned_by_name() -> None:
    shape = learn(payload({**TEXT, "x-1": "b"}, {"seen": 1}, {"id": "c", "class": True, "p": None}))
    assert shape is not None
    assert not shape.is_reasoning
    assert [key for _, key in shape.of_delta] == ["x-1"]
    assert [key for _, key in shape.of_choice] == ["seen"]
    assert [key for _, key in shape.of_chunk] == ["class", "p"]
    chunk = shape.decode(payload({**TEXT, "x-1": 0.5}, {"seen": "s"}, {"p": 7}))
    assert chunk.choices[0].delta.text == "a"
    values = [
        getattr(struct, name)
        for struct, fields in (
            (chunk.choices[0].delta, shape.of_delta),
            (chunk.choices[0], shape.of_choice),
            (chunk, shape.of_chunk),
        )
        for name, _ in fields
    ]
    assert values == [0.5, "s", None, 7]


@pytest.mark.parametrize("key", ["reasoning", "reasoning_content"])
def test_reasoning_is_learned_under_either_key(key: str) -> None:
    shape = learn(payload({key: "a", "content": None, "x": 1}, {}, {}))
    assert shape is not None
    assert shape.is_reasoning


def test_shapes_are_shared() -> None:
    one = learn(payload({**TEXT, "x": 1}, {}, {}))
    assert one is not None
    assert learn(payload({"x": "b", **TEXT}, {}, {})) is one


def test_key_that_is_read_elsewhere_may_only_be_null() -> None:
    shape = learn(payload({**TEXT, "audio": None}, {"usage": None, "message": None}, {}))
    assert shape is not None
    with pytest.raises(msgspec.ValidationError):
        shape.decode(payload({**TEXT, "audio": "b"}, {}, {}))
    assert learn(payload({**TEXT, "audio": "b"}, {}, {})) is None


@pytest.mark.parametrize(
    "data",
    [
        b"{",
        b"[]",
        b"7",
        b"{}",
        b'{"choices":7}',
        b'{"choices":[]}',
        b'{"choices":[{},{}]}',
        b'{"choices":[7]}',
        b'{"choices":[{"delta":7}]}',
        b'{"choices":[{"delta":{}}]}',
        payload({"content": ""}, {}, {"x": 1}),
        payload({"content": "a", "reasoning": "b"}, {}, {"x": 1}),
        payload(TEXT, {}, {"id": "c"}),
        payload(TEXT, {}, {"x_groq": {}}),
        payload(TEXT, {}, {"error": {}}),
        payload(TEXT, {"usage": {}}, {}),
        payload(TEXT, {"finish_reason": "stop"}, {"x": 1}),
        payload(TEXT, {}, {"object": "x", "x": 1}),
        payload(TEXT, {}, dict.fromkeys(map(str, range(MOST_KEYS)), 1)),
        payload(TEXT, {}, {"x" * MOST_CHARACTERS: 1}),
    ],
)
def test_anything_more_that_is_unusual_is_not_learned(data: bytes) -> None:
    assert learn(data) is None


@pytest.mark.parametrize("key", ['a"b', "a\\b", "a\n", "\0", "\x1f"])
def test_key_that_json_escapes_is_not_learned(key: str) -> None:
    of_all: list[Levels] = [({**TEXT, key: 1}, {}, {}), (TEXT, {key: 1}, {}), (TEXT, {}, {key: 1})]
    for levels in of_all:
        assert learn(payload(*levels)) is None


@pytest.mark.parametrize("key", ["", " ", "é", "\x7f", "\u2028", "__class__", "self", "1", "id"])
def test_any_other_key_is_learned_whatever_python_thinks_of_it(key: str) -> None:
    of_two: list[Levels] = [({**TEXT, key: 1}, {}, {}), (TEXT, {key: 1}, {})]
    for levels in of_two:
        shape = learn(payload(*levels))
        assert shape is not None
        assert shape.decode(payload(*levels)).choices[0].delta.text == "a"


# What is kept of it ---------------------------------------------------------------------------

WHOLE = payload(
    {**TEXT, "piece": "b", "n": 1}, {"filter": {"hate": True}}, {"p": "q", "usage": {"x": 1}}
)


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


def whole_shape() -> LearnedShape:
    shape = learn(WHOLE)
    assert shape is not None
    return shape


def test_strings_of_a_delta_are_joined_and_every_other_value_is_the_last() -> None:
    builder, shape = building(WHOLE, WHOLE), whole_shape()
    more = payload({**TEXT, "piece": "c", "n": [2]}, {"filter": {}}, {"p": None})
    assert not shape.take(shape.decode(WHOLE.replace(b'"n": 1', b'"n": "1"')), building(TEXTS))
    with pytest.raises(msgspec.ValidationError):
        shape.decode(more)
    assert shape.take(shape.decode(more.replace(b"[2]", b"2")), builder)
    assert shape.take(shape.decode(more.replace(b"[2]", b"null").replace(b'"c"', b'""')), builder)
    assert kept(builder) == [{"piece": "bbc", "n": 2}, {"filter": {}}, {"p": "q"}]


TEXTS = payload(TEXT, {}, {})


@pytest.mark.parametrize(
    "before",
    [
        payload({**TEXT, "piece": "b"}, {"filter": {}}, {"p": "q"}),
        payload({**TEXT, "piece": "b", "n": 1}, {}, {"p": "q"}),
        payload({**TEXT, "piece": "b", "n": 1}, {"filter": {}}, {}),
    ],
)
def test_nothing_of_a_delta_is_kept_where_a_key_came_for_the_first_time(before: bytes) -> None:
    builder, shape = building(before), whole_shape()
    chunk = shape.decode(WHOLE.replace(b'"usage": {"x": 1}', b'"usage": null'))
    assert not shape.take(chunk, builder)
    assert kept(builder)[0] == kept(building(before))[0]


def test_what_stands_beside_the_first_role_or_an_odd_usage_is_not_kept() -> None:
    shape, role = whole_shape(), b'"role": "assistant", "piece"'
    chunk = shape.decode(WHOLE.replace(b'"piece"', role))
    assert not shape.take(chunk, building(WHOLE, WHOLE))
    assert shape.take(chunk, building(WHOLE, WHOLE.replace(b'"piece"', role)))
    assert not shape.take(shape.decode(WHOLE), building(WHOLE))


def test_text_of_the_completions_api_beside_a_delta_is_not_kept() -> None:
    both = payload(TEXT, {"text": "a", "seed": 1}, {"text": "b"})
    shape = learn(both)
    assert shape is not None
    builder = building(both)
    assert shape.take(shape.decode(both), builder)
    assert kept(builder) == [{}, {"seed": 1}, {"text": "b"}]


@pytest.mark.parametrize("nested", [{"piece": {}}, {"piece": []}])
def test_whether_values_are_nested_is_told(nested: dict[str, Any]) -> None:
    of_all: list[Levels] = [({**TEXT, **nested}, {}, {}), (TEXT, nested, {}), (TEXT, {}, nested)]
    for levels in of_all:
        shape = learn(payload(*levels))
        assert shape is not None
        assert shape.is_nested
    flat = learn(payload({**TEXT, "piece": "b"}, {"filter": 1}, {"p": None}))
    assert flat is not None
    assert not flat.is_nested


def test_what_is_nested_is_taken_if_it_holds_no_more_than_before() -> None:
    def holding(values: list[int]) -> bytes:
        return payload({**TEXT, "n": values}, {"f": {}}, {"p": {"q": values}})

    shape = learn(holding([1]))
    assert shape is not None
    builder = building(TEXTS, holding([1, 2]), holding([3]))
    assert shape.take(shape.decode(holding([4, 5])), builder)
    assert not shape.take(shape.decode(holding([4, 5, 6])), builder)
    assert kept(builder) == [{"n": [4, 5]}, {"f": {}}, {"p": {"q": [4, 5, 6]}}]
