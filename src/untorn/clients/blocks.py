"""Reads → the lines between two blank lines, kept to be passed on. No I/O."""

from __future__ import annotations

import re
from collections.abc import Iterator

from untorn.options import MIB, Limits
from untorn.sse.lines import BOM

_USUAL_EVENT = re.compile(rb"data: [^\r\n]*+\n\n")
# They say nothing, and may come by the million.
_COMMENTS_AND_BLANK_LINES = re.compile(rb"(?:(?::[^\r\n]*+)?+(?:\r\n|\n|\r))++")
_LINE = re.compile(rb"[^\r\n]*+(?:\r\n|\n|\r)")
_BARE = (b"{", b"[")
_DATA = b"data:"
FRAME = MIB
"""Bytes that a block may have beside its data: other fields, comments, the names of fields."""


class Block:
    """The lines since the last blank line, without comments before them. Where the reads are cut
    makes no difference.

    It takes pieces that end where a line ends, or a read. A CR ends a line at once, as
    everywhere; an LF that comes after it, in the next read, is put to it. What is over the limits
    is not kept: comments have none of their own.
    """

    __slots__ = (
        "_after_cr",
        "_has_bare",
        "_in_line",
        "_lines",
        "_most",
        "_part",
        "_size",
        "is_at_rest",
    )

    def __init__(self, limits: Limits) -> None:
        self._most = (limits.event + FRAME, limits.lines)
        self._after_cr = False
        # What begins with bare lines may be told late, within an event that looks usual.
        self._has_bare = False
        self._begin()

    def _begin(self) -> None:
        self._lines: list[bytes] | None = []  # None: it is over the limits
        self._part = bytearray()
        self._in_line = False
        self._size = 0
        self.is_at_rest = not self._has_bare
        """Whether nothing is open: what ends with a blank line may be taken past it."""

    def add(self, piece: bytes) -> bool:
        """Take a piece; whether it was a blank line, and the block has ended."""
        if piece == b"\n" and self._after_cr and not self._in_line:
            self._add_to_cr()
            return False
        self.is_at_rest = False
        self._after_cr = piece.endswith(b"\r")
        ends_line = self._after_cr or piece.endswith(b"\n")
        is_blank = ends_line and not self._in_line and len(piece.strip(b"\r\n")) == 0
        self._in_line = not ends_line
        self._keep(piece, ends_line)
        return is_blank

    def _keep(self, piece: bytes, ends_line: bool) -> None:
        most_bytes, most_lines = self._most
        self._size += len(piece)
        lines = self._lines
        if lines is None:
            return
        if self._size > most_bytes or len(lines) > most_lines:
            self._lines = None
            self._part.clear()
            return
        self._part += piece
        if ends_line:
            line = bytes(self._part)
            self._part.clear()
            if not lines and line.startswith(b":"):
                self._begin()  # comments before an event are no part of it
                return
            lines.append(line)
            self._has_bare = self._has_bare or line.lstrip(BOM + b" \t").startswith(_BARE)

    def _add_to_cr(self) -> None:
        self._after_cr = False
        if self._lines:
            self._lines[-1] += b"\n"
        if self._size:
            self._size += 1

    def take(self) -> bytes:
        """All of it, and begin anew; nothing if it was over the limits."""
        lines, part = self._lines, self._part
        self._begin()
        if lines is None:
            return b""
        taken = b"".join([*lines, part])
        # The LF of its last CR may be in the next read.
        return taken + b"\n" if taken.endswith(b"\n\r") else taken

    @property
    def data_before(self) -> bytes:
        """The data line before a last line that is one as well, and not blank; nothing where there
        is none."""
        lines = self._lines or []
        if len(lines) < 2 or self._in_line or not lines[-1].startswith(_DATA):
            return b""
        is_first = lines[-2].startswith(_DATA) and lines[-1][len(_DATA) :].strip()
        return lines[-2] if is_first else b""

    def take_told(self) -> bytes:
        """What was told before the blank line came, as an event. A bare line is told when it is
        whole, any other when the next one is."""
        lines = self._lines
        self._begin()
        if not lines:
            return b""
        last = lines.pop()
        if last.startswith(_BARE):
            return b"data: " + last.rstrip(b"\r\n") + b"\n\n"
        self._lines, self._size, self.is_at_rest = [last], len(last), False
        return b"".join(lines).rstrip(b"\r\n") + b"\n\n"


def pieces_of(data: bytes, block: Block) -> Iterator[bytes]:
    """A read in pieces for ``block``: lines, and what is left of one; where it is at rest also
    usual events and silence, which are not for it."""
    start = 0
    while start < len(data):
        match = None
        if block.is_at_rest:
            match = _USUAL_EVENT.match(data, start) or _COMMENTS_AND_BLANK_LINES.match(data, start)
        match = match or _LINE.match(data, start)
        if match is None:
            yield data[start:]
            return
        yield match[0]
        start = match.end()


def is_silence(piece: bytes) -> bool:
    """Whether a piece that came at rest says nothing, and leaves the block there."""
    return piece.startswith((b":", b"\r", b"\n")) and piece.endswith((b"\r", b"\n"))
