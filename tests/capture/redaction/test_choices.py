"""Deltas of one choice: what belongs together."""

from __future__ import annotations

import json
from typing import Any

import pytest

from untorn.capture.redaction.chunks import Chunks
from untorn.capture.redaction.places import Payload
from untorn.options import Limits


def redacted(*choices: dict[str, Any]) -> list[dict[str, Any]]:
    """The same choices, one in each chunk, redacted."""
    chunks = Chunks(Limits())
    outs: list[bytearray] = []
    for choice in choices:
        data = json.dumps({"choices": [{"index": 0, **choice}]}).encode()
        outs.append(bytearray(data))
        assert chunks.receive(Payload(data, outs[-1], 0))
    chunks.finish()
    entries = [json.loads(out)["choices"][0] for out in outs]
    return [{key: value for key, value in entry.items() if key != "index"} for entry in entries]


def deltas(*given: dict[str, Any]) -> list[dict[str, Any]]:
    return [choice["delta"] for choice in redacted(*({"delta": delta} for delta in given))]


@pytest.mark.parametrize("key", ["content", "reasoning", "reasoning_content"])
def test_a_text_knows_its_fragments(key: str) -> None:
    assert deltas({key: "an"}, {key: "or"}) == [{key: "xx"}, {key: "yx"}]


def test_texts_of_different_kinds_have_nothing_to_do_with_each_other() -> None:
    assert deltas({"content": "an"}, {"reasoning": "or"}, {"refusal": "is"}, {"refusal": "it"}) == [
        {"content": "xx"},
        {"reasoning": "xx"},
        {"refusal": "xx"},
        {"refusal": "xx"},
    ]


def test_parts_of_a_content_are_its_text_and_its_thinking() -> None:
    parts = [
        "an",
        {"type": "text", "text": "na"},
        {"type": "thinking", "thinking": [{"type": "text", "text": "or"}, "is", 7]},
        {"type": "thinking", "thinking": {"text": "on"}},
        {"type": "thinking", "thinking": None},
        {"type": "image_url", "text": 7},
        7,
    ]
    first, second, third = deltas({"content": parts}, {"content": "exit"}, {"reasoning": "doison"})
    assert first["content"][:3] == [
        "xx",
        {"type": "text", "text": "xx"},
        {"type": "thinking", "thinking": [{"type": "text", "text": "xx"}, "xx", 1]},
    ]
    assert (second, third) == ({"content": "yxxx"}, {"reasoning": "yxxxxx"})


def test_reasoning_that_came_under_several_keys_has_one_shape() -> None:
    details = [{"type": "reasoning.text", "text": "an"}, 7, {"summary": "na", "text": 7}]
    (delta,) = deltas({"reasoning": "anna", "reasoning_details": details})
    assert delta["reasoning"] == "xxxx"
    (delta,) = deltas({"reasoning": "anno", "reasoning_details": details})
    assert delta["reasoning"] == "xxxx"
    assert [block["text"] for block in delta["reasoning_details"][:1]] == ["xx"]
    assert delta["reasoning_details"][2]["summary"] == "xy"


def test_a_message_stands_for_a_delta_and_text_for_both() -> None:
    assert redacted({"message": {"content": "an"}}, {"text": "or"}, {"delta": None, "text": 7}) == [
        {"message": {"content": "xx"}},
        {"text": "yx"},
        {"delta": None, "text": 1},
    ]


def call(**function: Any) -> dict[str, Any]:
    return {"index": 0, "function": function}


def functions(*calls: dict[str, Any]) -> list[dict[str, Any]]:
    found = deltas(*({"tool_calls": [one]} for one in calls))
    return [one["tool_calls"][0].get("function") or one["tool_calls"][0]["custom"] for one in found]


def test_arguments_of_one_call_are_one_text() -> None:
    assert functions(
        call(name="f", arguments='{"a": "b'), call(arguments='c"}'), call(arguments=None)
    ) == [
        {"name": "x", "arguments": '{"x": "x'},
        {"arguments": 'x"}'},
        {"arguments": None},
    ]


def test_arguments_of_another_call_at_the_same_index_are_others() -> None:
    first, second = functions(
        {"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"a":"b"}'}},
        {"index": 0, "id": "b", "function": {"name": "f", "arguments": '{"a":"c"}'}},
    )
    assert (first["arguments"], second["arguments"]) == ('{"x":"y"}', '{"x":"z"}')


def test_arguments_may_be_an_object_and_a_call_custom_or_nothing() -> None:
    assert functions(call(name="f", arguments={"city": ["Oslo", 42]})) == [
        {"name": "x", "arguments": {"xxxx": ["Xxxx", 11]}}
    ]
    assert functions({"index": 0, "custom": {"name": "f", "input": "Anna!"}}) == [
        {"name": "x", "input": "Xxxx!"}
    ]
    assert deltas({"tool_calls": [{"index": 0}, 7]}, {"tool_calls": 7}) == [
        {"tool_calls": [{"index": 0}, 1]},
        {"tool_calls": 1},
    ]


def test_a_call_may_stand_alone_or_be_a_function_call() -> None:
    single, legacy, other = deltas(
        {"tool_calls": call(name="f", arguments="{}")},
        {"function_call": {"name": "f", "arguments": '{"a'}},
        {"function_call": {"arguments": '":"b"}'}},
    )
    assert single == {"tool_calls": {"index": 0, "function": {"name": "x", "arguments": "{}"}}}
    assert legacy == {"function_call": {"name": "x", "arguments": '{"x'}}
    assert other == {"function_call": {"arguments": '":"y"}'}}


def names_of(*names: str) -> list[str]:
    return [one["name"] for one in functions(*(call(name=name) for name in names))]


def test_a_name_that_comes_again_is_the_same() -> None:
    assert names_of("get_weather", "get_weather") == ["xxx_xxxxxxx", "xxx_xxxxxxx"]


def test_a_name_in_pieces_that_comes_again_is_the_same() -> None:
    assert names_of("get_", "weather", "get_weather") == ["xxx_", "xxxxxxx", "xxx_xxxxxxx"]


def test_another_piece_is_another_one() -> None:
    assert names_of("get", "set") == ["xxx", "xxy"]
