"""What ``curl -i`` writes down of one response.

A dump is what ``curl -i`` prints: the heads of the response, then its body, decoded. Where a file
does not begin with a head, all of it is body, as ``curl -N`` prints it.
"""

from __future__ import annotations

import re

from untorn.capture.capture import RawHead

HEAD_LIMIT = 300 * 1024
"""Bytes of one head with its blank line; the most that curl itself takes. What is longer is no
head, so it is body."""

# RFC 9112, 4; HTTP/2 and HTTP/3 have no such line, and curl writes one without a minor version.
STATUS_LINE = re.compile(rb"HTTP/\d(?:\.\d)? (\d{3})(?: .*)?")
PREFIX = b"HTTP/"
BLANK = " \t\r"


class DumpReader:
    """Tells the head of a dump from its body, while the dump comes in reads.

    Several heads may follow each other: ``100 Continue``, a proxy's ``200 Connection
    established``, redirects. The last one belongs to the body. The parts that come back, joined,
    are the same for every cutting: at most one RawHead, before all bytes.
    """

    def __init__(self) -> None:
        self._held = bytearray()
        self._searched = 0  # no line end lies before this place that was not looked at
        self._line = 0  # where the line begins that is looked at
        self._head: RawHead | None = None
        self._in_body = False

    def receive_data(self, data: bytes) -> list[RawHead | bytes]:
        """The parts that are certain after this read."""
        if self._in_body:
            return [data] if data else []
        self._held += data
        while self._next_head():
            pass
        return self._begin_body() if self._in_body else []

    def receive_eof(self) -> list[RawHead | bytes]:
        """What was held. A head whose status line is whole stands, also if its end is missing;
        a line of it that has no end is dropped."""
        if self._in_body:
            return []
        if self._line:
            self._head = _read_lines(bytes(self._held[: self._line]))
            self._held.clear()
        return self._begin_body()

    def _next_head(self) -> bool:
        """Whether a whole head was taken from what is held; sets ``_in_body`` where none is."""
        held = self._held
        while (end := held.find(b"\n", self._searched, HEAD_LIMIT)) >= 0:
            line = held[self._line : end].removesuffix(b"\r")
            first = self._line == 0
            self._line = self._searched = end + 1
            if first and not STATUS_LINE.fullmatch(line):
                self._in_body = True
                return False
            if not line:
                self._head = _read_lines(bytes(held[:end]))
                del held[: end + 1]
                self._line = self._searched = 0
                return True
        self._searched = min(len(held), HEAD_LIMIT)
        self._in_body = len(held) >= HEAD_LIMIT or held[: len(PREFIX)] != PREFIX[: len(held)]
        return False

    def _begin_body(self) -> list[RawHead | bytes]:
        self._in_body = True
        rest = bytes(self._held)
        self._held.clear()
        parts: list[RawHead | bytes] = [] if self._head is None else [self._head]
        return [*parts, rest] if rest else parts


def _read_lines(text: bytes) -> RawHead:
    status_line, *lines = text.decode("latin-1").split("\n")
    headers: list[tuple[str, str]] = []
    for line in lines:
        name, colon, value = line.partition(":")
        if line[:1] in (" ", "\t") and headers:  # folded, RFC 9112, 5.2
            headers[-1] = (headers[-1][0], f"{headers[-1][1]} {line.strip(BLANK)}")
        elif colon:
            headers.append((name.strip(BLANK), value.strip(BLANK)))
    return RawHead(int(status_line.split()[1]), headers)
