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
    containers_in,
    has_control_in_strings,
    has_nonfinite,
    has_too_many_values,
    is_json,
    keys_in,
    may_stay_undecoded,
    outside_strings,
    too_deep,
    weight,
    weight_of,
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


def exact_weight_of(value: Any) -> int:
    if isinstance(value, dict):
        commas = max(0, len(value) - 1)
        return 4 + len(value) + commas + sum(map(exact_weight_of, value.values()))
    if isinstance(value, list):
        return 2 + max(0, len(value) - 1) + sum(map(exact_weight_of, value))
    return int(isinstance(value, str))


def keys_of(value: Any) -> int:
    return sum(len(item) for item in containers_in(value) if isinstance(item, dict))


@given(almost_json)
@example("[" * 8 + "]" * 8)
@example("[" * 9 + "]" * 9)
@example("9" * MOST_DIGITS)
@example("[-" + "9" * MOST_DIGITS + "]")
@example("9" * (MOST_DIGITS + 1))
@example("9" * (MOST_DIGITS + 1) + ".0")
@example('"\\ud83d"')
@example("[-" + "9" * (MOST_DIGITS + 1) + "]")
@example(f'["{"9" * (MOST_DIGITS + 1)}", {"9" * MOST_DIGITS}]')
@example('"\\ud83d\\x"')
@example('"\ud83d\\ud83d"')
@example('"\\ud83d\\d"')
@example('"\\uD83D"')
@example('"é\\uD83D\\ud83d"')
@example('["\\ud83d",d]')
@example('"\\ud8')
@example('"\ud83d"')
def test_is_json_says_what_python_says(text: str) -> None:
    try:
        value = read_by_python(text)
    except (ValueError, RecursionError):
        assert not is_json(text, DEPTH)
    else:
        assert is_json(text, DEPTH) == (depth_of(value) <= DEPTH)


@given(any_json, st.booleans(), st.integers(0, 4))
@example(['a"[b'], True, 1)
@example(["a\\", "[b"], True, 1)
def test_depth_and_weight_are_those_of_the_value(value: Any, ascii_only: bool, depth: int) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert too_deep(text, depth) == (depth_of(value) > depth)
    data = text.encode("utf-8", "surrogatepass")
    assert too_deep(data, depth) == (depth_of(value) > depth)
    outside = b"".join(outside_strings(text.encode("utf-8", "surrogatepass")))
    if len(text.encode("utf-8", "surrogatepass")) <= json_scan.WINDOW:
        assert weight(outside) == exact_weight_of(value)
        full = len(list(containers_in(value))) - sum(not item for item in containers_in(value))
        if not isinstance(value, str):
            assert weight_of(value) == exact_weight_of(value) + full


@given(any_json, st.booleans())
def test_keys_are_those_of_the_value(value: Any, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert keys_in(text.encode("utf-8", "surrogatepass")) == keys_of(value)


def test_keys_that_come_twice_count_twice() -> None:
    assert keys_in(b'{"a:b": {"a": ":"}, "a:b": [{"c" : 0}]}') == 4


def test_containers_are_found_however_deep_they_lie() -> None:
    value: Any = "innermost"
    for _ in range(100_000):
        value = [value]
    assert sum(1 for _ in containers_in(value)) == 100_000
    while value.__class__ is list:  # to free it at once would go deep, too
        (value,) = value


@pytest.mark.parametrize("value", [b"1,", b"[],", b'{"":0},', b'{"a":[{}]},', b'"a",'])
def test_more_values_than_the_limit_are_too_many(
    value: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_scan, "WINDOW", 64 * 1024)
    most = 1000
    fit = most // weight(value)
    assert has_too_many_values(b"[" + value * (fit + 1) + b"1]", most)
    assert has_too_many_values("[" + value.decode() * (fit + 1) + "1]", most)
    assert not has_too_many_values(b"[" + value * (fit - 2) + b"1]", most)
    assert not has_too_many_values(b"[" + value + b"1]", most)


def test_exactly_as_many_values_as_the_limit_are_not_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(json_scan, "WINDOW", 64 * 1024)
    text = b'["' + b"," * 50 + b'"' + b",1" * 97 + b"]"  # an array, a string and 97 numbers
    assert not has_too_many_values(text, 100)
    assert has_too_many_values(text, 99)


def test_halves_of_pairs_in_a_text_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_scan, "WINDOW", 64 * 1024)
    assert not has_too_many_values('["' + "\ud83d" * 100 + '"]', 20)


@pytest.mark.parametrize("text", [b"1,2,", b"{[", b'\\"{[,', b"\\\\,"])
def test_what_is_in_a_string_does_not_count(text: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_scan, "WINDOW", 64 * 1024)
    assert not has_too_many_values(b'["' + text * 1000 + b'"]', 1000)


def test_string_without_an_end_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_scan, "WINDOW", 64 * 1024)
    monkeypatch.setattr(json_scan, "weight", counted := Counted())
    has_too_many_values(b"[" + b"[]," * 600_000 + b'"' + b'\\"' * 1_000_000, 2_000_000)
    assert counted.size <= 2 * 3_800_002


class Counted:
    """``weight``, which counts the bytes it is shown."""

    def __init__(self) -> None:
        self.size = 0

    def __call__(self, data: bytes) -> int:
        self.size += len(data)
        return weight(data)


def test_number_that_is_long_but_no_integer_can_be_read() -> None:
    digits = "9" * (MOST_DIGITS + 1)
    assert is_json(f"[0.{digits}]", DEPTH)
    assert is_json(f'["{digits}"]', DEPTH)
    assert not is_json(f"[{digits}]", DEPTH)


def test_number_of_any_length_can_be_read_where_the_program_has_lifted_the_limit() -> None:
    sys.set_int_max_str_digits(0)
    try:
        assert is_json("9" * (MOST_DIGITS + 1), DEPTH)
    finally:
        sys.set_int_max_str_digits(MOST_DIGITS)


MOST = 1000


@pytest.mark.parametrize(
    ("json", "may"),
    [
        (b'{"a":[[[[[]]]]]}', True),
        (b'{"a":"\xc3\xa9","b":[[[[[[]]]]]]}', True),
        (b'{"a":[[[[[[[[]]]]]]]]}', False),
        (b'{"a":"[[[[[[[[[["}', True),
        (b'{"a":"\xff"}', False),
        (b'{"a":"[[[[[[[[[[\xff"}', False),
        (b'"' + b"a" * MOST + b'"', False),
    ],
)
def test_what_is_not_decoded_may_stay_so_if_to_decode_it_would_be_no_surprise(
    json: bytes, may: bool
) -> None:
    assert may_stay_undecoded(json, DEPTH, MOST) is may


@given(any_json | st.integers(0, 20).map(lambda n: json.loads("[" * n + "7" + "]" * n)))
def test_any_json_may_stay_undecoded_that_is_not_too_deep(value: Any) -> None:
    text = json.dumps(value, ensure_ascii=False)
    data = text.encode("utf-8", "replace")
    assert may_stay_undecoded(data, DEPTH, len(data) * 2) == (not too_deep(text, DEPTH))


def test_number_of_a_million_digits_is_looked_at_once() -> None:
    # Quadratic, it would take hours.
    assert not has_nonfinite(b"[" + b"1" * 1_000_000 + b"]")
    assert not has_nonfinite(b"[1." + b"1" * 1_000_000 + b"]")


@pytest.mark.parametrize(
    ("data", "control", "nonfinite"),
    [
        (b'{"a": "\t"}', True, False),
        (b'{\t"a":\r\n"b\\n"}', False, False),
        (b'{"a\x1f": 1}', True, False),
        (b"[NaN]", False, True),
        (b"[-Infinity]", False, True),
        (b'["NaN", "Infinity", "1e999", 1.5e3]', False, False),
        (b"[1e999]", False, True),
        (b"[1E+0309]", False, True),
        (b"[1e-999, 1e300]", False, False),
        (b"[" + b"9" * 400 + b".5]", False, True),
        (b"[" + b"9" * 400 + b"]", False, False),
    ],
)
def test_what_is_not_by_the_letter_is_found_without_a_value(
    data: bytes, control: bool, nonfinite: bool
) -> None:
    assert (has_control_in_strings(data), has_nonfinite(data)) == (control, nonfinite)
