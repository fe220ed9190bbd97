"""Bytes → payloads, the fast way: a read of nothing but usual events is split at once.

A usual event is one line ``data: {...``, and a blank one after it. Between the payloads of two
stands the same text, so that one split gives what lines and framing would; what else there may be,
has an LF or a CR more, or is no object, and is left to them.
"""

from __future__ import annotations

from untorn.options import KIB
from untorn.sse.lines import CR, LF

FIELD = b"data: "
BETWEEN = b"\n\n" + FIELD

ENOUGH = 2 * KIB
"""In shorter reads there are too few events for it."""


def split_usual(begin: bytes, data: bytes) -> tuple[list[bytes], bytes] | None:
    """The payloads in a read, and the begin of the line that it cuts; None if there is anything
    else in it. ``begin`` is that of the line that the read before cut, the first of its event."""
    if CR in data:
        return None
    whole = begin + data
    payloads = whole.split(BETWEEN)
    if payloads[0][: len(FIELD)] != FIELD:
        return None
    payloads[0] = payloads[0][len(FIELD) :]
    rest = b""
    if whole[-2:] == b"\n\n":
        payloads[-1] = payloads[-1][:-2]
    else:
        rest = FIELD + payloads.pop()
        if LF in rest:
            return None
    for payload in payloads:
        # What is no object mostly begins with less than a brace, and the rest is read alike.
        if payload < b"{" or LF in payload:
            return None
    return payloads, rest
