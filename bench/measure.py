"""CPU time, in rounds in which everybody has a turn, and what is said of it."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from random import Random
from statistics import median, quantiles
from typing import NamedTuple

Samples = dict[str, list[float]]
"""CPU seconds of every round, by who ran. Who is very slow has no part in the last rounds."""

FEWEST_ROUNDS = 3
ENOUGH = 5.0
"""After so many CPU seconds and the fewest rounds, the measure of someone is taken."""


TURN = 0.03
"""So many CPU seconds a turn takes at least; who is quick runs more than once."""


def measure(runs: Mapping[str, Callable[[], object]], rounds: int) -> Samples:
    """Let everybody have a turn in each round, in another order each time.

    The collector of garbage works as it does by default, but finds nothing of what others left,
    nor the many objects that a large library keeps.
    """
    samples: Samples = {name: [] for name in runs}
    gc.collect()
    gc.freeze()
    for number in range(rounds):
        for name in Random(number).sample(list(runs), len(runs)):
            if number < FEWEST_ROUNDS or sum(samples[name]) < ENOUGH:
                samples[name].append(turn(runs[name]))
    gc.unfreeze()
    return samples


def turn(run: Callable[[], object]) -> float:
    """CPU seconds of one run. Of the many of who is quick it is the mean, without the first: that
    one pays for the caches and the memory that the one before had."""
    first = cpu_time(run)
    if first > TURN:
        return first
    count, start = 0, time.process_time()
    while (spent := time.process_time() - start) < TURN:
        run()
        count += 1
    return spent / count


def cpu_time(run: Callable[[], object]) -> float:
    """CPU seconds of one run."""
    gc.collect()
    start = time.process_time()
    run()
    return time.process_time() - start


class Spread(NamedTuple):
    """The median, and the quartiles around it."""

    low: float
    middle: float
    high: float

    def __str__(self) -> str:
        return f"{short(self.middle)} ({short(self.low)} to {short(self.high)})"


def short(number: float) -> str:
    """About three digits."""
    return f"{number:.2f}" if number < 10 else f"{number:.1f}" if number < 100 else f"{number:,.0f}"


def ratio(samples: Sequence[float], to: Sequence[float]) -> Spread:
    """How many times as long one took as the other did in the same round.

    By rounds, since the machine's pace changes from one to the next.
    """
    low, _, high = quantiles(ratios := [a / b for a, b in zip(samples, to, strict=False)])
    return Spread(low, median(ratios), high)


class Table:
    """Rows of text under a head, printed as they come."""

    def __init__(self, head: Sequence[str], widths: Sequence[int]) -> None:
        """A negative width puts its column to the right."""
        self._widths = widths
        self.row(*head)

    def row(self, *cells: str) -> None:
        """Print one row."""
        placed = (
            cell.ljust(width) if width > 0 else cell.rjust(-width)
            for cell, width in zip(cells, self._widths, strict=True)
        )
        print("  ".join(placed).rstrip(), flush=True)
