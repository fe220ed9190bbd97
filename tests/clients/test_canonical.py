"""What a chunk in OpenAI's shape says."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.clients.repairs import ABOUT, chunk, payload
from untorn.clients.canonical import (
    are_logprobs,
    chunk_of,
    data_of,
    events_of,
    is_decodable,
    payload_of,
    usual_payload_of,
)
from untorn.events import (
    AudioDelta,
    ChoiceFinished,
    ReasoningDelta,
    RefusalDelta,
    TextDelta,
)

# Framing -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "event",
    [
        b"data: a\n",
        b"data: a\n\r\n",
        b"data: a\r\n\r\n",
        b"data:a\n\n",
        b": a\n\n",
        b"data: a\nb\n\n",
    ],
)
def test_usual_event_is_one_data_line_and_a_blank_line(event: bytes) -> None:
    assert usual_payload_of(b"data: a\n\n") == b"a"
    assert usual_payload_of(event) is None


def test_event_that_ends_in_another_character_is_not_usual() -> None:
    assert usual_payload_of(b"data: a\nb") is None


@pytest.mark.parametrize(
    "event",
    [
        b"data: a\n\n",
        b"data:a\n\n",
        b"data: a\r\n\r\n",
        b": ping\nid: 1\nevent: message\nretry: 5\ndata: a\n\n",
        b"data: a\nevent: chunk\n\n",
    ],
)
def test_other_fields_and_line_ends_do_not_change_the_data(event: bytes) -> None:
    assert payload_of(event) == b"a"


@pytest.mark.parametrize(
    "event",
    [
        b"data: a\ndata: b\n\n",
        b"data: a\r\r",
        b"data: a\n\r\n",
        b"event: error\ndata: a\n\n",
        b"event: thread.run\ndata: a\n\n",
        b"error: x\ndata: a\n\n",
        b"id: \xff\ndata: a\n\n",
        b"data: a\n",
        b": a\n\n",
    ],
)
def test_what_the_sdk_takes_otherwise_has_to_be_written_anew(event: bytes) -> None:
    assert payload_of(event) is None


def test_data_of_an_event_are_its_lines_and_of_a_document_all_of_it() -> None:
    assert data_of(b"data: {\r\ndata: }\r\n\r\n") == b"{\n}"
    assert data_of(b' {"a":\n\n1}') == b' {"a":\n\n1}'
    assert data_of(b": ping\n\n") == b""


# What a chunk says -------------------------------------------------------------------------------


def test_chunk_says_its_texts_in_the_order_in_which_they_are_told() -> None:
    audio = {"data": "eA==", "transcript": None}
    delta = {"content": "b", "reasoning": "a", "refusal": "c", "audio": audio}
    said = chunk_of(payload(chunk(delta, 2, finish_reason="stop")))
    assert said is not None
    assert events_of(said) == [
        ReasoningDelta(2, "a"),
        TextDelta(2, "b"),
        RefusalDelta(2, "c"),
        AudioDelta(2, "eA==", ""),
        ChoiceFinished(2, "stop"),
    ]


@pytest.mark.parametrize("delta", [{"audio": {"expires_at": 9}}, {"role": "assistant"}])
def test_end_of_audio_and_role_say_nothing(delta: dict[str, Any]) -> None:
    said = chunk_of(payload(chunk(delta)))
    assert said is not None
    assert events_of(said) == []


@pytest.mark.parametrize("key", ["tool_calls", "function_call"])
def test_chunk_with_calls_is_not_passed_on(key: str) -> None:
    value: Any = {"name": "f"} if key == "function_call" else [{"index": 0}]
    said = chunk_of(payload(chunk({key: value})))
    assert said is not None
    assert events_of(said) is None


@pytest.mark.parametrize(
    "odd",
    [
        chunk({"role": "tool"}),
        chunk({"content": ["a"]}),
        chunk({}, logprobs="x"),
        chunk({}, finish_reason=""),
        chunk({}, finish_reason="null"),
        chunk({}).replace(b'"index": 0', b'"index": "0"'),
        chunk({}, -1),
        chunk({}, 2**63),
        b'data: {"choices": []}\n\n',
        b"data: [DONE]\n\n",
        b"data: " + b"[" * 5000 + b"\n\n",
        payload(chunk({"content": "a"}))[:-1],
        payload(chunk({"x": "a"})).replace(b'"a"', b'"\xff"'),
        payload(chunk({"x": "a"})).replace(b'"a"', b"NaN"),
    ],
)
def test_what_is_not_in_openais_shape_is_no_chunk(odd: bytes) -> None:
    assert chunk_of(payload(odd)) is None


@pytest.mark.parametrize("reason", ["stop", "nullable", "annul", "null\n", " "])
def test_reason_that_is_not_empty_is_one(reason: str) -> None:
    said = chunk_of(payload(chunk({}, finish_reason=reason)))
    assert said is not None
    assert events_of(said) == [ChoiceFinished(0, reason)]


@pytest.mark.parametrize("error", [True, 1, "x", ["x"], {"message": "x"}])
def test_chunk_with_an_error_is_not_passed_on_since_the_sdk_raises_for_it(error: Any) -> None:
    body = {**ABOUT, "choices": []}
    assert chunk_of(json.dumps({**body, "error": None}).encode()) is not None
    assert chunk_of(json.dumps({**body, "error": error}).encode()) is None


def test_number_that_pythons_decoder_refuses_is_not_passed_on() -> None:
    sent = payload(chunk({"x": 3, "content": "Å"}))
    assert chunk_of(sent.replace(b"3", b"3" * 4300)) is not None
    assert chunk_of(sent.replace(b"3", b"3" * 4301)) is None
    with pytest.raises(ValueError, match="digits"):
        json.loads("7" * 4301)
    assert is_decodable((b"7" * 4300 + b",") * 100)


def test_logprobs_in_openais_shape_have_lists_or_nothing_under_its_keys() -> None:
    for raw in (
        b"{}",
        b'{"content": null, "x": 1}',
        b'{"content": [{"token": "a"}], "refusal": []}',
    ):
        assert are_logprobs(raw)
    for raw in (
        b"[]",
        b'{"content": 0}',
        b'{"content": {}}',
        b'{"refusal": "a"}',
        b'{"content": [',
    ):
        assert not are_logprobs(raw)
