"""Which clock runs out, and when. All times here are handed in."""

from __future__ import annotations

from math import inf

import pytest

from untorn.options import Clocks
from untorn.patience import Patience

CLOCKS = Clocks(first_byte=20, idle=10, content_idle=30, total=100, after_end=0.5)


def test_before_the_first_byte_the_clock_is_first_byte() -> None:
    patience = Patience(CLOCKS, 0)
    assert patience.wait(1) == 21
    assert patience.reason() == "no byte came within 20 seconds (clock first_byte)"


def test_after_it_the_clock_is_idle() -> None:
    patience = Patience(CLOCKS, 0)
    patience.wait(0)
    patience.arrived(5, says_something=True)
    assert patience.wait(6) == 16
    assert patience.reason() == "no more bytes came for 10 seconds (clock idle)"


def test_heartbeats_do_not_wind_the_clock_content_idle() -> None:
    patience = Patience(CLOCKS, 0)
    for at in (0, 9, 18):
        patience.wait(at)
        patience.arrived(at + 9, says_something=False)
    assert patience.wait(27) == 30
    assert patience.reason() == "nothing was said for 30 seconds (clock content_idle)"


def test_content_winds_it_again() -> None:
    patience = Patience(Clocks(first_byte=None, idle=None, content_idle=30), 0)
    for at, says_something in ((0, False), (9, True), (18, True), (27, False)):
        patience.wait(at)
        patience.arrived(at + 9, says_something=says_something)
    assert patience.wait(36) == 36 + 30 - 9


def test_the_callers_time_is_no_waiting() -> None:
    patience = Patience(Clocks(content_idle=30), 0)
    patience.wait(0)
    patience.arrived(1, says_something=False)
    assert patience.wait(500) == 529


def test_the_callers_time_counts_for_total() -> None:
    patience = Patience(CLOCKS, 0)
    patience.wait(0)
    patience.arrived(1, says_something=True)
    assert patience.wait(95) == 100
    assert patience.reason() == "the answer took longer than 100 seconds (clock total)"
    assert patience.wait(500) == 100


def test_once_the_end_is_announced_only_after_end_counts() -> None:
    patience = Patience(CLOCKS, 0)
    patience.wait(0)
    patience.arrived(99, says_something=True)
    patience.end_announced()
    assert patience.wait(200) == 200.5
    patience.arrived(200.25, says_something=False)
    patience.end_announced()
    assert patience.wait(300) == 300.25
    assert patience.reason() == (
        "the body did not end within 0.5 seconds after the answer (clock after_end)"
    )


def test_content_after_the_announced_end_does_not_wind_anything() -> None:
    patience = Patience(CLOCKS, 0)
    patience.wait(0)
    patience.arrived(0, says_something=True)
    patience.end_announced()
    patience.wait(0)
    patience.arrived(0.25, says_something=True)
    assert patience.wait(1) == 1.25


@pytest.mark.parametrize("says_something", [True, False])
def test_without_clocks_it_waits_for_ever(says_something: bool) -> None:
    patience = Patience(Clocks(first_byte=None, idle=None, content_idle=None), 0)
    assert patience.wait(0) == inf
    patience.arrived(1e6, says_something=says_something)
    assert patience.wait(1e6) == inf
