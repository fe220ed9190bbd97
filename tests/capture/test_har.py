"""HAR 1.2: archives of browsers read, and our own written."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given

from tests.capture.strategies import captures
from untorn.capture import (
    Capture,
    CaptureError,
    CaptureEvent,
    Close,
    Marker,
    RawHead,
    Read,
    har_captures,
    limits,
    to_har,
)
from untorn.capture.har import HarReader

BODY = 'data: {"choices": []}\r\n\r\ndata: Zoë\0\u2028\n\n'
URL = "https://api.example/v1/chat/completions?a=b"


def entry(url: str = URL, mime_type: str = "text/event-stream", **more: Any) -> dict[str, Any]:
    """An entry as Chrome writes it; ``more`` is of the response's content."""
    return {
        "_initiator": {"type": "script"},
        "_priority": "High",
        "cache": {},
        "connection": "443",
        "pageref": "page_1",
        "request": {
            "method": "POST",
            "url": url,
            "httpVersion": "h2",
            "headers": [{"name": "authorization", "value": "Bearer of news"}],
            "queryString": [],
            "cookies": [],
            "headersSize": -1,
            "bodySize": 84,
            "postData": {"mimeType": "application/json", "text": "{}"},
        },
        "response": {
            "status": 200,
            "statusText": "",
            "httpVersion": "h2",
            "headers": [
                {"name": "content-type", "value": mime_type},
                {"name": "set-cookie", "value": "a=b"},
                {"name": "x-request-id", "value": "r1\nr2"},
            ],
            "cookies": [],
            "content": {"size": 7, "mimeType": mime_type, **more},
            "redirectURL": "",
            "headersSize": -1,
            "bodySize": -1,
            "_transferSize": 400,
            "_error": None,
        },
        "serverIPAddress": "192.0.2.1",
        "startedDateTime": "2026-01-02T03:04:05.250Z",
        "time": 1500,
        "timings": {
            "blocked": 2,
            "dns": -1,
            "ssl": 30,
            "connect": 50,
            "send": 0.5,
            "wait": 447.5,
            "receive": 1000,
            "_blocked_queueing": 1,
            "comment": "",
        },
    }


def har(*entries: Any) -> bytes:
    log = {"version": "1.2", "creator": {"name": "WebInspector", "version": "1"}, "pages": []}
    return json.dumps({"log": log | {"entries": entries}}, indent=2).encode()


def error_of(data: bytes, name: str = "") -> str:
    with pytest.raises(CaptureError) as caught:
        har_captures(data, name)
    return str(caught.value)


def test_an_event_stream_is_read_with_its_times_and_allowed_headers() -> None:
    (capture,) = har_captures(har(entry(text=BODY)))
    assert capture == Capture(
        status=200,
        headers=[("content-type", "text/event-stream"), ("x-request-id", "r1, r2")],
        events=[Read(0.0, BODY.encode()), Close(1.0)],
        head_interval=0.5,
        started=1767323045.25,
    )


def test_a_body_may_be_base64() -> None:
    text = base64.b64encode(b"\xff" + BODY.encode()).decode()
    (capture,) = har_captures(har(entry(text=text, encoding="BASE64")))
    assert capture.body == b"\xff" + BODY.encode()


def test_all_answers_are_found_and_all_else_is_passed_over() -> None:
    json_answer = entry(mime_type="application/json", text="{}")
    other_stream = entry("https://api.example/events", "Text/Event-Stream; charset=utf-8", text="b")
    page = entry("https://api.example/", "text/html", text="<html>")
    odd = {"response": {"status": "200"}}
    archive = har(page, odd, json_answer, 7, entry(), other_stream)
    assert [capture.body for capture in har_captures(archive)] == [b"{}", b"b"]


def test_a_response_without_a_body_is_empty() -> None:
    empty = entry(mime_type="x-unknown", size=0)
    assert har_captures(har(empty))[0].body == b""


def test_a_failed_request_has_no_head_and_a_reason() -> None:
    failed = entry(text="data: 1")
    failed["response"] |= {"status": 0, "headers": [], "_error": "net::ERR_CONNECTION_RESET"}
    (capture,) = har_captures(har(failed))
    assert (capture.status, capture.close) == (None, Close(1.0, "net::ERR_CONNECTION_RESET"))


@pytest.mark.parametrize(
    ("written", "started"),
    [
        ("2026-01-02T03:04:05.250Z", 1767323045.25),
        ("2026-01-02T04:04:05.250+01:00", 1767323045.25),
        ("2026-01-02T03:04:05.250", 1767323045.25),
        ("1969-01-01T00:00:00Z", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_the_beginning_is_a_unix_time(written: str, started: float | None) -> None:
    archive = har(entry(text="") | {"startedDateTime": written})
    assert har_captures(archive)[0].started == started


@pytest.mark.parametrize("wait", [-1, None, 0, 1e300])
def test_what_is_no_waiting_time_is_none(wait: float | None) -> None:
    archive = har(entry(text="") | {"timings": {"wait": wait}})
    (capture,) = har_captures(archive)
    assert (capture.head_interval, capture.close) == (0.0, Close(0.0))


def test_a_body_that_was_not_kept_is_said() -> None:
    page = entry("https://api.example/", "text/html", text="<html>")
    said = error_of(har({}, page, entry(), entry(size=0)), "a.har")
    assert said.startswith("a.har: entry 3 has no body")


@pytest.mark.parametrize("more", [{"encoding": "gzip"}, {"encoding": "base64"}])
def test_a_body_that_cannot_be_decoded_is_said(more: dict[str, str]) -> None:
    said = error_of(har(entry(text="Zoë", **more)))
    assert said == f"entry 1 has a body that cannot be decoded as {more['encoding']}"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "expected HAR 1.2"),
        (b'{"log": {"entries": [', "expected HAR 1.2"),
        (b'{"log": 7}', "expected HAR 1.2"),
        (b'{"log": ' + b"[" * 100_000, "expected HAR 1.2"),
        (b'{"log": {"entries": [' + b"[" * 100_000 + b"]" * 100_000 + b"]}}", "expected HAR 1.2"),
        (har(), "none of its 0 entries is an event stream"),
        (har(entry("https://api.example/", "text/html")), "none of its 1 entries"),
        (har({"response": {}}), "entry 1 is no entry of HAR 1.2"),
    ],
)
def test_what_is_no_archive_of_answers_is_said(data: bytes, said: str) -> None:
    assert error_of(data).startswith(said)


def test_a_reader_gives_the_first_answer_at_the_end() -> None:
    reader = HarReader("a.har")
    archive = b"\xef\xbb\xbf" + har(entry(text="a"), entry(text="b"))
    for at in range(0, len(archive), 100):
        assert reader.receive_data(archive[at : at + 100]) == []
    head, *events = reader.receive_eof()
    assert isinstance(head, RawHead)
    assert (head.status, head.interval) == (200, 0.5)
    assert (events, reader.started) == ([Read(0.0, b"a"), Close(1.0)], 1767323045.25)


def test_a_reader_gives_no_head_where_there_was_none() -> None:
    events: list[CaptureEvent] = [Read(0.0, b"a"), Close(0.0)]
    reader = HarReader()
    reader.receive_data(to_har(Capture(events=[Read(0.0, b"a"), Close(0.0)])))
    assert reader.receive_eof() == events


def test_an_archive_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("untorn.capture.har.MOST_HAR", 100)
    with pytest.raises(CaptureError, match=r"a\.har: a HAR has 100 bytes at most"):
        HarReader("a.har").receive_data(b" " * 101)
    assert limits.MOST_HAR == 256 * 1024 * 1024


# Our own -------------------------------------------------------------------------------------

NEEDED: dict[str, Any] = {
    "version": str,
    "creator": {"name": str, "version": str},
    "entries": [
        {
            "startedDateTime": str,
            "time": (int, float),
            "request": {
                "method": str,
                "url": str,
                "httpVersion": str,
                "cookies": [],
                "headers": [],
                "queryString": [],
                "headersSize": int,
                "bodySize": int,
            },
            "response": {
                "status": int,
                "statusText": str,
                "httpVersion": str,
                "cookies": [],
                "headers": [{"name": str, "value": str}],
                "content": {"size": int, "mimeType": str},
                "redirectURL": str,
                "headersSize": int,
                "bodySize": int,
            },
            "cache": {},
            "timings": {"send": (int, float), "wait": (int, float), "receive": (int, float)},
        }
    ],
}
"""What HAR 1.2 does not call optional."""


def check(value: Any, needed: Any, where: str) -> None:
    if isinstance(needed, dict):
        for key, kind in needed.items():
            assert key in value, f"{where}.{key}"
            check(value[key], kind, f"{where}.{key}")
    elif isinstance(needed, list):
        assert isinstance(value, list), where
        for item in value:
            check(item, needed[0], f"{where}[]")
    else:
        assert isinstance(value, needed), where


CAPTURE = Capture(
    status=429,
    headers=[("Content-Type", "application/json"), ("Set-Cookie", "a=b")],
    events=[Read(0.25, b'{"error":'), Marker(0.125, "here"), Read(0.125, b"1}"), Close(0.5)],
    head_interval=0.5,
    started=1767323045.25,
)


def test_what_is_written_is_har_1_2_without_a_secret() -> None:
    written = to_har(CAPTURE)
    log = json.loads(written)["log"]
    check(log, NEEDED, "log")
    (one,) = log["entries"]
    assert one["startedDateTime"] == "2026-01-02T03:04:05.250Z"
    assert one["timings"] == {"send": 0, "wait": 500, "receive": 1000}
    assert one["time"] == 1500
    assert one["response"]["content"] == {
        "size": 11,
        "mimeType": "application/json",
        "text": '{"error":1}',
    }
    assert "_error" not in one["response"]
    assert b"a=b" not in written


@given(captures())
def test_every_capture_is_written_as_har_and_read_back_but_for_its_reads(capture: Capture) -> None:
    written = to_har(capture)
    check(json.loads(written)["log"], NEEDED, "log")
    (again,) = har_captures(written)
    assert (again.status, again.headers, again.body) == (
        capture.status,
        capture.headers,
        capture.body,
    )
    assert again.started == (capture.started or 0.0)
    assert again.close is not None
    reason = "the recording was interrupted" if capture.close is None else capture.close.reason
    assert again.close.reason == reason
