"""What must hold for every input. Each oracle gives a sentence where it does not, else None.

They ask about what was read, not how, so that each of them can be shown a wrong result. What
stands before the first colon of a sentence is the same for findings of one kind.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from msgspec import Struct

from fuzz import naive
from fuzz.inputs import Input
from fuzz.replay import Follower
from fuzz.ways import Framed, Played
from tests.chat_helpers import Told
from tests.sse.reference import Reading
from untorn import Completion, Revised, StreamEnded, StreamEvent, ToolCall, ToolCallFinished
from untorn.cli.json_text import json_text, plain
from untorn.cli.render import UNSAFE

WHOLE = {"complete", "truncated", "filtered"}


def ends_once(played: Played) -> str | None:
    """StreamEnded is the last event, comes once, and has the completion's verdict."""
    ends = [place for place, event in enumerate(played.events) if isinstance(event, StreamEnded)]
    if ends != [len(played.events) - 1]:
        return f"place: StreamEnded stands at {ends} of {len(played.events)} events"
    last = played.events[-1]
    if isinstance(last, StreamEnded) and last.verdict != played.completion.verdict:
        return (
            f"verdict: StreamEnded says {last.verdict}, the completion {played.completion.verdict}"
        )
    return None


def is_same(one: Played, other: Played) -> str | None:
    """Two ways of reading give the same events and the same completion."""
    for place, (event, another) in enumerate(zip_longest(one.events, other.events)):
        if event != another:
            where = f"event {place} is {event!r}, the other way {another!r}"
            return f"{_what_differs(event, another)}: {where}"
    if one.completion != other.completion:
        what = _what_differs(one.completion, other.completion)
        return f"{what}: it is {one.completion!r}, the other way {other.completion!r}"
    return None


def _what_differs(one: Any, other: Any) -> str:
    """The name of what differs, as deep as both are alike."""
    if type(one) is not type(other):
        return f"{type(one).__name__} or {type(other).__name__}"
    if isinstance(one, Struct):
        for name in one.__struct_fields__:
            value, another = getattr(one, name), getattr(other, name)
            if value != another:
                return f"{type(one).__name__}.{name} {_what_differs(value, another)}".rstrip()
    if isinstance(one, list) and len(one) == len(other):
        return next(_what_differs(*pair) for pair in zip(one, other, strict=True) if _differ(pair))
    return ""


def _differ(pair: tuple[Any, Any]) -> bool:
    return bool(pair[0] != pair[1])


def reads_by_the_letter(reading: Reading, reference: Reading) -> str | None:
    """EventStream gives what the standard says."""
    if reading == reference:
        return None
    return (
        f"{_what_of(reading, reference)}: EventStream says {reading!r}, the reference {reference!r}"
    )


def _what_of(reading: Reading, reference: Reading) -> str:
    names = ("events", "tail", "retry", "last_event_id", "over")
    return next(name for name in names if getattr(reading, name) != getattr(reference, name))


BROKEN = {"bad-json", "not-json"}
"""Data that is no JSON."""
END_MARK = re.compile(r"\W*done\W*", re.IGNORECASE)


def frames_by_the_letter(framing: Framed, reading: Reading, completion: Completion) -> str | None:
    """Where framing finds nothing odd, its payloads are the data of the standard's events."""
    codes = {defect.code for defect in completion.verdict.defects}
    if framing.codes or framing.names_errors or codes & BROKEN:
        return None  # what is no JSON loses its blank lines
    payloads = [_as_read(payload.decode("utf-8", "replace")) for payload in framing.payloads]
    data = [_as_read(text) for event in reading.events for text in _as_framed(event[1])]
    return None if payloads == data else f"payloads: framing gives {payloads}, the standard {data}"


def _as_framed(data: str) -> list[str]:
    """Data of several lines that is no JSON is read line by line (corpus rule 2)."""
    try:
        json.loads(data, strict=False, parse_int=str)  # of any number of digits
    except ValueError:
        return [line for line in data.split("\n") if line.strip()] or [data]
    return [data]


def says_what_was_sent(payloads: list[str], completion: Completion) -> str | None:
    """Where nothing has to be repaired, a naive reader of the standard's events says the same."""
    verdict = completion.verdict
    if not naive.HARMLESS.issuperset(defect.code for defect in verdict.defects):
        return None
    read = naive.read(payloads)
    if read is None:
        return None
    sent = {
        index: {**read[index], "calls": _in_order(read[index]["calls"])} for index in sorted(read)
    }
    said = {choice.index: naive.said_by(choice) for choice in completion.choices}
    for index, one in sent.items():
        for name, value in one.items():
            if said.get(index, {}).get(name) != value:
                return f"{name}: sent {value!r}, said {said.get(index)!r}"
    return None if sent.keys() == said.keys() else f"choices: sent {sent!r}, said {said!r}"


def _in_order(calls: dict[int, str]) -> list[str]:
    return [calls[index] for index in sorted(calls)]


def _as_read(data: str) -> str:
    # An end mark is no JSON: with blank lines around it, it is read line by line too.
    return data.strip() if END_MARK.fullmatch(data) else data


def holds_the_same(one: Completion, other: Completion) -> str | None:
    """Two doors, bytes and the data of events, lead to the same answer."""
    for name in ("choices", "usage", "id", "model", "created", "extra"):
        value, another = getattr(one, name), getattr(other, name)
        if value != another:
            what = f"{name} {_what_differs(value, another)}".rstrip()
            return f"{what}: it is {value!r}, by the other door {another!r}"
    if one.verdict.outcome != other.verdict.outcome:
        return f"outcome: it is {one.verdict}, by the other door {other.verdict}"
    return None


def can_be_replayed(played: Played) -> str | None:
    """Who follows the events knows what the completion holds."""
    return next(Follower(played.events).differences(played.completion), None)


def keeps_law_one(given: Input, played: Played) -> str | None:
    """No false whole: an outcome that says so, and each call that may be run, has its reasons."""
    return next(_false_wholes(given, played), None)


def _false_wholes(given: Input, played: Played) -> Iterator[str]:
    verdict = played.completion.verdict
    accepts = given.options.accept_done_without_finish_reason or b"expires_at" in given.body
    has_other_end = accepts and b"done" in given.body.lower()
    if verdict.outcome in WHOLE:
        if not played.completion.choices:
            yield f"{verdict.outcome}: there is no choice"
        lost = [defect.code for defect in verdict.defects if defect.severity == "error"]
        if lost:
            yield f"{verdict.outcome} in spite of {lost[0]}: {verdict}"
        for choice in played.completion.choices:
            if choice.finish_reason is None and not has_other_end:
                yield f"{verdict.outcome} without a finish reason: choice {choice.index}"
        if verdict.tail is not None:
            yield f"{verdict.outcome} with a tail: {verdict.tail}"
    for choice in played.completion.choices:
        for call in choice.message.tool_calls:
            if not isinstance(call, ToolCall):
                continue
            if choice.finish_reason is None and not has_other_end:
                yield f"a whole call before its choice has finished: {call!r}"
            if not _has_whole_arguments(call):
                yield f"a whole call whose arguments are not: {call!r}"
    for event in played.events:
        if isinstance(event, ToolCallFinished) and not _has_whole_arguments(event.tool_call):
            yield f"ToolCallFinished for arguments that are not whole: {event!r}"


def _has_whole_arguments(call: ToolCall) -> bool:
    if call.type == "custom" or not call.arguments:
        return True
    try:
        json.loads(call.arguments, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return False
    return True


def _refuse(name: str) -> Any:
    raise ValueError(name)


PLAIN_WORD = re.compile(r"[A-Za-z0-9_]+")


def invents_nothing(given: Input, played: Played) -> str | None:
    """Finish reasons, ids, names and counts are on the wire."""
    if b"\\" in given.body:
        return None  # escapes: what was sent may look otherwise
    return next(_inventions(given.body, played.completion), None)


def _inventions(body: bytes, completion: Completion) -> Iterator[str]:
    split = any(defect.code == "name-split" for defect in completion.verdict.defects)
    said: list[tuple[str, str | None]] = [("id", completion.id), ("model", completion.model)]
    for choice in completion.choices:
        said.append(("finish reason", choice.finish_reason))
        if choice.message.role != "assistant":
            said.append(("role", choice.message.role))
        for call in choice.message.tool_calls:
            said.append(("call id", call.id))
            said.append(("name", None if split else call.name))
    for name, text in said:
        if text is not None and PLAIN_WORD.fullmatch(text) and text.encode() not in body:
            yield f"{name}: {text!r} was never sent"
    usage = completion.usage
    for name in () if usage is None else ("prompt_tokens", "completion_tokens", "total_tokens"):
        count = getattr(usage, name)
        if count is not None and str(count).encode() not in body:
            yield f"count: {count} was never sent"


def is_readable(played: Played) -> str | None:
    """Text for people holds nothing that a terminal would obey, and every report is JSON that
    can be written as UTF-8."""
    completion = played.completion
    shown: list[Any] = [completion, completion.verdict, *completion.choices, *played.events]
    shown += completion.verdict.defects
    for item in shown:
        if not str(item).isprintable():
            return f"not printable: {str(item)!r}"
    for report in (completion.to_dict(), completion.to_openai()):
        json.dumps(report, allow_nan=False, ensure_ascii=False).encode("utf-8")
    for event in played.events:
        line = json_text(plain(event))
        if UNSAFE.search(line):
            return f"not safe to print: {line!r}"
        line.encode("utf-8")
    for choice in completion.choices:
        json.dumps(choice.logprobs, allow_nan=False)
    return None


# Tears ---------------------------------------------------------------------------------------

EXCUSES = {
    "bad-json": "what is whole so far may not be whole with what follows",
    "not-json": "the same",
    "stray-line": "the same",
    "content-cumulative": "fragments turned out to be snapshots",
    "message-for-delta": "a whole message brings only what is new",
    "content-after-finish": "half a surrogate pair does not wait beyond the end of its choice",
    "data-after-done": "nor beyond that of the stream",
}
"""Defects of the whole after which a torn beginning may have told more than a beginning."""


def is_beginning(size: int, torn: Played, whole: Played) -> str | None:
    """What the first ``size`` bytes of a body tell is a beginning of what the whole tells.

    Before the end is told, to the letter. With it, the texts do not contradict, but for EXCUSES,
    where the whole revises them, and where it is cut itself inside what had begun by then.
    """
    difference = _first_difference(torn.events[: torn.before_end], whole.events)
    if difference is not None:
        return difference
    verdict = whole.completion.verdict
    is_cut = verdict.tail is not None and verdict.tail.offset < size
    is_excused = any(defect.code in EXCUSES for defect in verdict.defects)
    if is_cut or is_excused or verdict.ending == "limit":
        return None
    texts = Told().take(whole.events).deltas
    revised = {(event.field, event.choice) for event in whole.events if isinstance(event, Revised)}
    for place, text in Told().take(torn.events).deltas.items():
        if place[:2] not in revised and not texts.get(place, "").startswith(text):
            return f"{place[0]}: torn, {place} is {text!r}; whole, {texts.get(place)!r}"
    return None


def _first_difference(before: list[StreamEvent], events: list[StreamEvent]) -> str | None:
    for place, event in enumerate(before):
        if place >= len(events) or event != events[place]:
            other = events[place] if place < len(events) else None
            what = _what_differs(event, other)
            return f"{what}: torn, event {place} is {event!r}; whole, {other!r}"
    return None
