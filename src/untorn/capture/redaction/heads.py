"""Headers: values that are numbers, dates or words of HTTP stay; the others get their shapes."""

from __future__ import annotations

import re

from untorn.capture.kept_headers import keep_headers
from untorn.capture.redaction.shapes import shape_of

_TOKENS = (
    "application/json|application/octet-stream|application/problem\\+json|application/x-ndjson"
    "|application/jsonl?|application/stream\\+json|text/event-stream|text/html|text/plain"
    "|charset|utf-8|us-ascii|iso-8859-1|boundary"
    "|chunked|identity|gzip|deflate|br|zstd|compress|true|false"
)
_TOKEN = re.compile(rf"(?<![\w.+/-])(?:{_TOKENS})(?![\w.+/-])", re.IGNORECASE)
_DATE = re.compile(
    "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), [0-9]{2}"
    " (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [0-9]{4} [0-9:]{8} GMT"
)
_AMOUNT = re.compile(r"(?:[0-9.]+(?:ms|s|m|h|d)?)+")
"""Counts, and durations such as 1m2.5s."""
_NAMING = re.compile("-id$|-requestid$|-ray$", re.IGNORECASE)


def redact_headers(headers: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The headers that a capture keeps, with values that say no words."""
    return [(name, _redacted(name, value)) for name, value in keep_headers(headers)]


def _redacted(name: str, value: str) -> str:
    if not _NAMING.search(name) and (_DATE.fullmatch(value) or _AMOUNT.fullmatch(value)):
        return value
    pieces: list[str] = []
    at = 0
    for token in _TOKEN.finditer(value):
        pieces += [shape_of(value[at : token.start()]), token[0]]
        at = token.end()
    return "".join([*pieces, shape_of(value[at:])])
