"""Shapes with a vendor's keys: learned from one payload, shared, and bounded."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from untorn.chat.learned import MOST_CHARACTERS, MOST_KEYS, learn


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
        payload(TEXT, {}, {"x": {}}),
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
