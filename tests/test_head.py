"""Status and headers, before the first byte of the body."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untorn.head import Head, Headers, read_head

DATE = "Wed, 21 Oct 2015 07:28:00 GMT"


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "text/event-stream", "X-Request-ID": "r1"},
        {"content-type": "text/event-stream", "x-request-id": "r1"},
        [("CONTENT-TYPE", "text/event-stream"), ("X-REQUEST-ID", "r1")],
        [(b"Content-Type", b"text/event-stream"), (b"X-Request-Id", b"r1")],
        [("Content-Type", " text/event-stream\t"), ("x-request-id", "r1 ")],
    ],
)
def test_headers_may_be_a_mapping_or_pairs_in_any_letter_case(headers: Headers) -> None:
    assert read_head(200, headers) == Head(200, "text/event-stream", "r1")


def test_absent_headers_are_none() -> None:
    assert read_head(204) == Head(204, None, None, None)


def test_header_bytes_are_latin_1() -> None:
    head = read_head(200, [(b"x-request-id", b"r\xe9")])
    assert head.request_id == "r\xe9"


@pytest.mark.parametrize("headers", [5, ["abc"], [("a",)], [("a", None)], {"a": 1}, {1: "a"}])
def test_of_headers_that_are_no_text_a_type_error_tells(headers: Any) -> None:
    with pytest.raises(TypeError):
        read_head(200, headers)


@pytest.mark.parametrize(
    ("headers", "request_id"),
    [
        ({"request-id": "a"}, "a"),
        ({"x-request-id": "b", "request-id": "a"}, "b"),
        ({"x-request-id": "", "request-id": "a"}, "a"),
    ],
)
def test_request_id_has_two_names(headers: Headers, request_id: str) -> None:
    assert read_head(200, headers).request_id == request_id


@pytest.mark.parametrize(
    ("content_type", "media_type"),
    [
        (None, None),
        ("", None),
        ("; charset=utf-8", None),
        ("text/event-stream", "text/event-stream"),
        ("Text/Event-Stream; charset=utf-8", "text/event-stream"),
        ("application/json ;x=1;y=2", "application/json"),
    ],
)
def test_media_type_is_lower_case_without_parameters(
    content_type: str | None, media_type: str | None
) -> None:
    assert Head(200, content_type).media_type == media_type


@pytest.mark.parametrize(("status", "failed"), [(0, False), (399, False), (400, True), (599, True)])
def test_status_of_400_and_above_has_failed(status: int, failed: bool) -> None:
    assert Head(status).failed is failed


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "7"}, 7.0),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "", "date": DATE}, None),
        ({}, None),
    ],
)
def test_retry_after_is_seconds_and_the_finer_header_wins(
    headers: Headers, seconds: float | None
) -> None:
    assert read_head(429, headers).retry_after == seconds


@pytest.mark.parametrize(
    ("retry_after", "date", "seconds"),
    [
        ("Wed, 21 Oct 2015 07:28:30 GMT", DATE, 30.0),
        ("Thu, 22 Oct 2015 07:28:00 GMT", DATE, 86_400.0),
        ("Wed, 21 Oct 2015 07:27:00 GMT", DATE, 0.0),
        ("Wed, 21 Oct 2015 07:28:60 GMT", DATE, 59.0),  # a leap second
        ("Wed, 21 Oct 2015 07:28:30 GMT", "yesterday", None),
        ("tomorrow", DATE, None),
        ("Wed, 21 Okt 2015 07:28:30 GMT", DATE, None),
        ("Wed, 32 Oct 2015 07:28:30 GMT", DATE, None),
        ("Wed, 21 Oct 2015 09:28:30 +0200", DATE, None),
    ],
)
def test_date_in_retry_after_is_counted_from_the_response_s_own_date(
    retry_after: str, date: str, seconds: float | None
) -> None:
    headers = {"Retry-After": retry_after, "Date": date}
    assert read_head(503, headers).retry_after == seconds


def test_date_in_retry_after_means_nothing_without_a_date() -> None:
    assert read_head(503, {"Retry-After": DATE}).retry_after is None


@given(st.text(), st.text())
def test_no_value_of_a_header_makes_it_fail(retry_after: str, date: str) -> None:
    head = read_head(200, {"retry-after": retry_after, "date": date})
    assert head.retry_after is None or 0 <= head.retry_after < float("inf")


def test_head_in_the_report() -> None:
    assert Head(429, "application/json", "r1", 2.0).to_dict() == {
        "status": 429,
        "content_type": "application/json",
        "request_id": "r1",
        "retry_after": 2.0,
    }


def test_head_on_one_line() -> None:
    assert str(Head(200, "text/event-stream")) == "status 200, text/event-stream"
    assert str(Head(502)) == "status 502, no content type"
    assert str(Head(200, "a\x1b/b")) == r"status 200, a\x1b/b"
