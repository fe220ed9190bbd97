"""Small versions of all that ``bench --hostile`` measures: how they end, and what is kept."""

from __future__ import annotations

import re

import msgspec
import pytest

from bench.hostile import page
from bench.hostile.inputs import INPUTS
from bench.hostile.parts import EVENT, LIMITS, Input
from bench.hostile.run import Door, Measured, read
from bench.hostile.table import Row, bound, faults_of

SCALES = {
    "line": 16,
    "event": 16,
    "lines": 16,
    "values": 16,
    "extras": 16,
    "text": 128,
    "body": 128,
}

CASES: list[tuple[str, Door]] = [
    (name, door)
    for name, what in INPUTS.items()
    for door in ("receive_data", "receive_payload" if what.are_events else "EventStream")
]


def small(name: str) -> tuple[Input, int]:
    """An input with a smaller limit, if it passes one, and a size that passes it just so."""
    what = INPUTS[name]
    in_megabytes = re.search("of [14] MB", name) is not None
    ends = (what.ends,) if isinstance(what.ends, str) else what.ends
    scaled = {
        field: getattr(LIMITS, field) // scale
        for field, scale in SCALES.items()
        if any(f" {getattr(LIMITS, field)} " in f"{end} " for end in ends)
    }
    if not scaled:
        return what, min(what.size, 3_100_000 if in_megabytes else 210_000)
    numbers = {str(getattr(LIMITS, field)): str(most) for field, most in scaled.items()}
    ends = tuple(re.sub(r"\d+", lambda number: numbers[number[0]], end) for end in ends)
    limits = msgspec.structs.replace(LIMITS, **scaled)
    size = max(what.size // SCALES[next(iter(scaled))], 8_400_000 if in_megabytes else 40_000)
    return what._replace(ends=ends, limits=limits), size


@pytest.mark.parametrize(("name", "door"), CASES)
def test_hostile_input_ends_by_its_limit_or_in_the_right_answer(name: str, door: Door) -> None:
    what, size = small(name)
    measured = read(what, door, size)
    assert [*faults_of(what, door, measured)] == []


def test_what_is_not_as_promised_is_named() -> None:
    what = Input(lambda _size: [], 1, "done", EVENT)
    right = Measured(1, 0.0, bound(what), "done", None, "Hi there", ["a", "b"])
    wrong = Measured(1, 0.0, bound(what) + 1, "eof", None, None, ["a", "a"])
    assert [*faults_of(what, "receive_data", right)] == []
    assert [*faults_of(what, "receive_data", wrong)] == [
        "TOO MUCH MEMORY",
        "EXPECTED done",
        "A DEFECT TWICE",
        "CONTENT LOST",
    ]


def test_the_page_has_a_row_for_each_and_says_how_many_are_broken() -> None:
    measured = Measured(8_000_000, 0.8, 70_000_000, "limit", "more than 1 choices")
    good = Row("[DONE], again and again", "receive_data", 81_000_000, measured, 1.02, [])
    bad = Row("only CRs", "EventStream", 64_000_000, None, None, ["FAILED: not read in 600 s"])
    text = page.page([good, bad])
    assert "**1 of 2 are not as promised.**" in text
    assert (
        r"| \[DONE], again and again | receive_data | 8,000,000 | 100.0 | 1.02 | 70 | 81 |"
        " limit: more than 1 choices |"
    ) in text
    assert "FAILED: not read in 600 s |" in text
    assert "All 1 are as promised." in page.page([good])
