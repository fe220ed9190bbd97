"""Chunks with no keys but those that are known: read as on the plain way, or left to it."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from untorn.chat.builder import CompletionBuilder
from untorn.chat.chunks import Chunk, is_chunk, read_chunk
from untorn.chat.error_object import find_error
from untorn.chat.fast_way import FastWay
from untorn.chat.learned import KNOWN, Learned, learn
from untorn.chat.payload_reader import PayloadReader
from untorn.chat.usual import NOT_USUAL
from untorn.chat.wide import decode_wide, decode_wide_with_logprobs, extra_of, read_wide
from untorn.options import Limits, Options


def builder() -> CompletionBuilder:
    return CompletionBuilder(Options(), None, lambda _: None)


def read(body: dict[str, Any] | bytes, limits: Limits = Limits()) -> Chunk | None:
    """What is made of a payload; None if it is left to the plain way."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    try:
        wide = decode_wide(data)
    except NOT_USUAL:
        return None
    return read_wide(wide, data, builder(), limits)


def chunk(delta: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": "c1", "choices": [{"index": 0, "delta": delta, **more}]}


def like_plain(chunk: Chunk) -> Chunk:
    """A chunk but for what is known of a delta by its keys, which may be null."""
    for choice in chunk.choices:
        if choice.delta is not None:
            choice.delta.is_only_text = False
    return chunk


def function(**more: Any) -> dict[str, Any]:
    return {"tool_calls": [{"index": 0, "id": "a", "function": more}]}


CHUNKS = [
    chunk({}),
    chunk({"role": "", "content": "a"}),
    chunk({"role": "assistant", "content": "a", "reasoning": "b"}),
    chunk({"reasoning_content": "b", "reasoning": None}),
    chunk({"reasoning_content": "b", "reasoning": "b"}),
    chunk({"reasoning_details": [{"type": "t", "text": "b"}], "content": "a"}),
    chunk({"content": [{"type": "text", "text": "a"}, {"type": "image"}]}),
    chunk({"content": {"text": "a"}, "tool_calls": [{"index": 1, "function": {"name": "f"}}]}),
    chunk({"refusal": "no", "annotations": [{"a": 1}], "audio": {"id": "x"}}),
    chunk({"annotations": [{"a": 1}]}),
    chunk({"audio": {"id": "x"}}),
    chunk({"role": "tool", "content": "a", "reasoning": "b", **function(arguments="{")}),
    chunk({"function_call": {"name": "f", "arguments": "{"}}),
    chunk({"tool_calls": []}),
    chunk({"tool_calls": [{"index": "7", "id": "", "type": "custom"}, {"index": -1}, {}]}),
    chunk(function(name="f", arguments='{"a":')),
    chunk(function(name="f")),
    chunk(function(name="", arguments=None)),
    chunk(function(arguments="long" * 128)),
    chunk(function(arguments={"a": [1]})),
    chunk(function(arguments=[])),
    chunk({"content": "a"}, finish_reason=""),
    chunk({"content": "a"}, finish_reason="stop", index="3"),
    chunk({"content": "a"}, index=None),
    chunk({"content": "a"}, index=2**63),
    {**chunk({"content": "a"}), "created": 1, "model": "m", "object": "chat.completion.chunk"},
    {**chunk({"content": "a"}), "created": 1.5, "service_tier": "t", "system_fingerprint": "f"},
    {**chunk({"content": "a"}), "created": "1", "obfuscation": "x", "usage": None},
    {"choices": []},
]


@pytest.mark.parametrize("body", CHUNKS)
def test_chunk_is_read_as_on_the_plain_way(body: dict[str, Any]) -> None:
    wide = read(body)
    assert wide is not None
    assert like_plain(wide) == like_plain(read_chunk(body, is_document=False))


OTHERS: list[dict[str, Any] | bytes] = [
    {**chunk({"content": "a"}), "x": 1},
    {**chunk({"content": "a"}), "error": {"message": "no"}},
    {**chunk({"content": "a"}), "usage": {"total_tokens": 1}},
    {**chunk({"content": "a"}), "object": "error"},
    {**chunk({"content": "a"}), "created": True},
    chunk({"content": "a", "x": None}),
    chunk({"content": 1}),
    chunk({"content": "a"}, x=1),
    chunk({"content": "a"}, logprobs={"content": []}),
    chunk({"content": "a"}, index=True),
    chunk({"content": "a"}, finish_reason=1),
    chunk({"tool_calls": {"index": 0}}),
    chunk({"tool_calls": [{"index": 0, "custom": {}}]}),
    chunk(function(arguments=1)),
    {"choices": None},
    {"choices": [None]},
    {"choices": [{"index": 0, "text": "a"}]},
    {"choices": [{"index": 0, "message": {"content": "a"}}]},
    {"choices": [{"index": 0, "delta": None}]},
    {"delta": {"content": "a"}},
    b'{"choices":[{"delta":{"content":"a","content":null}}]}',
    b'{"choices":[{"delta":{"content":"\\ud83d"}}]}',
    b'{"choices":[{"delta":{"content":"\xff"}}]}',
    b'{"choices":[{"delta":{"content":"\t"}}]}',
    b'{"choices":[{"delta":{"content":[NaN]}}]}',
    b'{"choices":[{"delta":{"content":[{"error":1,"error":2}]}}]}',
    b"[DONE]",
]


@pytest.mark.parametrize("body", OTHERS)
def test_everything_else_is_left_to_the_plain_way(body: dict[str, Any] | bytes) -> None:
    assert read(body) is None


def of_vendor(*payloads: dict[str, Any]) -> Learned:
    """What was learned from these."""
    learned = KNOWN
    for body in payloads:
        more = learn(json.dumps(body).encode(), learned)
        assert more is not None
        learned = more
    return learned


EXTRAS: list[dict[str, Any]] = [
    {**chunk({"content": "a", "x": 1}, y="b"), "p": {"q": [1]}},
    {**chunk({"x": "a", "reasoning": "b"}, y=None), "usage": {"total_tokens": 1}},
    {**chunk({"x": 1, **function(arguments="1")}, finish_reason="stop"), "p": 7, "usage": {}},
    {**chunk({"content": ["a"], "x": 1}), "usage": None},
    {**chunk({"reasoning": "b", "reasoning_content": "b", "x": 1}), "p": None},
    {**chunk({"role": "assistant", "x": None}), "p": {}},
    {**chunk({"refusal": "no", "x": 1}, y=True), "created": 1},
    {**chunk({"reasoning": "b", "reasoning_details": [{"text": "b"}]}), "p": []},
    {"choices": [{"index": 1, "delta": {"x": 1}}, {"index": 0, "delta": {"content": "a"}, "y": 2}]},
    chunk({"content": "a", "reasoning_details": []}),
]


@pytest.mark.parametrize("body", EXTRAS)
def test_learned_keys_are_read_as_on_the_plain_way(body: dict[str, Any]) -> None:
    data = json.dumps(body).encode()
    learned = of_vendor({**EXTRAS[0], "usage": {"total_tokens": 1}})
    wide = read_wide(learned.wide(data), data, builder(), Limits())
    assert wide is not None
    assert like_plain(wide) == like_plain(read_chunk(body, is_document=False))


def test_keys_of_a_vendor_without_choices_are_left_to_the_plain_way() -> None:
    """They may say that something failed."""
    data = b'{"choices":[],"p":1}'
    assert read_wide(of_vendor(EXTRAS[0]).wide(data), data, builder(), Limits()) is None
    counting = of_vendor({**chunk({"content": "a"}), "usage": {"total_tokens": 1}})
    data = b'{"choices":[],"usage":{"total_tokens":1}}'
    read = read_wide(counting.wide(data), data, builder(), Limits())
    assert read is not None
    assert read.usages == [{"total_tokens": 1}]


def test_extra_is_what_a_vendor_s_keys_hold_that_is_not_null() -> None:
    wide = of_vendor(EXTRAS[0]).wide(json.dumps({**EXTRAS[0], "p": None}).encode())
    (choice,) = wide.choices
    assert [extra_of(level) for level in (wide, choice, choice.delta)] == [{}, {"y": "b"}, {"x": 1}]
    assert extra_of(decode_wide(b'{"choices":[]}')) == {}


def test_logprobs_are_left_to_the_plain_way() -> None:
    data = json.dumps(chunk({"content": "a"}, logprobs={"content": []})).encode()
    assert read_wide(decode_wide_with_logprobs(data), data, builder(), Limits()) is None


@pytest.mark.parametrize(
    ("body", "limits"),
    [
        ({"choices": [{"delta": {}}] * 3}, Limits(choices=2)),
        (chunk({"tool_calls": [{"index": 0}] * 3}), Limits(tool_calls=2)),
        (chunk({"content": [[[[]]]]}), Limits(depth=7)),
    ],
)
def test_what_passes_a_limit_is_left_to_the_plain_way(body: dict[str, Any], limits: Limits) -> None:
    assert read(body, limits) is None
    assert read(body) is not None


def test_repeated_keys_are_not_looked_for_where_the_kind_is_known() -> None:
    """Rule 14: in the first of a kind they are, and the reader looks for them from then on."""
    data = b'{"choices":[{"index":0,"delta":{"content":"a","content":null}}]}'
    known = builder()
    first = read_chunk(chunk({"role": "assistant", "content": "a"}), is_document=False)
    known.receive_chunk(first)
    assert read_wide(decode_wide(data), data, known, Limits()) is None  # it says nothing
    data = b'{"choices":[{"index":0,"delta":{"content":null,"content":"a"}}]}'
    assert read_wide(decode_wide(data), data, known, Limits()) is not None
    assert read_wide(decode_wide(data), data, builder(), Limits()) is None


text = st.none() | st.text("a\u00e9😀", max_size=2)
index = st.none() | st.integers(-1, 2) | st.sampled_from(["0", "x", True, 2**64])
values = st.recursive(text | st.integers(0, 2), lambda more: st.lists(more, max_size=2))
objects = st.dictionaries(st.sampled_from(["text", "type", "id", "thinking"]), values, max_size=2)


def some_of(**keys: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=keys)


functions = some_of(name=text, arguments=text | objects | values)
calls = some_of(index=index, id=text, type=text | st.just("custom"), function=functions | st.none())
deltas = some_of(
    role=text | st.just("assistant"),
    content=text | objects | st.lists(objects | text, max_size=2),
    reasoning=text,
    reasoning_content=text,
    reasoning_details=st.none() | st.lists(objects, max_size=2),
    refusal=text,
    tool_calls=st.none() | st.lists(calls, max_size=2) | calls,
    function_call=st.none() | functions,
    audio=st.none() | objects,
    annotations=st.none() | st.lists(objects, max_size=2),
)
choices = some_of(index=index, delta=deltas, finish_reason=text, logprobs=st.none(), x=st.none())
chunks = st.fixed_dictionaries(
    {"choices": st.lists(choices, max_size=2)},
    optional={
        "id": text,
        "object": st.sampled_from(["", "chat.completion.chunk", "chat.completion"]),
        "created": index | st.floats(0, 9),
        "model": text,
        "usage": st.none() | objects,
    },
)


@given(chunks)
def test_what_is_read_is_what_the_plain_way_reads(body: dict[str, Any]) -> None:
    data = json.dumps(body).encode()
    value = msgspec.json.decode(data)
    wide = read(data)
    if wide is not None:
        assert is_chunk(value)
        assert find_error(value) is None
        assert like_plain(wide) == like_plain(read_chunk(value, is_document=False))


@given(st.lists(chunks.map(lambda body: json.dumps(body).encode()), max_size=8))
def test_answer_of_such_chunks_is_the_same_on_both_ways(items: list[bytes]) -> None:
    fast, plain = builder(), builder()
    events = FastWay(fast, PayloadReader(fast, Limits()), Limits()).receive(items)
    reader = PayloadReader(plain, Limits())
    for item in items:
        reader.receive(item)
    assert events == plain.out
    assert fast.completion(None, None) == plain.completion(None, None)
