"""The data of a capture."""

from __future__ import annotations

import pytest

from untorn.capture import Capture, Close, Marker, Read, to_sse

FIRST, SECOND, END = Read(0.0, b"a"), Read(0.0, b"b"), Close(0.0)


def test_the_body_is_all_reads_joined() -> None:
    capture = Capture(events=[FIRST, Marker(0.0, "here"), SECOND, END])
    assert capture.reads == [FIRST, SECOND]
    assert capture.body == to_sse(capture) == b"ab"


@pytest.mark.parametrize(
    ("events", "close"), [([], None), ([FIRST], None), ([FIRST, END], END), ([END], END)]
)
def test_the_close_is_the_last_event_or_none(
    events: list[Read | Marker | Close], close: Close | None
) -> None:
    assert Capture(events=events).close is close


@pytest.mark.parametrize(
    ("capture", "is_timed"),
    [
        (Capture(), False),
        (Capture(events=[FIRST, END]), False),
        (Capture(events=[Read(0.1, b"a")]), True),
        (Capture(status=200, head_interval=0.1), True),
    ],
)
def test_it_is_timed_if_any_time_is_known(capture: Capture, is_timed: bool) -> None:
    assert capture.is_timed is is_timed
