"""The tool calls of one choice: fragments in, events and calls out. Which may be run?"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import Literal

from untorn.chat.chunks import Finding, Fragment, findings_of
from untorn.chat.completion import ToolCall, TornToolCall
from untorn.chat.open_call import FinalCall, OpenCall
from untorn.chat.tool_calls import ToolCalls
from untorn.events import (
    Revised,
    StreamEvent,
    ToolCallDelta,
    ToolCallFinished,
    ToolCallStarted,
)
from untorn.options import Limits

Deliver = Callable[[StreamEvent], None]


class ChoiceEnd(Enum):
    """How a choice ended, as far as its calls are concerned."""

    NONE = auto()
    """It did not, or badly: none of its calls may be run."""
    NORMAL = auto()
    LIMIT = auto()
    """A token limit stopped it: only what is closed may be run."""


class ChoiceCalls(ToolCalls):
    """Tool calls that tell what happens to them."""

    __slots__ = ("_choice", "_deliver", "_told", "_went_on")

    def __init__(self, choice: int, limits: Limits, deliver: Deliver) -> None:
        super().__init__(limits)
        self._choice = choice
        self._deliver = deliver
        self._told: list[ToolCall | TornToolCall] = []
        self._went_on = False

    def receive(self, fragment: Fragment, findings: list[Finding], *, of_message: bool) -> None:
        """Take a fragment. ``of_message``: it is a call of a whole message."""
        call = self.place(fragment, findings, of_message=of_message)
        self._went_on = self._went_on or bool(self._told) or call.told_call is not None
        if call.started and call.name is not None and call.name != call.told_name:
            call.told_name = call.name
            self._deliver(Revised(self._choice, "name", call.name, call.number))
        new, codes = call.append(fragment.arguments)
        if codes:
            findings += findings_of(codes, f"in the arguments of call {call.number}")
        self._deliver_arguments(call, new)

    def release(self, findings: list[Finding], *, finished: bool) -> None:
        """Nothing more is expected: deliver what waits, and calls that got no arguments."""
        for call in self.calls:
            new, codes = call.close(finished=finished)
            findings += findings_of(codes, f"in call {call.number}")
            self._deliver_arguments(call, new)
            self._start(call)

    def finish(self, end: ChoiceEnd) -> None:
        """ToolCallFinished for each whole call, after a Revised where a repair changed one."""
        final = self.final([])
        calls = [_built(place, call, end) for place, call in enumerate(final)]
        opened = [self.calls[one.number] for one in final]
        told = zip(opened, calls, strict=True)
        as_told = len(calls) == len(self.calls) and all(one.was_told_as(call) for one, call in told)
        # Once a list was told, it is the list that counts.
        if self._went_on or (calls != self._told and (self._told or not as_told)):
            self._told, self._went_on = calls, False
            self._deliver(Revised(self._choice, "tool_calls", calls))
        for one, call in zip(opened, calls, strict=True):
            if one.told_call is None and isinstance(call, ToolCall):
                one.told_call = call
                self._deliver(ToolCallFinished(self._choice, one.number, one.index, call))

    def built(self, end: ChoiceEnd) -> list[ToolCall | TornToolCall]:
        """The calls as they stand."""
        return [_built(place, call, end) for place, call in enumerate(self.final([]))]

    def _deliver_arguments(self, call: OpenCall, new: str) -> None:
        if new:
            self._start(call)
            self._deliver(ToolCallDelta(self._choice, call.number, call.index, new))

    def _start(self, call: OpenCall) -> None:
        if not call.started:
            call.started = True
            call.told_name, call.told_id = call.name, call.id
            self._deliver(
                ToolCallStarted(self._choice, call.number, call.index, call.id, call.name)
            )


def _built(place: int, call: FinalCall, end: ChoiceEnd) -> ToolCall | TornToolCall:
    kind: Literal["custom", "function"] = "custom" if call.custom else "function"
    if _may_be_run(call, end):
        return ToolCall(place, call.id, kind, call.name, call.arguments, extra=call.extra)
    invalid = end is ChoiceEnd.NORMAL and call.name is not None
    state: Literal["invalid", "torn"] = "invalid" if invalid else "torn"
    return TornToolCall(place, call.id, kind, call.name, call.arguments, state, call.extra)


def _may_be_run(call: FinalCall, end: ChoiceEnd) -> bool:
    """Whether a call is whole (law 1)."""
    if call.name is None or end is ChoiceEnd.NONE:
        return False
    if end is ChoiceEnd.LIMIT:
        return call.is_object
    return call.custom or call.is_json or not call.arguments


TOLD_TO_NOBODY: list[StreamEvent] = []

NO_CALLS = ChoiceCalls(0, Limits(), TOLD_TO_NOBODY.append)
"""Stands for the calls of a choice that has none. It receives nothing: streams share it. As
with ``NO_TEXT``, it is told by having no calls."""
