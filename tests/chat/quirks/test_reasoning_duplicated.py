"""Reasoning under one of four keys, or under several at once (rule 11)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untorn.chat.chunks import Finding, read_delta
from untorn.chat.quirks.reasoning_duplicated import (
    DUPLICATED,
    Reasoning,
    read_reasoning,
    text_of_details,
)

DETAILS = [{"type": "reasoning.text", "text": "C"}, {"type": "reasoning.summary", "summary": "D"}]


@pytest.mark.parametrize(
    ("delta", "thinking", "text"),
    [
        ({"reasoning_content": "A"}, None, "A"),
        ({"reasoning": "B"}, None, "B"),
        ({"reasoning_details": DETAILS}, None, "CD"),
        ({}, "E", "E"),
        ({"reasoning": ""}, None, ""),
        ({}, None, None),
        ({"reasoning": None, "reasoning_content": 7, "reasoning_details": "C"}, None, None),
    ],
)
def test_reasoning_is_what_stands_under_any_of_the_keys(
    delta: dict[str, Any], thinking: str | None, text: str | None
) -> None:
    assert read_reasoning(delta, thinking) == Reasoning(text, duplicated=False)


def test_different_texts_are_appended_in_a_fixed_order() -> None:
    delta = {"reasoning_details": DETAILS, "reasoning": "B", "reasoning_content": "A"}
    assert read_reasoning(delta, "E") == Reasoning("ABCDE", duplicated=False)


@pytest.mark.parametrize(
    ("delta", "thinking", "text"),
    [
        ({"reasoning_content": "A", "reasoning": "A"}, None, "A"),
        ({"reasoning": "CD", "reasoning_details": DETAILS}, None, "CD"),
        ({"reasoning_content": "A", "reasoning": "B"}, "A", "AB"),
    ],
)
def test_same_text_under_two_keys_counts_once(
    delta: dict[str, Any], thinking: str | None, text: str
) -> None:
    assert read_reasoning(delta, thinking) == Reasoning(text, duplicated=True)


def test_delta_that_says_its_reasoning_twice_has_the_defect() -> None:
    findings: list[Finding] = []
    read_delta({"reasoning": "A", "reasoning_content": "A"}, False, findings)
    assert findings == [Finding(*DUPLICATED)]
    assert DUPLICATED == ("reasoning-duplicated", "the same reasoning under two keys")


def test_empty_texts_under_two_keys_are_no_duplicate() -> None:
    assert read_reasoning({"reasoning": "", "reasoning_content": ""}, "A") == Reasoning("A", False)


@given(st.lists(st.sampled_from(["", "a", "b", "ab"]), min_size=3, max_size=3))
def test_every_text_that_is_there_is_in_the_reasoning_once(texts: list[str]) -> None:
    delta = {"reasoning_content": texts[0], "reasoning": texts[1]}
    reasoning = read_reasoning(delta, texts[2])
    first_places = [text for at, text in enumerate(texts) if text not in texts[:at]]
    said = [text for text in texts if text]
    assert reasoning == Reasoning("".join(first_places), len(set(said)) < len(said))


@pytest.mark.parametrize(
    ("details", "text"),
    [
        (DETAILS, "CD"),
        ([{"text": "C", "summary": "D"}], "CD"),
        ([{"type": "reasoning.encrypted", "data": "AAAA"}], None),
        ([{"text": ""}], ""),
        ([{"text": None, "summary": 7}, "C", None], None),
        ([], None),
    ],
)
def test_blocks_say_what_is_readable_in_them(details: list[Any], text: str | None) -> None:
    assert text_of_details(details) == text
