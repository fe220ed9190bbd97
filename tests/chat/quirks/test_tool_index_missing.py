"""Tool call fragments without an index (rule 9)."""

from __future__ import annotations

import pytest
from msgspec import Struct

from untorn.chat.quirks.tool_index_missing import call_of


class Call(Struct):
    name: str | None


FIRST, LAST, UNNAMED = Call("get_weather"), Call("get_time"), Call(None)
BY_ID = {"call_1": FIRST, "call_2": LAST}


@pytest.mark.parametrize("name", [None, "get_weather", "get_time"])
def test_known_id_continues_its_call(name: str | None) -> None:
    assert call_of(BY_ID, LAST, "call_1", name) is FIRST


@pytest.mark.parametrize("last", [LAST, UNNAMED])
def test_neither_id_nor_name_continues_the_call_before(last: Call) -> None:
    assert call_of(BY_ID, last, None, None) is last


def test_new_id_without_a_name_continues_the_call_before() -> None:
    assert call_of(BY_ID, LAST, "call_3", None) is LAST


def test_name_continues_a_call_that_has_none() -> None:
    assert call_of({}, UNNAMED, None, "get_time") is UNNAMED


@pytest.mark.parametrize("last", [LAST, UNNAMED, None])
def test_new_id_with_a_name_opens_a_call(last: Call | None) -> None:
    assert call_of(BY_ID, last, "call_3", "get_time") is None


def test_name_opens_a_call_when_the_one_before_has_its_own() -> None:
    assert call_of(BY_ID, LAST, None, "get_time") is None


@pytest.mark.parametrize(("id", "name"), [(None, None), ("call_1", None), (None, "get_time")])
def test_first_fragment_opens_a_call_whatever_it_brings(id: str | None, name: str | None) -> None:
    assert call_of({}, None, id, name) is None
