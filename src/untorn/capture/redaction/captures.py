"""A capture → its redaction."""

from __future__ import annotations

import msgspec

from untorn.capture.capture import Capture, Close, Marker, Read
from untorn.capture.redaction.body import redact_body
from untorn.capture.redaction.heads import redact_headers
from untorn.capture.redaction.shapes import shape_of


def redact(capture: Capture) -> Capture:
    """``capture`` without a word of what was said, in which untorn reads the same events in
    kind, number and size, and the same verdict. Status and times stay."""
    body = redact_body(capture.body)
    events: list[Read | Marker | Close] = []
    at = 0
    for event in capture.events:
        if isinstance(event, Read):
            events.append(Read(event.interval, body[at : at + len(event.data)]))
            at += len(event.data)
        elif isinstance(event, Marker):
            events.append(Marker(event.interval, shape_of(event.label)))
        else:
            reason = None if event.reason is None else shape_of(event.reason)
            events.append(Close(event.interval, reason))
    return msgspec.structs.replace(capture, headers=redact_headers(capture.headers), events=events)
