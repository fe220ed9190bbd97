"""Reader and AsyncReader, on iterables of bytes. With HTTP libraries: test_sources.py,
test_async_sources.py, test_parity.py. What both decide: test_reading.py."""

from __future__ import annotations

import asyncio
import gc
from pathlib import Path

import pytest

from tests.chat_helpers import DONE, chunk, finish, of
from tests.colours import AsyncReads, Program, SyncReads, bounded
from untorn import (
    AnswerTruncated,
    Limits,
    Options,
    Started,
    StreamEnded,
    StreamFailed,
    StreamInterrupted,
    TextDelta,
)
from untorn.capture import Close, loads
from untorn.options import Clocks
from untorn.reader import aread, read
from untorn.recording import RecordingIncomplete

ROLE = chunk({"role": "assistant", "content": ""})
WORDS = [chunk({"content": text}) for text in ("The", " tide", " turns")]
TEXTS = ["The", " tide", " turns"]
WHOLE = [ROLE, *WORDS, finish(), DONE]
TORN = [ROLE, *WORDS]


@pytest.fixture(params=["sync", "async"])
def program(request: pytest.FixtureRequest) -> Program:
    return Program(request.param)


# What it gives --------------------------------------------------------------------------------


@bounded
async def test_the_text_comes_as_it_came(program: Program) -> None:
    async with program.open(WHOLE):
        assert await program.texts() == TEXTS
    assert program.completion.content == "The tide turns"
    assert program.completion.verdict.outcome == "complete"


@bounded
async def test_events_end_with_the_verdict(program: Program) -> None:
    async with program.open(WHOLE):
        events = await program.events()
    assert isinstance(events[0], Started)
    assert of(StreamEnded, events) == [StreamEnded(program.completion.verdict)] == events[-1:]


@bounded
async def test_the_result_is_the_completion(program: Program) -> None:
    async with program.open(WHOLE):
        assert await program.result() == program.completion
    assert program.completion.content == "The tide turns"


@bounded
async def test_the_completion_is_there_at_any_time(program: Program) -> None:
    program.open(WHOLE, status=200)
    assert (program.completion.choices, program.completion.head) == ([], None)
    async with program:
        assert program.completion.head is not None
        assert await program.texts(2) == TEXTS[:2]
        assert program.completion.content == "The tide"
        assert program.completion.verdict.ending is None
        assert await program.result() == program.completion


@bounded
async def test_status_and_headers_can_be_told(program: Program) -> None:
    headers = {"Content-Type": "text/plain", "X-Request-Id": "r-1"}
    head = (await program.open(WHOLE, headers=headers).result()).head
    assert head is not None
    assert (head.status, head.request_id) == (200, "r-1")
    assert "content-type-mismatch" in [one.code for one in program.completion.verdict.defects]


@bounded
async def test_an_error_status_fails(program: Program) -> None:
    program.open([b"Service Unavailable"], status=503, headers={"content-type": "text/plain"})
    with pytest.raises(StreamFailed, match="Service Unavailable"):
        await program.texts()


@bounded
async def test_reads_of_nothing_are_nothing(program: Program) -> None:
    program.open([b"", ROLE, b"", *WORDS, b"", finish(), DONE, b""])
    assert await program.texts() == TEXTS


@bounded
async def test_without_choice_0_the_text_of_the_first_one_comes_at_the_end(
    program: Program,
) -> None:
    program.open([chunk({"content": "Hi"}, 1), chunk({"content": "!"}, 1)])
    with pytest.raises(StreamInterrupted):
        await program.texts()
    assert program.taken == ["Hi!"]


@bounded
async def test_the_text_goes_on_after_it_was_revised(program: Program) -> None:
    # Snapshots of the text so far, which are recognised late.
    tide = "The tide comes in twice a day."
    snapshots = [chunk({"content": tide[:n]}) for n in (1, 2, 3, 4, 5, 22, 30)]
    texts = await program.open([ROLE, *snapshots, finish(), DONE]).texts()
    assert texts[-1] == tide[22:]
    assert program.completion.content == tide


# Loops ----------------------------------------------------------------------------------------


@bounded
async def test_where_a_loop_is_left_the_next_one_goes_on(program: Program) -> None:
    async with program.open([b"".join(WHOLE)]):
        assert await program.texts(1) == TEXTS[:1]
        assert await program.texts(1) == TEXTS[1:2]
        assert of(TextDelta, await program.events(1)) == [TextDelta(0, TEXTS[2])]
        assert [*map(type, await program.events())][-1] is StreamEnded
        assert await program.events() == []
        assert await program.texts() == []


@bounded
async def test_events_take_what_the_text_would_have_given(program: Program) -> None:
    async with program.open(WHOLE):
        assert of(TextDelta, await program.events(2)) == [TextDelta(0, "The")]
        assert await program.texts() == TEXTS[1:]


@bounded
async def test_the_result_takes_what_is_left(program: Program) -> None:
    async with program.open(WHOLE):
        await program.texts(1)
        assert (await program.result()).content == "The tide turns"
        assert await program.events() == []


@bounded
async def test_a_loop_raises_at_its_end_after_all_was_given_out(program: Program) -> None:
    async with program.open(TORN):
        with pytest.raises(StreamInterrupted, match="the body ended after") as caught:
            await program.events()
        assert of(TextDelta, program.taken) == [TextDelta(0, text) for text in TEXTS]
        assert isinstance(program.taken[-1], StreamEnded)
        assert caught.value.completion is program.completion


@bounded
async def test_text_and_result_raise_as_a_loop_does(program: Program) -> None:
    async with program.open(TORN):
        with pytest.raises(StreamInterrupted):
            await program.texts()
        assert program.taken == TEXTS
        with pytest.raises(StreamInterrupted):
            await program.result()
        with pytest.raises(StreamInterrupted):
            await program.events()
        assert program.taken == []


@bounded
async def test_raising_can_be_turned_off(program: Program) -> None:
    assert await program.open(TORN, raise_on=()).texts() == TEXTS
    assert program.completion.verdict.outcome == "interrupted"


@bounded
async def test_more_can_be_asked_to_raise(program: Program) -> None:
    reads = [ROLE, *WORDS, finish("length"), DONE]
    assert (await program.open(reads).result()).verdict.outcome == "truncated"
    with pytest.raises(AnswerTruncated):
        await program.open(reads, raise_on={"truncated"}).result()


@bounded
async def test_what_is_no_outcome_that_raises_is_refused_at_once(program: Program) -> None:
    for wrong in ({"interupted"}, "interrupted", {"complete"}, ["failed", "eof"]):
        with pytest.raises(ValueError, match="raise_on is a collection of"):
            program.open(WHOLE, raise_on=wrong)


# Closing --------------------------------------------------------------------------------------


@bounded
async def test_the_source_is_closed_at_the_end_also_without_a_block(program: Program) -> None:
    await program.open(WHOLE).texts()
    assert program.source.closed == 1
    await program.close()
    assert program.source.closed == 1


@bounded
async def test_leaving_the_block_early_closes_and_keeps_what_came(program: Program) -> None:
    async with program.open(WHOLE):
        assert await program.texts(2) == TEXTS[:2]
    assert program.source.closed == 1
    verdict = program.completion.verdict
    assert (verdict.outcome, verdict.ending) == ("interrupted", "cancelled")
    assert verdict.reason == "closed by the caller before its end"
    assert program.completion.content == "The tide"
    with pytest.raises(StreamInterrupted, match="closed by the caller"):
        await program.events()
    assert [*map(type, program.taken)].count(StreamEnded) == 1


@bounded
async def test_what_was_read_but_not_taken_is_there_after_closing(program: Program) -> None:
    async with program.open([b"".join(TORN)], raise_on=()):
        await program.texts(1)
    assert await program.texts() == TEXTS[1:]


@bounded
async def test_leaving_after_the_end_was_announced_is_no_cancellation(program: Program) -> None:
    async with program.open([b"".join(WHOLE)]):
        await program.texts(3)
    assert (await program.result()).verdict.ending == "done"


@bounded
async def test_an_exception_in_the_block_closes_and_goes_on(program: Program) -> None:
    async def fail() -> None:
        async with program.open(WHOLE):
            await program.texts(1)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    assert program.source.closed == 1
    assert program.completion.verdict.ending == "cancelled"


@bounded
async def test_a_block_around_nothing_closes_too(program: Program) -> None:
    async with program.open(WHOLE), program:
        pass
    assert program.source.closed == 1
    assert program.completion.verdict.ending == "cancelled"


@bounded
async def test_what_was_closed_before_it_began_has_ended(program: Program) -> None:
    await program.open(WHOLE, status=200).close()
    async with program:
        with pytest.raises(StreamInterrupted, match="closed by the caller"):
            await program.texts()
    assert program.source.closed == 1


@bounded
async def test_over_a_limit_the_source_is_closed_at_once(program: Program) -> None:
    program.open(WHOLE, options=Options(limits=Limits(text=5)))
    with pytest.raises(StreamInterrupted, match="more than 5 characters"):
        await program.texts()
    assert program.source.closed == 1
    assert next(iter([*program.source._reads])) == WORDS[2]


def test_garbage_closes_its_source() -> None:
    source = SyncReads(WHOLE)
    for _ in read(source).text:
        break
    gc.collect()
    assert source.closed == 1


# What a source raises -------------------------------------------------------------------------


@bounded
async def test_a_failure_of_the_transport_is_the_cause_of_what_is_raised(
    program: Program,
) -> None:
    failure = ConnectionResetError("gone")
    async with program.open(TORN, failure):
        with pytest.raises(StreamInterrupted, match="the connection was reset") as caught:
            await program.texts()
    assert program.taken == TEXTS
    assert caught.value.__cause__ is failure
    assert program.completion.verdict.ending == "cut"
    assert program.source.closed == 1


@bounded
async def test_another_exception_comes_out_as_it_is(program: Program) -> None:
    async with program.open(TORN, ZeroDivisionError("a bug")):
        with pytest.raises(ZeroDivisionError, match="a bug"):
            await program.texts()
        assert program.taken == TEXTS
        assert program.source.closed == 1
        assert program.completion.verdict.reason == "reading failed: ZeroDivisionError: a bug"
        with pytest.raises(StreamInterrupted) as caught:
            await program.events()
        assert isinstance(caught.value.__cause__, ZeroDivisionError)


@bounded
async def test_ctrl_c_comes_out_after_closing(program: Program) -> None:
    program.open(TORN, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        await program.texts()
    assert program.source.closed == 1
    assert program.completion.verdict.ending == "cancelled"


@bounded
async def test_text_for_bytes_is_refused_and_says_what_to_do(program: Program) -> None:
    program.open(["data: {}"])
    with pytest.raises(TypeError, match=r"a read is bytes, not str: take them from iter_bytes"):
        await program.texts()
    assert program.source.closed == 1


class Unclosable(SyncReads):
    def __init__(self, error: Exception) -> None:
        super().__init__(WHOLE)
        self._error = error

    def close(self) -> None:
        raise self._error


class AsyncUnclosable(AsyncReads):
    def __init__(self, error: Exception) -> None:
        super().__init__(WHOLE)
        self._error = error

    async def aclose(self) -> None:
        raise self._error


@bounded
async def test_what_cannot_be_closed_since_it_is_gone_is_closed() -> None:
    error = OSError("not connected")
    assert read(Unclosable(error)).result().content == "The tide turns"
    assert (await aread(AsyncUnclosable(error)).result()).content == "The tide turns"


@bounded
async def test_a_bug_in_closing_comes_out() -> None:
    error = ZeroDivisionError()
    with pytest.raises(ZeroDivisionError):
        read(Unclosable(error)).result()
    with pytest.raises(ZeroDivisionError):
        await aread(AsyncUnclosable(error)).result()


# Tasks and clocks -----------------------------------------------------------------------------


class Silent(AsyncReads):
    """Gives its reads, and then nothing for ever."""

    def __init__(self, reads: list[bytes]) -> None:
        super().__init__(reads)
        self.is_silent = asyncio.Event()

    async def __anext__(self) -> bytes:
        for data in self._reads:
            return data  # type: ignore[no-any-return]
        self.is_silent.set()
        return await asyncio.get_running_loop().create_future()  # type: ignore[no-any-return]


@bounded
async def test_a_cancelled_task_closes_and_is_cancelled() -> None:
    source = Silent(TORN)
    reader = aread(source)

    async def show() -> None:
        async with reader:
            await reader.result()

    task = asyncio.create_task(show())
    await source.is_silent.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert task.cancelled()
    assert source.closed == 1
    verdict = reader.completion.verdict
    assert (verdict.ending, verdict.reason) == ("cancelled", "cancelled by CancelledError")
    assert reader.completion.content == "The tide turns"


@bounded
async def test_a_timeout_of_the_callers_is_the_callers() -> None:
    reader = aread(Silent(TORN))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01), reader:
            await reader.result()
    assert reader.completion.verdict.ending == "cancelled"


@bounded
async def test_a_clock_ends_a_silence() -> None:
    source = Silent(TORN)
    with pytest.raises(StreamInterrupted, match=r"no more bytes came for 0.01 seconds") as caught:
        await aread(source, clocks=Clocks(idle=0.01)).result()
    assert caught.value.completion.verdict.ending == "stalled"
    assert caught.value.completion.content == "The tide turns"
    assert source.closed == 1
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


@bounded
async def test_after_the_answer_nobody_waits_long_for_the_end() -> None:
    source = Silent(WHOLE)
    completion = await aread(source, clocks=Clocks(after_end=0.01)).result()
    assert (completion.verdict.outcome, completion.verdict.ending) == ("complete", "done")
    assert source.closed == 1


@bounded
async def test_the_text_is_given_out_before_the_end_is_waited_for(program: Program) -> None:
    # The source would fail if it were asked for more.
    program.open([b"".join(WHOLE)], ZeroDivisionError())
    assert await program.texts(3) == TEXTS


@bounded
async def test_clocks_are_looked_at_when_something_comes(program: Program) -> None:
    program.open(TORN, clocks=Clocks(total=0))
    with pytest.raises(StreamInterrupted, match="the answer took longer than 0 seconds"):
        await program.texts()
    assert program.source.closed == 1


@bounded
async def test_a_read_that_is_thrown_away_closes_nothing() -> None:
    source = Silent([])
    read_first = aread(source).__anext__()
    assert read_first.send(None) is not None
    read_first.close()
    assert source.closed == 0


@bounded
async def test_a_loop_that_is_left_leaves_no_task() -> None:
    reader = aread(AsyncReads(WHOLE))
    async for _ in reader.text:
        break
    assert asyncio.all_tasks() == {asyncio.current_task()}
    await reader.aclose()


def test_reading_can_be_prepared_before_there_is_a_loop() -> None:
    reader = aread(AsyncReads(WHOLE))
    assert asyncio.run(reader.result()).content == "The tide turns"


# The recording --------------------------------------------------------------------------------


@bounded
async def test_what_comes_is_recorded(program: Program, tmp_path: Path) -> None:
    path = tmp_path / "answer.untorn"
    await program.open(WHOLE, status=200, record=path).result()
    capture = loads(path.read_bytes())
    assert capture.status == 200
    assert [read.data for read in capture.reads] == WHOLE
    assert isinstance(capture.events[-1], Close)
    assert program.reader.recording_failure is None


@bounded
async def test_a_recording_that_is_left_early_holds_what_came(
    program: Program, tmp_path: Path
) -> None:
    path = tmp_path / "answer.untorn"
    async with program.open(WHOLE, record=str(path)):
        await program.texts(1)
        assert loads(path.read_bytes()).body == ROLE + WORDS[0]
    close = loads(path.read_bytes()).events[-1]
    assert isinstance(close, Close)
    assert close.reason == "closed by the caller before its end"


@bounded
async def test_a_file_that_cannot_be_made_is_said_at_once(program: Program, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        program.open(WHOLE, record=tmp_path / "absent" / "answer.untorn")


@bounded
async def test_a_full_disk_does_not_stop_the_stream(program: Program) -> None:
    with pytest.warns(RecordingIncomplete, match="No space left"):
        program.open(WHOLE, record="/dev/full")
    assert (await program.result()).content == "The tide turns"
    assert program.reader.recording_failure is not None


def test_without_a_recording_none_can_fail() -> None:
    assert read(WHOLE).recording_failure is None
