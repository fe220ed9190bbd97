"""What hostile input costs: how it ends, the memory at its worst, and whether time stays linear.

Each body is read in a process of its own, whose whole memory counts. The bound is 64 MB and twice
the limit that applies.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Struct

from bench.hostile.inputs import INPUTS
from bench.hostile.parts import Input
from bench.hostile.run import Door, Measured
from bench.measure import Table

MB = 1_000_000
BASE = 64 * MB

SHORTER = 4
STEEPEST = 1.5
"""How many times as much a byte may cost where there are four times as many. (Quadratic is 4.)"""
NOISE = 0.1
"""CPU seconds; what took less is too short to be compared."""
PATIENCE = 600.0
"""Seconds after which a body counts as never read."""


class Row(Struct, frozen=True):
    """What one body cost by one door."""

    name: str
    door: Door
    bound: int
    """The most bytes of memory that it may take."""
    measured: Measured | None
    """None if it was never read to its end."""
    steepness: float | None
    """What a byte costs, to what it costs in a body of a quarter; None if that is too short."""
    faults: list[str]
    """What is not as promised."""

    @property
    def ending(self) -> str:
        """How it ended, and why."""
        if self.measured is None:
            return ""
        return ": ".join(filter(None, [self.measured.ending, self.measured.reason]))


def report(names: list[str]) -> list[Row]:
    """Print a row for each input whose name holds one of ``names``, by each of its doors."""
    table = Table(
        ["input", "door", "bytes", "ns/byte", "steeper", "peak MB", "bound", "ends"],
        [73, 15, -13, -8, -8, -8, -6, 50],
    )
    rows: list[Row] = []
    for name in INPUTS:
        if not names or any(part in name for part in names):
            for row in rows_of(name):
                rows.append(row)
                table.row(*cells(row))
    broken = sum(bool(row.faults) for row in rows)
    print(f"\n{broken} of {len(rows)} not as promised" if broken else "\nall as promised")
    return rows


def cells(row: Row) -> Sequence[str]:
    """What a row shows."""
    measured = row.measured or Measured(INPUTS[row.name].size, 0)
    return (
        row.name,
        row.door,
        f"{measured.size:,}",
        f"{measured.seconds / max(measured.size, 1) * 1e9:.1f}",
        "" if row.steepness is None else f"{row.steepness:.2f}",
        f"{measured.peak / MB:.0f}",
        f"{row.bound / MB:.0f}",
        "; ".join(filter(None, [row.ending, *row.faults])),
    )


def rows_of(name: str) -> Iterator[Row]:
    """One input by each of its doors."""
    what = INPUTS[name]
    doors: tuple[Door, Door] = ("receive_data", "EventStream")
    if what.are_events:
        doors = ("receive_data", "receive_payload")
    for door in doors:
        measured = run(name, door, what.size)
        if isinstance(measured, str):
            yield Row(name, door, bound(what), None, None, [f"FAILED: {measured}"])
            continue
        steepness = _steepness(name, what, door, measured)
        faults = [*faults_of(what, door, measured)]
        if steepness is not None and steepness > STEEPEST:
            faults.append("NOT LINEAR")
        yield Row(name, door, bound(what), measured, steepness, faults)


def bound(what: Input) -> int:
    """The most bytes of memory that reading it may take."""
    return BASE + 2 * what.keeps


def faults_of(what: Input, door: Door, measured: Measured) -> Iterator[str]:
    """What is not as promised, but for the time."""
    if measured.peak > bound(what):
        yield "TOO MUCH MEMORY"
    if door == "EventStream":
        return
    said = measured.reason if measured.ending == "limit" else measured.ending
    if not (said or "").startswith(what.ends):
        yield f"EXPECTED {what.ends}"
    if len(set(measured.codes)) != len(measured.codes):
        yield "A DEFECT TWICE"
    if what.are_events and not (measured.content or "").startswith("Hi there"):
        yield "CONTENT LOST"


def _steepness(name: str, what: Input, door: Door, measured: Measured) -> float | None:
    if measured.seconds < NOISE:
        return None
    longer, shorter = [measured], list(_runs(name, door, what.size // SHORTER))
    if _times(longer, shorter) > STEEPEST:
        # Others use the machine too: of several runs the quickest.
        longer += _runs(name, door, what.size)
        shorter += _runs(name, door, what.size // SHORTER)
    return _times(longer, shorter) if shorter else None


def _runs(name: str, door: Door, size: int) -> Iterator[Measured]:
    one = run(name, door, size)
    if isinstance(one, Measured):
        yield one


def _times(longer: list[Measured], shorter: list[Measured]) -> float:
    """How many times as much a byte costs in the longer ones."""
    costs = [min(one.seconds / one.size for one in runs) for runs in (longer, shorter) if runs]
    return costs[0] / costs[-1]


def run(name: str, door: Door, size: int) -> Measured | str:
    """What reading an input cost in a process of its own; a sentence if it never ended well."""
    command = [sys.executable, "-m", "bench.hostile.run", door, str(size), name]
    try:
        ran = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return f"not read in {PATIENCE:.0f} s"
    if ran.returncode:
        return f"exit code {ran.returncode}: {ran.stderr.decode()[-200:]}"
    return msgspec.json.decode(ran.stdout, type=Measured)
