"""The one place that splits a line at a colon."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untorn.sse.fields import field_name, split_field


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        (b"data: one", b"data", b"one"),
        (b"data:one", b"data", b"one"),
        (b"data:  one ", b"data", b" one "),
        (b"data:\tone", b"data", b"\tone"),
        (b"data: a: b", b"data", b"a: b"),
        (b"data:", b"data", b""),
        (b"data: ", b"data", b""),
        (b"data", b"data", b""),
        (b" data : one", b" data ", b"one"),
        (b": note", b"", b"note"),
        (b":", b"", b""),
        (b"\xff\x00:\xfe", b"\xff\x00", b"\xfe"),
    ],
)
def test_first_colon_splits_and_one_space_is_removed(
    line: bytes, name: bytes, value: bytes
) -> None:
    assert field_name(line) == name
    assert split_field(line) == (name, value)


@given(st.binary().filter(lambda name: b":" not in name), st.binary())
def test_any_value_survives_after_colon_and_space(name: bytes, value: bytes) -> None:
    assert split_field(name + b": " + value) == (name, value)
