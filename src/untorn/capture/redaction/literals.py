"""JSON strings in place: what one says, and the same string saying something else.

What is escaped stays escaped, so a string stays as long as it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# A surrogate pair, one UTF-16 unit, or another escape.
_ESCAPE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.", re.DOTALL
)
_CONTROLS = {b"b": "\b", b"f": "\f", b"n": "\n", b"r": "\r", b"t": "\t"}


def read_literal(raw: bytes) -> str:
    """What stands between the quotes. A byte that is no UTF-8 counts as a character of its own,
    half a surrogate pair alone, too."""
    if b"\\" not in raw:
        return raw.decode("utf-8", "surrogateescape")
    return "".join(map(_text_of, _pieces(raw)))


def write_literal(raw: bytes, text: str) -> bytes:
    """``raw`` saying ``text``, which has as many characters, each of as many bytes."""
    if b"\\" not in raw:
        return text.encode("utf-8", "surrogateescape")
    written: list[bytes] = []
    at = 0
    for piece in _pieces(raw):
        before = _text_of(piece)
        after = text[at : at + len(before)]
        at += len(before)
        written.append(piece if after == before else _written(piece, after))
    return b"".join(written)


def _pieces(raw: bytes) -> Iterator[bytes]:
    """The escapes, each alone, and what is between them."""
    at = 0
    for escape in _ESCAPE.finditer(raw):
        if escape.start() > at:
            yield raw[at : escape.start()]
        yield escape[0]
        at = escape.end()
    if at < len(raw):
        yield raw[at:]


def _text_of(piece: bytes) -> str:
    if piece[:1] != b"\\" or len(piece) == 1:
        return piece.decode("utf-8", "surrogateescape")
    if len(piece) == 2:
        return _CONTROLS.get(piece[1:], piece[1:].decode("latin-1"))
    units = bytes.fromhex(piece.replace(b"\\u", b"").decode("ascii"))
    return units.decode("utf-16-be", "surrogatepass")


def _written(piece: bytes, text: str) -> bytes:
    if piece[:1] != b"\\" or len(piece) == 1:
        return text.encode("utf-8", "surrogateescape")
    if len(piece) == 2:
        return piece
    units = text.encode("utf-16-be", "surrogatepass")
    return b"".join(b"\\u%02x%02x" % (units[at], units[at + 1]) for at in range(0, len(units), 2))
