"""Captures as Hypothesis makes them."""

from __future__ import annotations

from hypothesis import strategies as st

from untorn.capture import Capture, Close, Marker, Read
from untorn.capture.kept_headers import KEPT
from untorn.capture.limits import MOST_SECONDS

# What some reader has taken for a line end, a string's end, a direction or a character's half.
ODD = [
    "\r",
    "\n",
    "\0",
    "\x1b[2J",
    "\x7f",
    "\x85",
    "\u2028",
    "\u202e",
    "\ufeff",
    '"',
    "\\",
    "😀",
    "é",
]

intervals = st.just(0.0) | st.floats(0, MOST_SECONDS, allow_nan=False)
texts = st.text(max_size=12) | st.lists(st.sampled_from(ODD), max_size=4).map("".join)
header_values = st.text(
    st.characters(exclude_characters="\r\n\0", exclude_categories=["Cs"]), max_size=12
)
headers = st.lists(st.tuples(st.sampled_from(sorted(KEPT)), header_values), max_size=4)
datas = st.binary(min_size=1, max_size=30) | texts.filter(bool).map(str.encode)
happened = st.one_of(
    st.builds(Read, intervals, datas),
    st.builds(Read, intervals, datas),
    st.builds(Marker, intervals, texts),
)
ends = st.none() | st.builds(Close, intervals, st.none() | texts)


@st.composite
def captures(draw: st.DrawFn) -> Capture:
    """Any capture that can be written."""
    end = draw(ends)
    events = [*draw(st.lists(happened, max_size=8)), *([] if end is None else [end])]
    started = draw(st.none() | st.integers(0, 10**12).map(lambda milliseconds: milliseconds / 1000))
    if draw(st.booleans()):
        return Capture(events=events, started=started)
    return Capture(
        status=draw(st.integers(100, 999)),
        headers=draw(headers),
        events=events,
        head_interval=draw(intervals),
        started=started,
    )
