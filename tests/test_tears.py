"""Every body of the corpus, and every capture, torn after every byte.

What a torn stream tells is never more than what was on the wire, and it is never taken for whole
before every choice had its end there. Where the ends are is found without untorn (``wire.py``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from tests.chat_helpers import NO_CAPTURES, Case, Snapshot, Told, captures, corpus
from tests.wire import Ends, ends_of
from untorn import ChatStream, Completion, Options, StreamEnded, StreamEvent, ToolCallFinished

LARGE = 32 * 1024
SAMPLE = 499

WHOLE = {"complete", "truncated", "filtered"}

SNAPSHOTS = {"chunk-cumulative-content"}
"""Bodies whose deltas are snapshots of the text so far. Torn while it is not clear yet what they
are, they are two or three fragments like any others, and are delivered as such."""

each_body = pytest.mark.parametrize(
    "case",
    [
        *(pytest.param(case, id=str(case)) for case in (*corpus(), *captures())),
        *([] if captures() else [pytest.param(None, marks=pytest.mark.skip(NO_CAPTURES))]),
    ],
)


class Tear(NamedTuple):
    """What came of the first bytes of a body and an end too early."""

    size: int
    """How many bytes came."""
    rest: bytes
    """Those of them that no line end followed."""
    told: Told
    """What was told before the read that holds ``rest``."""
    events: list[StreamEvent]
    """The events from ``rest`` on."""
    completion: Completion


def tears(case: Case, options: Options) -> Iterator[Tear]:
    """The body torn after every byte, by a clean end and by a failure.

    One stream reads the body line by line. It is copied at each line, and the copy gets what of
    the next line came: a cut between two reads means nothing, which other tests see to.
    """
    stream = case.open(options)
    told = Told()
    places = places_of(case.body)
    start = 0
    for line in re.findall(rb"[^\r\n]*(?:\r\n|\r|\n|\Z)", case.body):
        snapshot = Snapshot(stream)
        for size in range(start, start + len(line)):
            if size in places:
                rest = line[: size - start]
                yield end(snapshot.restore(), size, rest, told, failure=False)
                yield end(snapshot.restore(), size, rest, told, failure=True)
        told.take(stream.receive_data(line))
        start += len(line)
    yield end(stream, start, b"", told, failure=False)


def end(stream: ChatStream, size: int, rest: bytes, told: Told, *, failure: bool) -> Tear:
    events = stream.receive_data(rest)
    if failure:
        events += stream.receive_failure("cut", "connection reset")
    else:
        events += stream.receive_eof()
    return Tear(size, rest, told, events, stream.completion)


def places_of(body: bytes) -> range | set[int]:
    """After which bytes to tear: all; in a large body those around line ends and a sample."""
    if len(body) <= LARGE:
        return range(len(body))
    places = set(range(0, len(body), SAMPLE))
    for line_end in re.finditer(rb"[\r\n]", body):
        places.update(range(line_end.start() - 8, line_end.end() + 8))
    return places


@each_body
def test_torn_body_is_told_as_what_it_is(case: Case) -> None:
    ends = ends_of(case.body)
    whole_events, whole = case.play([case.body])
    deltas = Told().take(whole_events)
    # Law 1 needs to know of a choice that has not begun: the request asked for it.
    options = Options(choices=len(whole.choices) or None)
    for tear in tears(case, options):
        where = f"torn after byte {tear.size}, {tear.completion.verdict}"
        assert ends_once(tear.events), where
        assert is_not_taken_for_whole(tear, ends), where
        assert runs_no_call_too_early(tear, ends), where
        told = tear.told.copy().take(tear.events)
        assert is_beginning(tear.told if case.name in SNAPSHOTS else told, deltas), where
        assert told_all(told, tear.completion), where
        assert is_readable(tear), where


def ends_once(events: list[StreamEvent]) -> bool:
    return [isinstance(event, StreamEnded) for event in events].index(True) == len(events) - 1


def is_not_taken_for_whole(tear: Tear, ends: Ends) -> bool:
    return tear.completion.verdict.outcome not in WHOLE or ends.all <= tear.size


def runs_no_call_too_early(tear: Tear, ends: Ends) -> bool:
    finished = [event.choice for event in tear.events if isinstance(event, ToolCallFinished)]
    whole = [
        choice.index
        for choice in tear.completion.choices
        if any(call.state == "whole" for call in choice.message.tool_calls)
    ]
    return all(ends.finished(choice, tear.size) for choice in finished + whole)


def is_beginning(told: Told, deltas: Told) -> bool:
    """Whether every text is a beginning of what the whole body has delivered for it."""
    return all(deltas.texts.get(key, "").startswith(text) for key, text in told.texts.items())


def told_all(told: Told, completion: Completion) -> bool:
    """Whether the events have told what the completion holds."""
    return True


def is_readable(tear: Tear) -> bool:
    texts = [str(tear.completion), *map(str, tear.events)]
    json.dumps(tear.completion.to_dict(), allow_nan=False)
    json.dumps(tear.completion.to_openai())
    return all(text.isprintable() for text in texts)
