"""What a server does about one request: its head, the reads of the body, and how it ends."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from untorn.capture import Capture, Close, Read
from untorn.head import EVENT_STREAM

NEVER = math.inf
"""A wait that ends only with the connection: a stall."""

Framing = Literal["chunked", "close", "content-length"]
"""How the body's end is marked (RFC 9112, 6.3): by a mark after it, by the end of the
connection, or by a count in the head."""

End = Literal["whole", "fin", "reset"]
"""How a reply ends: as its framing says, or without that by FIN, or by RST."""

# What belongs to one connection, or to one way of sending, and not to what was sent.
_OF_THE_CONNECTION = frozenset(
    "connection content-encoding content-length date keep-alive transfer-encoding".split()
)

MOMENT = 0.05
"""Seconds before a connection breaks: some HTTP libraries then throw away what they hold, so a
reader gets a moment to take it."""


class Reply(Struct, frozen=True, kw_only=True):
    """What a server does about one request. All waits are seconds, and may be ``NEVER``."""

    status: int = 200
    """The HTTP status."""
    headers: Sequence[tuple[str, str]] = (("Content-Type", EVENT_STREAM),)
    """Names and values; Date and the framing's own are added."""
    reads: Sequence[Read] = ()
    """The body, in the pieces in which it is sent, each after its interval."""
    repeat: Sequence[Read] = ()
    """What is sent after the reads again and again, until the client closes."""
    framing: Framing = "chunked"
    """How the body's end is marked."""
    content_length: int | None = None
    """What Content-Length says where the framing has one; None: as many bytes as are sent."""
    retry_at: float | None = None
    """Seconds from now to the date in Retry-After; None: no such date is sent."""
    wait: float = 0.0
    """The wait before the head."""
    pause: float = 0.0
    """The wait after the last read, before the end."""
    head_bytes: int | None = None
    """How much of the head is sent; None: all of it."""
    stray: bytes = b""
    """Bytes that are sent after the reads as they are, without framing."""
    end: End = "whole"
    """How it ends."""

    @property
    def body(self) -> bytes:
        """All bytes of the reads."""
        return b"".join(read.data for read in self.reads)


def reply_of(capture: Capture) -> Reply:
    """What was recorded, to be sent again. A recorded failure becomes a FIN in the middle."""
    reads: list[Read] = []
    passed = 0.0
    failed = True
    for event in capture.events:
        passed += event.interval
        if isinstance(event, Read):
            reads.append(Read(passed, event.data))
            passed = 0.0
        elif isinstance(event, Close):
            failed = event.reason is not None
    kept = [pair for pair in capture.headers if pair[0].lower() not in _OF_THE_CONNECTION]
    default = () if capture.status is not None else (("Content-Type", EVENT_STREAM),)
    return Reply(
        status=200 if capture.status is None else capture.status,
        headers=(*kept, *default),
        reads=tuple(reads),
        wait=capture.head_interval,
        pause=max(passed, MOMENT) if failed else passed,
        end="fin" if failed else "whole",
    )
