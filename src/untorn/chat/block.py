"""Lines that are kept until it is clear what they are: the data of an event, or a body's begin."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import NamedTuple


class KeptLine(NamedTuple):
    """One line of a block."""

    line: bytes
    """Undecoded, whole."""
    place: int
    """Its number in the list being read, or ``-1 - offset`` if it came in an earlier one."""
    is_error: bool
    """Whether it is in an event named ``error``."""


class Block:
    """Lines, kept in three plain columns: a million short lines cost what their bytes cost."""

    __slots__ = ("_errors", "_places", "_lines", "size")

    def __init__(self) -> None:
        self._lines: list[bytes] = []
        self._places = array("q")
        self._errors = bytearray()
        self.size = 0
        """Bytes of all lines, one more for each end."""

    def __len__(self) -> int:
        return len(self._lines)

    def __iter__(self) -> Iterator[KeptLine]:
        return map(KeptLine, self._lines, self._places, map(bool, self._errors))

    def add(self, line: bytes, place: int, *, is_error: bool = False) -> None:
        """Keep a line."""
        self._lines.append(line)
        self._places.append(place)
        self._errors.append(is_error)
        self.size += len(line) + 1

    @property
    def place(self) -> int:
        """Where the first line is."""
        return self._places[0]

    @property
    def lines(self) -> list[bytes]:
        """The lines."""
        return self._lines

    @property
    def has_errors(self) -> bool:
        """Whether any line is in an event named ``error``."""
        return 1 in self._errors

    @property
    def joined(self) -> bytes:
        """The lines, joined by LF."""
        return b"\n".join(self._lines)

    def carry(self, offsets: list[int]) -> None:
        """The list is done with: say where its lines are by their byte offsets."""
        position = len(self._places)
        # The lines of the list being read are the last ones.
        while position and self._places[position - 1] >= 0:
            position -= 1
            self._places[position] = -1 - offsets[self._places[position]]

    def needs_carrying(self) -> bool:
        """Whether any line came in the list being read."""
        return bool(self._places) and self._places[-1] >= 0


NO_LINES = Block()
"""Stands for every block without a line, as there is mostly none between events. Nobody adds to
it: streams share it."""
