"""ChatStream: what a caller may choose, and the limits that nobody passes."""

from __future__ import annotations

import pytest

from tests.chat_helpers import DONE, call, chunk, event, finish, of, play
from tests.helpers import cuttings, two_way_cuts
from untorn import (
    ChatStream,
    ChoiceFinished,
    Completion,
    StreamEnded,
    Verdict,
)
from untorn.options import Limits, Options

HELLO = chunk({"role": "assistant", "content": "Hello"})


def summary(verdict: Verdict) -> tuple[str, str | None, str | None]:
    return verdict.outcome, verdict.ending, verdict.reason


def codes(completion: Completion) -> list[str]:
    return [defect.code for defect in completion.verdict.defects]


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
    "lines": (Limits(lines=9), [b"data: {\n" + b"data: \n" * 40], "an event of more than 9 lines"),
    "document": (Limits(event=50), [b'{"a":\n' + b" 1,\n" * 20], "a document of more than 50"),
    "values": (
        Limits(values=150),
        [chunk({"content": "a", "x": [[]] * 100})],
        "an event of more than 150 values",
    ),
    "values of usual choices": (
        Limits(values=150),
        [event({"choices": [{"index": 0, "delta": {"content": "a"}}] * 12})],
        "an event of more than 150 values",
    ),
    "values in several lines": (
        Limits(values=150),
        [b"data: [{}\n" + b"data: ,[]\n" * 55 + b"data: ]\n\n"],
        "an event of more than 150 values",
    ),
    "body": (Limits(body=300), [MORE, MORE], "a body of more than 300 bytes"),
    "text": (Limits(text=12), [MORE, MORE], "more than 12 characters in choice 0"),
    "choices": (Limits(choices=1), [chunk({"content": "a"}, 1)], "more than 1 choices"),
    "tool calls": (
        Limits(tool_calls=1),
        [chunk(call(n, id=f"c{n}", name="f", arguments="{}")) for n in (0, 1)],
        "more than 1 tool calls in choice 0",
    ),
    "annotations": (
        Limits(extras=9),
        [chunk({"annotations": [[[] for _ in range(90)]]})] * 2,
        "more than 9 unknown keys and values",
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
    ("body", "reason"),
    [
        (b'{"a": [\n' + b"[],\n" * 55 + b"[]]}", "a document of more than 150 values"),
        (HELLO + b"data: [" + b"[]," * 55 + b"[]]", "an event of more than 150 values"),
        (HELLO + b"data: [\ndata: " + b"[]," * 55 + b"[]]", "an event of more than 150 values"),
    ],
)
def test_end_of_the_body_makes_no_exception_for_the_values_of_the_last_event(
    body: bytes, reason: str
) -> None:
    options = Options(limits=Limits(values=150))
    whole = play([body], ChatStream(options))
    assert summary(whole[1].verdict) == ("interrupted", "limit", reason)
    assert whole[1].verdict.tail is not None
    for reads in cuttings(body):
        assert play(reads, ChatStream(options)) == whole


def test_text_of_an_error_is_read_however_many_values_it_holds() -> None:
    stream = ChatStream(Options(limits=Limits(values=150)))
    stream.receive_head(500)
    stream.receive_data(b'{"a": [\n' + b"[],\n" * 55 + b"1]}")
    stream.receive_eof()
    error = stream.completion.verdict.error
    assert error is not None
    assert error.message.startswith('{"a": [')


def test_logprobs_count_among_the_values_in_both_ways() -> None:
    few, many = ([{"token": "a", "logprob": -0.5}] * number for number in (2, 40))
    for limits, ending in (Limits(values=150), "limit"), (Limits(), "done"):
        stream = ChatStream(Options(limits=limits))
        body = [HELLO, MORE]
        for logprobs in few, few, many:
            choice = {"index": 0, "delta": {"content": "a"}, "logprobs": {"content": logprobs}}
            body.append(event({"choices": [choice]}))
        _, completion = play([*body, finish(), DONE], stream)
        assert completion.verdict.ending == ending


def test_document_has_no_more_lines_than_the_limit() -> None:
    body = b'{"a": [\n' + b"1,\n" * 20
    _, completion = play([body], ChatStream(Options(limits=Limits(lines=9))))
    assert summary(completion.verdict)[1:] == ("limit", "a document of more than 9 lines")
