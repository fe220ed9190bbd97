"""The body of an error status, passed on as it comes. No I/O, no clock."""

from __future__ import annotations

from untorn.clients.body import Body
from untorn.events import StreamEvent


class ErrorBody(Body):
    """Where it tears or stalls, it ends: the status says that it is an error, and who reads it can
    do without the rest of the words."""

    def _feed(self, data: bytes, at: float) -> list[StreamEvent]:
        self.unsent.append(data)
        return super()._feed(data, at)
