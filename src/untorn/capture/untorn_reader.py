"""``.untorn`` → what was recorded. See docs/captures.md."""

from __future__ import annotations

import base64
import binascii
from typing import Annotated, NoReturn, TypeVar

import msgspec

from untorn.capture.capture import CaptureEvent, Close, Marker, RawHead, Read
from untorn.capture.errors import CaptureError
from untorn.capture.limits import FORMAT_VERSION, MOST_LINE, MOST_SECONDS
from untorn.readable import one_line_of_bytes
from untorn.sse.lines import BOM

T = TypeVar("T")


# Neither CR, LF nor NUL (RFC 9110, 5.5): who plays it back would send other headers.
HeaderText = Annotated[str, msgspec.Meta(pattern=r"\A[^\r\n\0]*\Z")]


class Header(msgspec.Struct, frozen=True):
    """The first line."""

    timestamp: float | None = None
    timed: bool = True


class HeadData(msgspec.Struct, frozen=True):
    """The data of ``h``."""

    status: Annotated[int, msgspec.Meta(ge=100, le=999)]
    headers: list[tuple[HeaderText, HeaderText]] = []


ANY_HEADER = msgspec.json.Decoder(dict[str, msgspec.Raw])
HEADER = msgspec.json.Decoder(Header)
EVENT = msgspec.json.Decoder(tuple[float, str, msgspec.Raw])
HEAD = msgspec.json.Decoder(HeadData)
READ = msgspec.json.Decoder(str | tuple[str, str])
LABEL = msgspec.json.Decoder(str)
REASON = msgspec.json.Decoder(str | None)

A_HEADER = f'a header {{"untorn": {FORMAT_VERSION}, "timestamp": seconds, ...}}'
AN_EVENT = 'an event [seconds, "code", data] with 0 to 1e10 seconds'
A_HEAD = 'the data of a head, {"status": 200, "headers": [["name", "value"], ...]}'
A_READ = 'the data of a read, text or ["b64", "..."]'
A_LABEL = "the data of a marker, text"
A_REASON = "the data of a close, null or text"


class UntornReader:
    """Reads a ``.untorn`` file that comes in pieces, whose edges mean nothing.

    Raises CaptureError for a line that is not understood, after all before it was given. Only the
    last line may be torn, if it has no end: it is left out, and ``torn`` says so.
    """

    def __init__(self, name: str = "") -> None:
        self.torn: int | None = None
        """The number of the torn last line; None where there is none, or none yet."""
        self.started: float | None = None
        """The Unix time at which the capture began; None where nobody wrote it down."""
        self.is_timed = True
        """Whether its intervals are known."""
        self._name = name
        self._pieces: list[bytes] = []
        self._held = 0
        self._number = 0
        self._error: CaptureError | None = None
        self._seen_header = False
        self._may_have_head = True
        self._closed = False
        self._skipped = 0.0  # seconds of events that are not known here

    def receive_data(self, data: bytes) -> list[CaptureEvent]:
        """The events whose lines ended in this piece."""
        if self._error is not None:
            raise self._error
        events: list[CaptureEvent] = []
        try:
            self._receive_lines(data.split(b"\n"), events)
        except CaptureError as exc:
            self._error = exc
            if not events:
                raise
        return events

    def receive_eof(self) -> list[CaptureEvent]:
        """The event of a last line that has no end, if it is whole."""
        if self._error is not None:
            raise self._error
        events: list[CaptureEvent] = []
        try:
            self._receive_line(self._take_line(), events)
        except _NotJSON:
            self.torn = self._number
        return events

    def _receive_lines(self, pieces: list[bytes], events: list[CaptureEvent]) -> None:
        rest = pieces.pop()
        for piece in pieces:
            self._hold(piece)
            self._receive_line(self._take_line(), events)
        self._hold(rest)

    def _hold(self, piece: bytes) -> None:
        self._held += len(piece)
        if self._held > MOST_LINE:
            self._number += 1
            self._refuse(f"a line has {MOST_LINE} bytes at most; this one has more")
        if piece:
            self._pieces.append(piece)

    def _take_line(self) -> bytes:
        line = b"".join(self._pieces)
        self._pieces.clear()
        self._held = 0
        return line

    def _receive_line(self, line: bytes, events: list[CaptureEvent]) -> None:
        self._number += 1
        if not self._seen_header:
            self._receive_header(line.removeprefix(BOM))
        elif line.strip() and line[:1] != b"#":
            event = self._event(line)
            if event is not None:
                events.append(event)

    def _receive_header(self, line: bytes) -> None:
        self._seen_header = True
        version = bytes(self._decode(ANY_HEADER, line, A_HEADER).get("untorn", b""))
        if not version:
            self._refuse(_unlike(A_HEADER, line))
        if version != b"%d" % FORMAT_VERSION:
            shown = one_line_of_bytes(version)[1:-1]
            self._refuse(
                f"the format has version {shown}, and only {FORMAT_VERSION} is known here: a newer"
                " untorn may read it"
            )
        header = self._decode(HEADER, line, A_HEADER)
        if not 0 <= (header.timestamp or 0) <= MOST_SECONDS:
            self._refuse(_unlike(A_HEADER, line))
        self.started = header.timestamp
        self.is_timed = header.timed

    def _event(self, line: bytes) -> CaptureEvent | None:
        interval, code, data = self._decode(EVENT, line, AN_EVENT)
        if not 0 <= interval <= MOST_SECONDS:
            self._refuse(_unlike(AN_EVENT, line))
        event = self._known_event(interval + self._skipped, code, data)
        self._skipped = self._skipped + interval if event is None else 0.0
        return event

    def _known_event(self, interval: float, code: str, raw: msgspec.Raw) -> CaptureEvent | None:
        event: CaptureEvent | None = None
        match code:
            case "h":
                head = self._decode(HEAD, raw, A_HEAD)
                if not self._may_have_head:
                    self._refuse("the head comes before all other events, and once")
                event = RawHead(head.status, head.headers, interval)
            case "r":
                data = self._bytes(self._decode(READ, raw, A_READ), raw)
                event = Read(interval, data) if data else None
            case "m":
                event = Marker(interval, self._decode(LABEL, raw, A_LABEL))
            case "x":
                event = Close(interval, self._decode(REASON, raw, A_REASON))
            case _:
                return None
        if self._closed:
            self._refuse("nothing comes after the close; a file holds one response")
        self._may_have_head = False
        self._closed = code == "x"
        return event

    def _bytes(self, read: str | tuple[str, str], raw: msgspec.Raw) -> bytes:
        if isinstance(read, str):
            return read.encode()
        kind, text = read
        try:
            if kind == "b64":
                return base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            pass
        self._refuse(_unlike(A_READ, bytes(raw)))

    def _decode(
        self, decoder: msgspec.json.Decoder[T], data: bytes | msgspec.Raw, expected: str
    ) -> T:
        try:
            return decoder.decode(data)
        except msgspec.DecodeError as exc:
            kind = CaptureError if isinstance(exc, msgspec.ValidationError) else _NotJSON
            problem = f"{_unlike(expected, bytes(data))} ({exc})"
            raise kind(problem, line=self._number, name=self._name) from exc
        except RecursionError as exc:
            problem = "its data is nested too deep to be read"
            raise CaptureError(problem, line=self._number, name=self._name) from exc

    def _refuse(self, problem: str) -> NoReturn:
        raise CaptureError(problem, line=self._number, name=self._name)


class _NotJSON(CaptureError):
    """The line is no JSON: perhaps there is more of it to come."""


def _unlike(expected: str, got: bytes) -> str:
    return f"expected {expected}, got {one_line_of_bytes(got)}"
