"""What a peer repeats of our secrets, kept out of what is said about its answer. Pure.

The answer itself goes to the caller as it came, whatever stands in it.
"""

from __future__ import annotations

from msgspec import structs

from untorn.chat.verdict import Defect, ErrorObject, Verdict
from untorn.clients.keys import Secrets
from untorn.events import DefectFound, ErrorReported, StreamEnded, StreamEvent

TELLING = frozenset({DefectFound, ErrorReported, StreamEnded})
"""Events in which a peer's words are given out as words about the answer."""


def verdict_without(secrets: Secrets, verdict: Verdict) -> Verdict:
    """``verdict`` with every secret replaced. Its tail stays: it is a part of the answer."""
    error, reason = verdict.error, verdict.reason
    return structs.replace(
        verdict,
        reason=None if reason is None else secrets.hide(reason),
        error=None if error is None else _error_without(secrets, error),
        defects=[_defect_without(secrets, defect) for defect in verdict.defects],
    )


def event_without(secrets: Secrets, event: StreamEvent) -> StreamEvent:
    """The same for an event."""
    if isinstance(event, StreamEnded):
        return StreamEnded(verdict_without(secrets, event.verdict))
    if isinstance(event, ErrorReported):
        return ErrorReported(_error_without(secrets, event.error))
    if isinstance(event, DefectFound):
        return DefectFound(_defect_without(secrets, event.defect))
    return event


def _error_without(secrets: Secrets, error: ErrorObject) -> ErrorObject:
    return structs.replace(
        error,
        message=secrets.hide(error.message),
        code=secrets.hide_in(error.code),
        type=secrets.hide_in(error.type),
        param=secrets.hide_in(error.param),
        raw=secrets.hide_in(error.raw),
    )


def _defect_without(secrets: Secrets, defect: Defect) -> Defect:
    return structs.replace(defect, detail=secrets.hide(defect.detail))
