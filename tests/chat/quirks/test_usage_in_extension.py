"""Usage in a vendor's field (rule 13)."""

from __future__ import annotations

from typing import Any

import pytest

from untorn.chat.quirks.usage_in_extension import usages_in_extensions

USAGE = {"prompt_tokens": 23, "completion_tokens": 7, "total_tokens": 30}


@pytest.mark.parametrize("field", ["x_groq", "x_other", "x_"])
def test_usage_is_found_in_a_field_whose_name_starts_with_x(field: str) -> None:
    assert usages_in_extensions({"id": "c1", field: {"id": "req_1", "usage": USAGE}}) == [USAGE]


def test_several_fields_give_their_usages_in_order() -> None:
    body = {"x_b": {"usage": USAGE}, "x_a": {"usage": {}}}
    assert usages_in_extensions(body) == [USAGE, {}]


@pytest.mark.parametrize(
    "body",
    [
        {"usage": USAGE},
        {"groq": {"usage": USAGE}},
        {"x_groq": {"id": "req_1"}},
        {"x_groq": {"usage": None}},
        {"x_groq": [USAGE]},
        {},
    ],
)
def test_elsewhere_there_is_none(body: dict[str, Any]) -> None:
    assert usages_in_extensions(body) == []
