"""What is kept as it came: how much it counts for."""

from __future__ import annotations

from typing import Any

from untorn.chat.kept import USUAL_WEIGHT, Kept

MANY: list[Any] = [0] * (10 * USUAL_WEIGHT - 2)
"""With the array itself, ten times as many values as count for one."""


def count_of(*values: Any) -> int:
    """The count after one key got these values, one after the other."""
    kept = Kept()
    for value in values:
        kept.take_keys("chunk", 0, {"key": value})
    return kept.count


def test_each_key_counts_once() -> None:
    kept = Kept()
    for _ in range(3):
        kept.take_keys("chunk", 0, {"a": 1, "b": "2"})
    assert kept.count == 2


def test_same_key_counts_again_at_another_level_and_in_another_choice() -> None:
    kept = Kept()
    kept.take_keys("chunk", 0, {"a": 1})
    kept.take_keys("choice", 0, {"a": 1})
    kept.take_keys("delta", 0, {"a": 1})
    kept.take_keys("delta", 1, {"a": 1})
    assert kept.count == 4


def test_value_counts_by_what_is_in_it() -> None:
    assert count_of(MANY) == 11
    assert count_of({"inner": [MANY]}) == 11
    assert count_of("a long text, which is one value " * 1000) == 1


def test_values_without_others_in_them_weigh_nothing() -> None:
    kept = Kept()
    kept.take_keys("chunk", 0, {str(number): number for number in range(2 * USUAL_WEIGHT)})
    kept.take_keys("chunk", 0, {"array": MANY[: USUAL_WEIGHT - 3]})
    assert kept.count == 2 * USUAL_WEIGHT + 1


def test_value_is_weighed_though_one_before_it_is_a_text() -> None:
    kept = Kept()
    kept.take_keys("chunk", 0, {"text": "a", "array": []})
    kept.take_keys("chunk", 0, {"text": "b", "array": MANY})
    assert kept.count == 2 + 10


def test_of_the_values_of_a_key_the_largest_counts() -> None:
    assert count_of(MANY, MANY) == count_of(MANY, [1], "text") == count_of("text", MANY) == 11


def test_value_that_holds_no_more_than_one_before_makes_no_difference() -> None:
    kept = Kept()
    kept.take_keys("delta", 1, {"key": [1, 2]})
    assert kept.covers("delta", 1, "key", [1, 2])
    assert kept.covers("delta", 1, "key", "text")
    assert not kept.covers("delta", 1, "key", [1, 2, 3])


def test_items_count_each_time_since_all_are_kept() -> None:
    kept = Kept()
    for _ in range(2):
        kept.take_items([1, MANY])
    assert kept.count == 24
