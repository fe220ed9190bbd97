"""What stands for a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untorn.capture.redaction.shapes import Names, another, shape_of, variant

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("Hello, Anna: 42!", "Xxxxx, Xxxx: 00!"),
        ('{"a_b-c": [1.5]}\t\n', '{"x_x-x": [0.0]}\t\n'),
        ("Žižkov", "Øxøxxx"),
        ("東京\u3000𝄞🦘", "字字\u3000🔹🔹"),
        ("\u200e\u2028\ufeff\ufffd\u00a0", "\u200e\u2028\ufeff\ufffd\u00a0"),
        ("\ud83d \ude00 \udce9", "\ud83d \udd39 \udce9"),
    ],
)
def test_a_shape_keeps_all_but_the_words(text: str, shape: str) -> None:
    assert shape_of(text) == shape.replace("Ø", "ø")


@given(texts)
def test_a_shape_is_as_long_in_characters_and_bytes(text: str) -> None:
    assert list(map(len, map(str.encode, shape_of(text)))) == list(map(len, map(str.encode, text)))


@given(texts, texts)
def test_shapes_are_joined_as_texts_are(one: str, other: str) -> None:
    assert shape_of(one + other) == shape_of(one) + shape_of(other)


@given(texts)
def test_a_shape_is_trimmed_where_its_text_is(text: str) -> None:
    assert len(shape_of(text).strip()) == len(text.strip())


def test_variants_are_different_and_of_one_shape() -> None:
    variants = [variant("call_9", number) for number in range(30)]
    assert variants[:3] == ["xxxx_0", "xxxx_1", "xxxx_2"]
    assert variants[9:11] == ["xxxx_9", "xxxy_0"]
    assert len(set(variants)) == 30
    assert {shape_of(one) for one in variants if one} == {"xxxx_0"}


def test_there_are_as_many_variants_as_letters_and_digits_allow() -> None:
    assert [variant("-", number) for number in (0, 1)] == ["-", None]
    assert [variant("7", number) for number in (9, 10)] == ["9", None]


def test_another_letter_is_of_the_same_kind() -> None:
    assert another("a", "x") == "y"
    assert another("a", "y") == "x"
    assert another("-", "-") == "-"


def test_the_same_text_has_the_same_name_and_different_ones_have_not() -> None:
    names = Names(frozenset())
    given = [names.of(text) for text in ("call_1", "call_2", "call_1", "Call_2", "", "--")]
    assert given == ["xxxx_0", "xxxx_1", "xxxx_0", "Xxxx_0", "", "--"]


def test_no_name_is_a_word_that_stands_for_itself() -> None:
    names = Names(frozenset({"xx", "xy"}))
    assert [names.of("ab"), names.of("AB"), names.of("cd")] == ["xz", "XZ", "xw"]


def test_only_a_vendors_field_looks_like_one() -> None:
    names = Names(frozenset())
    assert names.of("x_groq").startswith("x_")
    assert not names.of("q_groq").startswith("x_")


def test_where_there_are_not_enough_variants_texts_share_one() -> None:
    names = Names(frozenset())
    assert len({names.of(chr(0x4E00 + number)) for number in range(100)}) == 10


def test_a_name_can_be_given() -> None:
    names = Names(frozenset())
    names.put("get_weather", "xxx_y")
    names.put("get_weather", "no longer")
    assert names.of("get_weather") == "xxx_y"


@given(st.lists(st.text("abAB01_-", max_size=4)))
def test_names_tell_texts_apart_as_the_texts_do(texts: list[str]) -> None:
    names = Names(frozenset())
    assert len({names.of(text) for text in texts}) == len(set(texts))
