"""The numbers that scripts branch on."""

from __future__ import annotations

from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from untorn.chat.verdict import Outcome
from untorn.cli.exit_codes import BROKEN_PIPE, BY_OUTCOME, CANCELLED, COMPLETE, USAGE, worst

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


def test_the_numbers_never_change() -> None:
    assert BY_OUTCOME == {
        "complete": 0,
        "interrupted": 3,
        "failed": 4,
        "truncated": 5,
        "filtered": 6,
    }
    assert (COMPLETE, USAGE, CANCELLED, BROKEN_PIPE) == (0, 2, 130, 141)


def test_every_outcome_has_a_code_of_its_own() -> None:
    assert set(BY_OUTCOME) == set(OUTCOMES)
    assert len(set(BY_OUTCOME.values())) == len(OUTCOMES)


def test_one_outcome_is_the_worst_of_itself() -> None:
    assert [worst([outcome]) for outcome in BY_OUTCOME] == list(BY_OUTCOME.values())


@given(st.lists(st.sampled_from(OUTCOMES), min_size=1))
def test_of_several_the_worst_counts_in_the_order_of_the_design(outcomes: list[Outcome]) -> None:
    order: list[Outcome] = ["failed", "interrupted", "filtered", "truncated", "complete"]
    assert worst(outcomes) == BY_OUTCOME[min(outcomes, key=order.index)]


def test_nothing_read_is_nothing_wrong() -> None:
    assert worst([]) == COMPLETE
