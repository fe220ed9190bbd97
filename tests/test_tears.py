"""Every body of the corpus, and every capture, torn after every byte.

What a torn stream tells is never more than what was on the wire, and it is never taken for whole
before every choice had its end there. Where the ends are is found without untorn (``wire.py``).
"""

from __future__ import annotations

import io
import json
import pickle
import re
from collections.abc import Iterator
from types import BuiltinMethodType
from typing import Any, NamedTuple

import msgspec
import pytest

from tests.chat_helpers import NO_CAPTURES, Case, Told, captures, corpus, texts_of
from tests.wire import Ends, ends_of
from untorn import ChatStream, Completion, Head, StreamEnded, StreamEvent, ToolCallFinished
from untorn.options import Limits, Options
from untorn.timing import Stopwatch

SMALL = 4 * 1024
LARGE = 32 * 1024
SAMPLE = 499
NEAR = 4

WHOLE = {"complete", "truncated", "filtered"}

UNCLEAR = {
    # Its deltas are snapshots of the text so far. Torn while that is not clear yet, they are two or
    # three fragments like any others, and are delivered as such.
    "chunk-cumulative-content",
}
"""Bodies whose end tells how their begin is to be read. Of these only what is told before the end
is a beginning of the answer."""

NO_CASE = pytest.param(None, id="captures", marks=pytest.mark.skip(NO_CAPTURES))

each_body = pytest.mark.parametrize(
    "case",
    [pytest.param(case, id=str(case)) for case in (*corpus(), *captures())]
    + ([] if captures() else [NO_CASE]),
)


class Tear(NamedTuple):
    """What came of the first bytes of a body, and of an end too early."""

    size: int
    """How many bytes came."""
    rest: bytes
    """The last of them, which no blank line followed."""
    before: Told
    """What was told before them."""
    events: list[StreamEvent]
    """The events from them on."""
    stream: ChatStream
    """The stream, after its end."""

    @property
    def completion(self) -> Completion:
        return self.stream.completion

    def __str__(self) -> str:
        return f"torn after byte {self.size}, in {self.rest[:60]!r}: {self.completion}"


def tears(body: bytes, stream: ChatStream) -> Iterator[Tear]:
    """The body torn after every byte, by a clean end and by a failure.

    The stream reads the body in pieces: an event of one line, or a line. It is copied before each
    piece, and the copy gets what of it came. That the edges of reads mean nothing is seen to
    elsewhere.
    """
    told = Told()
    start = 0
    for piece in re.findall(rb"[^\r\n]*(?:\r\n|\r|\n\n|\n|\Z)", body):
        snapshot = Snapshot(stream)
        for size, is_clean in endings(start, piece, len(body)):
            torn, rest = snapshot.restore(), piece[:size]
            events = torn.receive_data(rest)
            if is_clean:
                events += torn.receive_eof()
            else:
                events += torn.receive_failure("cut", "connection reset")
            yield Tear(start + size, rest, told, events, torn)
        told.take(stream.receive_data(piece))
        start += len(piece)


def endings(start: int, piece: bytes, length: int) -> Iterator[tuple[int, bool]]:
    """After how many bytes of a piece to tear, and whether by a clean end.

    In a small body both ends follow every byte. In others both follow the bytes near its edges,
    and every other byte is followed by one of them in turn; in large ones, only a sample is.
    """
    for size in range(len(piece) or 1):
        if length <= SMALL or size <= NEAR or size >= len(piece) - NEAR:
            yield size, True
            yield size, False
        elif length <= LARGE or (start + size) % SAMPLE == 0:
            yield size, (start + size) % 2 == 0


class Snapshot:
    """A ChatStream as it stands. ``restore`` gives it back as often as wanted.

    It is what ``copy.deepcopy`` does; pickle does it seven times as fast. What never changes is
    shared, and so is the stopwatch, since no times are handed in.
    """

    def __init__(self, stream: ChatStream) -> None:
        shared: list[Any] = []
        places: dict[int, int] = {}

        class Pickler(pickle.Pickler):
            def persistent_id(self, item: Any) -> int | None:
                if not _never_changes(item):
                    return None
                if id(item) not in places:
                    places[id(item)] = len(shared)
                    shared.append(item)
                return places[id(item)]

        class Unpickler(pickle.Unpickler):
            def persistent_load(self, place: int) -> Any:
                return shared[place]

        file = io.BytesIO()
        Pickler(file, pickle.HIGHEST_PROTOCOL).dump(stream)
        self._data = file.getvalue()
        self._unpickler = Unpickler

    def restore(self) -> ChatStream:
        stream = self._unpickler(io.BytesIO(self._data)).load()
        assert isinstance(stream, ChatStream)
        return stream


def _never_changes(item: Any) -> bool:
    if isinstance(item, BuiltinMethodType):
        return isinstance(item.__self__, msgspec.json.Decoder)
    return isinstance(item, type | Options | Limits | Head | Stopwatch)


@each_body
def test_torn_body_is_told_as_what_it_is(case: Case) -> None:
    ends = ends_of(case.body)
    whole_events, whole = case.play([case.body])
    all_told = Told().take(whole_events)
    # Of a choice that has not begun nobody can know but who asked for it.
    options = Options(choices=len(whole.choices) or None)
    for tear in tears(case.body, case.open(options)):
        assert ends_once(tear.events), tear
        assert is_not_taken_for_whole(tear, ends), tear
        assert lets_no_call_run_too_early(tear, ends), tear
        told = tear.before.copy().take(tear.events)
        assert is_beginning(tear.before if case.name in UNCLEAR else told, all_told), tear
        # A completion is costly, and those of neighbours differ in the tail alone.
        if len(case.body) <= SMALL or tear.size % 8 == 0:
            assert told_all(told, tear.completion), tear
            assert holds_no_call_to_run_too_early(tear, ends), tear
            assert is_readable(tear), tear


def ends_once(events: list[StreamEvent]) -> bool:
    return [isinstance(event, StreamEnded) for event in events].index(True) == len(events) - 1


def is_not_taken_for_whole(tear: Tear, ends: Ends) -> bool:
    end = tear.events[-1]
    assert isinstance(end, StreamEnded)
    is_cut = tear.rest[:1] == b"d" and b"\n" not in tear.rest and b"\r" not in tear.rest
    is_cut = is_cut and not ends.has_value(tear.size - len(tear.rest), tear.size)
    may_be_whole = ends.all_by(tear.size) and not is_cut
    return may_be_whole or end.verdict.outcome not in WHOLE


def lets_no_call_run_too_early(tear: Tear, ends: Ends) -> bool:
    """Whether each call that is told to be finished belongs to a choice that has its end."""
    finished = [event.choice for event in tear.events if isinstance(event, ToolCallFinished)]
    return all(ends.by(choice, tear.size) for choice in finished)


def holds_no_call_to_run_too_early(tear: Tear, ends: Ends) -> bool:
    """Whether the same holds for each call of the completion that is whole."""
    return all(
        ends.by(choice.index, tear.size)
        for choice in tear.completion.choices
        if any(call.state == "whole" for call in choice.message.tool_calls)
    )


def is_beginning(told: Told, all_told: Told) -> bool:
    """Whether every text is a beginning of what the whole body's deltas bring for it."""
    whole = all_told.deltas
    return all(whole.get(place, "").startswith(text) for place, text in told.deltas.items())


def told_all(told: Told, completion: Completion) -> bool:
    """Whether a program that follows the events has the completion's texts."""
    return all(told.texts_of(choice.index) == texts_of(choice) for choice in completion.choices)


def is_readable(tear: Tear) -> bool:
    """Whether nothing that a terminal would obey is in any text, and the report is JSON."""
    completion = tear.completion
    texts = [str(completion), str(completion.verdict), *map(str, tear.events)]
    json.dumps(completion.to_dict(), allow_nan=False)
    return all(text.isprintable() for text in texts)
