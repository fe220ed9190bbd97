"""When it came: measured from the times that the shells hand in, since the core has no clock."""

from __future__ import annotations

from math import ceil, frexp, ldexp
from typing import Any

from msgspec import Struct


class Timing(Struct, frozen=True):
    """Seconds from the head (or the first read, where no head was timed) and counts."""

    first_byte: float | None
    """Seconds to the first byte of the body; None before it."""
    first_content: float | None
    """Seconds to the first delta that says something; None before it."""
    gap_median: float | None
    """Seconds between reads with such a delta, to about 10 %; None before the second."""
    gap_p95: float | None
    gap_max: float | None
    """Exact."""
    total: float
    """Seconds to the last thing that happened."""
    reads: int
    """How many reads the body came in."""
    events: int
    """How many StreamEvents came of it."""
    heartbeats: int
    """How many of them were heartbeats."""

    def to_dict(self) -> dict[str, Any]:
        """As in the report."""
        return {name: getattr(self, name) for name in self.__struct_fields__}


# A fixed log histogram: eight bins for each doubling, from 1 microsecond to 12 days, so that memory
# stays constant however long a stream lasts.
SMALLEST = 2.0**-20
LONGEST = 2.0**20
BINS_PER_DOUBLING = 8


class Gaps:
    """Waiting times, counted in bins."""

    __slots__ = ("_bins", "longest")

    def __init__(self) -> None:
        # By the number of the bin: BINS_PER_DOUBLING times the exponent, and the first bits of
        # the mantissa, which is 0.5 at least.
        self._bins: dict[int, int] = {}
        self.longest: float | None = None

    def add(self, seconds: float) -> None:
        """One more."""
        # A clock that goes back, or is none, is the caller's mistake, and no reason to fail.
        seconds = min(seconds, LONGEST) if seconds > 0 else 0.0
        if self.longest is None or seconds > self.longest:
            self.longest = seconds
        mantissa, exponent = frexp(seconds if seconds > SMALLEST else SMALLEST)
        number = exponent * BINS_PER_DOUBLING + int(mantissa * 2 * BINS_PER_DOUBLING)
        self._bins[number] = self._bins.get(number, 0) + 1

    def quantile(self, share: float) -> float | None:
        """The middle of the bin that holds this share of all gaps; None without gaps."""
        left = ceil(share * sum(self._bins.values()))
        for number, count in sorted(self._bins.items()):
            left -= count
            if left <= 0:
                exponent, bits = divmod(number - BINS_PER_DOUBLING, BINS_PER_DOUBLING)
                middle = (bits + BINS_PER_DOUBLING + 0.5) / (2 * BINS_PER_DOUBLING)
                return min(ldexp(middle, exponent), self.longest or 0.0)
        return None


NO_TIMES: list[float] = []
"""Stands for no times that wait to be counted. Nobody adds to it: stopwatches share it."""
FEW = 16
"""So many reads of one event are counted at once: each by itself, amid other work, costs three
times as much."""


class Stopwatch:
    """Collects what ``Timing`` tells. All times are monotonic seconds of the caller's clock."""

    __slots__ = (
        "_alike",
        "_first_byte",
        "_first_content",
        "_gaps",
        "_last",
        "_last_content",
        "_start",
        "events",
        "heartbeats",
        "reads",
    )

    def __init__(self) -> None:
        self._start: float | None = None
        self._last = 0.0
        self._first_byte: float | None = None
        self._first_content: float | None = None
        self._last_content: float | None = None
        self._gaps = Gaps()
        self._alike = NO_TIMES
        self.reads = 0
        self.events = 0
        self.heartbeats = 0

    def tick(self, at: float, reads: int = 0, events: int = 0, *, content: bool = False) -> None:
        """Something happened at ``at``: so many reads of the body, of which so many events came;
        and whether one of these was a delta that says something."""
        if self._alike:
            self._count()
        if self._start is None:
            self._start = at
        if self._first_byte is None and reads:
            self._first_byte = at
        self._last = at
        self.reads += reads
        self.events += events
        if content:
            if self._last_content is None:
                self._first_content = at
            else:
                self._gaps.add(at - self._last_content)
            self._last_content = at

    def tick_alike(self, at: float) -> None:
        """A read came, and one event of it, which says something."""
        alike = self._alike
        if not alike:
            alike = self._alike = []
        alike.append(at)
        if len(alike) >= FEW:
            self._count()

    def _count(self) -> None:
        alike, self._alike = self._alike, NO_TIMES
        if not alike:
            return
        last = alike[0]
        self.tick(last, reads=len(alike), events=len(alike), content=True)
        for at in alike[1:]:
            self._gaps.add(at - last)
            last = at
        self._last = self._last_content = last

    def timing(self) -> Timing | None:
        """What there is so far; None where no time was ever handed in."""
        self._count()
        if self._start is None:
            return None
        return Timing(
            first_byte=self._since_start(self._first_byte),
            first_content=self._since_start(self._first_content),
            gap_median=self._gaps.quantile(0.5),
            gap_p95=self._gaps.quantile(0.95),
            gap_max=self._gaps.longest,
            total=self._last - self._start,
            reads=self.reads,
            events=self.events,
            heartbeats=self.heartbeats,
        )

    def _since_start(self, at: float | None) -> float | None:
        return None if at is None or self._start is None else at - self._start
