"""The streams of our own making are what servers send."""

from __future__ import annotations

import pytest

from untorn import parse
from untorn.capture import Read
from untorn.replay import streams


def body(reads: tuple[Read, ...]) -> bytes:
    return b"".join(read.data for read in reads)


def test_a_stream_is_read_without_a_defect() -> None:
    completion = parse(body(streams.stream(streams.contents())))
    assert completion.content == streams.TEXT
    assert (completion.finish_reason, completion.verdict.defects) == ("stop", [])
    assert completion.usage is not None
    assert completion.usage.total_tokens == 30


def test_thoughts_come_as_reasoning() -> None:
    completion = parse(body(streams.stream(streams.thoughts())))
    assert completion.reasoning == "".join(streams.THOUGHTS)


@pytest.mark.parametrize("finish_reason", ["tool_calls", "stop"])
def test_calls_are_told_apart_by_their_index(finish_reason: str) -> None:
    deltas = [*streams.call(0), *streams.call(1, ["{}"])]
    calls = parse(body(streams.stream(deltas, finish_reason))).tool_calls
    assert [(call.id, call.name, call.arguments) for call in calls] == [
        ("call_0", streams.TOOL, streams.ARGUMENTS),
        ("call_1", streams.TOOL, "{}"),
    ]


def test_every_event_is_a_read() -> None:
    reads = streams.stream(streams.contents())
    assert len(reads) == len(streams.PIECES) + 4
    assert all(read.data.endswith(b"\n\n") for read in reads)


def test_a_choice_has_its_index() -> None:
    reads = (streams.chunk({"content": "b"}, "stop", index=1), streams.DONE)
    assert parse(body(reads)).choices[0].index == 1


def test_a_completion_is_one_document() -> None:
    completion = parse(streams.completion({"content": "yes"}), content_type="application/json")
    assert (completion.content, completion.verdict.ending) == ("yes", "document")


def test_an_error_is_one_of_openais_shape() -> None:
    error = parse(streams.error("no", "c", "t"), content_type="application/json").verdict.error
    assert error is not None
    assert (error.message, error.code, error.type) == ("no", "c", "t")
