"""Errors, and requests that get no answer at all."""

from __future__ import annotations

from untorn.options import MIB
from untorn.replay import streams
from untorn.replay.reply import NEVER
from untorn.replay.scenario import Scenario
from untorn.replay.scenarios.making import (
    ANY,
    ERROR,
    FIN,
    HALF,
    HALF_TEXT,
    HTML,
    JSON,
    LIMITED,
    OVERLOADED,
    PAGE,
    PLAIN,
    STATUS,
    at_once,
    document,
    failed,
    fin,
    interrupted,
    reset,
    stall,
    whole,
)
from untorn.replay.streams import DONE, PIECES

FAILED = [
    Scenario(
        "error-event",
        "reports an error in the middle of the answer, and ends the body",
        whole((*HALF, OVERLOADED)),
        failed("overloaded", "eof", text=HALF_TEXT),
    ),
    Scenario(
        "error-event-then-done",
        "reports an error in the middle of the answer, and sends `[DONE]`",
        whole((*HALF, OVERLOADED, DONE)),
        failed("overloaded", "done", text=HALF_TEXT),
    ),
    Scenario(
        "error-event-then-reset",
        "reports an error in the middle of the answer, and resets the connection",
        reset((*HALF, OVERLOADED)),
        failed("overloaded", "eof", text=HALF_TEXT),
    ),
    Scenario(
        "error-event-first",
        "answers with an error as the first event of a stream",
        whole((OVERLOADED,)),
        failed("overloaded", "eof"),
    ),
    Scenario(
        "error-finish",
        "says by the finish reason that it failed",
        whole(streams.stream(streams.contents(PIECES[:4]), "error")),
        failed(None, "done", "finish-reason-nonstandard", text=HALF_TEXT),
    ),
    Scenario(
        "json-error",
        "answers 200, and a JSON document with an error",
        document(200, ERROR),
        failed("overloaded", defects="not-streamed"),
    ),
    Scenario(
        "html-page",
        "answers 200, and the page of a proxy",
        document(200, PAGE, HTML),
        failed(None, defects="html-body"),
    ),
    Scenario(
        "html-page-mid-text",
        "sends the page of a proxy in the middle of the answer",
        whole((*HALF, *at_once(PAGE))),
        failed(None, "eof", "html-body", text=HALF_TEXT),
    ),
    *(
        Scenario(
            f"status-{status}",
            f"answers {status}, and a JSON document with the error",
            document(status, streams.error(message, code)),
            failed(message, defects=STATUS),
        )
        for status, code, message in (
            (400, "invalid_value", "temperature is 9, expected 0 to 2"),
            (401, "invalid_api_key", "this key is not known"),
            (404, "model_not_found", "this model does not exist"),
            (408, None, "the request took too long"),
            (409, None, "the request conflicts with another one"),
            (425, None, "too early"),
            (500, None, "something went wrong"),
        )
    ),
    Scenario(
        "status-429",
        "answers 429, a JSON document, and Retry-After in seconds",
        document(429, LIMITED, (*JSON, ("Retry-After", "2"))),
        failed("too many requests", defects=STATUS, retry_after=2.0),
    ),
    Scenario(
        "status-429-date",
        "answers 429, a JSON document, and Retry-After as a date",
        document(429, LIMITED, retry_at=2.0),
        failed("too many requests", defects=STATUS, retry_after=2.0),
    ),
    Scenario(
        "status-502",
        "answers 502, and the page of a proxy",
        document(502, PAGE, HTML),
        failed(None, defects="html-body http-error-status"),
    ),
    Scenario(
        "status-503",
        "answers 503 in plain text, and Retry-After as a date",
        document(503, b"the server is down for some minutes\n", PLAIN, retry_at=30.0),
        failed("down for some minutes", defects="error-shape http-error-status", retry_after=30.0),
    ),
    Scenario(
        "status-504",
        "answers 504 and no body",
        document(504, b"", ()),
        failed(None, "eof", STATUS),
    ),
    Scenario(
        "status-500-huge",
        "answers 500, and a JSON document of 1 MiB",
        document(500, streams.error("x" * MIB)),
        failed("xxx", defects=STATUS),
    ),
    Scenario(
        "status-500-torn",
        "answers 500, and closes the connection in the middle of the JSON document",
        fin(
            at_once(ERROR[:40]),
            status=500,
            headers=JSON,
            framing="content-length",
            content_length=len(ERROR),
        ),
        failed("the model is overlo", "cut", "error-shape http-error-status", reason=FIN),
    ),
    Scenario(
        "status-500-stream",
        "answers 500, and the error as an event of a stream",
        whole((OVERLOADED,), status=500),
        failed("overloaded", "eof", STATUS),
    ),
]

UNANSWERED = [
    Scenario(
        "fin-before-head",
        "takes the request, and closes the connection",
        fin(head_bytes=0),
        interrupted("cut", ANY, None, "empty-stream"),
        answered=False,
    ),
    Scenario(
        "reset-before-head",
        "takes the request, and resets the connection",
        reset(head_bytes=0),
        interrupted("cut", ANY, None, "empty-stream"),
        answered=False,
    ),
    Scenario(
        "fin-inside-head",
        "closes the connection inside the first line of the head",
        fin(head_bytes=10),
        interrupted("cut", ANY, None, "empty-stream"),
        answered=False,
    ),
    Scenario(
        "not-http",
        "speaks another protocol",
        fin(head_bytes=0, stray=b"SSH-2.0-bridge_1.0\r\n"),
        interrupted("cut", ANY, None, "empty-stream"),
        answered=False,
    ),
    Scenario(
        "stall-before-head",
        "takes the request, and falls silent",
        stall(wait=NEVER),
        interrupted("stalled", ANY, None, "empty-stream"),
        answered=False,
        clock="first_byte",
    ),
]
