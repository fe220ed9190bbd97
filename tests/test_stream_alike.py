"""ChatStream: reads that are as the last one was, taken by who has looked at them."""

from __future__ import annotations

import pytest

from tests.chat_helpers import DONE, chunk, event, finish
from untorn import ChatStream, Limits, Options

ROLE = chunk({"role": "assistant", "content": "a"})
MORE = chunk({"content": "b"})
START = [ROLE, MORE, MORE]


def payload(event: bytes) -> bytes:
    return event[len(b"data: ") : -2]


def begun(*reads: bytes, options: Options = Options(), at: float | None = 1.0) -> ChatStream:
    stream = ChatStream(options)
    stream.receive_head(200, {"content-type": "text/event-stream"}, at)
    for read in reads:
        stream.receive_data(read, at)
    return stream


def parts_of(stream: ChatStream, event: bytes) -> list[str]:
    parts = stream.parts_of(payload(event))
    assert parts is not None
    return parts


def test_read_that_is_passed_by_is_as_if_it_had_been_received() -> None:
    passed, received = begun(*START), begun(*START)
    parts = parts_of(passed, MORE)
    for number in range(40):
        at = 2.0 + number / 4
        assert passed.pass_by(len(MORE), at)
        parts.append("b")
        received.receive_data(MORE, at)
        if number % 7 == 0:
            assert passed.completion == received.completion
    rest = [MORE[:9], MORE[9:], b"data: x\n\n", finish(), DONE]
    for read in rest:
        assert passed.receive_data(read, 20.0) == received.receive_data(read, 20.0)
    assert passed.receive_eof(21.0) == received.receive_eof(21.0)
    assert passed.completion == received.completion
    offset = sum(map(len, START)) + 41 * len(MORE)
    assert [one.offset for one in passed.completion.verdict.defects] == [offset]


@pytest.mark.parametrize(
    "last",
    [
        MORE[:-1],
        MORE + MORE[:9],
        MORE + b": ping\n",
        MORE.replace(b"data: ", b"data:  "),
        finish(),
        chunk({"reasoning": "hm"}),
        event({"choices": []}),
        DONE,
    ],
)
def test_there_are_no_parts_after_a_read_that_is_not_one_usual_event_with_text(last: bytes) -> None:
    assert begun(*START, last).parts_of(payload(last)) is None


def test_read_that_needs_a_closer_look_is_not_passed_by_and_nothing_is_taken() -> None:
    size = len(MORE)
    most = sum(map(len, START)) + size
    for limits in (Limits(body=most), Limits(body=most + size - 1)):
        stream = begun(*START, options=Options(limits=limits))
        parts_of(stream, MORE)
        assert stream.pass_by(size, 2.0)
        assert not stream.pass_by(size, 3.0)
        timing = stream.completion.timing
        assert timing is not None
        assert (timing.reads, timing.total) == (4, 1.0)
    long = Limits(line=len(ROLE))
    stream = begun(*START, options=Options(limits=long))
    assert not stream.pass_by(len(ROLE) + 1, 2.0)
    assert stream.pass_by(len(ROLE), 2.0)


def test_there_are_no_parts_before_the_first_read() -> None:
    assert ChatStream().parts_of(b"{}") is None


def test_nothing_is_passed_by_before_the_first_read_or_after_the_end_or_without_times() -> None:
    assert not begun().pass_by(len(MORE), 1.0)
    assert not begun(*START, at=None).pass_by(len(MORE), 1.0)
    stream = begun(*START)
    stream.receive_eof(1.0)
    assert not stream.pass_by(len(MORE), 1.0)
