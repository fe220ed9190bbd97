"""What must be the same before and after: events in kind, number and size, and the verdict."""

from __future__ import annotations

from typing import Any

import msgspec

from untorn import (
    ChatStream,
    DefectFound,
    ErrorReported,
    LogprobsDelta,
    StreamEnded,
    StreamEvent,
    UsageReported,
    Verdict,
)
from untorn.capture import Capture, Read, redact

TOLD = {"detail", "raw"}
"""Fields that quote what came in words of ours."""


def capture_of(
    reads: list[bytes], status: int | None = None, content_type: str | None = None
) -> Capture:
    headers = [] if content_type is None else [("content-type", content_type)]
    return Capture(status=status, headers=headers, events=[Read(0.0, data) for data in reads])


def redacted_body(*reads: bytes) -> bytes:
    return redact(capture_of(list(reads))).body


def outline(capture: Capture) -> list[Any]:
    """The outline of each event that a capture gives."""
    stream = ChatStream()
    if capture.status is not None:
        stream.receive_head(capture.status, capture.headers)
    events = [event for read in capture.reads for event in stream.receive_data(read.data)]
    return [_of_event(event) for event in events + stream.receive_eof()]


def _of_event(event: StreamEvent) -> Any:
    match event:
        case DefectFound(defect=defect):
            return "defect", defect.code, defect.offset
        case ErrorReported(error=error):
            return "error", _sizes(error)
        case LogprobsDelta(choice=choice, raw=raw):
            return "logprobs", choice, len(bytes(raw))
        case UsageReported(usage=usage):
            return "usage", usage.prompt_tokens, usage.completion_tokens, usage.total_tokens
        case StreamEnded(verdict=verdict):
            return _of_verdict(verdict)
        case _:
            return event.type, _sizes(event)


def _of_verdict(verdict: Verdict) -> Any:
    defects = [(one.code, one.offset, one.count) for one in verdict.defects]
    tail = verdict.tail and (verdict.tail.offset, len(verdict.tail.data))
    told = (verdict.outcome, verdict.ending, verdict.reason, verdict.usage_reported)
    return told, defects, tail, _sizes(verdict.error)


def _sizes(value: Any) -> Any:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, list):
        return [_sizes(item) for item in value]
    if isinstance(value, dict):
        return [(_sizes(key), _sizes(item)) for key, item in value.items()]
    if isinstance(value, msgspec.Struct):
        fields = [name for name in value.__struct_fields__ if name not in TOLD]
        return type(value).__name__, [(name, _sizes(getattr(value, name))) for name in fields]
    return value
