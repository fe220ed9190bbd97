"""Which format a recorded file has, and reading it whole or as it comes."""

from __future__ import annotations

from untorn.capture.capture import Capture, CaptureEvent, Close, RawHead, Read
from untorn.capture.dump import DumpReader
from untorn.capture.har import HarReader
from untorn.capture.kept_headers import keep_headers
from untorn.capture.limits import READ_SIZE
from untorn.capture.untorn_reader import UntornReader
from untorn.options import KIB
from untorn.sse.lines import BOM

UNTORN_START = b'{"untorn":'
HAR_START = b'{"log":'
MOST_START = KIB
"""Bytes of a beginning, white space included, that are held to tell what it is."""

FormatReader = UntornReader | HarReader | DumpReader


class CaptureReader:
    """Reads a recorded file of any format while it comes, in pieces whose edges mean nothing.

    What comes back is what was recorded: the head, where there is one, then reads and markers,
    then the close, where the file has one. A file of ``curl`` holds one body, so its end is a
    clean close. HAR is one document: all of it comes at the end.

    ``name`` is the file's: ``.untorn`` and ``.har`` say what it is, whatever it begins with.
    Raises CaptureError for a file that is not what it seems to be; what came before was given.
    """

    def __init__(self, name: str = "") -> None:
        self._name = name
        self._held = b""
        self._reader = _reader_by_name(name)

    @property
    def is_timed(self) -> bool:
        """Whether the file says when its reads came."""
        return isinstance(self._reader, UntornReader) and self._reader.is_timed

    @property
    def started(self) -> float | None:
        """The Unix time at which the recording began; None where the file does not say."""
        return None if isinstance(self._reader, DumpReader | None) else self._reader.started

    @property
    def torn(self) -> int | None:
        """The number of the last line, if it was torn and therefore left out."""
        return self._reader.torn if isinstance(self._reader, UntornReader) else None

    def receive_data(self, data: bytes) -> list[CaptureEvent]:
        """What is certain after this piece."""
        if self._reader is None:
            data = self._held + data
            self._reader = _reader_by_start(data, self._name)
        match self._reader:
            case None:
                self._held = data
                return []
            case DumpReader():
                return _of_dump(self._reader.receive_data(data))
            case _:
                return self._reader.receive_data(data)

    def receive_eof(self) -> list[CaptureEvent]:
        """What is left."""
        if self._reader is None:
            self._reader = DumpReader()
            events = _of_dump(self._reader.receive_data(self._held))
        else:
            events = []
        if isinstance(self._reader, DumpReader):
            return [*events, *_of_dump(self._reader.receive_eof()), Close(0.0)]
        return self._reader.receive_eof()


def loads(data: bytes, name: str = "") -> Capture:
    """The capture in a file: ``.untorn``, HAR, ``curl -i``, or the bare body of ``curl -N``.

    A body without read boundaries is given in reads of 64 KiB. Of the headers of other formats
    only those are kept that docs/captures.md lists. Raises CaptureError where the file is none of
    them.
    """
    reader = CaptureReader(name)
    recorded: list[CaptureEvent] = []
    for start in range(0, len(data), READ_SIZE):
        recorded += reader.receive_data(data[start : start + READ_SIZE])
    recorded += reader.receive_eof()
    events = [one for one in recorded if not isinstance(one, RawHead)]
    if len(events) == len(recorded):
        return Capture(events=events, started=reader.started)
    head = next(one for one in recorded if isinstance(one, RawHead))
    return Capture(
        status=head.status,
        headers=head.headers,
        events=events,
        head_interval=head.interval,
        started=reader.started,
    )


def _of_dump(parts: list[RawHead | bytes]) -> list[CaptureEvent]:
    return [
        Read(0.0, part)
        if isinstance(part, bytes)
        else RawHead(part.status, keep_headers(part.headers))
        for part in parts
    ]


def _reader_by_name(name: str) -> FormatReader | None:
    lowered = name.lower()
    if lowered.endswith(".untorn"):
        return UntornReader(name)
    return HarReader(name) if lowered.endswith(".har") else None


def _reader_by_start(data: bytes, name: str) -> FormatReader | None:
    """None: it may still be one or the other."""
    if BOM.startswith(data):
        return None
    start = data[:MOST_START].removeprefix(BOM)
    if start[:1] == b"{":
        start = start.translate(None, b" \t\r\n")
        if start.startswith(UNTORN_START):
            return UntornReader(name)
        if start.startswith(HAR_START):
            return HarReader(name)
        if len(data) < MOST_START and (
            UNTORN_START.startswith(start) or HAR_START.startswith(start)
        ):
            return None
    return DumpReader()
