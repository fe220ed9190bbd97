"""JSON text without its values: the same as what a decoder and a walk over the value say."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from untorn.chat import json_scan
from untorn.chat.json_scan import (
    MOST_VALUES,
    has_too_many_values,
    is_json,
    may_stay_undecoded,
    outside_strings,
    too_deep,
    weight,
)

DEPTH = 8
MOST_DIGITS = sys.get_int_max_str_digits()

any_json: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda items: st.lists(items, max_size=3) | st.dictionaries(st.text(), items, max_size=3),
    max_leaves=8,
)
PIECES = ["", "\\", '"', "\\ud83d", "\\u12", ",", "1e999", '"' + "9" * 5000 + '"', "9" * 5000]
marks = st.text(st.sampled_from('{}[]",:\\ \n\x01\ud83dau01tnNI-.eE+'), max_size=12)


def broken(value: Any, place: int, piece: str) -> str:
    """JSON with a piece in the middle that does not belong there."""
    text = json.dumps(value)
    place %= len(text) + 1
    return text[:place] + piece + text[place:]


almost_json = marks | st.builds(broken, any_json, st.integers(0, 50), st.sampled_from(PIECES))


@pytest.fixture(params=[1, 2, 7, json_scan.WINDOW], autouse=True)
def window(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the text is cut into windows makes no difference."""
    monkeypatch.setattr(json_scan, "WINDOW", request.param)


def read_by_python(text: str) -> Any:
    """What ``json.loads`` makes of it, by the letter; raises ValueError."""

    def refuse(name: str) -> Any:
        raise ValueError(name)

    return json.loads(text, parse_constant=refuse)


def depth_of(value: Any) -> int:
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return 1 + max(map(depth_of, inner), default=0)
    return 0


def weight_of(value: Any) -> int:
    if isinstance(value, dict):
        return 4 + max(0, len(value) - 1) + sum(map(weight_of, value.values()))
    if isinstance(value, list):
        return 1 + max(0, len(value) - 1) + sum(map(weight_of, value))
    return 0


@given(almost_json)
@example("[" * 8 + "]" * 8)
@example("[" * 9 + "]" * 9)
@example("9" * MOST_DIGITS)
@example("[-" + "9" * MOST_DIGITS + "]")
@example("9" * (MOST_DIGITS + 1))
@example("9" * (MOST_DIGITS + 1) + ".0")
@example('"\\ud83d"')
@example('"\\ud83d\\x"')
@example('"\ud83d"')
def test_is_json_says_what_python_says(text: str) -> None:
    try:
        value = read_by_python(text)
    except (ValueError, RecursionError):
        assert not is_json(text, DEPTH)
    else:
        assert is_json(text, DEPTH) == (depth_of(value) <= DEPTH)


@given(any_json, st.booleans(), st.integers(0, 4))
def test_depth_and_weight_are_those_of_the_value(value: Any, ascii_only: bool, depth: int) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert too_deep(text, depth) == (depth_of(value) > depth)
    outside = b"".join(outside_strings(text.encode("utf-8", "surrogatepass")))
    assert weight(outside) == weight_of(value)


@pytest.mark.parametrize("value", [b"1,", b"[],", b'{"":0},', b'{"a":[{}]},'])
def test_more_values_than_the_limit_are_too_many(
    value: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_scan, "WINDOW", 64 * 1024)
    most = MOST_VALUES // weight(value)
    assert has_too_many_values(b"[" + value * (most + 1) + b"1]")
    assert has_too_many_values("[" + value.decode() * (most + 1) + "1]")
    assert not has_too_many_values(b"[" + value * (most - 1) + b"1]")


@pytest.mark.parametrize("text", [b"1,2,", b"{[", b'\\"{[,', b"\\\\,"])
def test_what_is_in_a_string_does_not_count(text: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_scan, "WINDOW", 64 * 1024)
    assert not has_too_many_values(b'["' + text * MOST_VALUES + b'"]')


def test_string_without_an_end_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_scan, "WINDOW", 64 * 1024)
    monkeypatch.setattr(json_scan, "weight", counted := Counted())
    has_too_many_values(b"[" + b"[]," * 600_000 + b'"' + b'\\"' * 1_000_000)
    assert counted.size <= 2 * 3_800_002


class Counted:
    """``weight``, which counts the bytes it is shown."""

    def __init__(self) -> None:
        self.size = 0

    def __call__(self, data: bytes) -> int:
        self.size += len(data)
        return weight(data)


def test_few_values_are_not_too_many_however_long_they_are() -> None:
    assert not has_too_many_values("[,,,,]")
    assert not has_too_many_values('["' + "a" * MOST_VALUES + '"]')
    assert not has_too_many_values(b"[" + b"," * 9 + b" " * MOST_VALUES + b"]")


def test_number_that_is_long_but_no_integer_can_be_read() -> None:
    digits = "9" * (MOST_DIGITS + 1)
    assert is_json(f"[0.{digits}]", DEPTH)
    assert is_json(f'["{digits}"]', DEPTH)
    assert not is_json(f"[{digits}]", DEPTH)


@pytest.mark.parametrize(
    ("json", "may"),
    [
        (b'{"a":[[[[[]]]]]}', True),
        (b'{"a":"\xc3\xa9","b":[[[[[[]]]]]]}', True),
        (b'{"a":[[[[[[[[]]]]]]]]}', False),
        (b'{"a":"[[[[[[[[[["}', True),
        (b'{"a":"\xff"}', False),
        (b'{"a":"[[[[[[[[[[\xff"}', False),
        (b'"' + b"a" * MOST_VALUES + b'"', False),
    ],
)
def test_what_is_not_decoded_may_stay_so_if_to_decode_it_would_be_no_surprise(
    json: bytes, may: bool
) -> None:
    assert may_stay_undecoded(json, DEPTH) is may


@given(any_json | st.integers(0, 20).map(lambda n: json.loads("[" * n + "7" + "]" * n)))
def test_any_json_may_stay_undecoded_that_is_not_too_deep(value: Any) -> None:
    text = json.dumps(value, ensure_ascii=False)
    assert may_stay_undecoded(text.encode("utf-8", "replace"), DEPTH) == (not too_deep(text, DEPTH))
