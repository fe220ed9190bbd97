"""A first fragment ``{}`` before the real arguments (rule 10)."""

from __future__ import annotations

import pytest

from untorn.chat.json_scan import is_json
from untorn.chat.quirks import arguments_placeholder


def repair(*fragments: str) -> str | None:
    text = "".join(fragments)
    return arguments_placeholder.repair(text, len(fragments[0]), lambda text: is_json(text, 10))


@pytest.mark.parametrize("first", ["{}", " {}\n"])
def test_first_fragment_is_dropped_if_the_rest_is_json(first: str) -> None:
    assert repair(first, '{"city":', '"Oslo"}') == '{"city":"Oslo"}'


@pytest.mark.parametrize(
    "fragments",
    [
        ["{}"],
        ["{}", '{"city":'],
        ["{ }", '{"city":"Oslo"}'],
        ["[]", '{"city":"Oslo"}'],
        ["{", '}{"city":"Oslo"}'],
    ],
)
def test_anything_else_is_left_alone(fragments: list[str]) -> None:
    assert repair(*fragments) is None
