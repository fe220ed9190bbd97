"""Situations that a client of two targets gets into, and the table about them in the docs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from untorn.capture import Read
from untorn.options import Clocks
from untorn.replay import streams
from untorn.replay.reply import Reply
from untorn.replay.routes import Playable

JSON = (("Content-Type", "application/json"),)
OTHER = "The other target says: it holds."
HALF = streams.stream(streams.contents())[:5]
SOON = 0.3
"""Seconds of the clock that fires."""


def refusal(status: int, message: str, code: str, **headers: str) -> Reply:
    """An error as JSON."""
    names = [(name.replace("_", "-"), value) for name, value in headers.items()]
    data = streams.error(message, code, "invalid_request_error")
    return Reply(status=status, headers=(*JSON, *names), reads=(Read(0.0, data),))


SAYS_OTHER = Reply(reads=streams.stream(streams.contents([OTHER])))
BUSY = refusal(429, "slow down", "rate_limit_exceeded", retry_after_ms="20")
DOWN = refusal(503, "the server is down", "unavailable")
BROKEN = (*HALF[:3], Read(0.0, b'data: {"choices": [{"delta": {"content":\n\n'), *HALF[3:])


class Situation(NamedTuple):
    """What the first target does, and what the caller gets."""

    name: str
    first: Sequence[Playable]
    """What the first target does with one request after the other."""
    asked: Sequence[str]
    """Which target gets each request: ``first`` or ``other``."""
    outcome: str
    text: str | None
    clocks: Clocks = Clocks()


A, B = "first", "other"
TEXT = streams.TEXT

SITUATIONS = [
    Situation("429 with Retry-After, once", [BUSY, "text"], [A, A], "complete", TEXT),
    Situation("429 for ever", [BUSY], [A, A, A, B], "complete", OTHER),
    Situation("500 once", ["status-500", "text"], [A, A], "complete", TEXT),
    Situation("503 for ever", [DOWN], [A, A, A, B], "complete", OTHER),
    Situation(
        "connection reset before the answer",
        ["reset-before-head", "text"],
        [A, A],
        "complete",
        TEXT,
    ),
    Situation(
        "silence",
        ["stall-before-head"],
        [A, B],
        "complete",
        OTHER,
        Clocks(first_byte=SOON),
    ),
    Situation(
        "slow first token",
        [Reply(wait=0.2, reads=streams.stream(streams.contents()))],
        [A],
        "complete",
        TEXT,
    ),
    Situation("cut in the middle", ["fin-mid-text"], [A], "interrupted", None),
    Situation(
        "stall in the middle",
        ["stall-mid-text"],
        [A],
        "interrupted",
        None,
        Clocks(idle=SOON),
    ),
    Situation(
        "one malformed chunk",
        [Reply(reads=(*BROKEN, *streams.stream(streams.contents())[5:]))],
        [A],
        "interrupted",
        TEXT,
    ),
    Situation("no [DONE]", ["no-done"], [A], "complete", TEXT),
    Situation(
        "context too long, 400",
        [refusal(400, "too many tokens", "context_length_exceeded")],
        [A, B],
        "complete",
        OTHER,
    ),
    Situation("content filter", ["content-filter"], [A], "filtered", None),
    Situation(
        "prefill rejected, 400",
        [refusal(400, "the last message must be the user's", "invalid_request")],
        [A, B],
        "complete",
        OTHER,
    ),
    Situation(
        "flapping: 503, reset, answer",
        [DOWN, "reset-before-head", "text"],
        [A, A, A],
        "complete",
        TEXT,
    ),
    Situation(
        "usage refused, 400",
        [refusal(400, "unknown argument: stream_options", "unknown_parameter"), "text"],
        [A, A],
        "complete",
        TEXT,
    ),
    Situation(
        "connection closed before the answer", ["fin-before-head"], [A, A, A, B], "complete", OTHER
    ),
    Situation("empty answer", [Reply()], [A, A, A, B], "complete", OTHER),
    Situation(
        "error in the stream, at once", ["error-event-first"], [A, A, A, B], "complete", OTHER
    ),
    Situation(
        "heartbeats for ever, no content",
        ["heartbeats-before-text"],
        [A, B],
        "complete",
        OTHER,
        Clocks(content_idle=SOON),
    ),
    Situation(
        "thinks without a word",
        [Reply(reads=(streams.ROLE, Read(0.2, b""), *streams.stream(streams.contents())))],
        [A],
        "complete",
        TEXT,
    ),
]


def row(situation: Situation, asked: Sequence[str], outcome: str, whole: bool) -> str:
    """One line of the table."""
    gets = "the whole answer" if whole else "what came of it, and an error"
    if outcome == "filtered":
        gets = "what came of it; `raise_on` can make that an error"
    return f"| {situation.name} | {', '.join(asked)} | {outcome} | {gets} |"


HEADER = """\
| the first target | requests go to | outcome | the caller gets |
| --- | --- | --- | --- |
"""
