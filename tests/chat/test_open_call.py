"""One tool call while it grows, and what its arguments mean (rule 10)."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from untorn.chat.completion import ToolCall, TornToolCall
from untorn.chat.open_call import MANY, FinalCall, OpenCall, Scan
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


@pytest.mark.parametrize("more", ["\x0b", "\xa0", "X", "0"])
def test_call_that_was_whole_is_not_if_more_comes_than_json_takes_for_blank(more: str) -> None:
    call = open_call("7")
    assert call.is_whole()
    call.append(" " + more)
    assert not call.is_whole()


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
        ([" {}"], " {}", None, True, True),
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


# Many fragments in one -------------------------------------------------------------------------


def test_many_fragments_become_one_and_a_few_more_stay() -> None:
    call = open_call(*["ab"] * MANY)
    fragments = call.fragments
    call.fold()
    assert len(fragments) == MANY
    call.append("c")
    call.fold()
    assert fragments == ["ab" * MANY + "c"]
    for fragment in ["d"] * MANY:
        call.append(fragment)
    call.fold()
    assert len(fragments) == MANY + 1
    call.append("e")
    call.fold()
    assert fragments == ["ab" * MANY + "c", "d" * MANY + "e"]
    for fragment in ["f"] * (MANY + 1):
        call.append(fragment)
    call.fold()
    assert fragments == [call.arguments]  # those before were no longer
    assert call.fragments is fragments  # to which others append
    assert call.size == len(call.arguments + "f")


def test_first_of_many_fragments_becomes_one_with_longer_ones_after_it() -> None:
    call = open_call(*["a"] * (MANY + 1))
    call.fold()
    for fragment in ["bc"] * (MANY + 1):
        call.append(fragment)
    call.fold()
    assert call.fragments == ["a" * (MANY + 1) + "bc" * (MANY + 1)]


def test_call_knows_whether_it_came_as_function_call() -> None:
    made = [
        OpenCall(0, None, custom=False, legacy=legacy, limits=LIMITS) for legacy in (True, False)
    ]
    assert [call.legacy for call in made] == [True, False]


def test_call_that_was_looked_at_holds_its_arguments_once() -> None:
    call = open_call('{"a":', "1}")
    assert call.final().arguments is call.arguments is call.fragments[0]


pieces = st.sampled_from(["{}", '{"a":', "1}", '{"a":1}', "[", "]", '"', "\\", " ", "1", "{", "é"])


@given(st.lists(pieces, max_size=8), st.lists(st.sampled_from("fwm"), max_size=8))
@example(["{", '{"a":', '{"a":1}'], ["f", "f"])
@example(["{}", '{"a":', "1}"], ["f"])
@example(['{"a":', "1}", '{"a":1}'], ["w", "m", "f"])
@example(["{", "}", '{"a":', '{"a":1}'], ["", "f"])
def test_who_looks_at_a_call_while_it_grows_changes_nothing(
    fragments: list[str], looks: list[str]
) -> None:
    call = open_call()
    for place, fragment in enumerate(fragments):
        call.append(fragment)
        look = looks[place] if place < len(looks) else ""
        so_far = open_call(*fragments[: place + 1])
        if look == "f":
            assert call.final() == so_far.final()
        elif look == "w":
            assert call.is_whole() is so_far.is_whole()
        elif look == "m":
            assert call.size == so_far.size
    assert call.final() == open_call(*fragments).final()
    assert call.is_whole() is open_call(*fragments).is_whole()


@given(st.lists(pieces, max_size=4), st.booleans())
def test_call_means_the_same_when_its_fragments_were_many(after: list[str], asked: bool) -> None:
    many = ['{"a":"', *["ab"] * MANY, '"}']
    call, other = open_call(*many), open_call(*many)
    if asked:
        call.is_whole()
    call.fold()
    for fragment in after:
        call.append(fragment)
        other.append(fragment)
    assert call.is_whole() is other.is_whole()
    assert call.final() == other.final()


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
    for place, char in enumerate(text):
        assert scan.ended([char]) is is_json(text[: place + 1])
    for blank in blanks:
        assert scan.ended([blank])
    assert not scan.ended(["x"])


@given(st.text(st.sampled_from('{}[]"\\ 1,:atrue'), max_size=12), st.integers(0, 12))
@example('"a\\"b"', 3)
@example("{}{}", 2)
@example("]", 0)
@example("1{}", 0)
def test_what_json_can_read_has_ended_for_the_scan(text: str, cut: int) -> None:
    scan = Scan()
    scan.ended([text[:cut]])
    assert scan.ended([text[cut:]]) or not is_json(text)


@pytest.mark.parametrize(
    "text",
    ["", " ", "{} {}", "{}1", "1{}", "1{", '1{"a":2}', '"a', "{", "{]{", "{}{}}{{}", "1" * 100],
)
def test_what_cannot_be_one_json_text_has_not_ended(text: str) -> None:
    assert not ended(text)


@pytest.mark.parametrize("text", ["{x}", "[}", "tru", "1 2", "9" * 99, '"{"'])
def test_what_only_looks_like_json_is_worth_asking(text: str) -> None:
    assert ended(text)
