"""Reads → the lines between two blank lines, kept to be passed on. No I/O."""

from __future__ import annotations

import re
from collections.abc import Iterator

from untorn.options import MIB

_USUAL_EVENT = re.compile(rb"data: [^\r\n]*+\n\n")
_LINE = re.compile(rb"[^\r\n]*+(?:\r\n|\n|\r)")
_BARE = (b"{", b"[")
LONGEST = MIB
"""A block of more bytes is not kept: what it tells is written anew."""


class Block:
    """The lines since the last blank line. Where the reads are cut makes no difference.

    It takes pieces that end where a line ends, or a read. A CR ends a line at once, as
    everywhere; an LF that comes after it, in the next read, is put to it.
    """

    __slots__ = ("_after_cr", "_in_line", "_lines", "_part", "_size", "is_at_rest")

    def __init__(self) -> None:
        self._after_cr = False
        self._begin()

    def _begin(self) -> None:
        self._lines: list[bytes] = []
        self._part: list[bytes] = []
        self._in_line = False
        self._size = 0
        self.is_at_rest = not self._after_cr
        """Whether nothing is open: a whole event may be taken past it."""

    def add(self, piece: bytes) -> bool:
        """Take a piece; whether it was a blank line, and the block has ended."""
        if piece == b"\n" and self._after_cr and not self._in_line:
            self._add_to_cr()
            return False
        self.is_at_rest = False
        self._size += len(piece)
        self._after_cr = piece.endswith(b"\r")
        ends_line = self._after_cr or piece.endswith(b"\n")
        is_blank = ends_line and not self._in_line and len(piece.strip(b"\r\n")) == 0
        self._in_line = not ends_line
        if self._size > LONGEST:
            self._lines, self._part = [], []
        else:
            self._part.append(piece)
            if ends_line:
                self._lines.append(b"".join(self._part))
                self._part = []
        return is_blank

    def _add_to_cr(self) -> None:
        self._after_cr = False
        if self._lines:
            self._lines[-1] += b"\n"
        if self._size:
            self._size += 1
        else:
            self.is_at_rest = True

    def take(self) -> bytes:
        """All of it, and begin anew; nothing if it was too long."""
        taken = b"" if self._size > LONGEST else b"".join([*self._lines, *self._part])
        self._begin()
        # The LF of its last CR may be in the next read.
        return taken + b"\n" if taken.endswith(b"\n\r") else taken

    def take_told(self) -> bytes:
        """What was told before the blank line came, as an event. A bare line is told when it is
        whole, any other when the next one is."""
        lines, is_too_long = self._lines, self._size > LONGEST
        self._begin()
        if is_too_long or not lines:
            return b""
        last = lines.pop()
        if last.startswith(_BARE):
            return b"data: " + last.rstrip(b"\r\n") + b"\n\n"
        self._lines, self._size, self.is_at_rest = [last], len(last), False
        return b"".join(lines).rstrip(b"\r\n") + b"\n\n"


def pieces_of(data: bytes, block: Block) -> Iterator[bytes]:
    """A read in pieces for ``block``: usual events, where it is at rest; lines; and what is left
    of a line."""
    start = 0
    while start < len(data):
        match = _USUAL_EVENT.match(data, start) if block.is_at_rest else None
        match = match or _LINE.match(data, start)
        if match is None:
            yield data[start:]
            return
        yield match[0]
        start = match.end()
