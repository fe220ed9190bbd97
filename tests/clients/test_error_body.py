"""The body of an error status."""

from __future__ import annotations

from untorn.clients.error_body import ErrorBody
from untorn.options import Clocks, Options
from untorn.sources import Opened

DOCUMENT = b'{"error": {"message": "overloaded"}}'


def begun() -> ErrorBody:
    body = ErrorBody(Options(), Clocks())
    body.begin(Opened(500, [("content-type", "application/json")]), lambda: None, 0.0)
    return body


def test_reads_are_passed_on_as_they_are() -> None:
    body = begun()
    taken = []
    for data in (DOCUMENT[:9], DOCUMENT[9:]):
        body.wait(0.0)
        body.receive(data, 0.0, False)
        taken.append(body.take())
    body.receive(None, 0.0, False)
    assert taken == [DOCUMENT[:9], DOCUMENT[9:]]
    assert body.take() == b""
    assert body.completion.verdict.error is not None
    assert body.completion.verdict.error.message == "overloaded"


def test_body_that_tears_ends_and_is_no_failure() -> None:
    body = begun()
    body.wait(0.0)
    body.receive(DOCUMENT[:30], 0.0, False)
    body.fail(ConnectionResetError(), 0.0, False)
    assert body.is_over
    assert body.take() == DOCUMENT[:30]
    assert body.failure is None
    assert body.completion.verdict.outcome == "failed"
