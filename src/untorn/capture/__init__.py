"""Recorded responses: the data, and the formats in which they are kept. No I/O.

``loads`` reads a whole file, ``CaptureReader`` one that comes; ``dumps`` writes ``.untorn``,
``CaptureWriter`` does so while a response arrives. ``docs/captures.md`` describes the format.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from untorn.capture.capture import Capture, CaptureEvent, Close, Marker, RawHead, Read, to_sse
from untorn.capture.errors import CaptureError
from untorn.capture.har import har_captures, to_har
from untorn.capture.reading import CaptureReader, loads
from untorn.capture.untorn_writer import CaptureWriter, dumps

__all__ = [
    "Capture",
    "CaptureError",
    "CaptureEvent",
    "CaptureReader",
    "CaptureWriter",
    "Close",
    "Marker",
    "RawHead",
    "Read",
    "dumps",
    "har_captures",
    "loads",
    "redact",
    "to_har",
    "to_sse",
]

if TYPE_CHECKING:
    from untorn.capture.redaction import redact
else:

    def __getattr__(name: str) -> object:
        # It takes longer to import than all the rest, and hardly anybody needs it.
        if name == "redact":
            from untorn.capture.redaction import redact

            return redact
        raise AttributeError(f"module 'untorn.capture' has no attribute {name!r}")
