"""Text for people: one line, cut, nothing that a terminal would obey."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untorn.readable import amount, one_line, one_line_of_bytes, plain

any_text = st.text(st.characters(exclude_categories=()))  # surrogates too


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", '""'),
        ("Hallo, Welt", '"Hallo, Welt"'),
        ("naïve 日本 😀", '"naïve 日本 😀"'),
        ('say "so"', '"say "so""'),
        ("a\nb\rc\td", r'"a\nb\rc\td"'),
        ("\x00\x1b[31m\x7f", r'"\x00\x1b[31m\x7f"'),
        ("\x85\x9b", r'"\x85\x9b"'),
        ("\u202etxt.exe\u2066", r'"\u202etxt.exe\u2066"'),
        ("\u2028\ufeff\xa0", r'"\u2028\ufeff\xa0"'),
        ("\ud83d", r'"\ud83d"'),
        ("\U000e0001", r'"\U000e0001"'),
    ],
)
def test_all_but_printable_characters_are_escaped(text: str, shown: str) -> None:
    assert one_line(text) == shown


def test_long_text_is_cut_and_says_so() -> None:
    assert one_line("a" * 60) == f'"{"a" * 60}"'
    assert one_line("a" * 61) == f'"{"a" * 59}…"'
    assert one_line("abcdef", 5) == '"abcd…"'


def test_name_is_shown_without_quotes() -> None:
    assert plain("look") == "look"
    assert plain("a\nb" * 3, 5) == r"a\nba…"


@given(any_text, st.integers(1, 80))
def test_any_text_is_one_printable_line_of_bounded_length(text: str, most: int) -> None:
    shown = one_line(text, most)
    assert shown.isprintable()
    assert len(shown) <= 2 + most * len(r"\U00000000")


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (b"data: x", '"data: x"'),
        (b"\xff\x00", r'"�\x00"'),
        ("日".encode()[:2], '"�"'),
        (b"a" * 61, f'"{"a" * 59}…"'),
        ("日本".encode() * 31, f'"{"日本" * 29}日…"'),
    ],
)
def test_bytes_are_shown_as_utf_8(data: bytes, shown: str) -> None:
    assert one_line_of_bytes(data) == shown


@given(st.integers(1, 4), st.integers(0, 70))
def test_bytes_are_shown_as_their_text_would_be(width: int, count: int) -> None:
    text = {1: "a", 2: "é", 3: "日", 4: "😀"}[width] * count
    assert one_line_of_bytes(text.encode()) == one_line(text)


@given(st.binary(max_size=400))
def test_any_bytes_are_one_printable_line(data: bytes) -> None:
    assert one_line_of_bytes(data).isprintable()


def test_amount_knows_one_from_many() -> None:
    assert [amount(count, "thing") for count in (0, 1, 2)] == ["0 things", "1 thing", "2 things"]
