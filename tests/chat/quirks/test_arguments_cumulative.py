"""Each fragment repeats all arguments so far (rule 10)."""

from __future__ import annotations

import pytest

from untorn.chat.json_scan import is_json
from untorn.chat.quirks import arguments_cumulative


def repair(*fragments: str) -> str | None:
    text, last = "".join(fragments), len(fragments[-1])
    return arguments_cumulative.repair(text, last, lambda text: is_json(text, 10))


def test_last_of_fragments_is_taken_if_it_is_json() -> None:
    assert repair('{"q"', '{"q":1}') == '{"q":1}'
    assert repair('{"q":"re', '{"q":"red"') is None


@pytest.mark.parametrize(
    "fragments",
    [
        ['{"q":"re', '{"q":"red","n"', '{"q":"red","n":1}'],
        ['{"q"', '{"q":1}', '{"q":1}'],
        ['{"q"', '{"q":1}'],
        ['{"q":1}'],
        [],
    ],
)
def test_fragments_that_each_begin_with_the_one_before_grow(fragments: list[str]) -> None:
    assert arguments_cumulative.grow(fragments)


@pytest.mark.parametrize(
    "fragments",
    [
        ['{"q":"re', '{"q":"bl', '{"q":"blue"}'],
        ['{"q":1}', '{"q"'],
    ],
)
def test_others_do_not(fragments: list[str]) -> None:
    assert not arguments_cumulative.grow(fragments)
