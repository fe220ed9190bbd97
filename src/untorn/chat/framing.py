"""Lines → payloads: events as providers really frame them (corpus rules 1 to 6).

It reads the same lines as ``untorn.sse.EventStream``, and where it reports no defect its payloads
are the data of those events. It differs on purpose:

1. A data line that is whole JSON by itself is an event as soon as another one follows: some
   servers send no blank lines, and JSON permits nothing after it.
2. An event whose joined data is no JSON is read line by line, for the same reason.
3. A last event without its blank line is used if it is whole: the end of an answer is often
   there, and to drop it would be to lose the finish reason.
4. A line that begins with ``{`` or ``[`` is data without a prefix. A body that is only such lines
   is NDJSON, or one JSON document.
5. HTML and a field named ``error`` come in place of a stream, and are told apart from stray lines.
6. A byte order mark at the start of any line is dropped, and so is a second ``data:``.
"""

from __future__ import annotations

from collections.abc import Sequence

from untorn.chat.bare_lines import BareLines
from untorn.chat.block import NO_LINES, Block
from untorn.chat.event_block import EventBlock
from untorn.chat.json_scan import has_too_many_values
from untorn.chat.json_text import is_torn, value_of
from untorn.chat.payload import (
    USUAL,
    USUAL_PREFIX,
    WITHOUT_SPACE,
    Item,
    KeepAlive,
    Kind,
    Note,
    Payload,
)
from untorn.head import EVENT_STREAM, Head
from untorn.options import Limits
from untorn.readable import amount, one_line_of_bytes, plain
from untorn.sse.event_stream import Tail
from untorn.sse.fields import field_name, split_field
from untorn.sse.lines import BOM, LineSplitter

NAMELESS = (b"event", b"id", b"retry")
"""Fields that carry no data."""
SPACE = 32
HTML = (b"<html", b"<!doctype", b"<?xml")

NO_ITEMS: list[Item] = []
"""Stands for the items of a list that is done with. Nobody adds to it: streams share it."""


class Mode:
    """What the body is taken for. (Of an Enum, Python 3.11 calls a function for each member that is
    named.)"""

    START = 0
    """Nothing but white space has come."""
    HELD = 1
    """It began with ``{`` or ``[``, in a line that is not whole: perhaps a document."""
    TEXT = 2
    """It began with text, and the status is an error: perhaps that text is the message."""
    STREAM = 3
    IGNORED = 4
    """The rest belongs to an HTML page."""


class Framing:
    """Feed lines in order, take the items that come back.

    A *place* says where a line is: its number in the list being read, or, for a line of an earlier
    list, ``-1 - offset``. So a byte offset is computed only where somebody asks for it.
    """

    __slots__ = (
        "_at_rest",
        "_bare",
        "_block",
        "_given",
        "_head",
        "_held",
        "_limits",
        "_measured",
        "_mode",
        "_out",
        "_places",
        "_splitter",
        "_sse_seen",
        "_usual",
        "_usual_offset",
        "is_document",
        "lines",
        "over",
        "tail",
    )

    def __init__(self, head: Head | None, limits: Limits, splitter: LineSplitter) -> None:
        self.over: str | None = None
        """The limit that was passed, as a sentence; None while it is kept."""
        self.tail: Tail | None = None
        """The event that the end cut; None if it cut none."""
        self.is_document = False
        """The whole body was one JSON document, an array, HTML or the text of an error."""
        self._head = head
        self._limits = limits
        # The line of a usual event is not measured: the splitter has seen to that.
        self._measured = limits.line <= limits.event
        self._splitter = splitter
        self.lines: Sequence[bytes] = ()
        """The list being read."""
        self._out = NO_ITEMS
        self._mode = Mode.START
        self._at_rest = False
        # A usual event's line that waits for its blank line; and where, if it came earlier.
        self._usual: bytes | None = None
        self._usual_offset = 0
        # Items given out last. Where the usual ones among them are; None where each line is
        # followed by its blank line.
        self._given: Sequence[Item] = ()
        self._places: list[int] | None = None
        self._block = EventBlock(limits)
        # Lines kept until it is clear what the body is (modes HELD and TEXT).
        self._held = NO_LINES
        self._bare = BareLines()
        self._sse_seen = False

    # Lines in --------------------------------------------------------------------------------

    def receive_lines(self, lines: Sequence[bytes]) -> Sequence[Item]:
        """The items that these lines complete.

        The fast way: between two events, a line that begins with ``data: {`` waits for its blank
        line. Mostly all lines are such pairs, which costs hardly anything to see. Everything else
        opens a block, the plain way.
        """
        self.lines = lines
        if self._at_rest and self._usual is None and not any(lines[1::2]):
            usuals = [line[USUAL_PREFIX:] for line in lines[::2] if line[:7] == USUAL]
            if len(usuals) * 2 == len(lines):
                self._given, self._places = usuals, None
                return usuals
        out = self._given = self._out = []
        places = self._places = []
        carried = -1 - self._usual_offset
        usual = self._usual
        at_rest = self._at_rest
        for number, line in enumerate(lines):
            if not line:
                if usual is not None:
                    out.append(usual[USUAL_PREFIX if usual[5] == SPACE else USUAL_PREFIX - 1 :])
                    places.append(number - 1 if number else carried)
                    usual = None
                else:
                    self._receive_blank(number)
                    at_rest = self._at_rest
            elif at_rest and usual is None and (line[:7] == USUAL or line[:6] == WITHOUT_SPACE):
                usual = line
            else:
                if usual is not None:
                    self._receive_line(usual, number - 1 if number else carried)
                    usual = None
                self._receive_line(line, number)
                at_rest = self._at_rest
        self._usual = usual
        if usual is not None or not at_rest:
            self._carry()
        return out

    def pass_by(self, payloads: list[bytes]) -> None:
        """Somebody else has found these usual events, and nothing else, in a read."""
        self._given, self._places = payloads, None

    def forget_read(self) -> None:
        """Nobody will ask any more where the items of this read are."""
        self.lines = self._given = ()
        self._out = NO_ITEMS
        self._places = None
        self._splitter.forget_read()

    @property
    def is_between_events(self) -> bool:
        """Whether the next line may be that of a usual event, with nothing open before it."""
        return self._at_rest and self._usual is None

    @property
    def pending(self) -> int:
        """Bytes of lines that have not been given out yet."""
        return len(self._usual or b"") + self._block.lines.size + self._held.size

    @property
    def _failed(self) -> bool:
        return self._head is not None and self._head.failed

    @property
    def _media_type(self) -> str | None:
        return None if self._head is None else self._head.media_type

    def _carry(self) -> None:
        """Another list is coming: say where lines of this one are by their offsets."""
        if not self.lines:
            return
        splitter = self._splitter
        if self._usual is self.lines[-1]:
            self._usual_offset = splitter.line_offset(len(self.lines) - 1)
        blocks = [block for block in (self._block.lines, self._held) if block.needs_carrying()]
        if blocks:
            offsets = splitter.line_offsets()
            for block in blocks:
                block.carry(offsets)
        if self._bare.place >= 0 and self._bare.count and not self._sse_seen:
            self._bare.place = -1 - splitter.line_offset(self._bare.place)

    def offset_of(self, item: Item) -> int | None:
        """The byte offset of an item of the list given last."""
        if isinstance(item, bytes):
            return self._offset_of_usual(item)
        if isinstance(item, KeepAlive) or item.place is None:
            return None
        return self._offset_at(item.place)

    def _offset_of_usual(self, payload: bytes) -> int:
        usuals = (given for given in self._given if isinstance(given, bytes))
        for number, usual in enumerate(usuals):
            if usual is payload:
                return self._offset_at(2 * number if self._places is None else self._places[number])
        # It was not given out here: it is a read by itself, and the splitter stands behind it.
        return self._splitter.start - len(payload) - len(b"data: \n\n")

    def _offset_at(self, place: int) -> int:
        return self._splitter.line_offset(place) if place >= 0 else -1 - place

    # One line --------------------------------------------------------------------------------

    def _receive_blank(self, place: int) -> None:
        if self.over is not None:
            return
        if self._mode == Mode.STREAM:
            block = self._block
            if block.lines.size or block.is_error:
                self._out += block.end()
            self._find_rest()
        elif self._mode in (Mode.HELD, Mode.TEXT):
            self._hold(b"", place)

    def _receive_line(self, line: bytes, place: int) -> None:
        if self._mode == Mode.IGNORED or self.over is not None:
            return
        if line[:1] == BOM[:1]:
            line = self._without_bom(line, place)
        if self._mode == Mode.STREAM and line:
            self._receive_in_stream(line, place)
        elif not line or (self._mode == Mode.START and not line.strip()):
            self._receive_blank(place)
        elif self._mode == Mode.HELD and not (_is_sse(line) or _is_html(line)):
            self._hold(line, place)
        elif self._mode == Mode.START and line.lstrip()[:1] in (b"{", b"["):
            self._begin_with_bare(line, place)
        else:
            self._release_held()
            self._receive_in_stream(line, place)
        self._find_rest()

    def _without_bom(self, line: bytes, place: int) -> bytes:
        start = 0
        while line.startswith(BOM, start):
            start += len(BOM)
        if start:
            detail = "a byte order mark before a field was dropped"
            self._out.append(Note("bom-mid-stream", detail, place, start // len(BOM)))
        return line[start:]

    def _find_rest(self) -> None:
        """Say whether the next line may be that of a usual event."""
        block = self._block
        in_stream = self._mode == Mode.STREAM and self._sse_seen and self._measured
        self._at_rest = in_stream and not (block.lines.size or block.is_error)

    def _receive_in_stream(self, line: bytes, place: int) -> None:
        name = field_name(line)
        if not self._sse_seen and (not name or name == b"data" or name in NAMELESS):
            self._see_sse(place)
        if name == b"data":
            self._add_data(line, place)
        elif name in NAMELESS:
            if name == b"event":
                self._block.is_error = split_field(line)[1] == b"error"
        elif not name:
            self._out.append(KeepAlive())
        elif line[:1] in (b"{", b"["):
            self._receive_bare(line, place)
        elif _is_html(line):
            self._receive_html(place)
        elif name == b"error" and self._is_error_value(split_field(line)[1]):
            self._receive_error_field(split_field(line)[1], place)
        else:
            self._receive_stray(line, place)

    def _see_sse(self, place: int) -> None:
        """A line that SSE knows: the body is an event stream."""
        if self._sse_seen:
            return
        self._leave_text()
        self._sse_seen = True
        self._mode = Mode.STREAM
        if self._media_type not in (None, EVENT_STREAM):
            self._note_mismatch("an event stream", place)
        self._out += self._bare.in_a_stream()

    def _receive_stray(self, line: bytes, place: int) -> None:
        if self._failed and self._mode in (Mode.START, Mode.TEXT):
            self._mode = Mode.TEXT
            self._hold(line, place)
            return
        self._mode = Mode.STREAM
        self._bare.have_company = True
        lost = b'"choices"' in line
        code = "bad-json" if lost else "stray-line"
        what = "a line with choices in it is lost" if lost else "a line was ignored"
        self._note(code, f"{what}: {one_line_of_bytes(line)}", place)

    def _receive_html(self, place: int) -> None:
        self._leave_text()
        self.is_document = not (self._sse_seen or self._bare.count)
        self._end_block_at_eof()
        self._note("html-body", "an HTML page came", place)
        self._mode = Mode.IGNORED

    def _is_error_value(self, value: bytes) -> bool:
        said = value_of(value, self._limits)
        return isinstance(said, dict | str) and bool(said)

    def _receive_error_field(self, value: bytes, place: int) -> None:
        self._leave_text()
        self._mode = Mode.STREAM
        self._bare.have_company = True
        self._note("error-field", f"an error came as a field: {one_line_of_bytes(value)}", place)
        self._out.append(Payload(value, "error field", place))

    # Lines that are kept ---------------------------------------------------------------------

    def _hold(self, line: bytes, place: int) -> None:
        if not self._held:
            self._held = Block()
        self._held.add(line, place)
        if self._held.size > self._limits.event:
            self.over = f"a document of more than {self._limits.event} bytes"
        elif len(self._held) > self._limits.lines:
            self.over = f"a document of more than {self._limits.lines} lines"

    def _begin_with_bare(self, line: bytes, place: int) -> None:
        if self._block.is_whole(line):
            self._mode = Mode.STREAM
            self._receive_bare(line, place)
        else:
            self._mode = Mode.HELD
            self._hold(line, place)

    def _release_held(self) -> None:
        """The body that was held is no document: read its lines as lines."""
        if self._mode != Mode.HELD:
            return
        held, self._held = self._held, NO_LINES
        self._mode = Mode.STREAM
        if self._block.is_whole(held.joined):
            self._give_bare(held.joined, held.place)
            return
        for kept in held:
            if kept.line:
                self._receive_in_stream(kept.line, kept.place)
            else:
                self._receive_blank(kept.place)

    def _leave_text(self) -> None:
        """The text that was held is no message: its lines are stray."""
        if self._mode != Mode.TEXT:
            return
        held, self._held = self._held, NO_LINES
        self._mode = Mode.STREAM
        for kept in held:
            if kept.line:
                self._receive_stray(kept.line, kept.place)

    # Bare lines ------------------------------------------------------------------------------

    def _receive_bare(self, line: bytes, place: int) -> None:
        if self._block.is_whole(line):
            self._leave_text()
            self._out += self._block.end_before(place)
            self._give_bare(line, place)
        elif self._mode == Mode.TEXT:
            self._hold(line, place)
        else:
            self._mode = Mode.STREAM
            self._note_bare(place)
            self._add_data(line, place)

    def _give_bare(self, data: bytes, place: int) -> None:
        self._mode = Mode.STREAM
        alone = not (self._sse_seen or self._bare.count or self._bare.have_company)
        kind: Kind = "error event" if self._block.is_error else "line" if alone else "event"
        self._note_bare(place)
        if alone:
            self._bare.first = value_of(data, self._limits)
        self._out.append(Payload(data, kind, place))

    def _note_bare(self, place: int) -> None:
        if self._sse_seen:
            self._note("missing-data-prefix", "a JSON line stands without data:", place)
        else:
            self._bare.add(place)

    # Events ----------------------------------------------------------------------------------

    def _add_data(self, line: bytes, place: int) -> None:
        self._out += self._block.add(line, place)
        if self._block.lines.size > self._limits.event:
            self.over = f"an event of more than {self._limits.event} bytes"
        elif len(self._block.lines) > self._limits.lines:
            self.over = f"an event of more than {self._limits.lines} lines"

    def _end_block_at_eof(self, rest: Sequence[bytes] = ()) -> None:
        if self._block.has_too_many_values():
            self.over = f"an event of more than {self._limits.values} values"
            self._cut([*self._block.lines.lines, *rest], self._block.lines.place)
            return
        self._out += self._block.end_at_eof()
        lines = [*self._block.cut, *rest]
        if lines:
            self._cut(lines, self._block.cut_place if self._block.cut else 0)

    # The end ---------------------------------------------------------------------------------

    def receive_eof(self, rest: Sequence[bytes]) -> list[Item]:
        """The body has ended; ``rest`` is its last line, if that had no end."""
        out = self._out = []
        self.lines = rest
        if self._usual is not None:
            usual, self._usual = self._usual, None
            self._receive_line(usual, -1 - self._usual_offset)
        if self._mode == Mode.IGNORED:
            return out
        cut = [line for line in rest if not self._use_rest(line)]
        if self._mode == Mode.HELD:
            self._end_held()
        elif self._mode == Mode.TEXT:
            self._end_text()
        else:
            self._end_block_at_eof(cut)
        self._tell_bare_lines()
        return out

    def stop(self) -> list[Item]:
        """A limit was passed: nothing more is read, and what is open is cut."""
        out = self._out = []
        block = self._held if self._held else self._block.lines
        lines = list(block.lines)
        place = block.place if lines else 0
        # Where a block is too large, what came after it in the same read counts as not come.
        if self.over is None:
            if self._usual is not None:
                place = -1 - self._usual_offset
                lines.append(self._usual)
            rest = self._splitter.rest
            if rest:
                self._splitter.receive_data(b"")  # now its offset is that of the line held
                place = place if lines else -1 - self._splitter.offset
                lines.append(rest)
        if lines:
            self._cut(lines, place)
        return out

    def _use_rest(self, line: bytes) -> bool:
        """Use a last line without an end as far as it goes; False if it is cut."""
        line = self._without_bom(line, 0)
        if not line.strip():
            return True
        name, value = split_field(line)
        in_stream = self._mode in (Mode.START, Mode.STREAM)
        begins_bare = self._mode == Mode.START and line.lstrip()[:1] in (b"{", b"[")
        if in_stream and not begins_bare:
            known = not name or name in NAMELESS
            is_text = self._failed and self._mode == Mode.START
            if name == b"data" and not value.strip():
                self._see_sse(0)
                return False
            if known:
                self._see_sse(0)
                return True
            used = name == b"data" or line[:1] in (b"{", b"[") or _is_html(line) or is_text
            if not used and not (name == b"error" and self._is_error_value(value)):
                return False
        self._receive_line(line, 0)
        return True

    def _end_held(self) -> None:
        held = self._held
        if self._block.is_whole(held.joined):
            self._held = NO_LINES
            self._give_bare(held.joined, held.place)
            self._bare.is_one_line = len(held.joined.split(b"\n")) == 1
        elif self._failed:
            self._end_text()
        elif has_too_many_values(held.joined, self._limits.values):
            self._held = NO_LINES
            self.over = f"a document of more than {self._limits.values} values"
            self._cut(held.lines, held.place)
        elif self._is_ndjson(held):
            self._release_held()
            self._end_block_at_eof()
        elif held.lines[-1]:
            self._held = NO_LINES
            self._cut(held.lines, held.place)
        else:
            self._held = NO_LINES
            self._out.append(Payload(held.joined, "event", held.place))

    def _is_ndjson(self, held: Block) -> bool:
        """Whether the lines of a body that is no document are to be read one by one: some are
        whole, and it is not merely the begin of a document, whose lines may look so too."""
        if held.joined.lstrip()[:1] == b"[" or is_torn(held.joined):
            return False
        return any(map(self._block.is_whole, held.lines))

    def _end_text(self) -> None:
        held, self._held = self._held, NO_LINES
        self.is_document = True
        self._out.append(Payload(held.joined, "text", held.place))

    def _tell_bare_lines(self) -> None:
        """Only now is it clear what bare lines without any SSE line are (rule 6)."""
        if self._sse_seen or not self._bare.count:
            return
        notes = self._bare.alone(failed=self._failed)
        self.is_document = self._bare.is_document
        if self._media_type == EVENT_STREAM and not self._bare.have_company:
            what = "a JSON document" if self.is_document else "NDJSON"
            self._note_mismatch(what, self._bare.place)
        self._out += notes

    def _cut(self, lines: list[bytes], place: int) -> None:
        data = b"\n".join(lines)
        self.tail = Tail(self._offset_at(place), data, lines)
        detail = f"{amount(len(data), 'byte')} of an event were cut: {one_line_of_bytes(data)}"
        self._note("truncated-event", detail, place)

    # Notes -----------------------------------------------------------------------------------

    def _note(self, code: str, detail: str, place: int) -> None:
        self._out.append(Note(code, detail, place))

    def _note_mismatch(self, what: str, place: int) -> None:
        detail = f"the body is {what}, the header says {plain(self._media_type or '')}"
        self._note("content-type-mismatch", detail, place)


def _is_sse(line: bytes) -> bool:
    name = field_name(line)
    return name is not line and (not name or name == b"data" or name in NAMELESS)


def _is_html(line: bytes) -> bool:
    return line[:1] == b"<" and line[:9].lower().startswith(HTML)
