"""Limits that depend on each other."""

from __future__ import annotations

from untorn.capture import limits


def test_whatever_a_writer_writes_a_reader_takes() -> None:
    longest_escape = len(r"\u0000")
    around = 1024
    assert limits.MOST_READ * longest_escape + around < limits.MOST_LINE
    assert limits.MOST_TEXT * longest_escape + around < limits.MOST_LINE


def test_times_stay_exact_to_microseconds() -> None:
    assert limits.MOST_SECONDS + 2e-6 > limits.MOST_SECONDS
