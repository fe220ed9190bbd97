"""What the arguments of a tool call mean (rule 10)."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untorn.chat.arguments import REPAIRS, Seams, repair_arguments
from untorn.chat.defects import CODES
from untorn.options import Limits

LIMITS = Limits(depth=20)


def repaired_of(fragments: list[str]) -> tuple[str, str | None]:
    return repair_arguments("".join(fragments), Seams(fragments), LIMITS)


arrays = st.lists(st.integers() | st.text(max_size=3) | st.none(), max_size=4)


@pytest.mark.parametrize(
    ("fragments", "repaired", "code"),
    [
        (["{", "}"], "{}", None),
        (["{}", "{}", "{}"], "{}", "arguments-cumulative"),
        (["{}", "{}"], "{}", "arguments-placeholder"),
        (['{"a":', "1}", '{"a": 1}'], '{"a":1}', "arguments-resent"),
        (["1", "2"], "12", None),
        (["[1]", "[1]", "[1]"], "[1]", "arguments-cumulative"),
        (['{"a":1}', "x"], '{"a":1}x', "arguments-invalid-json"),
    ],
)
def test_first_repair_that_gives_json_is_made(
    fragments: list[str], repaired: str, code: str | None
) -> None:
    assert repaired_of(fragments) == (repaired, code)


@given(arrays, st.lists(st.integers(0, 60), max_size=5))
def test_json_in_pieces_is_itself_however_it_is_cut(value: object, cuts: list[int]) -> None:
    text = json.dumps(value, ensure_ascii=False)
    places = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    pieces = [text[start:end] for start, end in pairwise(places)]
    assert repaired_of(pieces) == (text, None)


def test_every_repair_has_a_code_of_the_vocabulary_and_a_sentence() -> None:
    assert set(REPAIRS) < set(CODES)
    assert REPAIRS["arguments-empty"] == "has no arguments"


# What is known of fragments -------------------------------------------------------------------


def test_seams_are_those_of_the_first_fragment_and_of_the_last_one() -> None:
    seams = Seams(["{", '{"a"', '{"a":1}'])
    assert (seams.first, seams.last, seams.grow) == (1, 7, True)
    assert (Seams().first, Seams().last, Seams().grow) == (0, 0, True)


@given(st.lists(st.sampled_from(["a", "ab", "abc", "b"]), max_size=6), st.integers(0, 6))
def test_seams_are_the_same_however_fragments_are_added(fragments: list[str], cut: int) -> None:
    seams, whole = Seams(fragments[:cut]), Seams(fragments)
    seams.add("".join(fragments[:cut]), fragments[cut:])
    assert (seams.first, seams.last) == (whole.first, whole.last)
    assert seams.grow is whole.grow
