"""The whole arguments once more after their fragments (rule 10)."""

from __future__ import annotations

import pytest

from untorn.chat.json_scan import is_json
from untorn.chat.json_text import normal_form
from untorn.chat.quirks import arguments_resent
from untorn.options import Limits

LIMITS = Limits(depth=10)


def repair(*fragments: str) -> str | None:
    return arguments_resent.repair(
        "".join(fragments),
        len(fragments[-1]),
        lambda text: is_json(text, 10),
        lambda text: normal_form(text, LIMITS),
    )


@pytest.mark.parametrize(
    "copy",
    [
        '{"city":"Oslo","n":1}',
        ' { "city": "Oslo", "n": 1 } ',
        '{"n":1,"city":"Oslo"}',
        '{"n":1,"city":"\\u004fslo"}',
    ],
)
def test_copy_that_means_the_same_is_dropped(copy: str) -> None:
    assert repair('{"city":', '"Oslo","n":1}', copy) == '{"city":"Oslo","n":1}'


@pytest.mark.parametrize(
    "fragments",
    [
        ['{"city":"Oslo"}'],
        ['{"city":', '{"city":'],
        ['{"n":1}', '{"n":2}'],
        ['{"n":1}', '{"n":true}'],
        ['{"n":1}', '{"n":1'],
    ],
)
def test_anything_else_is_left_alone(fragments: list[str]) -> None:
    assert repair(*fragments) is None
