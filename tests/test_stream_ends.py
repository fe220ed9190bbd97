"""ChatStream: how streams end, and what a caller may not do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import pytest

from tests.chat_helpers import DONE, call, chunk, event, finish, of, play
from untorn import (
    ChatStream,
    Completion,
    StreamClosed,
    StreamEnded,
    Verdict,
    parse,
)
from untorn.options import Options

HELLO = chunk({"role": "assistant", "content": "Hello"})
TAIL = b'data: {"choices":[{"index":0,"delta":{"con'
ERROR = event({"error": {"message": "overloaded"}})

Failure = Literal["cut", "stalled", "cancelled"]
FAILURES: list[Failure] = ["cut", "stalled", "cancelled"]


def summary(verdict: Verdict) -> tuple[str, str | None, str | None]:
    return verdict.outcome, verdict.ending, verdict.reason


def codes(completion: Completion) -> list[str]:
    return [defect.code for defect in completion.verdict.defects]


def failed(body: bytes, ending: Failure, options: Options | None = None) -> Verdict:
    """The verdict on a body that the transport ended."""
    stream = ChatStream(options or Options())
    stream.receive_data(body)
    events = stream.receive_failure(ending, "it went away")
    assert of(StreamEnded, events) == [events[-1]]
    return stream.completion.verdict


# Clean ends ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "outcome", "ending", "code"),
    [
        (b"", "interrupted", "eof", "empty-stream"),
        (DONE, "interrupted", "done", "empty-stream"),
        (HELLO, "interrupted", "eof", "unexpected-eof"),
        (HELLO + DONE, "interrupted", "done", "missing-finish-reason"),
        (HELLO + TAIL, "interrupted", "torn", "truncated-event"),
        (HELLO + finish(), "complete", "eof", "missing-done"),
        (HELLO + finish() + TAIL, "interrupted", "torn", "truncated-event"),
        (HELLO + finish() + DONE + TAIL, "interrupted", "torn", "truncated-event"),
        (HELLO + finish().rstrip(), "complete", "eof", "no-final-blank-line"),
        (b'{"choices":[{"message":{"content":"a"}}]}', "interrupted", "document", "not-streamed"),
        (b"<html>", "failed", "document", "html-body"),
        (b"\x1f\x8b\x08", "interrupted", "eof", "compressed-body"),
        (b"\x1f", "interrupted", "torn", "truncated-event"),
    ],
)
def test_clean_end_is_told_as_what_it_is(body: bytes, outcome: str, ending: str, code: str) -> None:
    _, completion = play([body])
    assert summary(completion.verdict) == (outcome, ending, None)
    assert code in codes(completion)


def test_torn_tail_is_kept_with_its_place() -> None:
    verdict = play([HELLO + TAIL])[1].verdict
    assert verdict.tail is not None
    assert (verdict.tail.offset, verdict.tail.data) == (len(HELLO), TAIL)
    assert str(len(TAIL)) in str(verdict)


def test_verdict_says_where_the_stream_was_torn() -> None:
    assert "with no [DONE], choice 0 unfinished" in str(play([HELLO])[1].verdict)
    body = HELLO + chunk(call(1, id="c", name="f", arguments="{"))
    assert f"after {len(body)} bytes" in str(play([body])[1].verdict)
    assert "inside tool call 0 of choice 0" in str(play([body])[1].verdict)


# Failures of the transport -------------------------------------------------------------------


@pytest.mark.parametrize("ending", FAILURES)
def test_failure_before_the_finish_interrupts(ending: Failure) -> None:
    verdict = failed(HELLO, ending)
    assert summary(verdict) == ("interrupted", ending, "it went away")
    assert str(verdict).startswith("interrupted: it went away; ")


@pytest.mark.parametrize("ending", FAILURES)
def test_failure_after_the_finish_leaves_the_answer_what_it_was(ending: Failure) -> None:
    assert summary(failed(HELLO + finish(), ending)) == ("complete", ending, "it went away")
    assert failed(HELLO + finish("length"), ending).outcome == "truncated"
    assert failed(HELLO + finish("content_filter"), ending).outcome == "filtered"


@pytest.mark.parametrize("ending", FAILURES)
def test_failure_that_tears_an_event_interrupts_also_after_the_finish(ending: Failure) -> None:
    verdict = failed(HELLO + finish() + TAIL, ending)
    assert summary(verdict) == ("interrupted", ending, "it went away")
    assert verdict.tail is not None


@pytest.mark.parametrize("ending", FAILURES)
def test_failure_after_done_or_an_error_means_nothing(ending: Failure) -> None:
    assert summary(failed(HELLO + finish() + DONE, ending)) == ("complete", "done", None)
    assert summary(failed(HELLO + DONE, ending)) == ("interrupted", "done", None)
    assert summary(failed(HELLO + ERROR, ending)) == ("failed", "eof", None)


@pytest.mark.parametrize("ending", FAILURES)
def test_failure_before_the_first_byte_is_kept_as_the_reason(ending: Failure) -> None:
    verdict = failed(b"", ending)
    assert summary(verdict) == ("interrupted", ending, "it went away")
    assert verdict.tail is None


def test_last_line_that_is_whole_is_used_also_where_the_transport_failed() -> None:
    assert failed(HELLO + finish().rstrip(), "cut").outcome == "complete"


# After the end -------------------------------------------------------------------------------

AFTER: dict[str, Callable[[ChatStream], Any]] = {
    "data": lambda stream: stream.receive_data(b"a"),
    "nothing": lambda stream: stream.receive_data(b""),
    "payload": lambda stream: stream.receive_payload("[DONE]"),
    "head": lambda stream: stream.receive_head(200),
}


@pytest.mark.parametrize("ask", AFTER.values(), ids=AFTER.keys())
@pytest.mark.parametrize("body", [b"", HELLO, HELLO + finish() + DONE])
def test_more_after_the_end_is_the_callers_mistake(
    body: bytes, ask: Callable[[ChatStream], Any]
) -> None:
    stream = ChatStream()
    stream.receive_data(body)
    stream.receive_eof()
    with pytest.raises(StreamClosed):
        ask(stream)


def test_second_end_brings_nothing_and_changes_nothing() -> None:
    stream = ChatStream()
    stream.receive_data(HELLO)
    stream.receive_eof()
    verdict = stream.completion.verdict
    assert stream.receive_eof() == []
    assert stream.receive_failure("cut", "late") == []
    assert stream.completion.verdict == verdict


def test_head_after_the_body_is_the_callers_mistake() -> None:
    stream = ChatStream()
    stream.receive_data(HELLO)
    with pytest.raises(StreamClosed):
        stream.receive_head(200)


@pytest.mark.parametrize("data", ["data: x", 7, None, [b"data"]])
def test_read_that_is_no_bytes_is_told_where_to_get_bytes(data: Any) -> None:
    sentence = (
        r"take them from iter_bytes\(\), not from iter_text\(\) or iter_lines\(\),"
        " which decode and split too early$"
    )
    with pytest.raises(TypeError, match=sentence):
        ChatStream().receive_data(data)


@pytest.mark.parametrize("kind", [bytearray, memoryview])
def test_other_kinds_of_bytes_are_bytes(kind: Callable[[bytes], Any]) -> None:
    stream = ChatStream()
    stream.receive_data(kind(HELLO))
    assert stream.completion.content == parse(kind(HELLO)).content == "Hello"
