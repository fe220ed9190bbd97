"""JSON text to values: leniently what a server sends, by the letter what others will decode."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from untorn.chat.json_scan import is_json, too_deep
from untorn.chat.json_text import (
    NOTHING,
    NotJson,
    TooManyValues,
    can_be_read,
    compact,
    decode,
    is_torn,
    load,
    normal_form,
    value_of,
)
from untorn.options import Limits

DEPTH = 8
LIMITS = Limits(depth=DEPTH)

any_json: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda items: st.lists(items, max_size=3) | st.dictionaries(st.text(), items, max_size=3),
    max_leaves=6,
)
almost_json = st.text(st.sampled_from('{}[]",:\\ \n\x01\ud83dau01tnNI-.'), max_size=12) | st.builds(
    lambda value, cut: json.dumps(value)[: cut or None], any_json, st.integers(-6, 30)
)


# decode: what servers really send (rule 14) --------------------------------------------------


@pytest.mark.parametrize(
    ("data", "value", "allowed"),
    [
        (b'{"a": [1, 2.5, true, null, "\xc3\xa9"]}', {"a": [1, 2.5, True, None, "é"]}, []),
        (b' "x" ', "x", []),
        (b'{"a": "1\n2\t3"}', {"a": "1\n2\t3"}, ["json-control-char"]),
        (b'{"a": "\n", "b": 2.5}', {"a": "\n", "b": 2.5}, ["json-control-char"]),
        (b'{"a": NaN, "b": -Infinity}', {"a": None, "b": None}, ["json-nonfinite"]),
        (b'["a\nb", Infinity]', ["a\nb", None], ["json-control-char", "json-nonfinite"]),
        (b'{"a": "\xff\xe6\x97"}', {"a": "\ufffd\ufffd"}, ["invalid-utf8"]),
        (b'["\xff\n"]', ["\ufffd\n"], ["invalid-utf8", "json-control-char"]),
        (b'"\\ud83d"', "\ud83d", []),
        (b"[" + b"7" * 5000 + b"]", [None], []),
    ],
)
def test_what_had_to_be_allowed_is_told(data: bytes, value: Any, allowed: list[str]) -> None:
    decoded = decode(data, LIMITS)
    assert decoded.value == value
    assert decoded.allowed == allowed


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b'{"a": 1, "a": 2}', {"a": 2}),
        (b'{"a": 1, "a": null}', {"a": 1}),
        (b'{"a": null, "a": 1, "b": 0}', {"a": 1, "b": 0}),
        (b'{"a": null, "a": null}', {"a": None}),
        (b'[{"x": {"a": "u", "a": "v", "a": null}}]', [{"x": {"a": "v"}}]),
    ],
)
def test_of_a_repeated_key_the_last_value_counts_that_is_not_null(data: bytes, value: Any) -> None:
    decoded = decode(data, LIMITS, repeated_keys=True)
    assert decoded.value == value
    assert decoded.allowed == ["duplicate-key"]


def test_repeated_keys_are_seen_only_where_they_are_looked_for() -> None:
    decoded = decode(b'{"a": 1, "a": null}', LIMITS)
    assert decoded.value == {"a": None}
    assert decoded.allowed == []


def test_looking_for_repeated_keys_finds_none_where_there_are_none() -> None:
    decoded = decode(b'{"a": 1, "b": {"a": ":"}}', LIMITS, repeated_keys=True)
    assert decoded.value == {"a": 1, "b": {"a": ":"}}
    assert decoded.allowed == []


def test_all_allowances_are_told_together() -> None:
    decoded = decode(b'{"a": "\xff\n", "a": NaN}', LIMITS, repeated_keys=True)
    assert decoded.value == {"a": "\ufffd\n"}
    assert decoded.allowed == [
        "invalid-utf8",
        "duplicate-key",
        "json-control-char",
        "json-nonfinite",
    ]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "Expecting value: line 1 column 1 (char 0)"),
        (b'{"a": 1', "Expecting ',' delimiter: line 1 column 8 (char 7)"),
        (b"{'a': 1}", "Expecting property name enclosed in double quotes"),
        (b"{} {}", "Extra data: line 1 column 4 (char 3)"),
        (b"[" * 9 + b"]" * 9, "arrays and objects lie more than 8 deep"),
    ],
)
def test_what_is_no_json_says_why(data: bytes, sentence: str) -> None:
    with pytest.raises(NotJson) as raised:
        decode(data, LIMITS)
    assert str(raised.value).startswith(sentence)


@pytest.mark.parametrize("repeated_keys", [False, True])
def test_nesting_that_the_stack_cannot_bear_is_no_json(repeated_keys: bool) -> None:
    deep = 1_000_000
    limits = Limits(depth=deep, values=10 * deep)
    with pytest.raises(NotJson) as raised:
        decode(b"[" * deep + b"]" * deep, limits, repeated_keys=repeated_keys)
    assert str(raised.value) == "it is nested too deeply for the stack that is left"
    assert value_of(b"[" * deep + b"]" * deep, limits) is NOTHING
    assert not is_json("[" * deep + "]" * deep, deep)


@given(any_json, st.booleans())
def test_json_by_the_letter_is_read_as_every_decoder_reads_it(
    value: Any, repeated_keys: bool
) -> None:
    data = json.dumps(value).encode()
    decoded = decode(data, LIMITS, repeated_keys=repeated_keys)
    assert decoded.value == json.loads(data)
    assert decoded.allowed == []


@given(st.binary(max_size=40), st.booleans())
def test_any_bytes_are_a_value_or_no_json(data: bytes, repeated_keys: bool) -> None:
    with suppress(NotJson):
        assert decode(data, LIMITS, repeated_keys=repeated_keys).value is not NOTHING


# value_of: where does an event end? ----------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b'{"a": 1}', {"a": 1}),
        (b'{"a": "\n"}', {"a": "\n"}),
        (b'{"a": "\xff"}', {"a": "\ufffd"}),
        (b"[NaN]", [None]),
        (b"null", None),
        (b'"[[[[[[[[["', "[[[[[[[[["),
        (b"[" * 9 + b"]" * 9, NOTHING),
        (b"[", NOTHING),
        (b"[1]]", NOTHING),
        (b"", NOTHING),
    ],
)
def test_value_is_read_leniently_and_nothing_is_told(data: bytes, value: Any) -> None:
    assert value_of(data, LIMITS) == value


@given(almost_json)
@example('{"a": "\ud83d"}')
@example("1" * 400)
def test_both_lenient_readers_agree_on_what_is_json(text: str) -> None:
    data = text.encode("utf-8", "surrogatepass")
    try:
        value = decode(data, LIMITS).value
    except NotJson:
        value = NOTHING
    assert type(value_of(data, LIMITS)) is type(value)
    assert isinstance(value, float) or value_of(data, LIMITS) == value


@given(st.binary(max_size=40) | almost_json.map(lambda text: text.encode("utf-8", "surrogatepass")))
@example(b'{"a": "\xff"}')
@example(b"[1e999]")
@example(b"\x0b{}")
@example(b"[" * 9 + b"]" * 9)
@example(b"NaN")
@example(b"[1,")
@example(b' {"a": 1}')
def test_what_can_be_read_has_a_value(data: bytes) -> None:
    assert can_be_read(data, LIMITS) == (value_of(data, LIMITS) is not NOTHING)


# is_json, load: by the letter (rule 10) ------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["{}", "[]", ' {"a": [1e5, -0.1]} ', '"x"', "0", "true", "null", '"\\ud83d"', '"é"']
)
def test_arguments_by_the_letter_are_json(text: str) -> None:
    assert is_json(text, DEPTH)
    assert load(text, LIMITS) == json.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "{",
        '{"a"}',
        "{} {}",
        "NaN",
        "[Infinity]",
        '"\n"',
        "'a'",
        "[1,]",
        "01",
        "\ufeff{}",
        "\xa0{}",
        "[" * 9 + "]" * 9,
        "7" * 5000,
    ],
)
def test_no_allowance_is_made_for_arguments(text: str) -> None:
    assert not is_json(text, DEPTH)
    assert load(text, LIMITS) is NOTHING


@given(almost_json)
def test_what_is_json_by_the_letter_can_be_loaded_by_others(text: str) -> None:
    if is_json(text, DEPTH):
        assert json.loads(text) == load(text, LIMITS)


# normal_form, compact ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('{"a": 1, "b": "é"}', '{"b":"\\u00e9","a":1}'),
        ("[1, 2]", " [1,2] "),
        ('{"a": {"y": 1, "x": 2}}', '{"a":{"x":2,"y":1}}'),
    ],
)
def test_texts_that_mean_the_same_have_one_normal_form(one: str, other: str) -> None:
    assert normal_form(one, LIMITS) == normal_form(other, LIMITS)


@pytest.mark.parametrize(
    ("one", "other"), [("1", "true"), ("0", "false"), ("1", "1.0"), ("[1,2]", "[2,1]"), ("{", "{ ")]
)
def test_texts_that_differ_have_different_normal_forms(one: str, other: str) -> None:
    assert normal_form(one, LIMITS) != normal_form(other, LIMITS)


def test_text_that_is_no_json_is_its_own_normal_form() -> None:
    assert normal_form('{"a": ', LIMITS) == '{"a": '


def test_text_longer_than_an_event_is_its_own_normal_form() -> None:
    text = '{"b": 1, "a": 2}'
    assert normal_form(text, Limits(event=len(text))) == '{"a":2,"b":1}'
    assert normal_form(text, Limits(event=len(text) - 1)) == text


@given(any_json)
def test_normal_form_is_json_of_the_same_value(value: Any) -> None:
    form = normal_form(json.dumps(value, indent=2), LIMITS)
    assert json.loads(form) == value
    assert normal_form(form, LIMITS) == form


def test_compact_json_has_no_spaces_and_leaves_letters_as_they_are() -> None:
    value = {"b": [1, "é 日"], "a": None}
    assert compact(value) == '{"b":[1,"é 日"],"a":null}'
    assert compact(value, sort_keys=True) == '{"a":null,"b":[1,"é 日"]}'


# too_deep ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "deep"),
    [
        ("[[]]", False),
        ("[[[]]]", True),
        ('[{"a": []}]', True),
        ("[],[],[],[]", False),
        ('"[[[["', False),
        (r'["\"[[[["]', False),
        (r'["\\", [[', True),
        ('["[[[[', False),
        ('["[[[[\\', False),
        ("]]]]][[[[[", False),
        ("x[y[z[", True),
        ("", False),
    ],
)
def test_only_open_brackets_outside_strings_lie_deep(text: str, deep: bool) -> None:
    assert too_deep(text, 2) is deep


def depth_of(value: Any) -> int:
    """By walking the value."""
    if isinstance(value, dict):
        return 1 + max(map(depth_of, value.values()), default=0)
    return 1 + max(map(depth_of, value), default=0) if isinstance(value, list) else 0


@given(any_json)
def test_depth_of_text_is_that_of_its_value(value: Any) -> None:
    text = json.dumps(value)
    deepest = next(depth for depth in range(100) if not too_deep(text, depth))
    assert deepest == depth_of(value)


def test_number_too_large_for_a_float_is_written_back_as_json() -> None:
    # Python reads 1e999 as an infinity, and would write it as Infinity, which is no JSON.
    assert is_json(compact(decode(b"[1e999]", LIMITS).value), DEPTH)


# Too many values -----------------------------------------------------------------------------

FEW = Limits(values=60)
# An array, and so many objects with a key and a number, and commas between them.
MOST = b"[" + b",".join([b'{"":0}'] * 9) + b"]"


def test_text_with_as_many_values_as_allowed_is_read() -> None:
    data = MOST[:-1] + b"  ]"
    assert decode(data, FEW).value == value_of(data, FEW) == load(data.decode(), FEW) != NOTHING


@pytest.mark.parametrize("repeated_keys", [False, True])
def test_text_with_more_values_is_not_read(repeated_keys: bool) -> None:
    data = MOST[:-1] + b",[],[]]"
    with pytest.raises(TooManyValues, match="it holds more than 60 values"):
        decode(data, FEW, repeated_keys=repeated_keys)
    assert value_of(data, FEW) is load(data.decode(), FEW) is NOTHING
    assert not can_be_read(data, FEW)
    assert normal_form(data.decode(), FEW) == data.decode()


@pytest.mark.parametrize(
    ("data", "torn"),
    [
        (b'{"a": "b', True),
        (b'{"a": tru', True),
        (b'{"a": 1', True),
        (b'{"a":' + b" " * 20, True),
        (b'{"a": "a text that is long before it is torn', True),
        (b'{"a": "\xff', True),
        (b"[-Infinit", True),
        (b'{"a": tru' + b"\n" * 20, True),
        (b'[1 "a bcde"]', False),
        (b'{"a": 1}', False),
        (b'{"a" 1, "b": 2, "c": 3}', False),
        (b"[1, 2] and more that is no JSON", False),
        (b"9" * 5000, False),
        (b"[" * 1_000_000, False),
    ],
)
def test_begin_of_a_text_is_told_from_what_is_none(data: bytes, torn: bool) -> None:
    assert is_torn(data) == torn
