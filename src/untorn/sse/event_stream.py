"""Bytes → events, to the letter of WHATWG, 9.2.6: dispatch, last event ID, reconnection time.

The standard decodes the body as a whole, this decodes line by line. It is the same: CR and LF end
any UTF-8 character that is not whole, so no character and no U+FFFD reaches across a line end.

Two differences on purpose:

1. The last event ID buffer begins with the ID handed in, as in browsers. To the letter it would
   begin empty, and the first event after a reconnection would forget the ID.
2. A reconnection time over ``MOST_RETRY`` is taken as ``MOST_RETRY``: to read a number costs more
   than linear time in its digits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from untorn.errors import LimitExceeded, StreamClosed
from untorn.options import Limits
from untorn.readable import amount, one_line, one_line_of_bytes
from untorn.sse.fields import split_field
from untorn.sse.lines import MOST_PIECES, LineSplitter, merge_pieces

MOST_RETRY = 2**63 - 1


class Event(Struct, frozen=True, gc=False):
    """One event that was dispatched."""

    type: str
    """``"message"`` if the block had no ``event`` field or an empty one."""
    data: str
    """The values of the ``data`` fields, joined by LF."""
    last_event_id: str
    """The last event ID of the stream at this event; ``""`` if none was ever set."""

    def __str__(self) -> str:
        known = f", id {one_line(self.last_event_id)}" if self.last_event_id else ""
        return f"event {one_line(self.type)}, data {one_line(self.data)}{known}"


class Tail(Struct, frozen=True):
    """The block that the end of the body cut: it was not dispatched."""

    offset: int
    """The byte of the body where the first of ``lines`` begins."""
    data: bytes
    """The lines joined by LF, whatever ended them."""
    lines: list[bytes]
    """Its field lines, undecoded, and the last line if that had no end. Lines that the standard
    ignores are left out, and so are ``event``, ``id`` and ``retry`` lines before the last one."""

    def to_dict(self) -> dict[str, Any]:
        """As in the report."""
        return {
            "offset": self.offset,
            "length": len(self.data),
            "text": self.data.decode("utf-8", "replace"),
        }

    def __str__(self) -> str:
        size = amount(len(self.data), "byte")
        return f"{size} cut from byte {self.offset}: {one_line_of_bytes(self.data)}"


class EventStream:
    """Feed in order, take the events that come back; none means "not yet".

    An event comes out at the earliest byte at which it can. Over a limit the call gives the events
    before that place, and every call after it raises LimitExceeded.
    """

    retry: int | None
    """The reconnection time in milliseconds; None if none was sent."""
    last_event_id: str
    """The last event ID, to be sent as ``Last-Event-ID`` when reconnecting."""

    def __init__(self, last_event_id: str = "", *, limits: Limits = Limits()) -> None:
        self.retry = None
        self.last_event_id = last_event_id
        self._limits = limits
        self._splitter = LineSplitter(limits.line)
        # The standard's buffers; that of the data is joined by LF when it is dispatched.
        self._data: list[bytes | bytearray] = []
        self._type = ""
        self._id = last_event_id
        self._size = 0  # bytes of the data lines that are not dispatched yet
        self._most_pieces = limits.lines  # how many pieces _data may have: some are many lines
        self._open_block = _OpenBlock()
        self._closed = False
        self._over: tuple[str, int, int] | None = None

    def receive_data(self, data: bytes) -> list[Event]:
        """The events that this read completed.

        Raises LimitExceeded if an earlier read went over a limit, StreamClosed after the end.
        """
        self._raise_if_ended()
        events: list[Event] = []
        lines = self._splitter.receive_data(data)
        if lines:
            self._receive_lines(lines, events)
        if self._splitter.exceeded:
            self._note_long_line(lines)
        return events

    def receive_eof(self) -> Tail | None:
        """The unfinished block, or None if the end cut nothing.

        Comments and other lines that the standard ignores are nothing, unless the end cut them.
        Raises LimitExceeded if a read went over a limit, StreamClosed if the end came before.
        """
        self._raise_if_ended()
        self._closed = True
        last = self._splitter.receive_eof()
        if self._splitter.exceeded:
            self._note_long_line(last)
            self._raise_if_ended()
        lines = self._open_block.lines() + last
        if not lines:
            return None
        offset = min(self._open_block.offsets.values(), default=self._splitter.offset)
        return Tail(offset=offset, data=b"\n".join(lines), lines=lines)

    def _raise_if_ended(self) -> None:
        if self._over is not None:
            raise LimitExceeded(*self._over)
        if self._closed:
            raise StreamClosed

    def _note_long_line(self, lines: list[bytes]) -> None:
        # If an event went over its limit in the same read, that was earlier in the body.
        if self._over is None:
            offset = self._splitter.line_offset(len(lines))
            self._over = ("line", self._limits.line, offset)

    def _receive_lines(self, lines: list[bytes], events: list[Event]) -> None:
        data, most = self._data, self._limits.event
        for number, line in enumerate(lines):
            if not line:
                self._dispatch(events)
                continue
            name, value = split_field(line)
            if name == b"data":
                data.append(value)
                self._size += len(line)
                if self._size > most or len(data) > self._most_pieces:
                    del lines[number + 1 :]
                    break
            elif _counts(name, value):
                self._receive_field(name, value)
        # Only what a read leaves open can become a Tail, so nothing else is kept for it.
        if lines[-1] or self._open_block.offsets:
            self._keep_open_block(lines)
        if self._size > most:
            self._over = ("event", most, min(self._open_block.offsets.values()))
        elif len(data) > self._most_pieces:
            self._over = ("lines", self._limits.lines, min(self._open_block.offsets.values()))

    def _receive_field(self, name: bytes, value: bytes) -> None:
        if name == b"event":
            self._type = value.decode("utf-8", "replace")
        elif name == b"id":
            self._id = value.decode("utf-8", "replace")
        else:
            self.retry = _reconnection_time(value)

    def _dispatch(self, events: list[Event]) -> None:
        # The standard sets the last event ID first, so also where there is no event.
        self.last_event_id = self._id
        if self._data:
            data = b"\n".join(self._data).decode("utf-8", "replace")
            events.append(Event(self._type or "message", data, self._id))
            self._data.clear()
            self._size = 0
            self._most_pieces = self._limits.lines
        self._type = ""

    def _keep_open_block(self, lines: list[bytes]) -> None:
        first = len(lines)
        while first and lines[first - 1]:
            first -= 1
        if first:
            self._open_block = _OpenBlock()
        self._open_block.add(lines[first:], first, self._splitter.line_offset)
        if len(self._data) > MOST_PIECES:
            self._most_pieces -= len(self._data) - 1
            merge_pieces(self._data, b"\n")


class _OpenBlock:
    """The lines of a block without its blank line, in their order.

    A line of ``event``, ``id`` or ``retry`` replaces the one before it.
    """

    def __init__(self) -> None:
        self.offsets: dict[bytes, int] = {}
        """By field name: where its line begins; of the data lines the first."""
        self._data = bytearray()  # the data lines, each with an LF
        self._others: dict[bytes, tuple[int, bytes]] = {}  # name → place in _data, line

    def add(self, lines: list[bytes], first: int, line_offset: Callable[[int], int]) -> None:
        """Further lines, of which the first is number ``first`` of its read."""
        numbers: dict[bytes, int] = {}
        for number, line in enumerate(lines, first):
            name, value = split_field(line)
            if name == b"data":
                if not self._data:
                    numbers[name] = number
                self._data += line + b"\n"
            elif _counts(name, value):
                self._others.pop(name, None)
                self._others[name] = (len(self._data), line)
                numbers[name] = number
        # An offset costs a walk over the read, so it is asked for four times at most.
        self.offsets |= {name: line_offset(number) for name, number in numbers.items()}

    def lines(self) -> list[bytes]:
        text = bytearray(self._data)
        for place, line in reversed(self._others.values()):
            text[place:place] = line + b"\n"
        return bytes(text).split(b"\n")[:-1]


def _counts(name: bytes, value: bytes) -> bool:
    """Whether this field, if it is not ``data``, is one that the standard does not ignore."""
    if name == b"id":
        return b"\0" not in value
    if name == b"retry":
        return value.isdigit()  # of bytes: ASCII digits, one at least
    return name == b"event"


def _reconnection_time(digits: bytes) -> int:
    significant = digits.lstrip(b"0")
    if len(significant) > len(str(MOST_RETRY)):
        return MOST_RETRY
    return min(int(significant or b"0"), MOST_RETRY)
