"""ChatStream: how streams end, limits, and what a caller may choose and may not do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import pytest

from tests.chat_helpers import DONE, call, chunk, event, finish, of, play
from tests.helpers import cuttings, two_way_cuts
from untorn import (
    ChatStream,
    ChoiceFinished,
    Completion,
    StreamClosed,
    StreamEnded,
    StreamEvent,
    TextDelta,
    Verdict,
    parse,
)
from untorn.options import Limits, Options

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
    with pytest.raises(TypeError, match=r"take them from iter_bytes\(\)"):
        ChatStream().receive_data(data)


@pytest.mark.parametrize("kind", [bytearray, memoryview])
def test_other_kinds_of_bytes_are_bytes(kind: Callable[[bytes], Any]) -> None:
    stream = ChatStream()
    stream.receive_data(kind(HELLO))
    assert stream.completion.content == parse(kind(HELLO)).content == "Hello"


# Options -------------------------------------------------------------------------------------


def test_done_without_finish_reason_is_an_end_where_the_caller_accepts_it() -> None:
    options = Options(accept_done_without_finish_reason=True)
    events, completion = play([HELLO, DONE], ChatStream(options))
    assert of(ChoiceFinished, events) == [ChoiceFinished(0, None)]
    assert (completion.verdict.outcome, completion.finish_reason) == ("complete", None)
    assert codes(completion) == []
    assert play([HELLO], ChatStream(options))[1].verdict.outcome == "interrupted"


def test_choice_that_begins_after_an_accepted_done_is_ended_by_it_too() -> None:
    options = Options(accept_done_without_finish_reason=True)
    events, completion = play([HELLO, DONE, chunk({"content": "a"}, 1)], ChatStream(options))
    assert [event.choice for event in of(ChoiceFinished, events)] == [0, 1]
    assert completion.verdict.outcome == "complete"


@pytest.mark.parametrize("named", ["halted", "HALTED"])
def test_callers_finish_reasons_are_normal_in_any_letter_case(named: str) -> None:
    options = Options(normal_finish_reasons=frozenset({named}))
    body = [HELLO, finish("Halted"), DONE]
    assert play(body)[1].verdict.outcome == "interrupted"
    _, completion = play(body, ChatStream(options))
    assert (completion.verdict.outcome, completion.finish_reason) == ("complete", "Halted")
    assert codes(completion) == ["finish-reason-nonstandard"]


def test_choice_that_was_asked_for_and_never_came_interrupts() -> None:
    body = [HELLO, finish(), DONE]
    _, completion = play(body, ChatStream(Options(choices=3)))
    assert completion.verdict.outcome == "interrupted"
    (missing,) = completion.verdict.defects
    assert (missing.code, missing.count) == ("choice-missing", 2)
    assert play(body, ChatStream(Options(choices=1)))[1].verdict.defects == []


# Limits --------------------------------------------------------------------------------------

MORE = chunk({"content": " world"})
LIMITS = {
    "line": (Limits(line=200), [b": " + b"x" * 199 + b"\n"], "a line of more than 200 bytes"),
    "event": (Limits(event=200), [b"data: {\n" + b"data: \n" * 40], "an event of more than 200"),
    "document": (Limits(event=50), [b'{"a":\n' + b" 1,\n" * 20], "a document of more than 50"),
    "body": (Limits(body=300), [MORE, MORE], "a body of more than 300 bytes"),
    "text": (Limits(text=12), [MORE, MORE], "more than 12 characters in choice 0"),
    "choices": (Limits(choices=1), [chunk({"content": "a"}, 1)], "more than 1 choices"),
    "tool calls": (
        Limits(tool_calls=1),
        [chunk(call(n, id=f"c{n}", name="f", arguments="{}")) for n in (0, 1)],
        "more than 1 tool calls in choice 0",
    ),
    "extras": (
        Limits(extras=2),
        [event({"choices": [], f"k{n}": n}) for n in range(3)],
        "more than 2 unknown keys",
    ),
}

each_limit = pytest.mark.parametrize(
    ("limits", "parts", "reason"), LIMITS.values(), ids=LIMITS.keys()
)


def body_over(limits: Limits, parts: list[bytes]) -> bytes:
    begin = b"" if limits.event == 50 else HELLO
    return begin + b"".join(parts) + finish() + DONE


@each_limit
def test_limit_ends_the_stream_and_what_came_before_is_kept(
    limits: Limits, parts: list[bytes], reason: str
) -> None:
    body = body_over(limits, parts)
    _, completion = play([body], ChatStream(Options(limits=limits)))
    outcome, ending, why = summary(completion.verdict)
    assert (outcome, ending) == ("interrupted", "limit")
    assert why is not None
    assert why.startswith(reason)
    assert (completion.content or "").startswith("Hello") == body.startswith(HELLO)
    assert completion.finish_reason is None


@each_limit
def test_limit_is_passed_at_the_same_byte_whatever_the_reads(
    limits: Limits, parts: list[bytes], reason: str
) -> None:
    body = body_over(limits, parts)
    options = Options(limits=limits)
    whole = play([body], ChatStream(options))
    for reads in (*cuttings(body), *two_way_cuts(body)):
        assert play(reads, ChatStream(options)) == whole, len(reads[0])


def test_after_a_limit_reads_are_ignored_since_the_caller_may_not_know() -> None:
    stream = ChatStream(Options(limits=Limits(body=10)))
    events = stream.receive_data(HELLO)
    assert isinstance(events[-1], StreamEnded)
    assert stream.receive_data(HELLO) == stream.receive_payload("[DONE]") == []
    assert stream.receive_eof() == stream.receive_failure("cut", "late") == []
    assert stream.completion.verdict.ending == "limit"


def test_what_just_fits_into_every_limit_is_read() -> None:
    body = HELLO + MORE + chunk(call(id="c", name="f")) + finish() + DONE
    longest = max(map(len, body.split(b"\n")))
    limits = Limits(
        line=longest, event=longest + 1, body=len(body), text=12, choices=1, tool_calls=1
    )
    for reads in cuttings(body):
        _, completion = play(reads, ChatStream(Options(limits=limits)))
        assert completion.verdict.outcome == "complete"


def test_json_deeper_than_the_limit_is_a_lost_event() -> None:
    deep = chunk({"content": "a", "x": [[[[]]]]})
    assert play([deep])[1].content == "a"
    _, completion = play([deep], ChatStream(Options(limits=Limits(depth=6))))
    assert (completion.content, codes(completion)) == (None, ["bad-json", "empty-stream"])


# Without a body ------------------------------------------------------------------------------


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
    stream.receive_data(MORE)
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


def test_parse_takes_a_body_and_the_reads_of_one() -> None:
    body = HELLO + finish() + DONE
    whole = parse(body)
    assert whole.verdict.outcome == "complete"
    assert parse([body[:9], body[9:]]) == parse(iter([body])) == whole


def test_parse_takes_no_text() -> None:
    with pytest.raises(TypeError, match="iter_bytes"):
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


def test_read_that_is_one_usual_event_may_pass_a_limit_too() -> None:
    stream = ChatStream(Options(limits=Limits(choices=1)))
    first = b'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"a"}}]}\n\n'
    assert stream.receive_data(first)
    assert isinstance(
        stream.receive_data(first.replace(b'"index":0', b'"index":1'))[-1], StreamEnded
    )
    assert stream.completion.verdict.reason == "more than 1 choices"
    assert stream.completion.content == "a"


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


def test_chunk_that_holds_itself_is_the_callers_mistake() -> None:
    chunk: dict[str, Any] = {}
    chunk["choices"] = chunk
    with pytest.raises(TypeError, match="no JSON"):
        ChatStream().receive_payload(chunk)
