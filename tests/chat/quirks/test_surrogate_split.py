"""A surrogate pair divided between two deltas (rule 14)."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untorn.chat.json_scan import HALF_ESCAPE
from untorn.chat.quirks.surrogate_split import (
    Joined,
    high_half,
    join_halves,
    scrub,
    scrub_extras,
    whole_text,
)

HIGH, LOW, FACE = "\ud83d", "\ude00", "\U0001f600"


def as_decoded(text: str) -> str:
    """A string as a JSON decoder gives it: its pairs joined."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


halves = st.characters(categories=["Cs"])
strings = st.text(st.one_of(halves, st.sampled_from("a\xe9\ud7ff\ue000" + FACE)), min_size=1)
decoded = strings.map(as_decoded)


@pytest.mark.parametrize(
    ("held", "fragment", "joined"),
    [
        ("", "plain", Joined("plain", "", split=False, lone=0)),
        ("", "a" + HIGH, Joined("a", HIGH, split=False, lone=0)),
        (HIGH, LOW + "!", Joined(FACE + "!", "", split=True, lone=0)),
        (HIGH, LOW, Joined(FACE, "", split=True, lone=0)),
        (HIGH, LOW + HIGH, Joined(FACE, HIGH, split=True, lone=0)),
    ],
)
def test_first_half_is_held_until_the_second_comes(
    held: str, fragment: str, joined: Joined
) -> None:
    assert join_halves(held, fragment) == joined


@pytest.mark.parametrize(
    ("held", "fragment", "joined"),
    [
        ("", LOW + "a", Joined("\ufffda", "", split=False, lone=1)),
        ("", HIGH + "a", Joined("\ufffda", "", split=False, lone=1)),
        (HIGH, "a", Joined("\ufffda", "", split=False, lone=1)),
        (HIGH, HIGH, Joined("\ufffd", HIGH, split=False, lone=1)),
        (HIGH, LOW + LOW, Joined(FACE + "\ufffd", "", split=True, lone=1)),
    ],
)
def test_half_without_its_partner_becomes_u_fffd(held: str, fragment: str, joined: Joined) -> None:
    assert join_halves(held, fragment) == joined


def test_halves_are_all_surrogates_and_nothing_else() -> None:
    for high in map(chr, range(0xD800, 0xDC00)):
        assert join_halves("", high) == Joined("", high, split=False, lone=0)
    for low in map(chr, range(0xDC00, 0xE000)):
        assert join_halves("", low) == Joined("\ufffd", "", split=False, lone=1)
        pair = chr(0x10000 + ord(low) - 0xDC00)
        assert join_halves("\ud800", low) == Joined(pair, "", split=True, lone=0)
    for other in "\ud7ff\ue000":
        assert join_halves(HIGH, other) == Joined("\ufffd" + other, "", split=False, lone=1)


@given(st.lists(decoded, max_size=8))
def test_halves_are_joined_as_if_they_had_never_been_apart(fragments: list[str]) -> None:
    held = text = ""
    for fragment in fragments:
        joined = join_halves(held, fragment)
        held = joined.held
        text += joined.text
    assert text + whole_text(held) == whole_text("".join(fragments))


@given(st.text(st.characters(exclude_categories=())))
def test_whole_text_can_always_be_encoded_and_keeps_what_is_whole(text: str) -> None:
    whole = whole_text(text)
    whole.encode("utf-8")
    pairs = re.sub("[\ud800-\udbff][\udc00-\udfff]", "x", text)
    assert len(whole) == len(pairs)
    assert whole_text(whole) == whole


@pytest.mark.parametrize(
    ("value", "scrubbed"),
    [
        (HIGH, "\ufffd"),
        ([HIGH + LOW, {LOW: HIGH}], [FACE, {"\ufffd": "\ufffd"}]),
        ([HIGH, "a"], ["\ufffd", "a"]),
        ({"a": HIGH, "b": "c"}, {"a": "\ufffd", "b": "c"}),
        ({LOW: "a"}, {"\ufffd": "a"}),
        ({"n": 1, "b": True, "z": None}, {"n": 1, "b": True, "z": None}),
    ],
)
def test_no_string_and_no_key_of_a_scrubbed_value_holds_a_half(value: Any, scrubbed: Any) -> None:
    was = copy.deepcopy(value)
    assert scrub(value) == (scrubbed, was != scrubbed)


def test_value_is_scrubbed_in_place_so_that_a_large_one_is_not_there_twice() -> None:
    inner: dict[str, Any] = {LOW: [HIGH], "a": [[HIGH]]}
    assert scrub([inner]).value[0] is inner
    assert inner == {"\ufffd": ["\ufffd"], "a": [["\ufffd"]]}


def test_strings_under_the_keys_to_keep_are_left_alone_but_nothing_else_under_them() -> None:
    value = {"content": HIGH, "choices": [{"content": LOW, "id": LOW}], "other": HIGH}
    kept = {"content": HIGH, "choices": [{"content": LOW, "id": "\ufffd"}], "other": "\ufffd"}
    assert scrub(value, frozenset({"content"})).value == kept
    assert scrub({"content": [HIGH]}, frozenset({"content"})).value == {"content": ["\ufffd"]}


def test_strings_of_a_delta_may_be_pieces_and_everything_else_is_whole() -> None:
    values = {"note": HIGH, "list": [HIGH]}
    scrub_extras(values)
    assert values == {"note": HIGH, "list": ["\ufffd"]}


@pytest.mark.parametrize("data", [rb"\ud83d", rb"a\uDE00", rb"\udBff", rb"\\ud800"])
def test_escape_finds_every_way_to_write_half_a_pair(data: bytes) -> None:
    assert HALF_ESCAPE.search(data)


@pytest.mark.parametrize("data", [rb"\u00e9", rb"\ud7ff", rb"\ue000", b"\xed\xa0\xbd", b"ud83d"])
def test_escape_finds_nothing_else(data: bytes) -> None:
    assert not HALF_ESCAPE.search(data)


def test_character_begins_with_itself_or_with_its_high_half() -> None:
    assert (high_half("a"), high_half(HIGH), high_half(FACE)) == ("a", HIGH, HIGH)
    assert [*map(high_half, "\U00010000\U00010400")] == ["\ud800", "\ud801"]


def test_value_that_is_no_text_is_left_alone() -> None:
    assert scrub(5) == (5, False)
    assert scrub([5, {"a": None, "content": HIGH}], frozenset({"content"})).lone is False
