"""Bodies made of what is hard about event streams, and ways to cut them."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import strategies as st

PIECES = [
    *(b"\n", b"\r", b"\r\n", b"\n\n", b"\r\n\r\n", b"\r\r"),
    *(b"data", b"event", b"id", b"retry", b"data:", b"data: ", b"event:", b"id: ", b"retry:"),
    *(b":", b" ", b"\0", b"a", b"7", b"0012", b"9" * 20, b"x" * 40),
    *(b"\xef\xbb\xbf", b"\xef\xbb", b"\xbf", b"\xff", b"\xc0\xaf", b"\xed\xa0\x80"),
    *(b"\xe2\x82", "\u20ac".encode(), b"\xf0\x9f\x98", "\U0001f600".encode(), b"\xc2\x85"),
]

bodies = st.lists(
    st.one_of(st.sampled_from(PIECES), st.binary(min_size=1, max_size=2)), max_size=30
).map(b"".join)


@st.composite
def reads(draw: st.DrawFn, source: st.SearchStrategy[bytes] = bodies) -> list[bytes]:
    """A body in reads, empty ones among them."""
    body = draw(source)
    inner = st.lists(st.integers(0, len(body)), max_size=8).map(sorted)
    places = [0, *draw(inner), len(body)]
    return [body[start:end] for start, end in pairwise(places)]
