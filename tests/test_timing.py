"""Times that are handed in, measured."""

from __future__ import annotations

from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untorn.timing import FEW, LONGEST, SMALLEST, Gaps, Stopwatch, Timing

waits = st.floats(min_value=SMALLEST, max_value=86_400.0)


def test_without_times_there_is_no_timing() -> None:
    assert Stopwatch().timing() is None


def test_times_count_from_the_head() -> None:
    watch = Stopwatch()
    watch.tick(100.0)  # the head
    watch.tick(100.5, reads=1)
    watch.tick(101.0, reads=1, content=True)
    watch.tick(103.0)  # the end
    assert watch.timing() == Timing(
        first_byte=0.5,
        first_content=1.0,
        gap_median=None,
        gap_p95=None,
        gap_max=None,
        total=3.0,
        reads=2,
        events=0,
        heartbeats=0,
    )


def test_times_count_from_the_first_read_where_no_head_was_timed() -> None:
    watch = Stopwatch()
    watch.tick(100.0, reads=1)
    timing = watch.timing()
    assert timing is not None
    assert (timing.first_byte, timing.first_content, timing.total) == (0.0, None, 0.0)


def test_before_the_first_byte_only_the_total_is_known() -> None:
    watch = Stopwatch()
    watch.tick(5.0)
    watch.tick(7.0)
    timing = watch.timing()
    assert timing is not None
    assert (timing.first_byte, timing.first_content, timing.total) == (None, None, 2.0)


@pytest.mark.parametrize("reads", [1, 2, 15, 16, 17, 40])
def test_reads_that_are_alike_count_as_if_each_had_been_told(reads: int) -> None:
    watches = Stopwatch(), Stopwatch()
    for watch in watches:
        watch.tick(1.0)
    for number in range(reads):
        watches[0].tick_alike(2.0 + number * number)
        watches[1].tick(2.0 + number * number, reads=1, events=1, content=True)
    for watch in watches:
        watch.tick(10_000.0)
    assert watches[0].timing() == watches[1].timing()


def test_gaps_lie_between_reads_that_say_something() -> None:
    watch = Stopwatch()
    for at in (0.0, 1.0, 2.0, 10.0):
        watch.tick(at, reads=1, content=True)
    timing = watch.timing()
    assert timing is not None
    assert timing.first_content == 0.0
    assert timing.gap_median == pytest.approx(1.0, rel=0.1)
    assert timing.gap_p95 == pytest.approx(8.0, rel=0.1)
    assert timing.gap_max == 8.0


def test_counts_of_events_are_handed_in() -> None:
    watch = Stopwatch()
    watch.tick(0.0, reads=1, events=1)
    watch.tick(1.0, reads=1, events=2)
    watch.heartbeats += 1
    timing = watch.timing()
    assert timing is not None
    assert (timing.events, timing.heartbeats) == (3, 1)


@given(
    st.lists(st.tuples(st.booleans(), st.floats(min_value=-1.0, max_value=100.0)), max_size=60),
    st.integers(0, 60),
)
def test_ticks_alike_are_ticks_whenever_one_asks(
    ticks: list[tuple[bool, float]], asked_after: int
) -> None:
    watch, other, at = Stopwatch(), Stopwatch(), 5.0
    for number, (is_alike, wait) in enumerate(ticks):
        at += wait
        if is_alike:
            watch.tick_alike(at)
            other.tick(at, reads=1, events=1, content=True)
        else:
            watch.tick(at, reads=number % 2, events=2)
            other.tick(at, reads=number % 2, events=2)
        if number == asked_after:
            assert watch.timing() == other.timing()
    assert watch.timing() == other.timing()


def test_many_ticks_alike_are_not_kept() -> None:
    watch = Stopwatch()
    for number in range(10 * FEW):
        watch.tick_alike(float(number))
    assert (watch.reads, watch.events) == (10 * FEW, 10 * FEW)
    watch.tick_alike(float(10 * FEW))
    watch.tick(float(10 * FEW))
    assert (watch.reads, watch.events) == (10 * FEW + 1, 10 * FEW + 1)


def test_timing_in_the_report_has_every_field() -> None:
    timing = Timing(0.25, 0.5, 0.01, 0.02, 0.04, 1.5, 9, 8, 1)
    assert timing.to_dict() == {
        "first_byte": 0.25,
        "first_content": 0.5,
        "gap_median": 0.01,
        "gap_p95": 0.02,
        "gap_max": 0.04,
        "total": 1.5,
        "reads": 9,
        "events": 8,
        "heartbeats": 1,
    }


def test_without_gaps_there_is_no_quantile() -> None:
    gaps = Gaps()
    assert gaps.quantile(0.5) is None
    assert gaps.longest is None


@given(st.lists(waits, min_size=1), st.sampled_from([0.05, 0.5, 0.95, 1.0]))
def test_quantile_is_right_to_ten_percent(seconds: list[float], share: float) -> None:
    gaps = Gaps()
    for gap in seconds:
        gaps.add(gap)
    exact = sorted(seconds)[ceil(share * len(seconds)) - 1]
    assert gaps.quantile(share) == pytest.approx(exact, rel=0.1)
    assert gaps.longest == max(seconds)


@given(st.lists(st.floats(min_value=0.0, max_value=1e12), min_size=1))
def test_median_is_no_longer_than_p95_and_p95_than_the_longest(seconds: list[float]) -> None:
    gaps = Gaps()
    for gap in seconds:
        gaps.add(gap)
    median, p95, longest = gaps.quantile(0.5), gaps.quantile(0.95), gaps.longest
    assert median is not None
    assert p95 is not None
    assert longest is not None
    assert median <= p95 <= longest


def test_gap_under_a_microsecond_is_exact_where_it_is_the_longest() -> None:
    gaps = Gaps()
    gaps.add(1e-9)
    assert (gaps.quantile(0.5), gaps.longest) == (1e-9, 1e-9)


@pytest.mark.parametrize("gap", [LONGEST, 2 * LONGEST, float("inf")])
def test_gap_over_twelve_days_counts_as_twelve_days(gap: float) -> None:
    gaps = Gaps()
    gaps.add(gap)
    assert gaps.longest == LONGEST
    assert gaps.quantile(0.5) == pytest.approx(LONGEST, rel=0.2)


def test_time_that_is_none_makes_a_gap_of_nothing() -> None:
    gaps = Gaps()
    gaps.add(float("nan"))
    assert gaps.longest == 0.0


def test_clock_that_goes_back_makes_a_gap_of_nothing() -> None:
    watch = Stopwatch()
    watch.tick(5.0, reads=1, content=True)
    watch.tick(4.0, reads=1, content=True)
    timing = watch.timing()
    assert timing is not None
    assert timing.gap_max == 0.0
