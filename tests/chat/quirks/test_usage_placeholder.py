"""A usage that counts nothing (rule 13)."""

from __future__ import annotations

from typing import Any

import pytest

from untorn.chat.quirks.usage_placeholder import is_placeholder


@pytest.mark.parametrize(
    "usage",
    [
        {},
        {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
        {"prompt_tokens": None, "completion_tokens": 0.0},
        {"prompt_tokens": 0, "cached": True, "details": {"cached_tokens": 0}, "tier": "flex"},
    ],
)
def test_empty_and_all_zero_ones_count_nothing(usage: dict[str, Any]) -> None:
    assert is_placeholder(usage)


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": 1},
        {"prompt_tokens": 0, "total_tokens": 9},
        {"other_tokens": 3},
        {"prompt_tokens": 0, "cost": 0.002},
    ],
)
def test_one_count_makes_it_a_usage(usage: dict[str, Any]) -> None:
    assert not is_placeholder(usage)
