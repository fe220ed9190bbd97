"""The corpus's odd streams, made long: what a quirk costs where a whole answer is full of it."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path

from bench.entrants import read_to_end

CORPUS = Path(__file__).parent.parent / "tests" / "vectors" / "chat" / "quirks"

EVENTS = 5000
MOST_BYTES = 2_000_000

BLANK_LINE = re.compile(rb"(?:(?>\r\n|\n|\r)){2}")
DONE = re.compile(rb'data: ?"?\[DONE\]')
FINISH = re.compile(rb'"finish_reason": ?"[^"]')


def long_cases() -> Iterator[tuple[str, list[bytes]]]:
    """Name and events of every case that is an event stream."""
    for path in sorted(CORPUS.glob("*.json")):
        case = json.loads(path.read_bytes())
        sent_as = case["http"]["content_type"] or ""
        if case["http"]["status"] != 200 or not sent_as.startswith("text/event-stream"):
            continue
        body = base64.b64decode(case["body_base64"]) if "body_base64" in case else case["body"]
        events = split_events(body if isinstance(body, bytes) else body.encode())
        said = [event for event in events if not DONE.match(event)]
        if any(b"data:" in event for event in said):
            yield case["name"], repeat(said)


def split_events(body: bytes) -> list[bytes]:
    """The events of a body, each with its blank line."""
    ends = [match.end() for match in BLANK_LINE.finditer(body)]
    events = [body[start:end] for start, end in zip([0, *ends], [*ends, len(body)], strict=True)]
    return [event for event in events if event]


def repeat(events: list[bytes]) -> list[bytes]:
    """All before the first chunk with a finish reason, again and again, and the rest once.

    Once, since what comes after a finish is a quirk of its own; so only the other events of a
    case are made more. Where nothing stands before it, all is repeated. Up to 5,000 events, 2 MB,
    or as many as Limits allow.
    """
    finish = next((n for n, event in enumerate(events) if FINISH.search(event)), 0)
    before, after = (events[:finish], events[finish:]) if finish else (events, [])
    line_end = b"\r\n" if b"\r\n" in events[0] else b"\r" if b"\r" in events[0] else b"\n"
    if not before[-1].endswith((b"\r", b"\n")):
        before[-1] += 2 * line_end
    copies = min(EVENTS // len(before), MOST_BYTES // sum(map(len, before)))
    while read_to_end(before * copies).verdict.ending == "limit":
        copies //= 2
    return [*before * copies, *after, b"data: [DONE]" + 2 * line_end]
