"""ChatStream: chunks that do not come as bytes of a body; and ``parse``, for bytes that have."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.chat_helpers import DONE, chunk, event, finish, of, play
from untorn import (
    ChatStream,
    Completion,
    StreamEnded,
    StreamEvent,
    TextDelta,
    parse,
)
from untorn.options import Limits, Options

HELLO = chunk({"role": "assistant", "content": "Hello"})


def codes(completion: Completion) -> list[str]:
    return [defect.code for defect in completion.verdict.defects]


def payloads(*data: Any) -> tuple[list[StreamEvent], Completion]:
    stream = ChatStream()
    events: list[StreamEvent] = []
    for one in data:
        events += stream.receive_payload(one)
    return events + stream.receive_eof(), stream.completion


CHUNK = {"id": "c1", "model": "m", "choices": [{"index": 0, "delta": {"content": "é"}}]}


@pytest.mark.parametrize(
    "data",
    [CHUNK, event(CHUNK)[6:-2], event(CHUNK)[6:-2].decode()],
    ids=["mapping", "bytes", "str"],
)
def test_payload_is_read_as_an_event_of_a_body(data: Any) -> None:
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    events, completion = payloads(data, end, "[DONE]")
    assert events == play([event(CHUNK), event(end), DONE])[0]
    assert (completion.content, completion.verdict.outcome) == ("é", "complete")


def test_payloads_and_reads_may_be_mixed_between_events() -> None:
    stream = ChatStream()
    stream.receive_data(HELLO)
    assert of(TextDelta, stream.receive_payload(CHUNK)) == [TextDelta(0, "é")]
    stream.receive_data(chunk({"content": " world"}))
    stream.receive_payload("[DONE]")
    assert stream.receive_data(DONE) != []
    assert stream.completion.content == "Helloé world"


def test_payload_without_body_names_no_bytes() -> None:
    _, completion = payloads(CHUNK)
    assert str(completion.verdict) == (
        "interrupted: the body ended with no [DONE], choice 0 unfinished"
    )


@pytest.mark.parametrize("data", [{"choices": [object()]}, {"a": b"b"}, 7, None, ["[DONE]"]])
def test_payload_that_is_no_json_is_the_callers_mistake(data: Any) -> None:
    stream = ChatStream()
    with pytest.raises(TypeError):
        stream.receive_payload(data)
    assert stream.completion.choices == []


def test_payload_may_hold_half_a_pair() -> None:
    text = json.dumps(CHUNK, ensure_ascii=False).replace("é", "\ud83d")
    assert set(payloads(text)[1].content or "") == {"\ufffd"}


def test_parse_takes_a_body_and_the_reads_of_one() -> None:
    body = HELLO + finish() + DONE
    whole = parse(body)
    assert whole.verdict.outcome == "complete"
    assert parse([body[:9], body[9:]]) == parse(iter([body])) == whole
    assert whole.head is not None
    assert (whole.head.status, whole.head.content_type) == (200, "text/event-stream")


def test_parse_takes_no_text() -> None:
    with pytest.raises(TypeError, match="a read is bytes, not str: "):
        parse("data: {}")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="iter_bytes"):
        parse(["data: {}"])  # type: ignore[list-item]


def test_parse_reads_a_large_body_as_a_small_one() -> None:
    body = HELLO * 2000 + finish() + DONE
    assert parse(body).content == "Hello" * 2000


def test_parse_takes_status_content_type_and_options() -> None:
    completion = parse(b"busy", status=503, content_type=None)
    assert completion.verdict.error is not None
    assert (completion.verdict.error.message, completion.verdict.error.status) == ("busy", 503)
    assert "content-type-mismatch" in codes(parse(HELLO, content_type="text/plain"))
    options = Options(accept_done_without_finish_reason=True)
    assert parse(HELLO + DONE, options=options).verdict.outcome == "complete"


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (Limits(event=40), "an event of more than 40 bytes"),
        (Limits(body=100), "a body of more than 100 bytes"),
        (Limits(text=1), "more than 1 characters in choice 0"),
    ],
)
def test_payloads_have_the_limits_of_events(limits: Limits, reason: str) -> None:
    stream = ChatStream(Options(limits=limits))
    chunk = {"choices": [{"index": 0, "delta": {"content": "abc", "v": "x" * 40}}]}
    events = [*stream.receive_payload(chunk), *stream.receive_payload(chunk)]
    assert isinstance(events[-1], StreamEnded)
    assert (stream.completion.verdict.ending, stream.completion.verdict.reason) == ("limit", reason)
    assert stream.receive_payload(chunk) == []


def test_payloads_may_be_as_long_as_the_limits_of_events_and_bodies() -> None:
    data = HELLO[6:-2]
    stream = ChatStream(Options(limits=Limits(event=len(data), body=2 * len(data))))
    for _ in range(2):
        stream.receive_payload(data)
    assert stream.completion.content == "HelloHello"
    (ended,) = of(StreamEnded, stream.receive_payload(data))
    assert ended.verdict.reason == f"a body of more than {2 * len(data)} bytes"


def test_chunk_that_holds_itself_is_the_callers_mistake() -> None:
    chunk: dict[str, Any] = {}
    chunk["choices"] = chunk
    sentence = "^the chunk is no JSON: it holds itself, or what no JSON holds$"
    with pytest.raises(TypeError, match=sentence):
        ChatStream().receive_payload(chunk)
