"""The data lines between two blank lines → payloads (corpus rule 2).

Usually they are one event. They are read line by line where joined they are no JSON: then blank
lines were forgotten, or an event broke off and another began.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from untorn.chat.block import NO_LINES, Block, KeptLine
from untorn.chat.json_scan import has_too_many_values
from untorn.chat.json_text import can_be_read
from untorn.chat.payload import Item, Kind, Note, Payload, is_done
from untorn.options import Limits
from untorn.sse.fields import split_field

LONGEST_PREFIX = len(b"data: ")


class EventBlock:
    """The block that is open."""

    __slots__ = ("_limits", "_texts", "cut", "cut_place", "is_error", "lines")

    def __init__(self, limits: Limits) -> None:
        self.lines = NO_LINES
        self.is_error = False
        """Whether an ``event`` field has named it ``error``."""
        self.cut: Sequence[bytes] = ()
        """Lines of an event that the end of the body cut."""
        self.cut_place = 0
        """Where the first of them is."""
        self._limits = limits
        self._texts = 0  # how many lines are not blank

    def add(self, line: bytes, place: int) -> list[Item]:
        """Take a data line, or a bare one that is not whole."""
        value = data_of(line)
        items: list[Item] = []
        # A line with one prefix is "data:" or "data: " longer; one without a colon says nothing.
        if line[:1] == b"d" and len(line) - len(value) > LONGEST_PREFIX:
            items.append(Note("double-data-prefix", "the data begins with data: again", place))
        if value.strip():
            # JSON permits nothing after a whole text, so the first line was an event.
            if self._texts == 1 and self.is_whole(self._joined().strip()):
                items += self.end_before(place)
            self._texts += 1
        if not self.lines:
            self.lines = Block()
        self.lines.add(line, place, is_error=self.is_error)
        return items

    def end_before(self, place: int) -> list[Item]:
        """The line at ``place`` ends the event before it, without a blank line."""
        if not self._texts:
            return []
        note = _no_blank_line(place)
        if self._texts > 1:
            return [note, *self._dispatch()]
        # An event field after a line names those that follow it.
        lines = self._take()
        return [note, next(self._payload(kept) for kept in lines if data_of(kept.line).strip())]

    def end(self) -> list[Item]:
        """A blank line has come."""
        lines, is_error = self.lines, self.is_error
        items: list[Item] = []
        # A single line is the payload as it is, JSON or not; unless the event was named after it.
        if len(lines) == 1 and is_error == lines.has_errors:
            self._take()
            items.append(Payload(data_of(lines.lines[0]), self._kind(is_error), lines.place))
        elif lines:
            items += self._dispatch()
        self.is_error = False
        return items

    def end_at_eof(self) -> Iterator[Item]:
        """The body has ended. What is whole is used; what is not is in ``cut``."""
        if not self.lines:
            return
        is_error = self.is_error or self.lines.has_errors
        joined = self._joined()
        lines = self._take()
        if self.is_whole(joined):
            yield _no_final_blank_line(lines.place)
            yield Payload(joined, self._kind(is_error), lines.place)
            return
        texts, whole = self._look_at(lines)
        if not any(whole):
            self.cut, self.cut_place = lines.lines, lines.place
            return
        if len(texts) > 1:
            yield _no_blank_line(texts[1].place)
        yield from map(self._payload, texts[:-1])
        if whole[-1]:
            yield _no_final_blank_line(texts[-1].place)
            yield self._payload(texts[-1])
        else:
            self.cut, self.cut_place = [texts[-1].line], texts[-1].place

    def is_whole(self, data: bytes) -> bool:
        """Whether data is by itself a JSON object, an array or ``[DONE]``."""
        if is_done(data):
            return True
        begins_json = data.lstrip()[:1] in (b"{", b"[")
        return begins_json and can_be_read(data, self._limits)

    def has_too_many_values(self) -> bool:
        """Whether its lines hold more values than one event may."""
        most = self._limits.values
        return self.lines.size > most // 2 and self._is_too_much(self._joined())

    def _is_too_much(self, joined: bytes) -> bool:
        return has_too_many_values(joined, self._limits.values)

    def _dispatch(self) -> Iterator[Item]:
        # Named once, a failure is not unnamed by a later event field.
        is_error = self.is_error or self.lines.has_errors
        joined = self._joined()
        is_one = self._texts < 2
        # The end mark looks like an array that is broken, which takes long to find out.
        is_mark = is_one and is_done(joined)
        # Of more values than allowed nobody says any more whether they are JSON.
        is_json = is_mark or self._is_too_much(joined) or can_be_read(joined, self._limits)
        lines = self._take()
        texts, whole = ([], []) if is_json else self._look_at(lines)
        if is_one and texts:
            # Only white space stands beside it.
            yield Payload(data_of(texts[0].line), self._kind(is_error), texts[0].place)
            return
        if is_one or is_json:
            yield Payload(joined, self._kind(is_error), lines.place)
            return
        if any(whole):
            yield _no_blank_line(texts[1].place)
            yield from map(self._payload, texts)
            return
        # No line is whole. Those of an event named error stay joined: they are its message.
        yield from (self._payload(kept) for kept in texts if not kept.is_error)
        named = [kept for kept in texts if kept.is_error]
        if named:
            message = b"\n".join(data_of(kept.line) for kept in named)
            yield Payload(message, "error event", named[0].place)

    def _take(self) -> Block:
        lines, self.lines = self.lines, NO_LINES
        self._texts = 0
        return lines

    def _joined(self) -> bytes:
        return b"\n".join(map(data_of, self.lines.lines))

    def _look_at(self, lines: Block) -> tuple[list[KeptLine], list[bool]]:
        """The lines that are not blank, and whether each is whole."""
        texts = [kept for kept in lines if data_of(kept.line).strip()]
        return texts, [self.is_whole(data_of(kept.line)) for kept in texts]

    def _payload(self, kept: KeptLine) -> Payload:
        return Payload(data_of(kept.line), self._kind(kept.is_error), kept.place)

    @staticmethod
    def _kind(is_error: bool) -> Kind:
        return "error event" if is_error else "event"


def data_of(line: bytes) -> bytes:
    """The data of a line: a bare line as it is, a data field's value without further prefixes."""
    if line[:1] in (b"{", b"["):
        return line
    if line[:6] == b"data: " and line[6:11] != b"data:":
        return line[6:]
    value = split_field(line)[1]
    start = 0
    while value.startswith(b"data:", start):
        start += len(b"data:")
        start += value[start : start + 1] == b" "
    return value[start:]


def _no_blank_line(place: int) -> Note:
    return Note("no-blank-line", "no blank line ended the event before this line", place)


def _no_final_blank_line(place: int) -> Note:
    return Note("no-final-blank-line", "the last event had no blank line; it is used", place)
