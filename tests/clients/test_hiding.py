"""What is said about an answer holds no secret, and the answer stays as it is."""

from __future__ import annotations

from untorn import DefectFound, ErrorReported, Heartbeat, StreamEnded, TextDelta, parse
from untorn.chat.verdict import Defect, ErrorObject
from untorn.clients.hiding import event_without, verdict_without
from untorn.clients.keys import HIDDEN, Secrets

KEY = "canary-0123456789"
SECRETS = Secrets([KEY])
ERROR = ErrorObject(KEY, KEY, KEY, KEY, 401, {"error": [KEY, 1, {KEY: None}]})
DEFECT = Defect("bad-json", "error", 3, 1, f"an event is no JSON: {KEY}")


def test_an_error_is_told_without_its_secrets() -> None:
    told = event_without(SECRETS, ErrorReported(ERROR))
    assert told == ErrorReported(
        ErrorObject(HIDDEN, HIDDEN, HIDDEN, HIDDEN, 401, {"error": [HIDDEN, 1, {HIDDEN: None}]})
    )


def test_a_defect_is_told_without_its_secrets() -> None:
    told = event_without(SECRETS, DefectFound(DEFECT))
    assert isinstance(told, DefectFound)
    assert told.defect.detail == f"an event is no JSON: {HIDDEN}"


def test_a_verdict_is_told_without_its_secrets_and_with_its_tail() -> None:
    verdict = parse(f"data: {KEY} and no end".encode()).verdict
    hidden = verdict_without(SECRETS, verdict)
    assert KEY in str(verdict)
    assert KEY not in str(hidden)
    assert hidden.tail == verdict.tail is not None
    assert event_without(SECRETS, StreamEnded(verdict)) == StreamEnded(hidden)


def test_where_there_is_neither_error_nor_reason_none_is_invented() -> None:
    verdict = parse(b"data: [DONE]\n\n").verdict
    assert verdict_without(SECRETS, verdict) == verdict


def test_what_the_model_says_is_not_touched() -> None:
    for event in (TextDelta(0, KEY), Heartbeat()):
        assert event_without(SECRETS, event) is event
