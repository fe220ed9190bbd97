"""Each delta is the whole text so far (rule 12)."""

from __future__ import annotations

from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untorn.chat.quirks.content_cumulative import MOST_HELD, Snapshots

TIDE = ["The tide", "The tide comes", "The tide comes in", "The tide comes in at noon"]

chains = st.lists(st.text("ab", max_size=8), min_size=1, max_size=12).map(
    lambda growths: list(accumulate(["c", *growths]))[1:]
)
"""Fragments of which each begins with the whole one before it."""


def are_snapshots(fragments: list[str]) -> bool:
    """By the letter of the rule."""
    longer = sum(len(after) > len(before) for before, after in pairwise(fragments))
    return len(fragments) >= 4 and longer >= 3 and len(fragments[-1]) >= 20


def meaning(fragments: list[str]) -> str:
    return fragments[-1] if are_snapshots(fragments) else "".join(fragments)


def play(fragments: list[str]) -> tuple[Snapshots, list[str]]:
    """The snapshots, and the text that is shown after each fragment, revisions made."""
    snapshots = Snapshots(fragments[0])
    shown = [fragments[0]]
    for fragment in fragments[1:]:
        assert snapshots.continued_by(fragment)
        text, is_revision = snapshots.add(fragment)
        shown.append(text if is_revision else shown[-1] + text)
    return snapshots, shown


def test_snapshots_are_delivered_as_what_is_new_in_them() -> None:
    snapshots = Snapshots(TIDE[0])
    added = [snapshots.add(fragment) for fragment in [*TIDE[1:], TIDE[-1] + "."]]
    assert added == [("", False), ("", False), (" comes in at noon", False), (".", False)]
    assert snapshots.confirmed
    assert snapshots.text == TIDE[-1] + "."


@pytest.mark.parametrize(
    "fragments",
    [
        TIDE[:3],
        [*TIDE[:3], TIDE[2]],
        [TIDE[0], TIDE[0], TIDE[1], TIDE[3]],  # long enough, but only two are longer
        ["a" * size for size in (1, 2, 3, 19)],
    ],
)
def test_fewer_or_shorter_fragments_may_be_coincidence(fragments: list[str]) -> None:
    snapshots, _ = play(fragments)
    assert not snapshots.confirmed
    assert snapshots.text == "".join(fragments)


def test_repeated_fragments_are_no_snapshots_however_many_and_long() -> None:
    snapshots, shown = play(["ha" * 20] * 9)
    assert not snapshots.confirmed
    assert snapshots.text == "ha" * 180
    assert shown[-1] == snapshots.text


def test_snapshots_that_are_known_too_late_revise_what_was_delivered() -> None:
    snapshots, shown = play(["a", "ab", "abc", "abcd", "abcde"])
    assert shown == ["a", "a", "a", "a", "aababcabcdabcde"]
    assert snapshots.add("abcde" + "f" * 15) == ("abcde" + "f" * 15, True)
    assert snapshots.add("abcde" + "f" * 16) == ("f", False)


def test_release_gives_what_waits_and_then_nothing_waits() -> None:
    snapshots, _ = play(["a", "ab"])
    assert snapshots.release() == "ab"
    assert snapshots.release() == ""
    assert snapshots.add("abc") == ("abc", False)


def test_release_of_snapshots_that_are_known_has_nothing_to_give() -> None:
    snapshots, _ = play(TIDE)
    assert snapshots.release() == ""
    assert snapshots.add(TIDE[-1] + ".") == (".", False)


@pytest.mark.parametrize(
    ("fragment", "continues"), [("ab", True), ("abc", True), ("a", False), ("b", False)]
)
def test_fragment_continues_if_it_begins_with_the_one_before(
    fragment: str, continues: bool
) -> None:
    assert Snapshots("ab").continued_by(fragment) is continues


@given(chains)
def test_text_is_what_the_rule_says_of_all_fragments(fragments: list[str]) -> None:
    snapshots, shown = play(fragments)
    assert snapshots.confirmed is are_snapshots(fragments)
    assert snapshots.text == meaning(fragments)
    assert snapshots.size == len(meaning(fragments))
    assert snapshots.total == len("".join(fragments))
    assert snapshots.fragments() == fragments
    assert shown[-1] + snapshots.release() == meaning(fragments)


@given(chains)
def test_no_more_than_a_few_fragments_ever_wait(fragments: list[str]) -> None:
    _, shown = play(fragments)
    for count, text in enumerate(shown, 1):
        so_far = fragments[:count]
        if not are_snapshots(so_far):
            shown_of_it = [count - held for held in range(MOST_HELD + 1) if count > held]
            assert text in ["".join(so_far[:size]) for size in shown_of_it]
