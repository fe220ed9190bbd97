"""A new call at the index of another one (rule 9)."""

from __future__ import annotations

import pytest
from msgspec import Struct

from untorn.chat.json_scan import is_json
from untorn.chat.json_text import normal_form
from untorn.chat.quirks.tool_index_reused import is_another_call
from untorn.options import Limits

LIMITS = Limits(depth=10)


class Call(Struct):
    """The call that stands at the index."""

    id: str | None
    name: str | None
    arguments: str

    @property
    def has_arguments(self) -> bool:
        return bool(self.arguments)

    def is_whole(self) -> bool:
        return is_json(self.arguments, 10)


def is_another(call: Call, id: str | None, name: str | None, arguments: str = "") -> bool:
    return is_another_call(call, id, name, arguments, lambda text: normal_form(text, LIMITS))


@pytest.mark.parametrize("id", [None, "call_a", "call_b"])
def test_fragment_without_a_name_is_never_another_call(id: str | None) -> None:
    assert not is_another(Call("call_a", "f", "{}"), id, None, '{"n":1}')


@pytest.mark.parametrize("name", ["f", "g"])
def test_same_id_is_the_same_call_whatever_else_comes(name: str) -> None:
    assert not is_another(Call("call_a", "f", "{}"), "call_a", name, '{"n":1}')


@pytest.mark.parametrize("arguments", ["", "{}", '{"city"'])
def test_another_id_with_another_name_is_another_call(arguments: str) -> None:
    assert is_another(Call("call_a", "f", arguments), "call_b", "g")


@pytest.mark.parametrize("arguments", ["", "{}"])
def test_another_id_with_the_same_name_is_another_call(arguments: str) -> None:
    assert is_another(Call("call_a", "f", arguments), "call_b", "f")


def test_another_id_in_the_middle_of_the_arguments_is_the_same_call() -> None:
    assert not is_another(Call("call_a", "f", '{"city"'), "call_b", "f", ':"Oslo"}')


each_missing_id = pytest.mark.parametrize(
    ("of_call", "id"), [(None, None), ("call_a", None), (None, "call_b")]
)


@each_missing_id
def test_call_without_arguments_goes_on_where_an_id_is_missing(
    of_call: str | None, id: str | None
) -> None:
    assert not is_another(Call(of_call, "f", ""), id, "g", "{}")


@each_missing_id
def test_another_name_is_another_call_where_an_id_is_missing(
    of_call: str | None, id: str | None
) -> None:
    assert is_another(Call(of_call, "f", '{"city"'), id, "g")


@each_missing_id
@pytest.mark.parametrize("name_of_call", ["f", None])
@pytest.mark.parametrize(
    ("so_far", "arguments", "another"),
    [
        ('{"n":1}', '{"n":2}', True),
        ('{"n":1}', "x", True),
        ('{"n":1}', ' {"n": 1}', False),
        ('{"n":1}', " \n", False),
        ('{"n":1}', "", False),
        ('{"n":', "2}", False),
        ("1", "true", True),
    ],
)
def test_other_arguments_after_whole_ones_are_another_call_where_an_id_is_missing(
    of_call: str | None,
    id: str | None,
    name_of_call: str | None,
    so_far: str,
    arguments: str,
    another: bool,
) -> None:
    assert is_another(Call(of_call, name_of_call, so_far), id, "f", arguments) is another
