"""JSON strings in place."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untorn.capture.redaction.literals import read_literal, write_literal
from untorn.capture.redaction.shapes import shape_of


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"", ""),
        (b"Hi", "Hi"),
        ("Žižkov 🦘".encode(), "Žižkov 🦘"),
        (rb"a\n\"\\\/\t\b\f\r", 'a\n"\\/\t\b\f\r'),
        (rb"\u0041\u00e9\u2028", "Aé\u2028"),
        (rb"\ud83e\uDD98!", "🦘!"),
        (rb"\ud83e", "\ud83e"),
        (rb"\udd98\ud83e", "\udd98\ud83e"),
        (b"caf\xe9\\n", "caf\udce9\n"),
        (rb"\q\u12", "qu12"),
        (b"cut\\", "cut\\"),
    ],
)
def test_a_literal_says_what_json_says(raw: bytes, text: str) -> None:
    assert read_literal(raw) == text
    assert write_literal(raw, text) == raw


@pytest.mark.parametrize(
    ("raw", "text", "written"),
    [
        (b"Hi", "Xx", b"Xx"),
        (rb"H\u0069\n", "Xx\n", rb"X\u0078\n"),
        (rb"\u00E9\u2026", "ø字", rb"\u00f8\u5b57"),
        (rb"\ud83e\udd98!", "🔹!", rb"\ud83d\udd39!"),
        (rb"\ud83e", "\ud800", rb"\ud800"),
        (rb"\q", "x", rb"\q"),
        (b"caf\xe9\\n", "xxx\udce9\n", b"xxx\xe9\\n"),
    ],
)
def test_what_is_escaped_stays_escaped(raw: bytes, text: str, written: bytes) -> None:
    assert write_literal(raw, text) == written


@given(st.text(max_size=20), st.booleans())
def test_a_literal_with_another_text_of_its_shape_is_as_long(text: str, ascii_only: bool) -> None:
    raw = json.dumps(text, ensure_ascii=ascii_only)[1:-1].encode("utf-8", "replace")
    said = read_literal(raw)
    written = write_literal(raw, shape_of(said))
    assert len(written) == len(raw)
    assert read_literal(written) == shape_of(said)
