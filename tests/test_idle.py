"""A stream that waits for its next read: what it takes, and what it shares with all others."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from bench import workloads
from bench.limits import memory_of
from tests.chat_helpers import by_event, corpus
from untorn import ChatStream, timing
from untorn.chat import block, choice_calls, framing, growing, kept, pieces, text, verdict

MOST = 4000
"""Bytes, as promised."""

EMPTY: dict[str, Any] = {
    f"{module.__name__}.{name}": getattr(module, name)
    for module, names in {
        choice_calls: "TOLD_TO_NOBODY",
        framing: "NO_ITEMS",
        growing: "NOBODY NO_CALLS_OF NO_PARTS",
        kept: "NO_WEIGHTS",
        pieces: "NO_ITEMS NO_VALUES",
        timing: "NO_TIMES",
        verdict: "NO_COUNTS NO_DEFECTS",
    }.items()
    for name in names.split()
}
"""Containers that streams share."""


def state(one: Any) -> Any:
    """All that an object holds, for one that has slots."""
    slots = [slot for kind in type(one).__mro__ for slot in getattr(kind, "__slots__", ())]
    return {slot: state(getattr(one, slot)) for slot in slots} if slots else repr(one)


OBJECTS = [block.NO_LINES, choice_calls.NO_CALLS, text.NO_TEXT]
"""Objects that streams share."""
AS_MADE = [state(one) for one in OBJECTS]


@pytest.mark.parametrize("make", [workloads.text, workloads.reasoning])
def test_stream_that_waits_takes_four_kilobytes(make: Any) -> None:
    assert memory_of(make(20).events[:10]) <= MOST


def test_no_stream_leaves_anything_in_what_all_share() -> None:
    for case in corpus():
        for reads in ([case.body], by_event(case.body)):
            stream = case.open()
            for at, data in enumerate(reads):
                stream.receive_data(data, at)
                _ = stream.completion
            stream.receive_eof(len(reads))
    assert {name: one for name, one in EMPTY.items() if one} == {}
    assert [state(one) for one in OBJECTS] == AS_MADE


def test_copy_of_a_stream_that_waits_goes_on_as_the_stream_does() -> None:
    for case in corpus():
        stream = case.open()
        for data in by_event(case.body):
            copied = deepcopy(stream)
            assert copied.receive_data(data) == stream.receive_data(data)
            other = deepcopy(stream)
            assert copied.receive_eof() == other.receive_eof()
            assert copied.completion == other.completion


def test_what_a_completion_holds_is_its_own() -> None:
    chunk = b'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0}]}}]}\n\n'
    stream = ChatStream()
    stream.receive_data(chunk)
    completion = stream.completion
    message = completion.choices[0].message
    completion.extra["more"] = completion.choices[0].extra["more"] = message.extra["more"] = 1
    message.tool_calls[0].extra["more"] = 1
    for values in (
        message.annotations,
        message.reasoning_details,
        completion.choices[0].raw_logprobs,
        completion.verdict.defects,
    ):
        values.clear()
        values.append(1)  # type: ignore[arg-type]
    assert {name: one for name, one in EMPTY.items() if one} == {}
