"""Which headers of a response a capture keeps, and why: names that are allowed, not names that
are secret. A header that nobody thought of stays out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from untorn.head import Headers, header_text

KEPT = frozenset(
    # What the body is and how it was sent: nobody can read it, or say what is missing, without.
    "content-type content-encoding content-length transfer-encoding"
    # When to ask again; a date in Retry-After is counted from Date.
    " date retry-after retry-after-ms x-should-retry"
    # What a provider asks for in a support ticket. These name the request, not who sent it.
    " x-request-id request-id apim-request-id x-ms-request-id x-amzn-requestid cf-ray"
    # Which software answered, and how long it took: quirks depend on it.
    " server openai-version openai-processing-ms x-envoy-upstream-service-time".split()
)
KEPT_PREFIXES = ("x-ratelimit-", "anthropic-ratelimit-", "ratelimit-")
"""How much was left when it was refused."""


def keep_headers(headers: Headers) -> list[tuple[str, str]]:
    """The headers that a capture keeps, in their order; bytes are read as Latin-1."""
    texts = [(header_text(name), header_text(value)) for name, value in _pairs(headers)]
    return [(name, _one_line(value)) for name, value in texts if _is_kept(name.lower())]


def _pairs(headers: Any) -> Iterable[tuple[str | bytes, str | bytes]]:
    return headers.items() if isinstance(headers, Mapping) else headers


def _is_kept(name: str) -> bool:
    return name in KEPT or name.startswith(KEPT_PREFIXES)


def _one_line(value: str) -> str:
    # No header holds them (RFC 9110, 5.5), but in HAR some join the values of several by LF.
    return value.replace("\n", ", ").replace("\r", "").replace("\0", "")
