"""What stands for a number."""

from __future__ import annotations

import json
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untorn.capture.redaction.numbers import NUMBER, number_variants, shape_of_number

numbers = st.from_regex(NUMBER, fullmatch=True).filter(lambda text: len(text) < 17)


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("0", "0"),
        ("-0", "-0"),
        ("7", "1"),
        ("4929", "1111"),
        ("-500", "-111"),
        ("0.250", "0.110"),
        ("98.6", "11.1"),
        ("0.0", "0.0"),
        ("007", "001"),
        ("9e300", "1e300"),
        ("10E20", "10E20"),
        ("2.5E-7", "1.1E-7"),
        ("1e400", "1e400"),
        ("9" * 400 + ".0", "9" * 400 + ".0"),
        ("9" * 5000, "1" * 5000),
    ],
)
def test_a_number_keeps_its_length_its_zeros_and_its_exponent(text: str, shape: str) -> None:
    assert shape_of_number(text) == shape


@given(numbers)
def test_a_number_written_anew_is_as_long_as_it_was(text: str) -> None:
    shape = shape_of_number(text)
    assert len(shape) == len(text)
    try:
        value = json.loads(text)
    except ValueError:
        with pytest.raises(ValueError, match="Extra data"):
            json.loads(shape)
    else:
        assert len(json.dumps(json.loads(shape))) == len(json.dumps(value))
        assert bool(json.loads(shape)) == bool(value)


def test_variants_are_different() -> None:
    assert list(islice(number_variants("4929"), 3)) == ["1111", "1112", "1113"]
    assert list(number_variants("7")) == list("123456789")
    assert list(number_variants("0.05")) == [f"0.0{digit}" for digit in range(1, 10)]
    assert list(number_variants("0")) == ["0"]


def test_a_number_that_is_infinite_has_no_variant() -> None:
    assert list(number_variants("1e400")) == ["1e400"]


def test_a_number_whose_length_no_other_has_is_replaced_all_the_same() -> None:
    """Written anew it is 0.3, and none of its shape gets as short."""
    text = "0.29999999999999998889776975"
    assert list(number_variants(text)) == ["0.11111111111111111111111111"]
