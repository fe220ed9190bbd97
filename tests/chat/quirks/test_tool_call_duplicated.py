"""The same call again at another index (rule 10)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from untorn.chat.json_text import normal_form
from untorn.chat.quirks import tool_call_duplicated
from untorn.options import Limits

LIMITS = Limits(depth=10)


class Call(Struct, frozen=True):
    id: str | None
    name: str | None = "exec"
    arguments: str = '{"cmd":"date"}'


calls = st.builds(
    Call,
    id=st.sampled_from([None, "a", "b"]),
    name=st.sampled_from(["f", "g"]),
    arguments=st.sampled_from(["", "{}", "{ }"]),
)


def without_copies(*calls: Call) -> tuple[list[Call], int, int]:
    return tool_call_duplicated.without_copies(calls, lambda text: normal_form(text, LIMITS))


def test_copy_of_a_call_is_dropped() -> None:
    call = Call("call_1")
    assert without_copies(call, Call("call_2"), call, call) == ([call, Call("call_2")], 2, 0)


def test_copy_may_write_its_arguments_otherwise() -> None:
    again = Call("call_1", arguments='{ "cmd": "date" }')
    assert without_copies(Call("call_1"), again) == ([Call("call_1")], 1, 0)


@pytest.mark.parametrize(
    "other", [Call("call_1", name="eval"), Call("call_1", arguments='{"cmd":"ls"}')]
)
def test_different_calls_with_one_id_are_both_kept(other: Call) -> None:
    assert without_copies(Call("call_1"), other) == ([Call("call_1"), other], 0, 1)


def test_calls_without_an_id_are_never_copies() -> None:
    assert without_copies(Call(None), Call(None)) == ([Call(None), Call(None)], 0, 0)


def test_arguments_are_compared_only_where_an_id_is_shared() -> None:
    asked: list[str] = []

    def normal(text: str) -> str:
        asked.append(text)
        return text

    a, b = Call("a", arguments="1"), Call("b", arguments="2")
    tool_call_duplicated.without_copies([a, b, a], normal)
    assert asked == ["1", "1"]


@given(st.lists(calls, max_size=8))
def test_each_different_call_is_kept_once_in_its_first_place(calls: list[Call]) -> None:
    def meaning(call: Call) -> Call:
        return Call(call.id, call.name, normal_form(call.arguments, LIMITS))

    def is_copy(at: int) -> bool:
        before = map(meaning, calls[:at])
        return calls[at].id is not None and meaning(calls[at]) in before

    expected = [call for at, call in enumerate(calls) if not is_copy(at)]
    kept, dropped, shared = without_copies(*calls)
    assert kept == expected
    assert dropped == len(calls) - len(kept)
    ids = [call.id for call in kept if call.id is not None]
    assert shared == len(ids) - len(set(ids))
