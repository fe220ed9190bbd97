"""The body of an error status, passed on as it comes. No I/O, no clock."""

from __future__ import annotations

from untorn.events import StreamEvent
from untorn.options import Clocks, Options
from untorn.reading import Reading


class ErrorBody(Reading):
    """A Reading of such a body. Where it tears or stalls, it ends: the status says that it is an
    error, and who reads it can do without the rest of the words."""

    failure: None = None
    """See Repair."""

    def __init__(self, options: Options, clocks: Clocks) -> None:
        super().__init__(options, clocks, (), None)
        self._unsent: list[bytes] = []

    def take(self) -> bytes:
        """See Repair."""
        unsent, self._unsent = self._unsent, []
        return b"".join(unsent)

    def _feed(self, data: bytes, at: float) -> list[StreamEvent]:
        self._unsent.append(data)
        return super()._feed(data, at)
