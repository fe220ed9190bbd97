"""What can happen to a body on its way: reads → reads.

Each function takes the reads of a body and gives those that arrive in their place; the edges of
reads stay where they were, unless moving them is the fault. They can be applied one after the
other. ValueError is raised for a fault that would do nothing: at a place outside the body, or to a
``[DONE]`` that is not there.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence

from msgspec import structs

from untorn.capture import Read
from untorn.sse.lines import BOM

Reads = Sequence[Read]

COMMENT = b": keep-alive\n\n"
GZIP_WBITS = 31  # zlib's way to say: with the head and the end of gzip

# Two line ends, and not the two characters of one.
_BLANK_LINE = re.compile(rb"(?:\r\n|\n|\r(?!\n)){2}")
_DONE_EVENT = re.compile(rb"data: ?\[DONE\][\r\n]*")


def body(reads: Reads) -> bytes:
    """All bytes of the reads."""
    return b"".join([read.data for read in reads])


def find(reads: Reads, what: bytes) -> int:
    """Where the first ``what`` begins."""
    place = body(reads).find(what)
    if place < 0:
        raise ValueError(f"the body does not hold {what!r}")
    return place


# Where it stops -------------------------------------------------------------------------------


def cut(reads: Reads, *, at: int | None = None, percent: float | None = None) -> list[Read]:
    """The first ``at`` bytes (a negative number is counted from the end), or so many percent."""
    length = len(body(reads))
    if at is None and percent is not None:
        at = int(length * percent / 100)
    elif at is None or percent is not None:
        raise ValueError("expected either at= (a byte) or percent=")
    return _splice(reads, _place(at, length, length), length, b"")


def cut_in(reads: Reads, what: bytes, *, keep: int = 0) -> list[Read]:
    """What comes before the first ``what``, and the first ``keep`` bytes of that."""
    return cut(reads, at=find(reads, what) + keep)


# In which pieces, and when --------------------------------------------------------------------


def merge(reads: Reads) -> list[Read]:
    """All in one read, which comes when the last one came."""
    return [Read(sum(read.interval for read in reads), body(reads))] if reads else []


def slices(reads: Reads, size: int, *, interval: float = 0.0) -> list[Read]:
    """In reads of ``size`` bytes, each ``interval`` seconds after the one before."""
    if size < 1:
        raise ValueError(f"reads of {size} bytes: expected 1 or more")
    whole = body(reads)
    return [Read(interval, whole[at : at + size]) for at in range(0, len(whole), size)]


def delay(reads: Reads, seconds: float) -> list[Read]:
    """Each read comes so many seconds later after the one before it."""
    return [structs.replace(read, interval=read.interval + seconds) for read in reads]


# What is wrong in it --------------------------------------------------------------------------


def garble(reads: Reads, at: int, *, to: int | None = None) -> list[Read]:
    """The byte at ``at`` (a negative number is counted from the end) becomes the byte ``to``, or
    its own with all bits turned: no ASCII any more, and seldom UTF-8."""
    whole = body(reads)
    place = _place(at, len(whole), len(whole) - 1)
    return _splice(reads, place, place + 1, bytes([whole[place] ^ 0xFF if to is None else to]))


def replace(reads: Reads, old: bytes, new: bytes) -> list[Read]:
    """The first ``old`` becomes ``new``."""
    place = find(reads, old)
    return _splice(reads, place, place + len(old), new)


def drop_done(reads: Reads) -> list[Read]:
    """Without ``[DONE]``."""
    return _splice(reads, *_done(reads), b"")


def double_done(reads: Reads) -> list[Read]:
    """With ``[DONE]`` twice."""
    start, end = _done(reads)
    return _splice(reads, end, end, body(reads)[start:end])


def double_event(reads: Reads, number: int) -> list[Read]:
    """The event with this number, from 0, comes twice."""
    whole = body(reads)
    ends = [0, *(found.end() for found in _BLANK_LINE.finditer(whole))]
    if not 0 <= number < len(ends) - 1:
        raise ValueError(f"event {number} is not in the body, which has {len(ends) - 1}")
    start, end = ends[number : number + 2]
    return _splice(reads, end, end, whole[start:end])


def heartbeats(reads: Reads, *, interval: float = 0.0, data: bytes = COMMENT) -> list[Read]:
    """A heartbeat before each read that begins with an event, which then comes ``interval``
    seconds after it."""
    beaten: list[Read] = []
    before = b"\n\n"
    for read in reads:
        if _BLANK_LINE.fullmatch(before[-2:]) or _BLANK_LINE.fullmatch(before[-4:]):
            beaten.append(Read(read.interval, data))
            beaten.append(Read(interval, read.data))
        else:
            beaten.append(read)
        before = (before + read.data)[-4:]
    return beaten


# Other bytes for the same ---------------------------------------------------------------------


def with_line_ends(reads: Reads, end: bytes) -> list[Read]:
    """Each line feed becomes ``end``: CR, or CR and LF."""
    return [structs.replace(read, data=read.data.replace(b"\n", end)) for read in reads]


def with_bom(reads: Reads) -> list[Read]:
    """A byte order mark comes first."""
    return _splice(reads, 0, 0, BOM)


def compress(reads: Reads) -> list[Read]:
    """As gzip; each read can be decompressed when it has come."""
    gzip = zlib.compressobj(wbits=GZIP_WBITS)
    pieces = [gzip.compress(read.data) + gzip.flush(zlib.Z_SYNC_FLUSH) for read in reads]
    pieces.append(gzip.flush())
    intervals = [*(read.interval for read in reads), 0.0]
    return [Read(interval, data) for interval, data in zip(intervals, pieces, strict=True)]


# Places ---------------------------------------------------------------------------------------


def _place(at: int, length: int, last: int) -> int:
    place = at if at >= 0 else length + at
    if not 0 <= place <= last:
        raise ValueError(f"byte {at} is not in the body, which has {length}")
    return place


def _done(reads: Reads) -> tuple[int, int]:
    found = _DONE_EVENT.search(body(reads))
    if found is None:
        raise ValueError("the body has no [DONE]")
    return found.span()


def _splice(reads: Reads, start: int, end: int, new: bytes) -> list[Read]:
    """The bytes from ``start`` to ``end`` become ``new``, in the read that held the first of them;
    where there are none, in that of the byte before. A read that has become empty is gone."""
    anchor = start if end > start else max(0, start - 1)
    spliced: list[Read] = []
    waited, low = 0.0, 0
    for read in reads:
        high = low + len(read.data)
        middle = new if low <= anchor < high else b""
        data = read.data[: max(0, start - low)] + middle + read.data[max(0, end - low) :]
        waited, low = waited + read.interval, high
        if data:
            spliced.append(Read(waited, data))
            waited = 0.0
    return spliced
