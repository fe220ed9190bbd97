"""Events to bytes, and back."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untorn.sse.encode import encode
from untorn.sse.event_stream import Event, EventStream

# Any text, half surrogate pairs too, with many line ends.
texts = st.text(st.sampled_from("\r\n :\ufeff\0a") | st.characters())
one_line_texts = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=20)


def as_read(text: str) -> str:
    """What a reader makes of it: LF for every line end, U+FFFD for half a surrogate pair."""
    text = re.sub("\r\n?", "\n", text)
    pairs = text.encode("utf-16-be", "surrogatepass")
    return pairs.decode("utf-16-be", "replace")


@given(texts)
def test_data_comes_back_with_lf_line_ends(data: str) -> None:
    assert EventStream().receive_data(encode(data)) == [Event("message", as_read(data), "")]


@given(
    data=texts,
    event=one_line_texts,
    id=one_line_texts.filter(lambda text: "\0" not in text),
    retry=st.integers(0, 2**63 - 1),
    comment=texts,
)
def test_every_field_comes_back(data: str, event: str, id: str, retry: int, comment: str) -> None:
    stream = EventStream("7")
    body = encode(data, event=event, id=id, retry=retry, comment=comment)
    assert stream.receive_data(body) == [Event(event or "message", as_read(data), id)]
    assert (stream.retry, stream.last_event_id) == (retry, id)


@pytest.mark.parametrize(
    ("encoded", "body"),
    [
        (encode(""), b"data:\n\n"),
        (encode(" a"), b"data:  a\n\n"),
        (encode("a\r\nb\rc\n"), b"data: a\ndata: b\ndata: c\ndata:\n\n"),
        (encode("\ufeff"), b"data: \xef\xbb\xbf\n\n"),
        (encode("a", event="", id=""), b"event:\nid:\ndata: a\n\n"),
        (
            encode("a", event="e", id="7", retry=0, comment="one\ntwo"),
            b": one\n: two\nevent: e\nid: 7\nretry: 0\ndata: a\n\n",
        ),
        (encode("a", comment=""), b":\ndata: a\n\n"),
        (encode("\ud83d\ude00"), b"data: \xf0\x9f\x98\x80\n\n"),
        (encode("a\ude00\ud83d"), b"data: a\xef\xbf\xbd\xef\xbf\xbd\n\n"),
    ],
)
def test_bytes_are_what_the_format_says(encoded: bytes, body: bytes) -> None:
    assert encoded == body


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_line_end_in_event_or_id_is_refused(end: str) -> None:
    with pytest.raises(ValueError, match=r"^event holds a line end: it must be one line$"):
        encode("a", event=f"x{end}data: forged")
    with pytest.raises(ValueError, match=r"^id holds a line end: it must be one line$"):
        encode("a", id=f"x{end}")


def test_nul_in_id_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^id holds NUL: readers would ignore it$"):
        encode("a", id="a\0b")


def test_negative_retry_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^retry is -1: expected milliseconds, 0 or more$"):
        encode("a", retry=-1)
