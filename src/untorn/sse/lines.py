"""Bytes → lines: undecoded, whole lines only, however the bytes are cut into reads.

WHATWG, 9.2.5: LF, CR or CRLF ends a line, and one leading byte order mark is no part of it. They
are looked for before decoding: in UTF-8 no other character has a CR or LF byte in it.

A CR ends its line at once. If the next byte, perhaps of the next read, is LF, it belongs to the
CR. So nobody waits for a byte that may never come.
"""

from __future__ import annotations

from collections.abc import Callable

from untorn.options import Limits

Split = Callable[[bytes, bytes], tuple[list[bytes], bytes] | None]
"""What splits a read, which comes after the begin of a line."""

BOM = b"\xef\xbb\xbf"
CR = 13
LF = 10

# Together with more held bytes than this, a read gets a closer look, which counts the pieces.
MUCH = 256 * 1024
# An object costs Python about 40 bytes: a long line in tiny reads would weigh many times its size.
MOST_PIECES = 1024


class LineSplitter:
    """Feed in order, take the lines that come back; none means "not yet".

    Once a line is longer than ``limit`` bytes, ``exceeded`` is true: the lines before it were
    given, ``rest`` is its first ``limit`` bytes, and all later bytes are ignored.
    """

    __slots__ = (
        "_after_cr",
        "_at_start",
        "_held",
        "_limit",
        "_most",
        "_pieces",
        "_read",
        "exceeded",
        "offset",
        "start",
    )

    offset: int
    """The byte of the body at which the first line of the list given last begins; if that list
    was empty, the line now held. A byte order mark counts: the first line after it is at 3."""
    exceeded: bool
    """A line was longer than the limit."""

    def __init__(self, limit: int = Limits().line) -> None:
        self.offset = 0
        self.exceeded = False
        self._limit = limit
        # Held bytes and a read that are together more than _most get a closer look. It is -1 where
        # the first bytes of the next read may be a byte order mark, or the LF of a CRLF.
        self._most = -1
        self._at_start = True
        self._after_cr = False
        self.start = 0
        """Where the line held begins. Who reads one whole event past the splitter moves it."""
        self._pieces: list[bytes | bytearray] = []  # joined only when the line ends
        self._held = 0  # the length of all pieces
        self._read = b""

    def receive_data(self, data: bytes) -> list[bytes]:
        """The lines that ended in this read, without their ends."""
        size = self._held + len(data)
        if size > self._most:
            return self._look_closer(data)
        self._read = data
        self.offset = self.start
        # bytes find an int several times as fast as other bytes.
        lines = self._split_at_any_end(data) if CR in data else data.split(b"\n")
        rest = lines.pop()
        if lines:
            if self._held:
                self._pieces.append(lines[0])
                lines[0] = b"".join(self._pieces)
                self._pieces.clear()
            self._held = len(rest)
            self.start += size - self._held
        else:
            self._held = size
        if rest:
            self._pieces.append(rest)
        return lines

    def let_split(self, split: Split, data: bytes) -> list[bytes] | None:
        """Have a read split by somebody else, who gives what he made of its lines, and the line
        that has no end yet; None, and nothing taken, if he does not want it.

        Nor is it where a byte order mark, the LF of a CRLF or the limit has to be looked for, or
        where more is held than has come: to join that again and again would not be linear.
        """
        held, size = self._held, len(data)
        if not held <= size <= self._most - held:
            return None
        parts = split(b"".join(self._pieces) if held else b"", data)
        if parts is None:
            return None
        made, rest = parts
        self._read = data
        self.offset = self.start
        self._held = len(rest)
        self.start += held + size - self._held
        self._pieces = [rest] if rest else []
        return made

    def forget_read(self) -> None:
        """Nobody will ask any more for the offsets of the lines given last."""
        self._read = b""

    @property
    def is_between_lines(self) -> bool:
        """Whether the next byte begins a line, whatever it is."""
        return not (self._held or self._at_start or self._after_cr or self.exceeded)

    def receive_eof(self) -> list[bytes]:
        """The last line, if the body did not end with a line end; else nothing."""
        if self._at_start:
            self._begin(self._take_held())
        self._read = b""
        self.offset = self.start
        if self.exceeded or not self._held:
            return []
        self.start += self._held
        return [self._take_held()]

    @property
    def held(self) -> int:
        """How many bytes ``rest`` is long."""
        return self._held

    @property
    def rest(self) -> bytes:
        """The line that has no end yet. A leading byte order mark is no part of it."""
        return b"".join(self._pieces)

    def line_offset(self, number: int) -> int:
        """Where line ``number`` of the list given last begins. It costs a walk over that read."""
        if number == 0:
            return self.offset
        if CR not in self._read:
            return self.start + self._held - len(self._read.split(b"\n", number)[number])
        return self._read_offset() + sum(map(len, self._read.splitlines(True)[:number]))

    def line_offsets(self) -> list[int]:
        """Where each line of the list given last begins, and then the line now held.

        It costs one walk, where ``line_offset`` for each would cost as many. After the end no line
        is held.
        """
        offsets = [self.offset]
        offset = self._read_offset()
        pieces = self._read.splitlines(True)
        for piece in pieces[:-1] if self._held else pieces:
            offset += len(piece)
            offsets.append(offset)
        return offsets

    def _split_at_any_end(self, data: bytes) -> list[bytes]:
        lines = data.splitlines()  # of bytes: at CR, LF and CRLF only, unlike those of str
        if data[-1] == CR:
            self._after_cr = True
            self._most = -1
            lines.append(b"")
        elif data[-1] == LF:
            lines.append(b"")
        return lines

    def _look_closer(self, data: bytes) -> list[bytes]:
        if not data or self.exceeded:
            self._read = b""
            self.offset = self.start
            return []
        if self._at_start:
            return self._receive_start(data)
        if self._after_cr:
            return self._receive_after_cr(data)
        return self._receive_much(data)

    def _receive_start(self, data: bytes) -> list[bytes]:
        data = self._take_held() + data
        if len(data) < len(BOM) and BOM.startswith(data):
            self._pieces.append(data)
            self._held = len(data)
            return []
        if data.startswith(BOM):
            self.start = len(BOM)
            data = data[len(BOM) :]
        return self._begin(data)

    def _begin(self, data: bytes) -> list[bytes]:
        self._at_start = False
        return self.receive_data(data)

    def _receive_after_cr(self, data: bytes) -> list[bytes]:
        self._after_cr = False
        if data[0] == LF:
            self.start += 1
            data = data[1:]
        return self.receive_data(data)

    def _receive_much(self, data: bytes) -> list[bytes]:
        if len(self._pieces) > MOST_PIECES:
            merge_pieces(self._pieces, b"")
        size = self._held + len(data)
        self._most = size
        lines = self.receive_data(data)
        self._most = -1 if self._after_cr else min(self._limit, MUCH)
        if size > self._limit:
            self._apply_limit(lines)
        return lines

    def _apply_limit(self, lines: list[bytes]) -> None:
        number = next((n for n, line in enumerate(lines) if len(line) > self._limit), len(lines))
        if number == len(lines) and self._held <= self._limit:
            return
        line = lines[number] if number < len(lines) else self.rest
        # As much is held now as may be: not one byte more comes past the closer look.
        read_offset = self._read_offset()
        self.start = self.line_offset(number)
        self._pieces = [line[: self._limit]]
        self._held = self._limit
        self._read = self._read[: self.start + self._held - read_offset]
        del lines[number:]
        self.exceeded = True

    def _read_offset(self) -> int:
        return self.start + self._held - len(self._read)

    def _take_held(self) -> bytes:
        held = self.rest
        self._pieces.clear()
        self._held = 0
        return held


def merge_pieces(pieces: list[bytes | bytearray], between: bytes) -> None:
    """Make one piece of many. A bytearray grows in place, so doing it again stays linear."""
    first, *more = pieces
    merged = first if isinstance(first, bytearray) else bytearray(first)
    merged += between
    merged += between.join(more)
    pieces[:] = [merged]
