"""A chunk without a list of choices (rule 8)."""

from __future__ import annotations

from typing import Any

import pytest

from untorn.chat.quirks.choices_missing import bare_choice


@pytest.mark.parametrize("body", [{"delta": {"content": "Bare"}}, {"message": {}, "id": "c1"}])
def test_object_with_a_delta_or_a_message_is_a_choice_itself(body: dict[str, Any]) -> None:
    assert bare_choice(body) is body


@pytest.mark.parametrize("body", [{"choices": None}, {"delta": "Bare"}, {"message": ["Bare"]}, {}])
def test_object_with_neither_is_none(body: dict[str, Any]) -> None:
    assert bare_choice(body) is None
