"""What is told of the calls of a choice, and which of them may be run (law 1)."""

from __future__ import annotations

import pytest

from tests.chat.shapes import fragment
from untorn.chat.choice_calls import ChoiceCalls, ChoiceEnd
from untorn.chat.chunks import Finding, Fragment
from untorn.chat.completion import ToolCall, TornToolCall
from untorn.events import (
    Revised,
    StreamEvent,
    ToolCallDelta,
    ToolCallFinished,
    ToolCallStarted,
)
from untorn.options import Limits

NONE, NORMAL, LIMIT = ChoiceEnd.NONE, ChoiceEnd.NORMAL, ChoiceEnd.LIMIT


class Calls:
    """The calls of choice 2, and what they told."""

    def __init__(self) -> None:
        self._told: list[StreamEvent] = []
        self.findings: list[Finding] = []
        self.of_choice = ChoiceCalls(2, Limits(depth=10), self._told.append)

    def told(self) -> list[StreamEvent]:
        """The events since the last time."""
        events = list(self._told)
        self._told.clear()
        return events

    def receive(self, *fragments: Fragment, of_message: bool = False) -> list[StreamEvent]:
        for one in fragments:
            self.of_choice.receive(one, self.findings, of_message=of_message)
        return self.told()

    def release(self, *, finished: bool = True) -> list[StreamEvent]:
        self.of_choice.release(self.findings, finished=finished)
        return self.told()

    def finish(self, end: ChoiceEnd = NORMAL) -> list[StreamEvent]:
        """What the end tells, but for what waited for it."""
        self.of_choice.release(self.findings, finished=end is not NONE)
        self._told.clear()
        self.of_choice.finish(end)
        return self.told()


def calls_of(*fragments: Fragment) -> Calls:
    calls = Calls()
    calls.receive(*fragments)
    return calls


def states(end: ChoiceEnd, *fragments: Fragment) -> list[str]:
    return [call.state for call in calls_of(*fragments).of_choice.built(end)]


def whole(arguments: str, place: int = 0, id: str = "a", name: str = "f") -> ToolCall:
    return ToolCall(place, id, "function", name, arguments)


# While it grows -------------------------------------------------------------------------------


def test_call_starts_with_its_first_arguments() -> None:
    calls = Calls()
    assert calls.receive(fragment(0, "a", "f")) == []
    assert calls.receive(fragment(0, arguments="{")) == [
        ToolCallStarted(2, call=0, index=0, id="a", name="f"),
        ToolCallDelta(2, call=0, index=0, arguments="{"),
    ]
    assert calls.receive(fragment(0, arguments="}")) == [
        ToolCallDelta(2, call=0, index=0, arguments="}")
    ]


def test_call_without_arguments_starts_at_its_end() -> None:
    calls = calls_of(fragment(0, "a", "f"))
    assert calls.release() == [ToolCallStarted(2, call=0, index=0, id="a", name="f")]
    assert calls.release() == []


@pytest.mark.parametrize("finished", [True, False])
def test_torn_call_without_arguments_is_told_too(finished: bool) -> None:
    calls = calls_of(fragment(id="a"))
    assert calls.release(finished=finished) == [
        ToolCallStarted(2, call=0, index=None, id="a", name=None)
    ]


def test_call_is_the_place_in_order_of_opening_whatever_its_index() -> None:
    told = Calls().receive(fragment(7, "a", "f", "{}"), fragment(3, "b", "g", "[]"))
    assert told == [
        ToolCallStarted(2, call=0, index=7, id="a", name="f"),
        ToolCallDelta(2, call=0, index=7, arguments="{}"),
        ToolCallStarted(2, call=1, index=3, id="b", name="g"),
        ToolCallDelta(2, call=1, index=3, arguments="[]"),
    ]


def test_name_that_grows_after_it_was_told_is_revised() -> None:
    calls = calls_of(fragment(0, "a", "get_", "{"))
    assert calls.receive(fragment(0, "a", "time", "}")) == [
        Revised(2, "name", "get_time", call=0),
        ToolCallDelta(2, call=0, index=0, arguments="}"),
    ]
    assert calls.receive(fragment(0, "a", "get_time")) == []


def test_name_that_grows_before_it_was_told_is_told_whole() -> None:
    calls = calls_of(fragment(0, "a", "get_"), fragment(0, None, "time"))
    assert calls.release() == [ToolCallStarted(2, call=0, index=0, id="a", name="get_time")]


def test_late_name_is_revised_too() -> None:
    calls = calls_of(fragment(0, "a", None, "{}"))
    assert calls.receive(fragment(0, None, "f")) == [Revised(2, "name", "f", call=0)]


def test_halves_of_a_pair_are_told_joined_and_a_half_alone_at_the_end() -> None:
    calls = calls_of(fragment(0, "a", "f", '"'))
    assert calls.receive(fragment(0, arguments="\ud83d")) == []
    assert calls.receive(fragment(0, arguments="\ude00\ud83d")) == [
        ToolCallDelta(2, call=0, index=0, arguments="\U0001f600")
    ]
    assert calls.release() == [ToolCallDelta(2, call=0, index=0, arguments="\ufffd")]
    assert calls.findings == [
        Finding("surrogate-split", "in the arguments of call 0"),
        Finding("lone-surrogate", "in call 0"),
    ]


def test_calls_of_a_whole_message_need_no_index() -> None:
    calls = Calls()
    calls.receive(fragment(id="a", name="f", arguments="{}"), of_message=True)
    assert calls.findings == []
    calls.receive(fragment(id="b", name="f", arguments="{}"))
    assert [finding.code for finding in calls.findings] == ["tool-index-missing"]


# Its end --------------------------------------------------------------------------------------


def test_whole_call_has_finished_when_its_choice_has_and_once() -> None:
    calls = calls_of(fragment(0, "a", "f", "{}"), fragment(1, "b", "g"))
    assert calls.finish() == [
        ToolCallFinished(2, call=0, index=0, tool_call=whole("{}")),
        ToolCallFinished(2, call=1, index=1, tool_call=whole("", 1, "b", "g")),
    ]
    assert calls.finish() == []


def test_call_is_finished_at_its_place_in_the_list_which_may_differ_from_its_number() -> None:
    calls = calls_of(fragment(1, "b", "g", "[]"), fragment(0, "a", "f", "{}"))
    assert calls.finish() == [
        ToolCallFinished(2, call=1, index=0, tool_call=whole("{}")),
        ToolCallFinished(2, call=0, index=1, tool_call=whole("[]", 1, "b", "g")),
    ]


@pytest.mark.parametrize(
    ("end", "arguments"),
    [(NONE, "{}"), (NORMAL, "{"), (LIMIT, "{"), (LIMIT, ""), (LIMIT, "12"), (LIMIT, "[1]")],
)
def test_call_that_may_not_be_run_never_finishes(end: ChoiceEnd, arguments: str) -> None:
    assert calls_of(fragment(0, "a", "f", arguments)).finish(end) == []


def test_call_is_revised_before_it_finishes_where_its_arguments_were_repaired() -> None:
    calls = calls_of(fragment(0, "a", "f", "{}"), fragment(0, arguments='{"n":1}'))
    revised = whole('{"n":1}')
    assert calls.finish() == [
        Revised(2, "tool_calls", [revised]),
        ToolCallFinished(2, call=0, index=0, tool_call=revised),
    ]
    assert calls.finish() == []


def test_calls_are_revised_where_a_copy_is_dropped() -> None:
    calls = calls_of(fragment(0, "a", "f", "{}"), fragment(1, "a", "f", "{}"))
    assert calls.finish() == [
        Revised(2, "tool_calls", [whole("{}")]),
        ToolCallFinished(2, call=0, index=0, tool_call=whole("{}")),
    ]
    assert calls.finish() == []


def test_repair_in_a_choice_that_never_finished_is_told_too() -> None:
    calls = calls_of(fragment(0, "a", "f", "{}"), fragment(0, arguments='{"n":1}'))
    torn: list[ToolCall | TornToolCall] = [TornToolCall(0, "a", "function", "f", '{"n":1}', "torn")]
    assert calls.finish(NONE) == [Revised(2, "tool_calls", torn)]
    assert calls.of_choice.built(NONE) == torn


def test_call_that_went_on_after_it_finished_is_revised() -> None:
    calls = calls_of(fragment(0, "a", "f", '{"n":1}'))
    calls.finish()
    calls.receive(fragment(0, arguments=" "))
    assert calls.finish() == [Revised(2, "tool_calls", [whole('{"n":1} ')])]
    calls.receive(fragment(0, arguments="x"))
    torn = TornToolCall(0, "a", "function", "f", '{"n":1} x', "invalid")
    assert calls.finish() == [Revised(2, "tool_calls", [torn])]
    assert calls.finish() == []


def test_call_that_came_after_the_end_finishes_without_a_revision() -> None:
    calls = calls_of(fragment(0, "a", "f", "{}"))
    calls.finish()
    calls.receive(fragment(1, "b", "g", "[]"))
    assert calls.finish() == [
        ToolCallFinished(2, call=1, index=1, tool_call=whole("[]", 1, "b", "g"))
    ]


# Which may be run -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "normal", "limit"),
    [
        ('{"n":1}', "whole", "whole"),
        ("{}", "whole", "whole"),
        ("", "whole", "torn"),
        ("[1]", "whole", "torn"),
        ("12", "whole", "torn"),
        ('"{}"', "whole", "torn"),
        ("{", "invalid", "torn"),
        ("{}{", "invalid", "torn"),
    ],
)
def test_call_is_whole_by_how_its_choice_ended_and_by_its_arguments(
    arguments: str, normal: str, limit: str
) -> None:
    one = fragment(0, "a", "f", arguments)
    assert [states(end, one) for end in (NORMAL, LIMIT, NONE)] == [[normal], [limit], ["torn"]]


@pytest.mark.parametrize("arguments", ["free text", "", "{}"])
def test_custom_call_is_whole_when_its_choice_finished_normally(arguments: str) -> None:
    one = fragment(0, "a", "f", arguments, custom=True)
    assert [states(end, one) for end in (NORMAL, LIMIT, NONE)] == [["whole"], ["torn"], ["torn"]]
    (call,) = calls_of(one).of_choice.built(NORMAL)
    assert call.type == "custom"


@pytest.mark.parametrize("end", [NORMAL, NONE])
def test_call_has_the_unknown_keys_that_stood_beside_it(end: ChoiceEnd) -> None:
    one = Fragment(0, "a", "f", "{}", False, False, extra={"x": 1})
    (call,) = calls_of(one).of_choice.built(end)
    assert call.extra == {"x": 1}


@pytest.mark.parametrize("end", [NORMAL, LIMIT, NONE])
def test_call_without_a_name_is_torn_whatever_its_arguments(end: ChoiceEnd) -> None:
    assert states(end, fragment(0, "a", None, "{}")) == ["torn"]


def test_id_that_comes_after_a_call_was_told_is_revised() -> None:
    calls = calls_of(fragment(0, None, "f", "{}"))
    calls.finish()
    calls.receive(fragment(0, "a"))
    assert calls.finish() == [Revised(2, "tool_calls", [whole("{}")])]


def test_call_that_was_told_as_whole_and_is_not_any_more_is_revised() -> None:
    calls = calls_of(fragment(0, "a", "f", "{}"))
    calls.finish()
    torn: list[ToolCall | TornToolCall] = [TornToolCall(0, "a", "function", "f", "{}", "torn")]
    assert calls.finish(NONE) == [Revised(2, "tool_calls", torn)]


def test_list_of_calls_is_told_again_when_a_delta_came_that_it_does_not_hold() -> None:
    calls = calls_of(fragment(0, "a", "f", "{}"), fragment(1, "a", "f", "{}"))
    calls.finish()
    assert calls.receive(fragment(1, None, None, " ")) == [ToolCallDelta(2, 1, 1, " ")]
    assert calls.finish() == [Revised(2, "tool_calls", [whole("{}")])]
    assert calls.finish() == []


def test_list_of_calls_is_told_again_when_another_call_came_after_it() -> None:
    calls = calls_of(fragment(0, "a", "f", "{}"), fragment(0, arguments='{"n":1}'))
    calls.finish()
    calls.receive(fragment(1, "b", "g", "{}"))
    revised = calls.finish()[0]
    assert isinstance(revised, Revised)
    assert [call.arguments for call in revised.value if not isinstance(call, str)] == [
        '{"n":1}',
        "{}",
    ]
