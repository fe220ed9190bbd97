"""A reply and a pace → what to send when, as bytes on the wire."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import cycle
from typing import NamedTuple

from msgspec import Struct

from untorn.head import MONTHS
from untorn.replay.reply import NEVER, Reply

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
BODY_END = b"0\r\n\r\n"
"""The end mark of the chunked coding (RFC 9112, 7.1)."""


class Pace(Struct, frozen=True):
    """How fast the reads of a reply follow each other. Stalls stay stalls at every pace."""

    speed: float = 1.0
    """1.0: as recorded; 2.0: twice as fast; infinity: at once."""
    least: float = 0.0
    """Seconds that two sends are apart at least. TCP is a stream of bytes, so nothing can keep
    two reads apart for sure; a client that reads at once gets them one by one if there is time
    between them."""

    def __post_init__(self) -> None:
        if not self.speed > 0:
            raise ValueError(f"a pace of {self.speed}: expected more than 0")

    def wait(self, interval: float) -> float:
        """Seconds to wait in place of the recorded ``interval``."""
        return NEVER if interval == NEVER else max(self.least, interval / self.speed)


AS_RECORDED = Pace()
AT_ONCE = Pace(math.inf)


class Step(NamedTuple):
    """One send."""

    wait: float
    """Seconds after the step before it."""
    data: bytes
    """What goes on the wire; empty where there is only a wait."""
    body_bytes: int = 0
    """How many bytes of the body are in it."""


def schedule(
    reply: Reply, pace: Pace, now: float, phrase: str = "", *, keep_alive: bool = True
) -> Iterator[Step]:
    """All that is sent for a reply, in order. ``now`` is the Unix time, for dates in the head;
    ``phrase`` the status in words; without ``keep_alive`` the head says so.
    """
    head = head_of(reply, now, phrase, keep_alive=keep_alive)
    yield Step(pace.wait(reply.wait), head[: reply.head_bytes])
    for read in reply.reads:
        yield Step(pace.wait(read.interval), _frame(reply, read.data), len(read.data))
    for read in cycle(reply.repeat):
        yield Step(pace.wait(read.interval), _frame(reply, read.data), len(read.data))
    is_marked = reply.framing == "chunked" and reply.end == "whole"
    yield Step(pace.wait(reply.pause), reply.stray + (BODY_END if is_marked else b""))


def head_of(reply: Reply, now: float, phrase: str = "", *, keep_alive: bool = True) -> bytes:
    """The head, with the blank line."""
    headers = [("Date", http_date(now)), *reply.headers]
    if reply.retry_at is not None:
        headers.append(("Retry-After", http_date(now + reply.retry_at)))
    if reply.framing == "chunked":
        headers.append(("Transfer-Encoding", "chunked"))
    elif reply.framing == "content-length":
        length = len(reply.body) if reply.content_length is None else reply.content_length
        headers.append(("Content-Length", str(length)))
    if not keep_alive:
        headers.append(("Connection", "close"))
    lines = [f"HTTP/1.1 {reply.status} {phrase}", *(f"{name}: {value}" for name, value in headers)]
    return "".join(f"{line}\r\n" for line in [*lines, ""]).encode("latin-1")


def _frame(reply: Reply, data: bytes) -> bytes:
    # In the chunked coding a piece of no bytes is the end mark.
    if reply.framing == "chunked" and data:
        return b"%x\r\n%b\r\n" % (len(data), data)
    return data


def http_date(seconds: float) -> str:
    """A Unix time as HTTP writes it (RFC 9110, 5.6.7)."""
    # Here, because email.utils imports sockets, and strftime speaks the user's language.
    date = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=int(seconds))
    return (
        f"{WEEKDAYS[date.weekday()]}, {date.day:02} {MONTHS[date.month - 1]} {date.year:04} "
        f"{date.hour:02}:{date.minute:02}:{date.second:02} GMT"
    )
