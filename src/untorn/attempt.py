"""One request of those that were made for one answer, and what came of it."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from untorn.readable import plain


class Attempt(Struct, frozen=True):
    """One request, in the order of asking. The last one is the answer that the completion holds."""

    target: str
    """The URL that was asked, without its query."""
    model: str
    """The model that was asked for."""
    status: int | None
    """The HTTP status; None if no response came."""
    outcome: str
    """The outcome of this request alone."""
    ending: str | None
    """How its bytes stopped; None while they come."""
    why: str
    """Both in one sentence."""
    said: bool
    """Whether a part of an answer came: it was generated, and perhaps has to be paid."""
    request_id: str | None = None
    """The provider's name for the request; None if it gave none."""
    usage: dict[str, Any] | None = None
    """The usage that this request reported, as in the report; None if it reported none."""
    waited: float = 0.0
    """Seconds of pause before it: what the server asked for, or chance."""

    def __str__(self) -> str:
        return f"{plain(self.target, 200)}, model {plain(self.model)}: {self.why}"
