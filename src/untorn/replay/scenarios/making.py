"""What the scenarios are made of: bodies, what servers do with them, what readers say."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from untorn.capture import Read
from untorn.chat.verdict import Ending, Outcome
from untorn.options import KIB
from untorn.replay import faults, streams
from untorn.replay.faults import cut_in
from untorn.replay.reply import MOMENT, NEVER, Reply
from untorn.replay.scenario import Call, Expected
from untorn.replay.streams import ARGUMENTS, FRAGMENTS, PIECES, TEXT, TOOL, chunk

BEAT = 0.05
"""Seconds between heartbeats that never end: more often than any clock that is tested with."""

Pairs = tuple[tuple[str, str], ...]

EVENT_STREAM = ("Content-Type", "text/event-stream")
# Without that, the next request would find the rest of the body in place of its answer.
CLOSING = (EVENT_STREAM, ("Connection", "close"))
GZIP = (EVENT_STREAM, ("Content-Encoding", "gzip"))
JSON = (("Content-Type", "application/json"),)
PLAIN = (("Content-Type", "text/plain; charset=utf-8"),)
HTML = (("Content-Type", "text/html; charset=utf-8"),)

FIN = "closed before the end of the body"
RST = "connection was reset"
ANY = "."

MID_CALL = "arguments-invalid-json unexpected-eof"
STATUS = "http-error-status"

ANSWER = streams.stream(streams.contents())
HALF = ANSWER[:5]
HALF_TEXT = "".join(PIECES[:4])
INSIDE_EVENT = tuple(cut_in(ANSWER, b'" and one"', keep=5))
FINISHED = ANSWER[:-2]
"""Up to the finish reason."""
CHOICES = (
    chunk({"role": "assistant", "content": "Zwölf"}),
    chunk({"role": "assistant", "content": "Elf"}, index=1),
    chunk({}, "stop"),
)

CALL = streams.stream(streams.call(), "tool_calls")
WHOLE_CALL = Call(TOOL, ARGUMENTS, "whole")
HALF_CALL = CALL[:4]
TORN_CALL = Call(TOOL, "".join(FRAGMENTS[:2]), "torn")
CALL_WITHOUT_FINISH = CALL[:6]

LONG = '{"text": "' + "lang " * 60 * KIB + '"}'
COMPLETION = streams.completion({"content": TEXT})
OVERLOADED = streams.event(streams.error("the model is overloaded", "overloaded").decode())
ERROR = streams.error("the model is overloaded", "overloaded")
LIMITED = streams.error("too many requests", "rate_limit_exceeded")
PAGE = b"<!DOCTYPE html>\n<html><head><title>Bad gateway</title></head><body></body></html>\n"


# What servers do: further arguments are those of Reply -------------------------------------------


def at_once(*pieces: bytes) -> tuple[Read, ...]:
    """A body in these pieces, with no time between them."""
    return tuple(Read(0.0, piece) for piece in pieces)


def whole(reads: Iterable[Read] = ANSWER, **how: Any) -> Reply:
    """All of it, and the end as it should be."""
    return Reply(reads=tuple(reads), **how)


def fin(reads: Iterable[Read] = (), **how: Any) -> Reply:
    """The connection is closed after that, whatever was promised."""
    return Reply(reads=tuple(reads), end="fin", pause=MOMENT, **how)


def reset(reads: Iterable[Read] = (), **how: Any) -> Reply:
    """The connection is reset after that."""
    return Reply(reads=tuple(reads), end="reset", pause=MOMENT, **how)


def stall(reads: Iterable[Read] = (), **how: Any) -> Reply:
    """Nothing comes after that, and the connection stays open."""
    return Reply(reads=tuple(reads), pause=NEVER, **how)


def beat(reads: Iterable[Read], data: bytes = faults.COMMENT) -> Reply:
    """Heartbeats come after that, for ever."""
    return Reply(reads=tuple(reads), repeat=(Read(BEAT, data),))


def document(status: int, data: bytes, headers: Pairs = JSON, **how: Any) -> Reply:
    """One document, with its length in the head."""
    reads = at_once(data) if data else ()
    return whole(reads, status=status, headers=headers, framing="content-length", **how)


# What readers say: further arguments are those of Expected ---------------------------------------


def complete(
    text: str | None = TEXT, ending: Ending = "done", defects: str = "", **more: Any
) -> Expected:
    """The answer is whole."""
    return _expected("complete", ending, defects, text=text, **more)


def interrupted(
    ending: Ending,
    reason: str | None = None,
    text: str | None = HALF_TEXT,
    defects: str = "unexpected-eof",
    **more: Any,
) -> Expected:
    """The answer is not whole."""
    return _expected("interrupted", ending, defects, reason=reason, text=text, **more)


def failed(
    error: str | None, ending: Ending = "document", defects: str = "", **more: Any
) -> Expected:
    """The server reported an error."""
    return _expected("failed", ending, defects, error=error, **more)


def _expected(outcome: Outcome, ending: Ending, defects: str, **more: Any) -> Expected:
    codes = frozenset(defects.split())
    return Expected(outcome=outcome, ending=ending, defects=codes, **more)
