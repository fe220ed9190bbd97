"""Ways to read one input: whole, in reads, the plain way; and what the two readers of lines make
of its body."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, NoReturn

import msgspec

from fuzz.inputs import Input
from tests.sse.reference import Reading
from untorn import Completion, LimitExceeded, Limits, StreamEvent
from untorn.chat import fast_way
from untorn.chat.framing import Framing
from untorn.chat.payload import KeepAlive, Note, Payload
from untorn.sse import EventStream
from untorn.sse.lines import LineSplitter


class Played(NamedTuple):
    """What came of an input."""

    events: list[StreamEvent]
    completion: Completion
    before_end: int
    """How many of the events came before the end was told."""


def play(given: Input, reads: Iterable[bytes] | None = None) -> Played:
    """Read an input, in one read unless others are named."""
    stream = given.open()
    events: list[StreamEvent] = []
    for data in [given.body] if reads is None else reads:
        events += stream.receive_data(data)
    before_end = len(events)
    if given.ending == "eof":
        events += stream.receive_eof()
    else:
        events += stream.receive_failure(given.ending, "the connection was lost")
    return Played(events, stream.completion, before_end)


def play_plainly(given: Input) -> Played:
    """Read an input with the fast way switched off."""
    with plain_way():
        return play(given)


@contextmanager
def plain_way() -> Iterator[None]:
    """No payload is usual, and no line is at rest: all is read the plain way."""
    switched: list[tuple[Any, str, Any]] = [
        (fast_way, name, _refuse) for name in vars(fast_way) if name[:7] == "decode_"
    ]
    switched.append((fast_way.FastWay, "_decode_any", _refuse))
    switched.append((Framing, "_find_rest", _find_no_rest))
    before = [getattr(owner, name) for owner, name, _ in switched]
    try:
        for owner, name, value in switched:
            setattr(owner, name, value)
        yield
    finally:
        for (owner, name, _), value in zip(switched, before, strict=True):
            setattr(owner, name, value)


def _refuse(*_data: Any) -> NoReturn:
    raise msgspec.DecodeError


def _find_no_rest(_framing: Framing) -> None:
    pass


def play_open(given: Input, reads: Iterable[bytes]) -> Iterator[Played]:
    """Read an input at one read a second, and look at the completion after each."""
    stream = given.open()
    events: list[StreamEvent] = []
    for at, data in enumerate(reads):
        events += stream.receive_data(data, float(at))
        yield Played(list(events), stream.completion, len(events))


def play_payloads(given: Input, payloads: Iterable[bytes]) -> Played:
    """Read the data of events, as somebody hands them in who has framed them already."""
    stream = given.open()
    events: list[StreamEvent] = []
    for data in payloads:
        events += stream.receive_payload(data)
    before_end = len(events)
    return Played(events + stream.receive_eof(), stream.completion, before_end)


# Lines ---------------------------------------------------------------------------------------


def read_events(reads: Iterable[bytes], limits: Limits) -> Reading:
    """What an EventStream makes of a body, in the words of the reference."""
    stream = EventStream(limits=limits)
    reading = Reading()
    try:
        for data in reads:
            reading.events += [
                (event.type, event.data, event.last_event_id) for event in stream.receive_data(data)
            ]
        tail = stream.receive_eof()
    except LimitExceeded as exc:
        reading.over = (exc.limit, exc.most, exc.offset)
    else:
        reading.tail = None if tail is None else (tail.offset, tail.lines)
    reading.retry = stream.retry
    reading.last_event_id = stream.last_event_id
    return reading


class Framed(NamedTuple):
    """What framing makes of a body."""

    payloads: list[bytes]
    codes: list[str]
    """The defects that it reports."""
    names_errors: bool = False
    """Whether some event was named ``error``."""


def framed(body: bytes) -> Framed:
    """Frame a body of which nothing is known."""
    limits = Limits()
    splitter = LineSplitter(limits.line)
    framing = Framing(None, limits, splitter)
    items = list(framing.receive_lines(splitter.receive_data(body)))
    items += framing.receive_eof(splitter.receive_eof())
    payloads = [
        item if isinstance(item, bytes) else item.data
        for item in items
        if not isinstance(item, Note | KeepAlive)
    ]
    return Framed(
        payloads,
        codes=[item.code for item in items if isinstance(item, Note)],
        names_errors=any(isinstance(one, Payload) and one.kind != "event" for one in items),
    )
