"""Bodies: the framing stays."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untorn.capture.redaction.body import redact_body, without_bad_bytes


@pytest.mark.parametrize(
    ("body", "redacted"),
    [
        (b"", b""),
        (b"data: Anna\n\n", b"data: Xxxx\n\n"),
        (b"data:Anna\r\rdata\r\n: hi\r\n\r\n", b"data:Xxxx\r\rdata\r\n: xx\r\n\r\n"),
        (b"data: data:data: Anna\n", b"data: data:data: Xxxx\n"),
        (b"data: [DONE]\ndata: null\ndata:\n\n", b"data: [DONE]\ndata: null\ndata:\n\n"),
        (b"event: ping\nevent: anna\nevent: an\n", b"event: ping\nevent: xxxx\nevent: xx\n"),
        (b"id: a1\nid: a2\nid: a1\nid: \0\n", b"id: x0\nid: x1\nid: x0\nid: \0\n"),
        (b"retry: 42\nretry: soon\nretry\n", b"retry: 42\nretry: xxxx\nretry\n"),
        (b"Anna: hi\nAnna\n hi\n", b"Xxxx: xx\nXxxx\n xx\n"),
        (
            b'error: {"message": "Anna"}\nerror: Anna\n',
            b'error: {"message": "Xxxx"}\nerror: Xxxx\n',
        ),
        (b'{"model": "an"}\n{"model": "an', b'{"model": "xx"}\n{"model": "xx'),
        (b'data: 1\n{"model": "an"}\n{"a\n\n', b'data: 1\n{"model": "xx"}\n{"x\n\n'),
        (
            b"\xef\xbb\xbfdata: a\n\xef\xbb\xbf\xef\xbb\xbfid: a\n",
            b"\xef\xbb\xbfdata: x\n\xef\xbb\xbf\xef\xbb\xbfid: x\n",
        ),
        (b'\xef\xbb\xbf{\n "model": "an"\r\n}', b'\xef\xbb\xbf{\n "model": "xx"\r\n}'),
        (b'{\n"model":\n"an"}\ndata: a\n', b'{\n"model":\n"xx"}\ndata: x\n'),
        (b'{\n"model":\n"an\n<HTML lang=en>\n', b'{\n"model":\n"xx\n<HTML xxxx=xx>\n'),
        (b"<!doctype html>\n<html>\n<?xml?>\n<p>", b"<!doctype xxxx>\n<html>\n<?xml?>\n<x>"),
    ],
)
def test_lines_and_what_they_are_stay(body: bytes, redacted: bytes) -> None:
    assert redact_body(body) == redacted


@pytest.mark.parametrize(
    ("body", "redacted"),
    [
        (b'data: {"model":\ndata:  "an"}\n\n', b'data: {"model":\ndata:  "xx"}\n\n'),
        (b'data: {"model": "an"}\ndata: {"id"\n\n', b'data: {"model": "xx"}\ndata: {"xx"\n\n'),
        (b'data: {"id": "a\ndata:\ndata: n"}\n\n', b'data: {"id": "x\ndata:\ndata: x"}\n\n'),
        (b"data: {\ndata: [DONE]\n\n", b"data: {\ndata: [DONE]\n\n"),
        # No line is whole: those of an event named error are one message.
        (
            b'data: {"a\nevent: error\ndata: "b\ndata: c": "d"\n\n',
            b'data: {"x\nevent: error\ndata: "x\ndata: x": "x"\n\n',
        ),
        (b'event: error\n\ndata: "b\ndata: c"\n\n', b'event: error\n\ndata: "x\ndata: x"\n\n'),
        (b'data: {"id":\n<html>\ndata: 1}\n\n', b'data: {"id":\n<html>\ndata: 1}\n\n'),
    ],
)
def test_lines_of_one_event_are_one_text_where_that_is_json(body: bytes, redacted: bytes) -> None:
    assert redact_body(body) == redacted


def test_of_what_is_compressed_nothing_is_needed() -> None:
    body = gzip.compress(b"Anna says hi", 0)
    assert redact_body(body) == body[:2] + bytes(len(body) - 2)


@given(st.binary(max_size=20) | st.text(max_size=8).map(lambda text: text.encode("utf-16")))
def test_bytes_that_are_no_utf_8_say_nothing_but_are_as_many(data: bytes) -> None:
    clean = without_bad_bytes(data)
    assert len(clean) == len(data)
    assert clean.decode("utf-8", "replace") == data.decode("utf-8", "replace")
    odd = {
        char for char in clean.decode("utf-8", "surrogateescape") if "\udc80" <= char <= "\udcff"
    }
    assert odd <= set("\udcff\udce1\udcf1\udc80")
