"""A capture → ``.untorn``, line by line as it happens, or whole. See docs/captures.md."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator

import msgspec

from untorn.capture.capture import Capture, Marker, Read
from untorn.capture.kept_headers import keep_headers
from untorn.capture.limits import FORMAT_VERSION, MOST_READ, MOST_SECONDS, MOST_TEXT
from untorn.head import Headers

# Written as escapes, so that an editor shows them and a terminal does not obey them: DEL and C1,
# what some tools take for a line end, marks that turn the direction, and other invisible ones.
INVISIBLE = re.compile("[\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


class CaptureWriter:
    """Writes down one response while it happens. No I/O: append what each call gives to a file.

    ``begin`` first, then ``head`` where there is one, ``read`` for each read, ``marker`` where
    wanted, ``close`` at the end. Whatever is cut off at the end of the file, what is left is a
    valid capture. ``at`` is the time in seconds by any clock that does not go back; without it
    the event counts as having come with the one before it. Raises ValueError for calls in
    another order.
    """

    def __init__(self) -> None:
        self._begun = False
        self._may_have_head = False
        self._closed = False
        self._start: float | None = None
        self._written = 0  # microseconds: sums of rounded intervals would drift

    def begin(self, started: float | None = None, at: float | None = None) -> bytes:
        """The header. ``started`` is the Unix time, where it shall be known."""
        if self._begun:
            raise ValueError("this capture has begun already: each response needs its own")
        self._begun = self._may_have_head = True
        self._start = at
        return header_line(started)

    def head(self, status: int, headers: Headers = (), at: float | None = None) -> bytes:
        """The head. Of the headers only those are written that docs/captures.md lists."""
        if not self._may_have_head:
            raise ValueError("the head comes right after begin(), and once")
        return self._line(at, "h", head_data(status, keep_headers(headers)))

    def read(self, data: bytes, at: float | None = None) -> bytes:
        """One read of the body. An empty one is none, and gives nothing."""
        return b"".join([self._line(at, "r", read_data(piece)) for _, piece in _pieces(data)])

    def marker(self, label: str, at: float | None = None) -> bytes:
        """A place to find again."""
        return self._line(at, "m", text_data(label[:MOST_TEXT]))

    def close(self, reason: str | None = None, at: float | None = None) -> bytes:
        """The end of the body: a clean one, or what failed."""
        line = self._line(at, "x", close_data(reason))
        self._closed = True
        return line

    def _line(self, at: float | None, code: str, data: bytes) -> bytes:
        if not self._begun or self._closed:
            raise ValueError("a capture's lines come after begin() and before close()")
        self._may_have_head = False
        return event_line(self._interval(at), code, data)

    def _interval(self, at: float | None) -> float:
        if at is None:
            return 0.0
        if self._start is None:
            self._start = at
        now = round((at - self._start) * 1e6)
        interval = max(0, now - self._written)
        self._written += interval
        return interval / 1e6


def dumps(capture: Capture) -> bytes:
    """``capture`` as ``.untorn``. Of the headers only those are written that docs/captures.md
    lists."""
    lines = [header_line(capture.started, timed=capture.is_timed)]
    if capture.status is not None:
        data = head_data(capture.status, keep_headers(capture.headers))
        lines.append(event_line(capture.head_interval, "h", data))
    for event in capture.events:
        if isinstance(event, Read):
            lines += _read_lines(event)
        elif isinstance(event, Marker):
            lines.append(event_line(event.interval, "m", text_data(event.label)))
        else:
            lines.append(event_line(event.interval, "x", close_data(event.reason)))
    return b"".join(lines)


def _read_lines(read: Read) -> list[bytes]:
    return [
        event_line(0.0 if start else read.interval, "r", read_data(piece))
        for start, piece in _pieces(read.data)
    ]


def _pieces(data: bytes) -> Iterator[tuple[int, bytes]]:
    for start in range(0, len(data), MOST_READ):
        yield start, data[start : start + MOST_READ]


def header_line(started: float | None, *, timed: bool = True) -> bytes:
    """The first line of a file."""
    started_key = "" if started is None else f', "timestamp": {_number(round(started, 3))}'
    timed_key = "" if timed else ', "timed": false'
    return f'{{"untorn": {FORMAT_VERSION}{started_key}{timed_key}}}\n'.encode()


def event_line(interval: float, code: str, data: bytes) -> bytes:
    """One event; ``data`` is JSON."""
    return b'[%s, "%s", %s]\n' % (_number(interval).encode(), code.encode(), data)


def head_data(status: int, headers: list[tuple[str, str]]) -> bytes:
    """The data of ``h``."""
    pairs = b", ".join(b"[%s, %s]" % (text_data(name), text_data(value)) for name, value in headers)
    return b'{"status": %d, "headers": [%s]}' % (status, pairs)


def read_data(data: bytes) -> bytes:
    """The data of ``r``: text, or base64 where the bytes are no whole UTF-8."""
    try:
        return text_data(data.decode())
    except UnicodeDecodeError:
        return b'["b64", "%s"]' % base64.b64encode(data)


def close_data(reason: str | None) -> bytes:
    """The data of ``x``."""
    return b"null" if reason is None else text_data(reason[:MOST_TEXT])


def text_data(text: str) -> bytes:
    """A JSON string. Half a surrogate pair, which is no text, becomes ``?``."""
    encoded = msgspec.json.encode(text.encode("utf-8", "replace").decode())
    if encoded.isascii() and b"\x7f" not in encoded:
        return encoded
    return INVISIBLE.sub(_escape, encoded.decode()).encode()


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def _number(seconds: float) -> str:
    if not 0 <= seconds <= MOST_SECONDS:
        raise ValueError(f"a time is {seconds}: expected seconds, 0 to {MOST_SECONDS:.0f}")
    shown = repr(seconds)
    if "e" in shown and float(f"{seconds:.6f}") == seconds:
        shown = f"{seconds:.6f}".rstrip("0")  # 0.00005 is read at a glance, 5e-05 is not
    return shown.removesuffix(".0")
