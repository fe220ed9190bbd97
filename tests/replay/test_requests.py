"""Requests as they came, without their secrets, wherever the reads were cut."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.helpers import cuttings
from untorn.options import MIB
from untorn.replay.requests import BadRequest, Request, RequestReader

HEAD = b"POST /text/v1/chat/completions HTTP/1.1\r\nHost: here\r\n"
JSON = b'{"model": "text", "messages": []}'
WITH_LENGTH = HEAD + b"Content-Length: %d\r\n\r\n%b" % (len(JSON), JSON)
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n9\r\n%b\r\n18\r\n%b\r\n0\r\n\r\n" % (
    JSON[:9],
    JSON[9:],
)


def read(data: bytes) -> list[Request]:
    """The requests in ``data``, the same for every cutting."""
    results = []
    for reads in cuttings(data):
        reader, requests = RequestReader(), []
        for piece in reads:
            reader.receive_data(piece)
            while (request := reader.next_request()) is not None:
                requests.append(request)
        results.append(requests)
    assert all(result == results[0] for result in results)
    return results[0]


def refused(data: bytes) -> BadRequest:
    reader = RequestReader()
    reader.receive_data(data)
    with pytest.raises(BadRequest) as caught:
        reader.next_request()
    return caught.value


@pytest.mark.parametrize("data", [WITH_LENGTH, CHUNKED])
def test_a_request_has_its_method_path_headers_and_body(data: bytes) -> None:
    [request] = read(data)
    assert (request.method, request.path) == ("POST", "/text/v1/chat/completions")
    assert (request.header("Host"), request.body) == ("here", JSON)
    assert request.keep_alive


def test_an_absent_header_is_none() -> None:
    assert read(WITH_LENGTH)[0].header("accept") is None


def test_pipelined_requests_come_one_by_one() -> None:
    bodies = [request.body for request in read(WITH_LENGTH + CHUNKED + WITH_LENGTH)]
    assert bodies == [JSON, JSON, JSON]


def test_half_a_request_is_none() -> None:
    assert read(WITH_LENGTH[:-1]) == []


def test_what_is_held_belongs_to_no_request_yet() -> None:
    reader = RequestReader()
    reader.receive_data(WITH_LENGTH + b"POST")
    assert reader.next_request() is not None
    assert reader.held == 4


def test_a_client_that_asks_for_it_may_close() -> None:
    [request] = read(HEAD + b"Connection: close\r\nContent-Length: 0\r\n\r\n")
    assert not request.keep_alive


def test_a_client_that_waits_for_the_word_to_go_on_is_told_once() -> None:
    reader = RequestReader()
    reader.receive_data(HEAD + b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n")
    assert reader.next_request() is None
    assert [reader.wants_continue(), reader.wants_continue()] == [True, False]
    reader.receive_data(b"{}")
    request = reader.next_request()
    assert request is not None
    assert request.body == b"{}"


# Secrets --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "shown"),
    [
        (b"Authorization: Bearer canary", "Bearer [hidden]"),
        (b"Authorization: Basic canary", "Basic [hidden]"),
        (b"authorization: canary", "[hidden]"),
        (b"api-key: canary", "[hidden]"),
        (b"X-Goog-Api-Key: canary", "[hidden]"),
        (b"Cookie: session=canary", "[hidden]"),
        (b"Proxy-Authorization: bearer canary", "bearer [hidden]"),
        (b"X-Session-Token: canary", "[hidden]"),
    ],
)
def test_the_value_of_a_secret_header_is_hidden(header: bytes, shown: str) -> None:
    [request] = read(HEAD + header + b"\r\n\r\n")
    assert request.headers[-1][1] == shown
    assert "canary" not in repr(request)


def test_secrets_in_the_query_are_hidden() -> None:
    [request] = read(
        b"GET /text/v1?key=canary&model=m&access_token=canary HTTP/1.1\r\nHost: a\r\n\r\n"
    )
    assert request.path == "/text/v1?key=[hidden]&model=m&access_token=[hidden]"


def posted(body: bytes) -> bytes:
    [request] = read(HEAD + b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    return request.body


def test_secrets_in_the_body_are_hidden_and_the_rest_is_not() -> None:
    body = (
        b'{"api_key": "canary", "max_tokens": 9, "Password":"can\\"ary", "prompt_cache_key": "c"}'
    )
    assert posted(body) == (
        b'{"api_key": "[hidden]", "max_tokens": 9, "Password":"[hidden]", "prompt_cache_key": "c"}'
    )


@pytest.mark.parametrize(
    "body",
    [
        b'{"content": "write {\\"password\\": \\"x\\"} into the file"}',
        b'{"content": "the password", "model": "text"}',
        b"\xff\x00 no JSON",
        b'{"password": 9, "secret": {"name": "n"}}',
        b'{"content": "a \\\\", "b": "password"}',
    ],
)
def test_a_body_that_only_speaks_of_secrets_is_left_as_it_is(body: bytes) -> None:
    assert posted(body) == body


def test_hiding_takes_no_longer_for_a_body_that_is_hard_to_search() -> None:
    reader = RequestReader()
    body = b'{"password": "%b", "content": "%b"}' % (b"password" * 99_999, b'\\"' * 99_999)
    reader.receive_data(HEAD + b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    request = reader.next_request()
    assert request is not None
    assert request.body.startswith(b'{"password": "[hidden]", "content": ')


# What is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "status", "why"),
    [
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400, "illegal request line"),
        (b"POST / HTTP/1.1\r\n\r\n", 400, "Host"),
        (HEAD + b"Content-Length: nine\r\n\r\n", 400, "Content-Length"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400, "chunk header"),
        (b"POST / HTTP/1.0\r\n\r\n", 505, "the request is HTTP/1.0"),
        (b"HEAD / HTTP/1.1\r\nHost: a\r\n\r\n", 405, "not HEAD"),
        (HEAD + b"x: " + b"y" * MIB, 431, "the head has more than 65536 bytes"),
    ],
)
def test_what_is_no_request_is_refused_and_the_reason_said(
    data: bytes, status: int, why: str
) -> None:
    exc = refused(data)
    assert exc.status == status
    assert why in str(exc)


def test_a_body_over_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("untorn.replay.requests.MOST_BODY", 32)
    assert refused(WITH_LENGTH).status == 413


def test_without_h11_the_line_to_install_it_is_said() -> None:
    script = "import sys; sys.modules['h11'] = None; import untorn.replay"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert 'untorn.replay needs h11: pip install "untorn[testing]"' in ran.stderr
