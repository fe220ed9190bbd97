"""Arguments that came as an object instead of text (rule 10)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untorn.chat.quirks.arguments_not_string import as_text

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"cmd": "printf ok", "n": [1, 2.5]}, '{"cmd":"printf ok","n":[1,2.5]}'),
        ({"b": 1, "a": None}, '{"b":1,"a":null}'),
        ({"city": "Zürich 東京"}, '{"city":"Zürich 東京"}'),
        ({}, "{}"),
        ([True], "[true]"),
    ],
)
def test_they_are_compact_json_in_their_own_order_and_letters(arguments: Any, text: str) -> None:
    assert as_text(arguments) == text


@given(values)
def test_text_means_what_the_arguments_meant(arguments: Any) -> None:
    assert json.loads(as_text(arguments)) == arguments
