"""Which call a fragment belongs to, and which calls there are in the end (rules 9 and 10)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.chat.shapes import codes, fragment
from untorn.chat.chunks import Finding, Fragment
from untorn.chat.tool_calls import ToolCalls
from untorn.options import Limits

Listed = tuple[int | None, str | None, str | None, str]
"""Index on the wire, id, name, arguments."""


def place(
    calls: ToolCalls, *fragments: Fragment, of_message: bool = False
) -> tuple[list[int], list[Finding]]:
    """The numbers of the calls that fragments belong to, and what is odd."""
    findings: list[Finding] = []
    numbers = []
    for one in fragments:
        call = calls.place(one, findings, of_message=of_message)
        call.append(one.arguments)
        numbers.append(call.number)
    return numbers, findings


def numbers_of(*fragments: Fragment, of_message: bool = False) -> tuple[list[int], list[str]]:
    """The same with the codes alone, for a new choice."""
    numbers, findings = place(ToolCalls(Limits(depth=10)), *fragments, of_message=of_message)
    return numbers, codes(findings)


def listed(*fragments: Fragment, of_message: bool = False) -> tuple[list[Listed], list[str]]:
    """The calls that fragments make, and what is odd when nothing more comes."""
    calls = ToolCalls(Limits(depth=10))
    place(calls, *fragments, of_message=of_message)
    findings: list[Finding] = []
    final = calls.final(findings)
    return [(call.index, call.id, call.name, call.arguments) for call in final], codes(findings)


# Fragments with an index ----------------------------------------------------------------------


def test_fragment_belongs_to_the_call_at_its_index() -> None:
    fragments = [
        fragment(0, "a", "f", "{"),
        fragment(1, "b", "g", "["),
        fragment(0, arguments="}"),
        fragment(1, arguments="]"),
    ]
    assert numbers_of(*fragments) == ([0, 1, 0, 1], [])
    assert listed(*fragments) == ([(0, "a", "f", "{}"), (1, "b", "g", "[]")], [])


@given(st.data(), st.integers(1, 4))
def test_any_order_of_fragments_of_calls_at_different_indexes_gives_the_same_calls(
    data: st.DataObject, count: int
) -> None:
    waiting = {
        index: [
            fragment(index, f"call_{index}", "f"),
            *(fragment(index, None, None, c) for c in "[1]"),
        ]
        for index in range(count)
    }
    fragments = []
    while waiting:
        index = data.draw(st.sampled_from(sorted(waiting)))
        fragments.append(waiting[index].pop(0))
        if not waiting[index]:
            del waiting[index]
    assert listed(*fragments) == ([(n, f"call_{n}", "f", "[1]") for n in range(count)], [])


def test_another_call_at_the_same_index_is_a_new_one() -> None:
    fragments = [
        fragment(0, "a", "f", "{}"),
        fragment(0, "b", "f", "[]"),
        fragment(0, None, None, " "),
    ]
    assert numbers_of(*fragments) == ([0, 1, 1], ["tool-index-reused"])
    calls, _ = listed(*fragments)
    assert calls == [(0, "a", "f", "{}"), (0, "b", "f", "[] ")]


def test_same_arguments_again_are_no_new_call_where_an_id_is_missing() -> None:
    repeated = [fragment(0, "a", "f", '{"n":1}'), fragment(0, None, "f", '{"n": 1}')]
    assert numbers_of(*repeated) == ([0, 0], ["name-repeated"])
    other = [fragment(0, "a", "f", '{"n":1}'), fragment(0, None, "f", '{"n": 2}')]
    assert numbers_of(*other) == ([0, 1], ["tool-index-reused"])


# Fragments without an index -------------------------------------------------------------------


def test_fragment_without_an_index_continues_the_call_before_or_the_one_it_names() -> None:
    fragments = [
        fragment(id="a", name="f", arguments="{"),
        fragment(id="b", name="g", arguments="["),
        fragment(arguments="]"),
        fragment(id="a", arguments="}"),
        fragment(arguments=" "),
    ]
    numbers, found = numbers_of(*fragments)
    assert numbers == [0, 1, 1, 0, 0]
    assert found == ["tool-index-missing"] * 4 + ["tool-id-repeated", "tool-index-missing"]
    assert listed(*fragments)[0] == [(None, "a", "f", "{} "), (None, "b", "g", "[]")]


def test_name_without_an_index_opens_a_call_when_the_one_before_has_its_own() -> None:
    fragments = [fragment(name="f", arguments="{}"), fragment(name="f", arguments="{}")]
    assert numbers_of(*fragments) == ([0, 1], ["tool-index-missing"] * 2)


def test_fragment_without_an_index_may_continue_a_call_with_one() -> None:
    fragments = [fragment(0, "a", "f", "{"), fragment(arguments="}")]
    assert numbers_of(*fragments) == ([0, 0], ["tool-index-missing"])


def test_calls_of_a_whole_message_have_no_index_by_nature_and_every_name_opens_one() -> None:
    fragments = [
        fragment(id="a", name="f", arguments="{}"),
        fragment(id="a", name="f", arguments="[]"),
        fragment(arguments=" "),
    ]
    assert numbers_of(*fragments, of_message=True) == ([0, 1, 1], [])


# Ids and names --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "then", "call", "found"),
    [
        (fragment(0, "a", "f"), fragment(0, "a"), (0, "a", "f", ""), "tool-id-repeated"),
        (fragment(0, "a", "f"), fragment(0, "b"), (0, "a", "f", ""), "tool-id-changed"),
        (fragment(0, None, "f"), fragment(0, "b"), (0, "b", "f", ""), None),
        (fragment(0, "a", "f"), fragment(0, None, "f"), (0, "a", "f", ""), "name-repeated"),
        (fragment(0, "a", "get_"), fragment(0, None, "x"), (0, "a", "get_x", ""), "name-split"),
        (fragment(0, "a"), fragment(0, None, "f"), (0, "a", "f", ""), "tool-name-late"),
    ],
)
def test_later_id_and_name_are_taken_where_none_was_and_told_where_one_was(
    first: Fragment, then: Fragment, call: Listed, found: str | None
) -> None:
    assert numbers_of(first, then) == ([0, 0], [found] if found else [])
    assert listed(first, then)[0] == [call]


def test_another_id_in_the_middle_of_the_arguments_is_told_and_the_first_stays() -> None:
    fragments = [fragment(0, "a", "f", "{"), fragment(0, "b", "f", "}")]
    assert numbers_of(*fragments) == ([0, 0], ["tool-id-changed", "name-repeated"])
    assert listed(*fragments)[0] == [(0, "a", "f", "{}")]


def test_id_that_came_late_is_known_from_then_on() -> None:
    fragments = [
        fragment(name="f", arguments="{"),
        fragment(id="a"),
        fragment(id="b", name="g", arguments="[]"),
        fragment(id="a", arguments="}"),
    ]
    assert numbers_of(*fragments)[0] == [0, 0, 1, 0]


def test_sentences_say_which_call_is_meant() -> None:
    calls = ToolCalls(Limits(depth=10))
    _, findings = place(
        calls,
        fragment(0, "a", None, "{}"),
        fragment(0, "a", "f"),
        fragment(0, "b", "f", "{}"),
        fragment(None, "c", "f_2"),
        fragment(None, "d", None),
        fragment(0, None, "f"),
        fragment(0, None, "_3"),
        fragment(0, None, "_4"),
    )
    assert findings == [
        Finding("tool-id-repeated", "the id of call 0 came again"),
        Finding("tool-name-late", "call 0 got its name after it began"),
        Finding("tool-index-reused", "a new call at the index of call 0"),
        Finding("tool-index-missing", "a tool call fragment has no index"),
        Finding("tool-index-missing", "a tool call fragment has no index"),
        Finding("tool-id-changed", "another id for call 2; the first stays"),
        Finding("name-repeated", "the name of call 1 came again"),
        Finding("tool-index-reused", "a new call at the index of call 1"),
        Finding("name-split", "another piece of the name of call 3"),
    ]


def test_name_that_outgrows_its_limit_is_not_taken_and_told() -> None:
    calls = ToolCalls(Limits(name=10))
    place(calls, fragment(0, "a", "get_"), fragment(0, None, "012345"))
    assert calls.over is None
    place(calls, fragment(0, None, "6"))
    assert calls.over == "more than 10 characters in the name of a tool call"
    assert calls.calls[0].name == "get_012345"


# function_call --------------------------------------------------------------------------------


def test_function_call_is_a_call_of_its_own_without_id_and_index_and_nothing_is_missing() -> None:
    fragments = [
        fragment(0, "a", "f", "{}"),
        fragment(name="g", arguments="[", legacy=True),
        fragment(arguments="]", legacy=True),
    ]
    assert numbers_of(*fragments) == ([0, 1, 1], [])
    assert listed(*fragments) == ([(0, "a", "f", "{}"), (None, None, "g", "[]")], [])


# The calls in the end -------------------------------------------------------------------------


def test_calls_are_listed_by_their_index_on_the_wire() -> None:
    fragments = [fragment(1, "b", "g", "[]"), fragment(0, "a", "f", "{}")]
    assert listed(*fragments) == ([(0, "a", "f", "{}"), (1, "b", "g", "[]")], [])


def test_calls_are_listed_as_they_came_if_one_has_no_index_of_its_own() -> None:
    shared = [fragment(1, "b", "g", "[]"), fragment(0, "a", "f", "{}"), fragment(0, "c", "f", "{}")]
    assert [id for _, id, _, _ in listed(*shared)[0]] == ["b", "a", "c"]
    missing = [fragment(1, "b", "g", "[]"), fragment(None, "a", "f", "{}")]
    assert [id for _, id, _, _ in listed(*missing)[0]] == ["b", "a"]


def test_copy_of_a_call_is_dropped_and_told() -> None:
    fragments = [fragment(0, "a", "f", "{}"), fragment(1, "a", "f", "{ }")]
    assert listed(*fragments) == ([(0, "a", "f", "{}")], ["tool-call-duplicated"])


def test_different_calls_with_one_id_are_kept_and_told() -> None:
    fragments = [fragment(0, "a", "f", "{}"), fragment(1, "a", "g", "{}")]
    kept, found = listed(*fragments)
    assert (len(kept), found) == (2, ["tool-id-duplicated"])


@pytest.mark.parametrize(
    ("fragments", "finding"),
    [
        ([fragment(0, None, "f", "{}")], Finding("tool-id-missing", "call 0 has no id")),
        (
            [fragment(0, "a", "f", "{}"), fragment(2, "b", "f", "[]")],
            Finding("tool-index-offset", "the calls are numbered 0, 2"),
        ),
        (
            [fragment(n, f"call_{n}", "f", "{}") for n in (1, 2, 3, 4, 5)],
            Finding("tool-index-offset", "the calls are numbered 1, 2, 3, 4"),
        ),
        ([fragment(0, "a", "f")], Finding("arguments-empty", "call 0 has no arguments")),
        (
            [fragment(0, "a", "f", '"{}"')],
            Finding(
                "arguments-double-encoded",
                "call 0 has a JSON string for arguments, which holds JSON",
            ),
        ),
        (
            [fragment(0, "a", "f", "{}"), fragment(0, None, None, '{"n":1}')],
            Finding(
                "arguments-placeholder",
                "call 0 began with {} before its arguments, which is dropped",
            ),
        ),
        (
            [fragment(0, "a", "f", '{"n":1}'), fragment(0, None, None, '{"n": 1}')],
            Finding(
                "arguments-resent", "call 0 got its whole arguments once more, which are dropped"
            ),
        ),
        (
            [fragment(0, "a", "f", '{"n"'), fragment(0, None, None, '{"n":1}')],
            Finding(
                "arguments-cumulative",
                "call 0 repeated all arguments in each fragment; the last one is taken",
            ),
        ),
        (
            [fragment(0, "a", "f", "{")],
            Finding(
                "arguments-invalid-json",
                "call 0 has arguments that are no JSON; it is not to be run",
            ),
        ),
        (
            [fragment(0, "a", "f", "{}"), fragment(1, "a", "f", "{}")],
            Finding("tool-call-duplicated", "a call came twice; one is kept"),
        ),
        (
            [fragment(0, "a", "f", "{}"), fragment(1, "a", "g", "{}")],
            Finding("tool-id-duplicated", "two different calls have one id"),
        ),
    ],
)
def test_what_is_odd_in_the_end_is_told_in_a_sentence(
    fragments: list[Fragment], finding: Finding
) -> None:
    calls = ToolCalls(Limits(depth=10))
    place(calls, *fragments)
    findings: list[Finding] = []
    calls.final(findings)
    assert findings == [finding]


def test_index_that_another_call_has_too_is_no_offset() -> None:
    _, found = listed(fragment(0, "a", "f", "{}"), fragment(0, "b", "f", "[]"))
    assert found == []


def test_custom_call_is_known_by_its_first_fragment() -> None:
    calls = ToolCalls(Limits(depth=10))
    place(calls, fragment(0, "a", "f", "free ", custom=True), fragment(0, None, None, "text"))
    findings: list[Finding] = []
    (call,) = calls.final(findings)
    assert (call.custom, call.arguments, findings) == (True, "free text", [])


@pytest.mark.parametrize(
    ("fragments", "custom"),
    [
        ([fragment(0, "a", "f"), fragment(0, arguments="text", custom=True)], True),
        ([fragment(0, "a", "f", "{"), fragment(0, arguments="}", custom=True)], False),
        ([fragment(0, "a", "f"), fragment(0, arguments="{}")], False),
    ],
)
def test_call_may_turn_out_to_be_custom_until_its_arguments_begin(
    fragments: list[Fragment], custom: bool
) -> None:
    calls = ToolCalls(Limits(depth=10))
    place(calls, *fragments)
    assert [call.custom for call in calls.final([])] == [custom]


def test_call_of_the_fragment_before_and_the_call_at_an_index_are_known() -> None:
    calls = ToolCalls(Limits(depth=10))
    assert calls.last is None
    place(calls, fragment(0, "a", "f", "{}"), fragment(0, "b", "f", "[]"), fragment(1, "c", "f"))
    first, second, third = calls.calls
    assert calls.at == {0: second, 1: third}
    assert calls.last is third
    assert [first.id, second.id, third.id] == ["a", "b", "c"]


def test_where_no_call_came_none_is_listed_and_none_is_odd() -> None:
    findings: list[Finding] = []
    assert ToolCalls(Limits(depth=10)).final(findings) == []
    assert findings == []


def test_unknown_keys_are_kept_once_for_each_call() -> None:
    calls = ToolCalls(Limits())
    for index, extra in (0, {"a": 1}), (0, {"a": 2}), (0, {"c": 5}), (1, {"a": 3, "b": 4}):
        one = fragment(index, str(index), "f")
        one.extra = extra
        calls.place(one, [], of_message=False)
    assert [call.extra for call in calls.final([])] == [{"a": 2, "c": 5}, {"a": 3, "b": 4}]
    assert calls.kept == 4
    other = ToolCalls(Limits())
    place(other, fragment(0, "a", "f"))
    assert [call.extra for call in other.final([])] == [{}]  # they are not those of others
