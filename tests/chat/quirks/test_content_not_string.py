"""Content as a list of typed parts (rule 11)."""

from __future__ import annotations

from typing import Any

import pytest

from untorn.chat.quirks.content_not_string import Parts, read_parts

IMAGE = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}


def test_text_parts_are_the_content() -> None:
    parts = [{"type": "text", "text": "Sun"}, "day", {"text": "."}]
    assert read_parts(parts) == Parts(content="Sunday.")


@pytest.mark.parametrize(
    "thinking",
    [
        "Let me see",
        ["Let ", "me see"],
        [{"type": "text", "text": "Let "}, {"type": "text", "text": "me see"}],
        {"type": "text", "text": "Let me see"},
        ["Let me see", {"type": "text", "text": None}, {"type": "ref"}, 7],
    ],
)
def test_thinking_parts_are_reasoning_whatever_holds_their_text(thinking: Any) -> None:
    parts = [{"type": "thinking", "thinking": thinking}]
    assert read_parts(parts) == Parts(reasoning="Let me see")


def test_rest_of_a_thinking_part_is_kept_beside_its_text() -> None:
    signed = {"type": "thinking", "thinking": [{"text": "Hm"}], "signature": "S", "closed": True}
    rest = {"type": "thinking", "signature": "S", "closed": True}
    assert read_parts([signed]) == Parts(reasoning="Hm", others=[rest])


def test_both_kinds_are_joined_each_by_itself() -> None:
    parts = [{"thinking": "one "}, {"text": "A"}, {"thinking": "two"}, {"text": "B"}]
    assert read_parts(parts) == Parts(content="AB", reasoning="one two")


@pytest.mark.parametrize("other", [IMAGE, {"type": "text", "text": None}, None, 7, ["text"]])
def test_other_parts_are_kept_as_sent(other: Any) -> None:
    assert read_parts(["A", other]) == Parts(content="A", others=[other])


@pytest.mark.parametrize(
    ("part", "parts"),
    [
        ({"type": "text", "text": "alone"}, Parts(content="alone")),
        ({"thinking": "alone"}, Parts(reasoning="alone")),
        (IMAGE, Parts(others=[IMAGE])),
        (7, Parts(others=[7])),
    ],
)
def test_part_alone_is_as_good_as_a_list_of_one(part: Any, parts: Parts) -> None:
    assert read_parts(part) == read_parts([part]) == parts


def test_empty_list_brings_nothing() -> None:
    assert read_parts([]) == Parts(content=None, reasoning=None, others=[])
