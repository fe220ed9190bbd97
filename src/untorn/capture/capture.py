"""One recorded response: its head, the reads of its body, and when they came."""

from __future__ import annotations

from msgspec import Struct

INTERRUPTED = "the recording was interrupted"
"""What is said of an end that nobody saw."""


class RawHead(Struct, frozen=True):
    """The head of a response as it was written down."""

    status: int
    """The HTTP status."""
    headers: list[tuple[str, str]]
    """Names and values in their order, read as Latin-1 (RFC 9110, 5.5)."""
    interval: float = 0.0
    """Seconds from the beginning of the capture; 0.0 where that is not known."""


class Read(Struct, frozen=True):
    """One arrival of bytes."""

    interval: float
    """Seconds since the event before it (the head, too, is one); 0.0 where that is not known."""
    data: bytes
    """At least one byte of the body, as the HTTP library gave it: the transfer coding is undone,
    and the content coding, if there was one, where the library does that."""


class Marker(Struct, frozen=True):
    """A place that somebody wanted to find again. No part of the response."""

    interval: float
    """Seconds since the event before it."""
    label: str
    """For people."""


class Close(Struct, frozen=True):
    """How the body ended. A capture without one was interrupted: nobody saw the end."""

    interval: float
    """Seconds since the event before it."""
    reason: str | None = None
    """What failed, for people; None for a clean end."""


class Capture(Struct, frozen=True, kw_only=True):
    """One recorded response. Without intervals, all of them are 0.0."""

    status: int | None = None
    """The HTTP status; None where no head was recorded."""
    headers: list[tuple[str, str]] = []
    """Names and values of the headers, in their order."""
    events: list[Read | Marker | Close] = []
    """What happened after the head. Close, where there is one, is the last."""
    head_interval: float = 0.0
    """Seconds from the beginning of the capture to the head."""
    started: float | None = None
    """The Unix time of the beginning; None where nobody wrote it down."""

    @property
    def reads(self) -> list[Read]:
        """The reads alone."""
        return [event for event in self.events if isinstance(event, Read)]

    @property
    def body(self) -> bytes:
        """All bytes of the body."""
        return b"".join(read.data for read in self.reads)

    @property
    def close(self) -> Close | None:
        """How the body ended; None where nobody saw it."""
        last = self.events[-1] if self.events else None
        return last if isinstance(last, Close) else None

    @property
    def is_timed(self) -> bool:
        """Whether it says when its events came."""
        return self.head_interval > 0 or any(event.interval > 0 for event in self.events)


CaptureEvent = RawHead | Read | Marker | Close
"""What a capture is told in: the head, where there is one, comes first."""


def to_sse(capture: Capture) -> bytes:
    """The body of a capture alone, as ``curl -N`` prints it."""
    return capture.body
