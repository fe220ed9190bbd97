"""One tool call while it grows, and what its arguments mean (rule 10)."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from untorn.chat.completion import ToolCall, TornToolCall
from untorn.chat.defects import CODES
from untorn.chat.open_call import REPAIRS, FinalCall, OpenCall, Scan, repair_arguments
from untorn.options import Limits

DEPTH = 20
LIMITS = Limits(depth=DEPTH)
HIGH, LOW, FACE = "\ud83d", "\ude00", "\U0001f600"

containers = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.sampled_from('a"\\{}[] ,:')),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.sampled_from('a"\\}]'), max_size=2), inner, max_size=3)
    ),
    max_leaves=6,
).filter(lambda value: isinstance(value, list | dict))


def open_call(*fragments: str, custom: bool = False) -> OpenCall:
    call = OpenCall(0, 3, custom=custom, legacy=False, limits=LIMITS)
    call.id, call.name = "call_1", "f"
    for fragment in fragments:
        call.append(fragment)
    return call


def final(*fragments: str, custom: bool = False) -> tuple[str, str | None, bool, bool]:
    call = open_call(*fragments, custom=custom).final()
    return call.arguments, call.repair, call.is_json, call.is_object


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def ended(*fragments: str) -> bool:
    return Scan().ended(list(fragments))


# Its fragments --------------------------------------------------------------------------------


def test_fragments_are_new_text_and_are_joined() -> None:
    call = open_call()
    assert not call.has_arguments
    assert call.append('{"city":') == ('{"city":', ())
    assert call.append("") == ("", ())
    assert call.append('"Zürich"}') == ('"Zürich"}', ())
    assert call.has_arguments
    assert call.fragments == ['{"city":', '"Zürich"}']
    assert call.arguments == '{"city":"Zürich"}'


def test_surrogate_pair_in_two_fragments_is_joined() -> None:
    call = open_call('"')
    assert call.append("a" + HIGH) == ("a", ())
    assert call.append("") == ("", ())
    assert call.append(LOW + '"') == (FACE + '"', ("surrogate-split",))
    assert call.arguments == f'"a{FACE}"'


def test_half_a_pair_that_waits_is_no_arguments_yet() -> None:
    call = open_call()
    assert call.append(HIGH) == ("", ())
    assert not call.has_arguments


def test_half_a_pair_without_its_partner_becomes_u_fffd() -> None:
    call = open_call('"' + HIGH)
    assert call.append("a" + HIGH) == ("\ufffda", ("lone-surrogate",))
    assert call.close(finished=True) == ("\ufffd", ("lone-surrogate",))
    assert call.close(finished=True) == ("", ())
    assert call.arguments == '"\ufffda\ufffd'


def test_half_a_pair_at_a_tear_is_not_delivered_its_partner_may_have_been_on_its_way() -> None:
    call = open_call('"' + HIGH)
    assert call.close(finished=False) == ("", ("lone-surrogate",))
    assert call.close(finished=False) == ("", ())
    assert call.arguments == '"'


def test_size_is_that_of_the_arguments_and_the_name_at_any_time() -> None:
    call = OpenCall(0, None, custom=False, legacy=False, limits=LIMITS)
    sizes = [call.size]
    for fragment in ['{"a":', "", "1}"]:
        call.append(fragment)
        sizes.append(call.size)
    call.name = "get_time"
    assert [*sizes, call.size] == [0, 5, 5, 7, 15]


def test_only_a_call_that_has_started_and_waits_for_nothing_is_usual() -> None:
    call = open_call('"')
    assert not call.is_usual
    call.started = True
    assert call.is_usual
    call.append(HIGH)
    assert not call.is_usual


@pytest.mark.parametrize(
    ("fragments", "whole"),
    [
        (['{"a":', "1}"], True),
        (['{"a":', "1}", " "], True),
        (['{"a":', "1"], False),
        (["{a}"], False),
        (["{}", "{}"], False),
        ([], False),
        (["7"], True),
        (["tru"], False),
        (["tru", "e"], True),
        (['"a'], False),
        (['"a', '"'], True),
    ],
)
def test_call_is_whole_when_its_arguments_so_far_are_json(
    fragments: list[str], whole: bool
) -> None:
    call = open_call(*fragments)
    assert call.is_whole() is whole
    assert call.is_whole() is whole


def test_call_deeper_than_the_limit_is_never_whole() -> None:
    assert open_call("[" * DEPTH + "]" * DEPTH).is_whole()
    assert not open_call("[" * (DEPTH + 1) + "]" * (DEPTH + 1)).is_whole()


# What it is if nothing more comes -------------------------------------------------------------


def test_final_call_says_what_came_and_nothing_else() -> None:
    call = open_call('{"city":', '"Oslo"}')
    assert (
        call.final()
        == call.final()
        == FinalCall(
            number=0,
            index=3,
            id="call_1",
            name="f",
            custom=False,
            arguments='{"city":"Oslo"}',
            extra={},
            repair=None,
            is_json=True,
            is_object=True,
        )
    )


@pytest.mark.parametrize(
    ("fragments", "arguments", "repair", "valid", "is_object"),
    [
        ([], "", "arguments-empty", False, False),
        (["[1,", "2]"], "[1,2]", None, True, False),
        (['{"a', '":1}'], '{"a":1}', None, True, True),
        (['{"a":'], '{"a":', "arguments-invalid-json", False, False),
        (['{"a":NaN}'], '{"a":NaN}', "arguments-invalid-json", False, False),
        (['{"a":"\t"}'], '{"a":"\t"}', "arguments-invalid-json", False, False),
        (['"{\\"a\\"', ':1}"'], '"{\\"a\\":1}"', "arguments-double-encoded", True, False),
        (['"text"'], '"text"', None, True, False),
        (["{}", '{"a":', "1}"], '{"a":1}', "arguments-placeholder", True, True),
        (['{"a":', "1}", '{"a": 1}'], '{"a":1}', "arguments-resent", True, True),
        (['{"a"', '{"a":1}'], '{"a":1}', "arguments-cumulative", True, True),
        (["{}", '"{}"'], '"{}"', "arguments-placeholder", True, False),
    ],
)
def test_arguments_are_repaired_only_where_the_whole_is_no_json(
    fragments: list[str], arguments: str, repair: str | None, valid: bool, is_object: bool
) -> None:
    assert final(*fragments) == (arguments, repair, valid, is_object)


@pytest.mark.parametrize("fragments", [[], ["free ", "text"], ["{}", '{"a":1}'], ['{"a":1}']])
def test_text_of_a_custom_call_is_left_as_it_is(fragments: list[str]) -> None:
    assert final(*fragments, custom=True) == ("".join(fragments), None, False, False)


@pytest.mark.parametrize(
    ("fragments", "repaired", "code"),
    [
        (["{", "}"], "{}", None),
        (["{}", "{}", "{}"], "{}", "arguments-cumulative"),
        (["{}", "{}"], "{}", "arguments-placeholder"),
        (["1", "2"], "12", None),
        (["[1]", "[1]", "[1]"], "[1]", "arguments-cumulative"),
        (['{"a":1}', "x"], '{"a":1}x', "arguments-invalid-json"),
    ],
)
def test_first_repair_that_gives_json_is_made(
    fragments: list[str], repaired: str, code: str | None
) -> None:
    assert repair_arguments(fragments, LIMITS) == (repaired, code)


@given(containers, st.lists(st.integers(0, 60), max_size=5))
def test_json_in_pieces_is_itself_however_it_is_cut(value: object, cuts: list[int]) -> None:
    text = json.dumps(value, ensure_ascii=False)
    places = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    pieces = [text[start:end] for start, end in pairwise(places)]
    assert repair_arguments(pieces, LIMITS) == (text, None)


def test_every_repair_has_a_code_of_the_vocabulary_and_a_sentence() -> None:
    assert set(REPAIRS) < set(CODES)
    assert REPAIRS["arguments-empty"] == "has no arguments"


def test_call_was_told_as_its_deltas_until_it_was_said_to_be_whole() -> None:
    call = open_call('{"a":1}')
    call.told_id, call.told_name = "call_1", "f"
    whole = ToolCall(0, "call_1", "function", "f", '{"a":1}')
    torn = TornToolCall(0, "call_1", "function", "f", '{"a":1}', "torn")
    assert call.was_told_as(whole)
    assert call.was_told_as(torn)
    call.told_call = whole
    assert call.was_told_as(ToolCall(1, "call_1", "function", "f", '{"a":1}'))
    assert not call.was_told_as(ToolCall(0, "call_2", "function", "f", '{"a":1}'))
    assert not call.was_told_as(torn)


# When it is worth asking whether it is JSON ---------------------------------------------------


@given(containers, st.lists(st.sampled_from([" ", "\n", "\t\r"]), max_size=2))
def test_scan_sees_the_end_of_a_container_exactly_where_json_does(
    value: object, blanks: list[str]
) -> None:
    text = json.dumps(value, ensure_ascii=False)
    scan = Scan()
    fragments: list[str] = []
    for char in text:
        fragments.append(char)
        assert scan.ended(fragments) is is_json("".join(fragments))
    for blank in blanks:
        fragments.append(blank)
        assert scan.ended(fragments)
    fragments.append("x")
    assert not scan.ended(fragments)


@given(st.text(st.sampled_from('{}[]"\\ 1,:atrue'), max_size=12), st.integers(0, 12))
@example('"a\\"b"', 3)
@example("{}{}", 2)
@example("]", 0)
@example("1{}", 0)
def test_what_json_can_read_has_ended_for_the_scan(text: str, cut: int) -> None:
    scan = Scan()
    scan.ended([text[:cut]])
    assert scan.ended([text[:cut], text[cut:]]) or not is_json(text)


@pytest.mark.parametrize(
    "text", ["", " ", "{} {}", "{}1", "1{}", "1{", '"a', "{", "{]{", "{}{}}{{}", "1" * 100]
)
def test_what_cannot_be_one_json_text_has_not_ended(text: str) -> None:
    assert not ended(text)


@pytest.mark.parametrize("text", ["{x}", "[}", "tru", "1 2", "9" * 99, '"{"'])
def test_what_only_looks_like_json_is_worth_asking(text: str) -> None:
    assert ended(text)
