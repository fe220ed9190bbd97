"""Before the first byte: status and headers, and what kind of body they promise."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct

from untorn.readable import plain

EVENT_STREAM = "text/event-stream"

Headers = (
    Mapping[str, str]
    | Mapping[bytes, bytes]
    | Iterable[tuple[str, str]]
    | Iterable[tuple[bytes, bytes]]
)


class Head(Struct, frozen=True):
    """What the head of a response said that matters for reading its body."""

    status: int
    """The HTTP status."""
    content_type: str | None = None
    """The Content-Type as sent; None where the header was absent."""
    request_id: str | None = None
    """The provider's name for this request, to quote in a support ticket."""
    retry_after: float | None = None
    """Seconds to wait before the next request (RFC 9110, 10.2.3). A date is counted from the
    response's own Date, since the core has no clock; None without one."""

    @property
    def media_type(self) -> str | None:
        """The Content-Type without its parameters, in lower case."""
        if self.content_type is None:
            return None
        return self.content_type.partition(";")[0].strip().lower() or None

    @property
    def failed(self) -> bool:
        """Whether the status is 400 or above."""
        return self.status >= 400

    def to_dict(self) -> dict[str, Any]:
        """As in the report."""
        return {
            "status": self.status,
            "content_type": self.content_type,
            "request_id": self.request_id,
            "retry_after": self.retry_after,
        }

    def __str__(self) -> str:
        return f"status {self.status}, {plain(self.content_type or 'no content type')}"


def read_head(status: int, headers: Headers = ()) -> Head:
    """The head of a response, from its status and its headers (names in any letter case).

    Raises TypeError where ``headers`` is neither a mapping nor pairs of text.
    """
    try:
        pairs = dict(headers).items()
        named = {header_text(name).lower(): header_text(value).strip() for name, value in pairs}
    except (ValueError, AttributeError) as exc:
        raise TypeError("headers are a mapping, or pairs, of names and values of text") from exc
    return Head(
        status=status,
        content_type=named.get("content-type"),
        request_id=named.get("x-request-id") or named.get("request-id"),
        retry_after=_retry_after(named),
    )


def header_text(value: str | bytes) -> str:
    """A header's name or value. Bytes, as in the raw pairs of ASGI, are Latin-1 by history
    (RFC 9110, 5.5)."""
    return value if isinstance(value, str) else value.decode("latin-1")


def _retry_after(named: Mapping[str, str]) -> float | None:
    # retry-after-ms is OpenAI's and Azure's, finer than seconds.
    milliseconds = _number(named.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = named.get("retry-after")
    seconds = _number(value)
    if seconds is not None or not value or "date" not in named:
        return seconds
    until, now = _date(value), _date(named["date"])
    return None if until is None or now is None else max(0.0, (until - now).total_seconds())


MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_IMF_FIXDATE = re.compile(r"[A-Z][a-z]{2}, (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT")


def _date(value: str) -> datetime | None:
    """An HTTP date in the only form that may be sent (RFC 9110, 5.6.7). Here, because the standard
    library's email.utils imports sockets, and its strptime speaks the user's language."""
    found = _IMF_FIXDATE.fullmatch(value)
    if found is None or found[2] not in MONTHS:
        return None
    day, year, hour, minute, second = (int(found[number]) for number in (1, 3, 4, 5, 6))
    try:
        # A leap second is the 60th; datetime knows none.
        return datetime(year, MONTHS.index(found[2]) + 1, day, hour, minute, min(second, 59))
    except ValueError:
        return None


def _number(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None
