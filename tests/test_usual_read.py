"""A read of nothing but usual events, split at once: as splitter and framing would."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from untorn.chat.framing import Framing
from untorn.chat.payload import Payload
from untorn.options import Limits
from untorn.sse.lines import LineSplitter
from untorn.usual_read import split_usual

A = b'data: {"a":1}\n\n'
B = b'data: {"choices":[]}\n\n'


def test_payloads_of_usual_events_and_the_line_that_is_cut() -> None:
    assert split_usual(b"", A) == ([b'{"a":1}'], b"")
    assert split_usual(b"", A + B + B[:12]) == ([b'{"a":1}', b'{"choices":[]}'], b'data: {"choi')
    assert split_usual(A[:9], A[9:] + B) == ([b'{"a":1}', b'{"choices":[]}'], b"")
    assert split_usual(A[:9], A[9:-2]) == ([], A[:-2])


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\n",
        A[:-1],
        A + A[:4],
        A + b"\n" + A,
        A[:-1] + b"\r\n",
        b"data:" + A[6:],
        b": hi\n\n" + A,
        A + b": hi\n\n" + A,
        A + b"id: 1\n" + A,
        A + b"data: [DONE]\n\n",
        A + b"data: data: {}\n\n",
        A + b"data: \n\n" + A,
        A + A[:-2] + b"\ndata: {}\n\n",
        A + A[:-2] + b"\n\n\n",
    ],
)
def test_read_with_anything_else_in_it_is_left(body: bytes) -> None:
    assert split_usual(b"", body) is None


PIECES = [
    A,
    B,
    B[:9],
    b"data: {",
    b"{",
    b"}",
    b"data: ",
    b"data",
    b": ",
    b"\n\n",
    b"\n",
    b"\r",
    b"x",
]


@given(st.lists(st.sampled_from(PIECES), max_size=8).map(b"".join), st.integers(0, 30))
@example(b"data: |\n\ndata: ~", 3)
@example(b"data: \xef\xbb\xbf{}\n\n", 3)
@example(b"data: {\x0b\n\n", 0)
def test_what_is_split_is_what_splitter_and_framing_give(body: bytes, cut: int) -> None:
    begin, data = body[:cut], body[cut:]
    if b"\n" in begin or b"\r" in begin:
        return  # it is not the begin of a line
    splitter = LineSplitter()
    framing = Framing(None, Limits(), splitter)
    framing.receive_lines(splitter.receive_data(A + begin))
    items = framing.receive_lines(splitter.receive_data(data))
    split = split_usual(begin, data)
    if split is not None:
        payloads, rest = split
        datas = [item.data if isinstance(item, Payload) else item for item in items]
        assert (datas, splitter.rest) == (payloads, rest)
        assert all(item.kind == "event" for item in items if isinstance(item, Payload))
        assert framing.is_between_events
