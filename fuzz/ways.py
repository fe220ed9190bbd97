"""Ways to read one input: whole, in reads, the plain way; and what framing makes of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, NoReturn
from unittest.mock import patch

import msgspec

from fuzz.inputs import Input
from tests.sse.reference import Reading
from untorn import Completion, Limits, LimitExceeded, StreamEvent
from untorn.chat import fast_way
from untorn.chat.framing import Framing
from untorn.chat.payload import USUAL_PREFIX, KeepAlive, Note
from untorn.sse import EventStream
from untorn.sse.lines import LineSplitter


class Played(NamedTuple):
    """What came of an input."""

    events: list[StreamEvent]
    completion: Completion
    before_end: int
    """How many of the events came before the end was told."""


def play(given: Input, reads: Iterable[bytes] | None = None) -> Played:
    """Read an input, in one read if nothing else is asked for."""
    stream = given.open()
    events: list[StreamEvent] = []
    for data in [given.body] if reads is None else reads:
        events += stream.receive_data(data)
    before_end = len(events)
    if given.ending == "eof":
        events += stream.receive_eof()
    else:
        events += stream.receive_failure(given.ending, "it stopped")
    return Played(events, stream.completion, before_end)


# The plain way -------------------------------------------------------------------------------


def _refuse(_data: Any) -> NoReturn:
    raise msgspec.DecodeError


DECODERS = {name: _refuse for name in vars(fast_way) if name.startswith("decode_")}


@contextmanager
def plain_way() -> Iterator[None]:
    """No payload is usual, and no line is at rest: all is read the plain way."""
    with (
        patch.multiple(fast_way, **DECODERS),
        patch.object(Framing, "_find_rest", lambda framing: None),
    ):
        yield
