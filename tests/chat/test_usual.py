"""The usual shapes: what is decoded straight from bytes, and what is left to the plain way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from untorn.chat.payload import Note, Payload
from untorn.chat.usual import (
    NOT_USUAL,
    decode_reasoning,
    decode_reasoning_content,
    decode_text,
    decode_text_with_logprobs,
)

Decode = Callable[[Any], Any]

ONE_KIND: dict[str, Decode] = {
    "content": decode_text,
    "reasoning_content": decode_reasoning_content,
    "reasoning": decode_reasoning,
}


def chunk(delta: str, choice: str = "", more: str = "") -> bytes:
    return f'{{"choices":[{{"index":0,"delta":{{{delta}}}{choice}}}]{more}}}'.encode()


def is_usual(decode: Decode, payload: bytes) -> bool:
    try:
        decode(payload)
    except NOT_USUAL:
        return False
    return True


@pytest.mark.parametrize("key", ONE_KIND)
def test_delta_of_one_kind_is_decoded_as_its_text(key: str) -> None:
    payload = chunk(f'"{key}":"a"', ',"finish_reason":null', ',"id":"c1","model":"m"')
    decoded = ONE_KIND[key](payload)
    assert (decoded.id, decoded.model) == ("c1", "m")
    assert (decoded.choices[0].index, decoded.choices[0].delta.text) == (0, "a")


@pytest.mark.parametrize("key", ONE_KIND)
def test_delta_of_one_kind_may_name_what_it_does_not_bring(key: str) -> None:
    nothing = [other for other in ONE_KIND if other != key]
    nothing += ["tool_calls", "refusal", "function_call"]
    nulls = "".join(f',"{name}":null' for name in nothing)
    assert is_usual(ONE_KIND[key], chunk(f'"role":"assistant","{key}":"a"{nulls}'))


@pytest.mark.parametrize("key", ONE_KIND)
def test_delta_that_brings_anything_else_is_not_of_one_kind(key: str) -> None:
    others = [f'"{other}":"x"' for other in ONE_KIND if other != key]
    others += ['"role":"tool"', '"refusal":"x"', '"tool_calls":[]', '"x":null']
    for other in others:
        assert not is_usual(ONE_KIND[key], chunk(f'"{key}":"a",{other}'))
    assert not is_usual(ONE_KIND[key], chunk(f'"{key}":null'))
    assert not is_usual(ONE_KIND[key], chunk(""))


def test_logprobs_are_left_undecoded() -> None:
    payload = chunk('"content":"a"', ',"logprobs":{"content": [-0.10]}')
    decoded = decode_text_with_logprobs(payload)
    assert bytes(decoded.choices[0].logprobs) == b'{"content": [-0.10]}'
    assert not is_usual(decode_text, payload)
    without = decode_text_with_logprobs(chunk('"content":"a"'))
    assert bytes(without.choices[0].logprobs) == b"null"


def test_what_is_said_once_for_the_stream_is_decoded() -> None:
    decoded = decode_text(
        chunk(
            '"content":"a"',
            more=',"created":1,"service_tier":"t","system_fingerprint":"f","obfuscation":"x",'
            '"object":"chat.completion.chunk","usage":null',
        )
    )
    said = (decoded.created, decoded.service_tier, decoded.system_fingerprint)
    assert said == (1, "t", "f")


@pytest.mark.parametrize(
    "payload",
    [
        chunk('"content":["a"]'),
        chunk('"content":"a","x":1'),
        chunk('"content":"a","refusal":"x"'),
        chunk('"content":"a","function_call":{}'),
        chunk('"content":"a"', ',"finish_reason":"stop"'),
        chunk('"content":"a"', ',"x":1'),
        chunk('"content":"a"', more=',"x":1'),
        chunk('"content":"a"', more=',"usage":{}'),
        chunk('"content":"a"', more=',"object":"error"'),
        chunk('"content":"a"', more=',"created":"1"'),
        chunk('"content":"a"', more=',"id":7'),
        chunk('"tool_calls":{}'),
        chunk('"tool_calls":[{}]'),
        chunk('"tool_calls":[{"index":null}]'),
        chunk('"tool_calls":[{"index":"0"}]'),
        chunk('"tool_calls":[{"index":0,"function":{"arguments":null}}]'),
        chunk('"tool_calls":[{"index":0,"function":{"arguments":{}}}]'),
        chunk('"tool_calls":[{"index":0,"custom":{}}]'),
        b'{"choices":[{"delta":{"content":"a"}}]}',
        b'{"choices":[{"index":"0","delta":{"content":"a"}}]}',
        b'{"choices":[{"index":true,"delta":{"content":"a"}}]}',
        b'{"choices":[{"index":0,"message":{"content":"a"}}]}',
        b'{"choices":[{"index":0}]}',
        b'{"choices":null}',
        b"{}",
        b"[]",
        b"[DONE]",
        b"",
        chunk('"content":"a"') + b"}",
        chunk('"content":"a"')[:-1],
        chunk('"content":"\n"'),
        chunk('"content":"?"').replace(b"?", b"\xff"),
        chunk(r'"content":"\ud83d"'),
        chunk(r'"content":"\ude00\ud83d"'),
    ],
)
def test_everything_else_is_left_to_the_plain_way(payload: bytes) -> None:
    for decode in (decode_text_with_logprobs, *ONE_KIND.values()):
        assert not is_usual(decode, payload)


def test_deep_nesting_is_left_to_the_plain_way() -> None:
    payload = chunk('"content":"a"', ',"logprobs":' + "[" * 100_000 + "]" * 100_000)
    assert not is_usual(decode_text_with_logprobs, payload)


@pytest.mark.parametrize("item", [Payload(b"", "event", 0), Note("stray-line", "", 0)])
def test_item_that_is_no_line_cannot_be_sliced(item: Any) -> None:
    with pytest.raises(NOT_USUAL):
        decode_text(item[6:])
