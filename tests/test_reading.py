"""What a reader decides, whatever its colour. No source is read here: outcomes are handed in."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path

import pytest

from tests.chat_helpers import DONE, chunk, event, finish
from untorn import (
    AnswerFiltered,
    AnswerTruncated,
    Limits,
    Options,
    Outcome,
    StreamEnded,
    StreamFailed,
    StreamInterrupted,
)
from untorn.capture import Close, Read, loads
from untorn.options import MIB, Clocks
from untorn.reading import Reading
from untorn.recording import Recording
from untorn.sources import Opened

HEAD = Opened(200, [("Content-Type", "text/event-stream")])
HELLO = chunk({"role": "assistant", "content": "Hello"})
ERROR = event({"error": {"message": "overloaded"}})
NO_HEAD = Opened(None, [])


def nobody_knows() -> None:
    return None


def begun(
    opened: Opened = HEAD,
    *,
    received: Callable[[], int | None] = nobody_knows,
    options: Options = Options(),
    clocks: Clocks = Clocks(),
    raise_on: Collection[Outcome] = (),
    recording: Recording | None = None,
) -> Reading:
    """A Reading whose head has come at 0."""
    reading = Reading(options, clocks, raise_on, recording)
    reading.begin(opened, received, 0)
    return reading


def receive(reading: Reading, *reads: bytes | None, at: float = 0) -> Reading:
    for data in reads:
        reading.wait(at)
        reading.receive(data, at, rang=False)
    return reading


def ending(reading: Reading) -> tuple[str, str | None, str | None]:
    verdict = reading.completion.verdict
    return verdict.outcome, verdict.ending, verdict.reason


def test_a_clean_end_is_told_once() -> None:
    reading = receive(begun(), HELLO, finish(), DONE)
    assert not reading.is_over
    assert ending(reading) == ("complete", None, None)
    receive(reading, None)
    assert reading.is_over
    assert isinstance([*reading.unread][-1], StreamEnded)
    assert ending(reading) == ("complete", "done", None)
    assert reading.completion is reading.completion


def test_the_head_is_in_the_completion() -> None:
    head = begun(Opened(503, [("X-Request-Id", "r1")])).completion.head
    assert head is not None
    assert (head.status, head.request_id) == (503, "r1")
    assert begun(NO_HEAD).completion.head is None


def test_a_failed_transport_is_told_by_the_end() -> None:
    reading = receive(begun(raise_on={"interrupted"}), HELLO)
    failure = ConnectionResetError("gone")
    assert reading.fail(failure, 1, rang=False)
    assert ending(reading) == ("interrupted", "cut", "the connection was reset")
    with pytest.raises(StreamInterrupted) as caught:
        reading.raise_for_end()
    assert caught.value.__cause__ is failure
    assert caught.value.completion.content == "Hello"


def test_another_exception_has_to_be_raised_on() -> None:
    reading = receive(begun(), HELLO)
    assert not reading.fail(ZeroDivisionError("odd"), 1, rang=False)
    assert reading.is_over
    assert ending(reading) == ("interrupted", "cut", "reading failed: ZeroDivisionError: odd")


def test_what_the_caller_wants_is_cancelled() -> None:
    reading = receive(begun(), HELLO)
    assert not reading.fail(KeyboardInterrupt(), 1, rang=False)
    assert ending(reading) == ("interrupted", "cancelled", "cancelled by KeyboardInterrupt")


@pytest.mark.parametrize("last", [DONE, ERROR])
def test_after_the_announced_end_a_failure_means_nothing(last: bytes) -> None:
    reading = receive(begun(raise_on={"failed"}), HELLO, finish(), last)
    assert reading.fail(ConnectionResetError(), 1, rang=False)
    outcome = "complete" if last is DONE else "failed"
    assert ending(reading) == (outcome, "done" if last is DONE else "eof", None)
    if last is ERROR:
        with pytest.raises(StreamFailed, match="overloaded") as caught:
            reading.raise_for_end()
        assert caught.value.__cause__ is None


def test_who_is_thrown_away_cannot_close_anything() -> None:
    reading = receive(begun(), HELLO)
    assert not reading.fail(GeneratorExit(), 1, rang=False)
    assert not reading.is_over


def test_a_second_failure_changes_nothing() -> None:
    reading = receive(begun(), HELLO, finish(), DONE, None)
    assert not reading.fail(OSError(), 1, rang=False)
    assert ending(reading) == ("complete", "done", None)


def test_cancelling_keeps_what_came() -> None:
    reading = receive(begun(), HELLO)
    reading.cancel(1)
    assert ending(reading) == ("interrupted", "cancelled", "closed by the caller before its end")
    assert reading.completion.content == "Hello"
    reading.cancel(2)
    assert [*map(type, reading.unread)].count(StreamEnded) == 1


def test_cancelling_what_never_began_is_cancelled_too() -> None:
    reading = Reading(Options(), Clocks(), (), None)
    reading.cancel(0)
    assert ending(reading)[1] == "cancelled"


# The clocks -----------------------------------------------------------------------------------

IDLE = "no more bytes came for 10 seconds (clock idle)"


@pytest.mark.parametrize("outcome", [None, OSError("shut down"), ZeroDivisionError()])
def test_whatever_a_read_gives_that_a_clock_ended_it_is_a_stall(outcome: Exception | None) -> None:
    reading = receive(begun(clocks=Clocks(idle=10), raise_on={"interrupted"}), HELLO)
    assert reading.wait(1) == 11
    if outcome is None:
        reading.receive(None, 11, rang=True)
    else:
        assert reading.fail(outcome, 11, rang=True)
    assert ending(reading) == ("interrupted", "stalled", IDLE)
    with pytest.raises(StreamInterrupted) as caught:
        reading.raise_for_end()
    assert caught.value.__cause__ is None


def test_ctrl_c_wins_against_a_clock() -> None:
    reading = receive(begun(clocks=Clocks(idle=10)), HELLO)
    reading.wait(1)
    assert not reading.fail(KeyboardInterrupt(), 11, rang=True)
    assert ending(reading)[1] == "cancelled"


@pytest.mark.parametrize("rang", [True, False])
def test_what_comes_too_late_is_kept(rang: bool) -> None:
    reading = receive(begun(clocks=Clocks(idle=10)), HELLO)
    reading.wait(1)
    reading.receive(chunk({"content": ", you"}), 11, rang)
    assert ending(reading) == ("interrupted", "stalled", IDLE)
    assert reading.completion.content == "Hello, you"


def test_heartbeats_for_ever_end_by_the_clock_content_idle() -> None:
    reading = receive(begun(clocks=Clocks(idle=10, content_idle=25)), HELLO)
    for at in range(0, 25, 5):
        assert not reading.is_over
        reading.wait(at)
        reading.receive(b": ping\n\n", at + 5, rang=False)
    assert ending(reading)[1:] == (
        "stalled",
        "nothing was said for 25 seconds (clock content_idle)",
    )


@pytest.mark.parametrize("last", [DONE, ERROR])
def test_a_body_that_does_not_end_after_the_answer_is_no_failure(last: bytes) -> None:
    reading = receive(begun(clocks=Clocks(after_end=0.5)), HELLO, finish(), last)
    assert reading.wait(1) == 1.5
    reading.receive(None, 1.5, rang=True)
    assert ending(reading) == ending(receive(begun(), HELLO, finish(), last, None))


def test_an_end_within_a_read_of_content_counts_at_once() -> None:
    reading = receive(begun(clocks=Clocks(after_end=0.5)), HELLO + finish() + DONE)
    assert reading.wait(1) == 1.5


# Limits ---------------------------------------------------------------------------------------


def test_over_a_limit_of_the_answer_nothing_more_is_read() -> None:
    reading = receive(begun(options=Options(limits=Limits(text=3))), HELLO)
    assert reading.is_over
    assert ending(reading) == ("interrupted", "limit", "more than 3 characters in choice 0")


def bomb(came: int | None, encoding: str = "gzip") -> Reading:
    """After ``came`` bytes that have become more than 2 MiB; the most allowed is three times."""
    opened = Opened(200, [*HEAD.headers, ("Content-Encoding", encoding)])
    options = Options(limits=Limits(expansion=3))
    reading = begun(opened, received=lambda: came, options=options)
    return receive(reading, HELLO, b": " + bytes(2 * MIB))


def test_a_body_that_expands_too_much_is_a_limit() -> None:
    reason = "a compressed body that grew more than 3 times"
    reading = bomb(MIB // 2)
    assert reading.is_over
    assert ending(reading) == ("interrupted", "limit", reason)
    assert reading.completion.content == "Hello"


@pytest.mark.parametrize(
    ("came", "encoding"), [(MIB, "gzip"), (None, "gzip"), (1, "identity"), (1, "")]
)
def test_it_may_grow_if_it_came_as_such_or_nobody_knows(came: int | None, encoding: str) -> None:
    assert not bomb(came, encoding).is_over


def test_a_small_body_may_grow_as_it_likes() -> None:
    opened = Opened(200, [("content-encoding", "br")])
    reading = begun(opened, received=lambda: 1, options=Options(limits=Limits(expansion=3)))
    assert not receive(reading, b": " + bytes(MIB - 2)).is_over


# What raises ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outcome", "error", "reads"),
    [
        ("interrupted", StreamInterrupted, [HELLO]),
        ("failed", StreamFailed, [HELLO, ERROR]),
        ("truncated", AnswerTruncated, [HELLO, finish("length")]),
        ("filtered", AnswerFiltered, [HELLO, finish("content_filter")]),
    ],
)
def test_an_outcome_raises_if_it_is_wished(
    outcome: Outcome, error: type[Exception], reads: list[bytes]
) -> None:
    receive(begun(raise_on=()), *reads, None).raise_for_end()
    reading = receive(begun(raise_on={outcome}), *reads, None)
    for _ in range(2):
        with pytest.raises(error):
            reading.raise_for_end()


# The text -------------------------------------------------------------------------------------


def texts(reading: Reading) -> list[str]:
    return [*iter(reading.next_text, None)]


def test_the_text_is_that_of_choice_0() -> None:
    both = chunk({"content": "Hi"}, 1) + HELLO + chunk({"content": "!"})
    reading = receive(begun(), both)
    assert texts(reading) == ["Hello", "!"]
    reading.cancel(0)
    assert texts(reading) == []


def test_without_choice_0_it_is_that_of_the_first_one_at_the_end() -> None:
    reading = receive(begun(), chunk({"content": "Hi"}, 2), chunk({"content": "Ho"}, 1))
    assert texts(reading) == []
    receive(reading, None)
    assert texts(reading) == ["Ho"]
    assert texts(reading) == []


@pytest.mark.parametrize("reads", [[], [chunk({"refusal": "No"}, 1)]])
def test_without_any_text_there_is_none(reads: list[bytes]) -> None:
    assert texts(receive(begun(), *reads, None)) == []


# The recording --------------------------------------------------------------------------------


def recorded(path: Path, *reads: bytes | None) -> Reading:
    return receive(begun(recording=Recording(path)), *reads)


def test_head_and_reads_and_a_clean_end_are_recorded(tmp_path: Path) -> None:
    recorded(tmp_path / "a.untorn", HELLO, finish() + DONE, None)
    capture = loads((tmp_path / "a.untorn").read_bytes())
    assert (capture.status, capture.headers) == (200, HEAD.headers)
    assert capture.events == [Read(0.0, HELLO), Read(0.0, finish() + DONE), Close(0.0, None)]


def test_why_it_ended_is_recorded(tmp_path: Path) -> None:
    recorded(tmp_path / "a.untorn", HELLO).fail(ConnectionResetError(), 2.5, rang=False)
    capture = loads((tmp_path / "a.untorn").read_bytes())
    assert capture.events[-1] == Close(2.5, "the connection was reset")


def test_a_limit_is_recorded(tmp_path: Path) -> None:
    options = Options(limits=Limits(text=3))
    receive(begun(options=options, recording=Recording(tmp_path / "a.untorn")), HELLO)
    capture = loads((tmp_path / "a.untorn").read_bytes())
    assert capture.events == [Read(0.0, HELLO), Close(0.0, "more than 3 characters in choice 0")]


def test_bytes_that_are_no_response_are_recorded_without_a_head(tmp_path: Path) -> None:
    receive(begun(NO_HEAD, recording=Recording(tmp_path / "a.untorn")), HELLO, None)
    capture = loads((tmp_path / "a.untorn").read_bytes())
    assert capture.status is None
    assert capture.body == HELLO
