"""What is sent."""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import Any

import pytest

from untorn.clients.addresses import address_of
from untorn.clients.requests import Request, endpoint, hidden, request, snapshot
from untorn.options import Clocks

ADDRESS = address_of("https://api.example")
FIELDS = {"model": "m", "messages": []}


def made(fields: dict[str, Any], model: str | None = None, *, usage: bool = True) -> Request:
    one = endpoint(ADDRESS, "key", {"X-One": "1"}, model)
    call = hidden({"x-one": "2"})
    return request(one, snapshot(fields), call, Clocks(), include_usage=usage)


def test_the_body_asks_for_a_stream_and_the_usage() -> None:
    assert json.loads(made(FIELDS).body) == {
        **FIELDS,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    assert "stream_options" not in json.loads(made(FIELDS, usage=False).body)


def test_what_the_caller_says_of_the_stream_is_kept() -> None:
    options = {"include_usage": False}
    assert json.loads(made({**FIELDS, "stream_options": options}).body)["stream_options"] == options


def test_a_target_has_a_model_of_its_own() -> None:
    assert json.loads(made(FIELDS, "theirs").body)["model"] == "theirs"


def test_the_last_of_two_headers_with_one_name_is_sent() -> None:
    sent = made(FIELDS).revealed
    assert sent["x-one"] == "2"
    assert "X-One" not in sent
    assert sent["Authorization"] == "Bearer key"


class Model:
    """As pydantic's."""

    def model_dump(self, *, mode: str, exclude_unset: bool) -> dict[str, Any]:
        return {"dumped": [mode, exclude_unset]}


def test_models_and_mappings_of_other_kinds_are_sent_as_json() -> None:
    fields = {**FIELDS, "a": Model(), "b": MappingProxyType({"c": range(2)})}
    body = json.loads(made(fields).body)
    assert body["a"] == {"dumped": ["json", True]}
    assert body["b"] == {"c": [0, 1]}


@pytest.mark.parametrize("value", ["two\nlines", "ä", " blank", "nul\0"])
def test_a_header_that_cannot_be_sent_is_refused_without_being_shown(value: str) -> None:
    with pytest.raises(ValueError, match="header X") as caught:
        hidden({"X": value})
    assert value not in str(caught.value)


def test_a_request_shows_neither_headers_nor_body() -> None:
    assert repr(made(FIELDS)) == "Request('https://api.example/v1/chat/completions', 81 bytes)"


@pytest.mark.parametrize(
    ("clocks", "longest"),
    [
        (Clocks(first_byte=3, total=None), 3),
        (Clocks(first_byte=3, total=2), 2),
        (Clocks(first_byte=None, total=5), 5),
        (Clocks(first_byte=None, total=None), None),
    ],
)
def test_a_library_waits_as_long_as_the_clocks_for_the_head_allow(
    clocks: Clocks, longest: float | None
) -> None:
    sent = request(endpoint(ADDRESS, None, {}), snapshot(FIELDS), [], clocks, include_usage=True)
    assert sent.longest_wait == longest


def test_what_cannot_be_sent_is_refused() -> None:
    with pytest.raises(TypeError, match="a object cannot be sent as JSON"):
        snapshot({"x": object()})
    with pytest.raises(ValueError, match="'a b' is no name of a header"):
        hidden({"a b": "1"})


def test_a_login_in_the_url_is_sent_unless_there_is_a_key() -> None:
    address = address_of("https://me:secret@api.example")
    with_login = dict(endpoint(address, None, {}).headers)
    assert with_login["Authorization"].reveal().startswith("Basic ")
    assert dict(endpoint(address, "key", {}).headers)["Authorization"].reveal() == "Bearer key"
