"""Where a JSON text stands in the body, so that what is replaced goes where it came from."""

from __future__ import annotations

from msgspec import Struct

from untorn.capture.redaction.json_tree import Number, Text
from untorn.capture.redaction.literals import read_literal, write_literal


class Payload(Struct, gc=False):
    """One JSON text: as it was, and where it is being replaced."""

    data: bytes
    out: bytearray
    offset: int
    """Where ``data`` begins in ``out``."""

    def literal(self, node: Text) -> Literal:
        """The string at ``node``."""
        return Literal(self.data[node.start : node.end], self.out, self.offset + node.start)

    def number(self, node: Number) -> str:
        """The number at ``node``, as it was."""
        return self.data[node.start : node.end].decode("ascii")

    def write(self, start: int, replacement: bytes) -> None:
        """Replace as many bytes from ``start`` on."""
        at = self.offset + start
        self.out[at : at + len(replacement)] = replacement


class Literal(Struct, gc=False):
    """One JSON string of a payload."""

    raw: bytes
    """What stood between its quotes."""
    out: bytearray
    at: int

    @property
    def text(self) -> str:
        """What it said."""
        return read_literal(self.raw)

    def write(self, text: str) -> None:
        """Let it say ``text``, of the same shape."""
        written = write_literal(self.raw, text)
        self.out[self.at : self.at + len(written)] = written


def text_of(literals: list[Literal]) -> str:
    """What several strings said, joined."""
    return "".join([literal.text for literal in literals])


def write_all(literals: list[Literal], text: str) -> None:
    """Let several strings together say ``text``."""
    at = 0
    for literal in literals:
        length = len(literal.text)
        literal.write(text[at : at + length])
        at += length
