"""Each fragment repeats all arguments so far (rule 10)."""

from __future__ import annotations

import pytest

from untorn.chat.json_scan import is_json
from untorn.chat.quirks import arguments_cumulative


def repair(*fragments: str) -> str | None:
    return arguments_cumulative.repair(list(fragments), lambda text: is_json(text, 10))


@pytest.mark.parametrize(
    "fragments",
    [
        ['{"q":"re', '{"q":"red","n"', '{"q":"red","n":1}'],
        ['{"q"', '{"q":1}', '{"q":1}'],
    ],
)
def test_last_of_fragments_that_each_begin_with_the_one_before_is_taken(
    fragments: list[str],
) -> None:
    assert repair(*fragments) == fragments[-1]


@pytest.mark.parametrize(
    "fragments",
    [
        ['{"q":1}'],
        ['{"q":"re', '{"q":"red"'],
        ['{"q":"re', '{"q":"bl', '{"q":"blue"}'],
    ],
)
def test_anything_else_is_left_alone(fragments: list[str]) -> None:
    assert repair(*fragments) is None
