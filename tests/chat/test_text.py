"""One text of a choice while it grows (rules 8, 12 and 14)."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from untorn.chat.text import MANY, GrowingText, Growth

HIGH, LOW, FACE = "\ud83d", "\ude00", "\U0001f600"
TIDE = ["The tide", "The tide comes", "The tide comes in", "The tide comes in at noon"]

ROWS = st.lists(st.text("ab", max_size=3), max_size=10)
SNAPSHOTS = st.lists(st.integers(0, 26), min_size=1).map(
    lambda sizes: [("abc" * 9)[:size] for size in sorted(sizes)]
)
BROKEN_OFF = st.builds(lambda snapshots, row: [*snapshots, *row], SNAPSHOTS, ROWS)


def text_of(*fragments: str, may_be_cumulative: bool = True) -> GrowingText:
    text = GrowingText(10**6, may_be_cumulative=may_be_cumulative)
    for fragment in fragments:
        text.receive(fragment)
    return text


def meaning(fragments: list[str]) -> str:
    """By the letter of rule 12."""
    said = [fragment for fragment in fragments if fragment]
    pairs = list(pairwise(said))
    longer = sum(len(after) > len(before) for before, after in pairs)
    grows = all(after.startswith(before) for before, after in pairs)
    are_snapshots = grows and len(said) >= 4 and longer >= 3 and len(said[-1]) >= 20
    return said[-1] if are_snapshots else "".join(said)


def shown(text: GrowingText, growths: list[Growth]) -> str:
    """What somebody has who only takes what is delivered, up to a normal end."""
    so_far = ""
    for growth in [*growths, text.release(finished=True)]:
        so_far += growth.deliver
        so_far = so_far if growth.revised is None else growth.revised
    return so_far


def utf_16_units(text: str) -> list[str]:
    units = text.encode("utf-16-le", "surrogatepass")
    pairs = [units[at : at + 2] for at in range(0, len(units), 2)]
    return [pair.decode("utf-16-le", "surrogatepass") for pair in pairs]


def as_decoded(units: list[str]) -> str:
    """A string as a JSON decoder gives it: its pairs joined."""
    return "".join(units).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def test_nothing_came_is_none_and_an_empty_string_is_a_text() -> None:
    assert text_of().text is None
    assert text_of("").text == ""
    assert text_of("", "a", "").text == "a"
    assert text_of("").receive("") == Growth("", None, ())


def test_fragments_are_delivered_at_once_and_appended_never_trimmed() -> None:
    text = text_of()
    fragments = [" a", "b ", "\n", "b "]
    assert [text.receive(fragment) for fragment in fragments] == [
        Growth(fragment, None, ()) for fragment in fragments
    ]
    assert text.text == " ab \nb "


def test_only_a_text_that_waits_for_nothing_is_plain() -> None:
    assert not text_of().is_plain
    assert not text_of("").is_plain
    assert not text_of("a").is_plain  # the next may be a snapshot
    assert text_of("a", "b").is_plain
    assert not text_of("a", "b", HIGH).is_plain
    assert text_of("a", may_be_cumulative=False).is_plain


@given(st.text(), st.lists(st.booleans()))
@example(FACE, [True])
@example("a" + FACE * 2, [False, True, True, True])
def test_text_cut_anywhere_arrives_whole_also_within_a_surrogate_pair(
    text: str, cuts: list[bool]
) -> None:
    fragments: list[list[str]] = [[]]
    split = 0
    units = utf_16_units(text)
    for place, unit in enumerate(units):
        if place < len(cuts) and cuts[place]:
            fragments.append([])
            split += "\udc00" <= unit <= "\udfff"
        fragments[-1].append(unit)
    growing = GrowingText(10**6, may_be_cumulative=False)
    growths = [growing.receive(as_decoded(fragment)) for fragment in fragments]
    codes = [code for growth in growths for code in growth.codes]
    assert shown(growing, growths) == growing.text == text
    assert codes == ["surrogate-split"] * split


@given(ROWS | SNAPSHOTS | BROKEN_OFF)
def test_text_is_what_rule_12_says_and_what_was_delivered_is_the_text(fragments: list[str]) -> None:
    text = GrowingText(10**6, may_be_cumulative=True)
    growths = [text.receive(fragment) for fragment in fragments]
    assert (text.text or "") == meaning(fragments)
    assert text.is_cumulative is (meaning(fragments) != "".join(fragments))
    assert text.size == len(meaning(fragments))
    assert shown(text, growths) == meaning(fragments)
    assert text.size == len(meaning(fragments))


@given(SNAPSHOTS)
def test_text_that_can_be_no_snapshots_is_only_appended(fragments: list[str]) -> None:
    assert text_of(*fragments, may_be_cumulative=False).text == "".join(fragments)


def test_snapshots_are_delivered_as_what_is_new_in_them() -> None:
    text = text_of()
    assert [text.receive(fragment).deliver for fragment in TIDE] == [
        "The tide",
        "",
        "",
        " comes in at noon",
    ]
    assert text.is_cumulative
    assert text.text == TIDE[-1]


def test_what_waits_comes_with_the_fragment_that_shows_it_to_be_no_snapshot() -> None:
    text = text_of("ha", "haha")
    assert text.receive("!") == Growth("haha!", None, ())
    assert text.text == "hahaha!"
    assert text.is_plain


def test_fragments_after_snapshots_that_do_not_begin_with_them_revise_the_text() -> None:
    text = text_of(*TIDE)
    assert text.receive("!") == Growth("", "".join(TIDE) + "!", ())
    assert not text.is_cumulative
    assert text.text == "".join(TIDE) + "!"


def test_snapshots_known_too_late_revise_the_text() -> None:
    fragments = ["a", "ab", "abc", "abcd", "abcde", "abcde" + "f" * 15]
    text = text_of(*fragments[:-1])
    assert text.receive(fragments[-1]) == Growth("", fragments[-1], ())


def test_fragment_that_only_brings_half_a_pair_is_no_fragment_of_its_own() -> None:
    text = text_of(HIGH, LOW + "x" * 20, FACE + "x" * 21, FACE + "x" * 22)
    assert not text.is_cumulative
    assert text.text == (FACE + "x" * 20) + (FACE + "x" * 21) + (FACE + "x" * 22)


def test_snapshots_that_break_off_are_not_told_if_all_of_them_would_be_over_the_limit() -> None:
    text = GrowingText(len("".join(TIDE)), may_be_cumulative=True)
    for fragment in TIDE:
        text.receive(fragment)
    assert not text.is_over
    assert text.receive("!") == Growth("", None, ())
    assert text.is_over
    assert text.text == TIDE[-1]


def test_snapshots_that_break_off_just_below_the_limit_are_told() -> None:
    text = GrowingText(len("".join(TIDE)) + 1, may_be_cumulative=True)
    for fragment in [*TIDE, "!"]:
        text.receive(fragment)
    assert not text.is_over
    assert text.text == "".join(TIDE) + "!"


def test_size_is_that_of_the_text_at_any_time() -> None:
    text = text_of()
    sizes = [text.size]
    for fragment in ["a", "b", "", "cde" + HIGH, LOW]:
        text.receive(fragment)
        sizes.append(text.size)
    assert sizes == [0, 1, 2, 2, 5, 6]


def test_what_waits_is_delivered_at_the_end() -> None:
    text = text_of("ha", "haha")
    assert text.release(finished=True) == Growth("haha", None, ())
    assert text.release(finished=True) == Growth("", None, ())


def test_half_a_pair_waits_for_its_other_half() -> None:
    text = text_of("a")
    assert text.receive(HIGH) == Growth("", None, ())
    assert text.receive(LOW + "!") == Growth(FACE + "!", None, ("surrogate-split",))
    assert text.text == "a" + FACE + "!"


@pytest.mark.parametrize("fragment", ["b", FACE])
def test_half_a_pair_without_its_partner_becomes_u_fffd(fragment: str) -> None:
    text = text_of("a", HIGH)
    assert text.receive(fragment) == Growth("\ufffd" + fragment, None, ("lone-surrogate",))
    assert text_of(LOW, HIGH, "a").text == "\ufffd\ufffda"
    assert text_of("a", "b", HIGH, "c").text == "ab\ufffdc"


def test_half_a_pair_at_the_end_of_a_finished_choice_becomes_u_fffd() -> None:
    text = text_of("a", "b" + HIGH)
    assert text.release(finished=True) == Growth("\ufffd", None, ("lone-surrogate",))
    assert text.text == "ab\ufffd"
    assert text.release(finished=True) == Growth("", None, ())


def test_half_a_pair_comes_after_what_waits() -> None:
    text = text_of("ha", "haha", HIGH)
    assert text.release(finished=True) == Growth("haha\ufffd", None, ("lone-surrogate",))


def test_half_a_pair_at_the_end_of_snapshots_revises_them() -> None:
    text = text_of(*TIDE, TIDE[-1] + HIGH)
    revised = "".join([*TIDE, TIDE[-1], "\ufffd"])
    assert text.release(finished=True) == Growth("", revised, ("lone-surrogate",))
    assert text.text == revised


def test_half_a_pair_at_a_tear_is_not_delivered_its_partner_may_have_been_on_its_way() -> None:
    text = text_of("a", HIGH)
    assert text.release(finished=False) == Growth("", None, ("lone-surrogate",))
    assert text.text == "a"


def test_whole_text_that_begins_with_the_text_so_far_brings_only_the_rest() -> None:
    text = text_of("The ", "tide")
    assert text.receive_whole("The tide comes") == Growth(" comes", None, ())
    assert text.receive_whole("The tide comes") == Growth("", None, ())
    assert text.text == "The tide comes"


@pytest.mark.parametrize("text", ["The", "A tide comes in"])
def test_whole_text_that_is_shorter_or_another_one_brings_all_of_itself(text: str) -> None:
    growing = text_of("The ", "tide")
    assert growing.receive_whole(text) == Growth(text, None, ())
    assert growing.text == "The tide" + text


def test_whole_text_may_be_all_there_is() -> None:
    text = text_of()
    assert text.receive_whole("The tide") == Growth("The tide", None, ())
    assert text.text == "The tide"


def test_many_parts_become_one_and_say_the_same() -> None:
    text = text_of("", "b", "a")
    for number in range(10):
        size = text.size
        text.parts += ["c", "de"] * MANY
        text.fold()
        assert text.size == size + 3 * MANY
        assert len(text.parts) == number + 1
    text.fold()
    assert text.text == "ba" + "cde" * (10 * MANY)


def test_fragment_may_continue_snapshots_only_while_nothing_waits() -> None:
    assert text_of("a", "ab").is_continued_by("abc")
    assert not text_of("a", "ab").is_continued_by("b")
    assert not text_of("a", "b").is_continued_by("bc")
    assert not text_of("a", "ab" + HIGH).is_continued_by("abc")
    assert not text_of("a", may_be_cumulative=False).is_continued_by("ab")


def test_snapshots_are_not_folded() -> None:
    text = text_of(*TIDE)
    text.fold()
    assert text.text == TIDE[-1]


def test_whole_text_may_bring_the_half_that_waits_again() -> None:
    text = text_of("b", "a", HIGH)
    assert text.receive_whole("ba" + FACE).deliver == FACE
    assert text.text == "ba" + FACE


def test_half_that_waits_is_told_where_a_whole_text_goes_on_without_it() -> None:
    text = text_of("b", "a", HIGH)
    assert text.receive_whole("bac") == Growth("\ufffdc", None, ("lone-surrogate",))
