"""Trees that know where everything stands."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untorn.capture.redaction.json_tree import Array, Node, Number, Object, Text, Word, tree_of
from untorn.capture.redaction.literals import read_literal


def values(node: Node, data: bytes) -> Any:
    """What a tree says, but for the words, of which it knows little."""
    match node:
        case Text(start, end):
            return read_literal(data[start:end])
        case Number(start, end):
            return json.loads(data[start:end])
        case Word(is_null):
            return None if is_null else True
        case Array(items):
            return [values(item, data) for item in items]
        case Object(pairs):
            return {read_literal(data[k.start : k.end]): values(v, data) for k, v in pairs}


documents = st.recursive(
    st.none()
    | st.just(True)
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@given(documents, st.sampled_from([None, 1]), st.booleans())
def test_a_tree_says_what_json_says(value: Any, indent: int | None, ascii_only: bool) -> None:
    data = json.dumps(value, indent=indent, ensure_ascii=ascii_only).encode("utf-8", "replace")
    assert values(tree_of(data), data) == json.loads(data)


@pytest.mark.parametrize("word", [b"NaN", b"Infinity", b"-Infinity", b"null"])
def test_what_is_no_number_counts_as_null(word: bytes) -> None:
    assert tree_of(word) == Word(True)
    assert not math.isfinite(json.loads(word)) if word != b"null" else True


def test_words_that_say_something_are_not_null() -> None:
    assert tree_of(b"[true, false]") == Array([Word(False), Word(False)])


DATA = rb'{"a": 1, "b": null, "a": null, "\u0061": 2, "c": "\u0061"}'


def test_the_last_value_that_is_not_null_counts() -> None:
    tree = tree_of(DATA)
    assert isinstance(tree, Object)
    assert tree.get("a", DATA) == Number(DATA.index(b"2"), DATA.index(b"2") + 1)
    assert tree.get("b", DATA) is None
    assert tree.get("d", DATA) is None
    assert [tree.has(key, DATA) for key in "abd"] == [True, True, False]
