"""How servers say that they failed (corpus rule 7)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untorn.chat.error_object import FoundError, error_of, find_error, hides_no_error
from untorn.chat.verdict import ErrorObject

Said = tuple[str, str | None, str | None]
"""Message, code, type."""


def said(found: FoundError | None) -> Said | None:
    if found is None:
        return None
    return found.error.message, found.error.code, found.error.type


# The first form ------------------------------------------------------------------------------


def test_error_object_with_a_message_is_the_canonical_form() -> None:
    error = {"message": "slow down", "code": "rate_limit", "type": "requests", "param": "model"}
    assert find_error({"error": error}) == FoundError(
        ErrorObject("slow down", "rate_limit", "requests", "model", None, error), canonical=True
    )


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ({"message": "m", "code": 429}, ("m", "429", None)),
        ({"message": "m", "code": 4.5, "type": 1}, ("m", "4.5", "1")),
        ({"message": "m", "code": None, "status": "BUSY"}, ("m", "BUSY", None)),
        ({"message": "m", "code": True, "status_code": 503}, ("m", "503", None)),
        ({"message": "m", "error_type": "t"}, ("m", None, "t")),
        ({"message": "m", "code": ["x"], "type": {}}, ("m", None, None)),
    ],
)
def test_code_and_type_have_second_names_and_numbers_become_text(
    error: dict[str, Any], expected: Said
) -> None:
    found = find_error({"error": error})
    assert said(found) == expected
    assert found is not None
    assert found.canonical


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ({"msg": "m"}, ("m", None, None)),
        ({"detail": "m"}, ("m", None, None)),
        ({"details": "m"}, ("m", None, None)),
        ({"error_message": "m", "code": 7}, ("m", "7", None)),
        ({"message": 5, "msg": "m"}, ("m", None, None)),
        ({"code": 7, "why": ["é"]}, ('{"code":7,"why":["é"]}', "7", None)),
    ],
)
def test_error_object_without_a_message_takes_the_first_text_or_all_of_it(
    error: dict[str, Any], expected: Said
) -> None:
    found = find_error({"error": error})
    assert said(found) == expected
    assert found is not None
    assert not found.canonical
    assert found.error.raw == error


def test_empty_text_is_a_message_only_if_there_is_no_other() -> None:
    assert said(find_error({"error": {"message": "", "detail": "m"}})) == ("m", None, None)
    assert said(find_error({"error": {"message": "", "code": 1}})) == ("", "1", None)


@pytest.mark.parametrize("nothing", [None, "", {}, False, [], 0])
def test_empty_error_is_no_error(nothing: Any) -> None:
    assert find_error({"error": nothing}) is None
    assert find_error({"error": nothing, "choices": [{"error": nothing}]}) is None


# The other forms -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # A text.
        ({"error": "m"}, ("m", None, None)),
        ({"error": "m", "code": 503, "type": "t"}, ("m", "503", "t")),
        # An object that says it is an error.
        ({"object": "error", "message": "m", "code": 40}, ("m", "40", None)),
        ({"object": "error"}, ('{"object":"error"}', None, None)),
        # A choice's.
        ({"choices": [{"index": 0}, {"error": {"message": "m", "code": 1}}]}, ("m", "1", None)),
        ({"choices": [{"error": "m", "code": 2}]}, ("m", "2", None)),
        ({"choices": [5, {"error": 7}, {"error": "m"}]}, ("m", None, None)),
        # A detail.
        ({"detail": "m"}, ("m", None, None)),
        ({"detail": "m", "choices": []}, ("m", None, None)),
        ({"detail": [{"loc": 1}]}, ('{"detail":[{"loc":1}]}', None, None)),
        # A message next to a code, a status or a type.
        ({"message": "m", "code": 1}, ("m", "1", None)),
        ({"msg": "m", "status": "failed"}, ("m", "failed", None)),
        ({"details": "m", "status_code": 500}, ("m", "500", None)),
        ({"error_message": "m", "error_type": "t"}, ("m", None, "t")),
        ({"message": "m", "code": 0, "status": 500}, ("m", "0", None)),
        # A message next to a flag.
        ({"error": True, "message": "m"}, ("m", None, None)),
        ({"success": False, "msg": "m"}, ("m", None, None)),
        # MiniMax.
        ({"base_resp": {"status_code": 1004, "status_msg": "m"}}, ("m", "1004", None)),
        (
            {"base_resp": {"status_code": "1004", "status_msg": 5}},
            ('{"base_resp":{"status_code":"1004","status_msg":5}}', "1004", None),
        ),
        (
            {"base_resp": {"status_code": 1004, "status_msg": "n"}, "detail": "m", "code": 3},
            ("m", "3", None),
        ),
    ],
)
def test_failure_is_known_in_every_form_that_servers_use(
    body: dict[str, Any], expected: Said
) -> None:
    found = find_error(body)
    assert said(found) == expected
    assert found is not None
    assert not found.canonical


def test_failure_of_minimax_keeps_all_that_stands_beside_its_code() -> None:
    body = {"base_resp": {"status_code": 1004, "status_msg": "m"}, "type": "t", "param": "p"}
    error = ErrorObject("m", "1004", "t", "p", raw=body)
    assert find_error(body) == FoundError(error, canonical=False)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"message": "m"},
        {"message": "m", "code": 0},
        {"message": "m", "code": 200, "status": "OK"},
        {"msg": "m", "status": "Success", "status_code": "200"},
        {"message": "m", "code": None},
        {"message": "m", "code": ""},
        {"message": "m", "code": True},
        {"message": {"role": "user"}, "code": 1},
        {"code": 500},
        {"success": False},
        {"error": True},
        {"success": True, "message": "m"},
        {"detail": ""},
        {"base_resp": {"status_code": 0, "status_msg": "success"}},
        {"base_resp": {"status_code": "0"}},
        {"base_resp": {}},
        {"base_resp": 1004},
        {"object": "Error"},
        {"choices": []},
        {"choices": {"error": "m"}},
    ],
)
def test_what_only_looks_like_a_failure_is_none(body: dict[str, Any]) -> None:
    assert find_error(body) is None


@pytest.mark.parametrize(
    "more", [{"detail": "m"}, {"message": "m", "code": 1}, {"base_resp": {"status_code": 1004}}]
)
def test_object_with_choices_fails_only_by_an_error_key(more: dict[str, Any]) -> None:
    assert find_error({"choices": [{"index": 0, "delta": {}}], **more}) is None


def test_first_form_wins() -> None:
    body = {
        "error": {"message": "first"},
        "object": "error",
        "message": "second",
        "choices": [{"error": "third"}],
    }
    assert said(find_error(body)) == ("first", None, None)


def test_first_choice_with_an_error_wins() -> None:
    choices = [{"error": "first"}, {"error": "second"}]
    assert said(find_error({"choices": choices})) == ("first", None, None)


def test_choice_s_error_stands_before_an_object_named_error() -> None:
    body = {"object": "error", "message": "second", "choices": [{"error": "first"}]}
    assert said(find_error(body)) == ("first", None, None)


# error_of ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "hides_none"),
    [
        (b'{"error":null,"choices":[{"error":null,"error":null}],"error":null}', True),
        (b'{"choices":[{"delta":{"error":1},"x":{"error":{},"error":null}}]}', True),
        (b'{"x":{"error":1,"error":2},"error":null}', True),
        (b'{"error":"m","error":null}', False),
        (b'{"error":{},"error":null}', False),
        (b'{"choices":[{"error":"m","error":null}]}', False),
        (b'{"choices":[{"error":"m"}],"choices":[]}', False),
        (b'{"choices":{"error":"m"}}', False),
        (b"[]", False),
        (b"{", False),
    ],
)
def test_no_error_is_hidden_where_every_key_of_one_is_null(data: bytes, hides_none: bool) -> None:
    assert hides_no_error(data) is hides_none


def test_message_that_is_known_already_stays() -> None:
    body = {"message": "of the body", "code": 1}
    assert error_of(body, message="known") == ErrorObject("known", "1", raw=body)
    assert error_of({}, message="") == ErrorObject("", raw={})


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=3),
        lambda items: (
            st.lists(items, max_size=2)
            | st.dictionaries(
                st.sampled_from(
                    "error message msg detail code status type choices base_resp".split()
                )
                | st.sampled_from("status_code status_msg object success param".split()),
                items,
                max_size=3,
            )
        ),
        max_leaves=8,
    ).filter(lambda value: isinstance(value, dict))
)
def test_any_object_reports_an_error_in_its_own_words_or_none(body: dict[str, Any]) -> None:
    found = find_error(body)
    if found is not None:
        error = found.error
        assert isinstance(error.message, str)
        assert all(isinstance(name, str | None) for name in (error.code, error.type, error.param))
        assert error.status is None
