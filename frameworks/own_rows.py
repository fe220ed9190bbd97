"""Rows about tool calls that neither a scenario nor the corpus has: where the most is at stake."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from untorn.capture import Read
from untorn.chat.verdict import Ending, Outcome
from untorn.replay.reply import Reply
from untorn.replay.scenario import Call, Expected, Scenario
from untorn.replay.streams import (
    ARGUMENTS,
    DONE,
    FRAGMENTS,
    PIECES,
    ROLE,
    TEXT,
    TOOL,
    call,
    chunk,
    contents,
    error,
    event,
    stream,
)

TORN = "".join(FRAGMENTS[:2])
TORN_CALL = call(fragments=FRAGMENTS[:2])
WHOLE = Call(TOOL, ARGUMENTS, "whole")
OTHER = '{"bridge": "Ponte"}'
BEGUN = call(1, ['{"bri'])
BEGUN_CALL = Call(TOOL, '{"bri', "torn")


def _row(
    name: str, about: str, reads: Iterable[Read], outcome: Outcome, *calls: Call, text: str = ""
) -> Scenario:
    body = tuple(reads)
    ending: Ending = "done" if DONE in body else "eof"
    expected = Expected(outcome=outcome, ending=ending, text=text, calls=calls)
    return Scenario(name, about, Reply(reads=body), expected)


def _deltas(deltas: Iterable[Mapping[str, Any]]) -> list[Read]:
    return [ROLE, *map(chunk, deltas)]


OWN_ROWS = [
    _row(
        "own-end-before-finish",
        "ends the body cleanly after all arguments of a call, before its finish reason",
        _deltas(call()),
        "interrupted",
        Call(TOOL, ARGUMENTS, "torn"),
    ),
    _row(
        "own-done-before-finish",
        "sends `[DONE]` after all arguments of a call, without a finish reason",
        [*_deltas(call()), DONE],
        "interrupted",
        Call(TOOL, ARGUMENTS, "torn"),
    ),
    _row(
        "own-done-mid-call",
        "sends `[DONE]` inside the arguments of a call",
        [*_deltas(TORN_CALL), DONE],
        "interrupted",
        Call(TOOL, TORN, "torn"),
    ),
    _row(
        "own-finish-mid-call",
        "says `tool_calls` inside the arguments of a call",
        stream(TORN_CALL, "tool_calls"),
        "complete",
        Call(TOOL, TORN, "invalid"),
    ),
    _row(
        "own-stop-mid-call",
        "says `stop` inside the arguments of a call",
        stream(TORN_CALL, "stop"),
        "complete",
        Call(TOOL, TORN, "invalid"),
    ),
    _row(
        "own-filter-mid-call",
        "stops the answer with its content filter inside the arguments of a call, after some text",
        stream([*contents(PIECES[:1]), *TORN_CALL], "content_filter"),
        "filtered",
        Call(TOOL, TORN, "torn"),
        text=PIECES[0],
    ),
    _row(
        "own-length-after-call",
        "stops the answer at its token limit just after a call",
        stream(call(), "length"),
        "truncated",
        WHOLE,
    ),
    _row(
        "own-length-second-call",
        "stops the answer at its token limit inside the second of two calls",
        stream([*call(), *BEGUN], "length"),
        "truncated",
        WHOLE,
        BEGUN_CALL,
    ),
    _row(
        "own-end-second-call",
        "ends the body cleanly inside the second of two calls",
        _deltas([*call(), *BEGUN]),
        "interrupted",
        Call(TOOL, ARGUMENTS, "torn"),
        BEGUN_CALL,
    ),
    _row(
        "own-error-after-call",
        "reports an error after all arguments of a call",
        [*_deltas(call()), event(error("the model is overloaded").decode())],
        "failed",
        Call(TOOL, ARGUMENTS, "torn"),
    ),
    _row(
        "own-one-chunk-calls",
        "sends two calls, each whole in one chunk",
        stream(
            [
                {"tool_calls": [{"index": index, "id": f"call_{index}", "type": "function"} | of]}
                for index, of in enumerate(
                    {"function": {"name": TOOL, "arguments": text}} for text in (ARGUMENTS, OTHER)
                )
            ],
            "tool_calls",
        ),
        "complete",
        WHOLE,
        Call(TOOL, OTHER, "whole"),
    ),
    _row(
        "own-text-then-call",
        "sends some text, and then a call",
        stream([*contents(), *call()], "tool_calls"),
        "complete",
        WHOLE,
        text=TEXT,
    ),
]
