"""Fail if ChatStream needs more instructions than was accepted, as a multiple of the floor's.

Unlike times, instructions are nearly the same at every run. Valgrind counts them: its cachegrind,
with no caches to simulate, is the fastest of the tools that do.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from bench.guarded import CHUNKS
from bench.measure import Table

ROOT = Path(__file__).parent.parent
FILE = Path(__file__).with_suffix(".toml")
VERSION = "{}.{}".format(*sys.version_info)

HEAD = """\
# What `make guard` holds ChatStream to: its instructions for a workload, as a multiple of the
# floor's, by the version of Python. `make guard ARGS=--accept` writes what it measures in here.
"""

NOISE = 0.01
"""By how much a ratio may be better before it is worth a word: twice what was seen to vary."""

GUARDED = [sys.executable, "-s", "-m", "bench.guarded"]

CACHEGRIND = ["-q", "--tool=cachegrind", "--cache-sim=no"]

# The same for everyone: already its length has an effect.
ENVIRONMENT = {
    "PYTHONHASHSEED": "0",
    "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
}

ACCEPT = "make guard ARGS=--accept"


class Accepted(NamedTuple):
    """What ``guard.toml`` says."""

    tolerance: float
    """By what share a ratio may be worse than accepted. Builds of one Python differ."""
    ratios: dict[str, dict[str, float]]
    """By version of Python and by case."""


class Counted(NamedTuple):
    """Instructions of one case."""

    floor: int
    ours: int

    @property
    def ratio(self) -> float:
        return self.ours / self.floor


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.guard", description=__doc__)
    parser.add_argument("--accept", action="store_true", help="hold to what is measured now")
    options = parser.parse_args()
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        print("guard: not run, since there is no valgrind here; install it to count instructions")
        return 0
    accepted = load(FILE)
    held = accepted.ratios.get(VERSION, {})
    counted = count(valgrind)
    print_table(counted, held, accepted.tolerance)
    measured = {name: round(case.ratio, 3) for name, case in counted.items()}
    if options.accept:
        save(FILE, accepted._replace(ratios={**accepted.ratios, VERSION: measured}))
        print(f"accepted for Python {VERSION}: {FILE.relative_to(ROOT)}")
        return 0
    print(advice(measured, held, accepted.tolerance))
    return 1 if any_worse(measured, held, accepted.tolerance) else 0


# What is accepted --------------------------------------------------------------------------------


def load(file: Path) -> Accepted:
    """Read what was accepted."""
    ratios = tomllib.loads(file.read_text(encoding="utf-8"))
    return Accepted(ratios.pop("tolerance"), ratios)


def save(file: Path, accepted: Accepted) -> None:
    """Write what is accepted from now on."""
    parts = [f"{HEAD}\ntolerance = {accepted.tolerance}\n"]
    for version in sorted(accepted.ratios, key=lambda version: [*map(int, version.split("."))]):
        lines = [f'"{name}" = {ratio}\n' for name, ratio in accepted.ratios[version].items()]
        parts.append("".join([f'["{version}"]\n', *lines]))
    file.write_text("\n".join(parts), encoding="utf-8")


# What is said of it ------------------------------------------------------------------------------


def word(ratio: float, held: float | None, tolerance: float) -> str:
    """A ratio is new, worse, better, or kept."""
    if held is None:
        return "new"
    if ratio > held * (1 + tolerance):
        return "worse"
    return "better" if ratio < held * (1 - NOISE) else "kept"


def words(
    measured: Mapping[str, float], held: Mapping[str, float], tolerance: float
) -> dict[str, list[str]]:
    """The names of cases by what is said of them."""
    named: dict[str, list[str]] = {}
    for name, ratio in measured.items():
        named.setdefault(word(ratio, held.get(name), tolerance), []).append(name)
    return named


def any_worse(measured: Mapping[str, float], held: Mapping[str, float], tolerance: float) -> bool:
    """Whether the guard fails."""
    return "worse" in words(measured, held, tolerance)


def advice(measured: Mapping[str, float], held: Mapping[str, float], tolerance: float) -> str:
    """What to do now, in a few lines."""
    named = words(measured, held, tolerance)
    lines = []
    if worse := named.get("worse"):
        lines.append(
            f"guard: FAILED, by more than {tolerance:.0%} worse than accepted: {'; '.join(worse)}."
            f" Find out what costs it (make bench); if it is worth its price: {ACCEPT}"
        )
    if better := named.get("better"):
        lines.append(
            f"guard: better than accepted: {'; '.join(better)}."
            f" If that is what you have changed, hold it from now on: {ACCEPT}"
        )
    if new := named.get("new"):
        lines.append(
            f"guard: nothing is accepted for Python {VERSION} yet: {'; '.join(new)}."
            f" If these are good: {ACCEPT}"
        )
    return "\n".join(lines or ["guard: ChatStream needs no more instructions than accepted"])


def print_table(
    counted: Mapping[str, Counted], held: Mapping[str, float], tolerance: float
) -> None:
    print(f"Instructions per chunk, Python {VERSION}.\n")
    table = Table(
        ["case", "floor", "ChatStream", "ratio", "accepted", ""], [20, -8, -11, -7, -9, 7]
    )
    for name, case in counted.items():
        accepted = held.get(name)
        table.row(
            name,
            f"{case.floor // CHUNKS:,}",
            f"{case.ours // CHUNKS:,}",
            f"{case.ratio:.3f}",
            "" if accepted is None else f"{accepted:.3f}",
            word(case.ratio, accepted, tolerance),
        )
    print()


# Counting ----------------------------------------------------------------------------------------


def count(valgrind: str) -> dict[str, Counted]:
    """The instructions of every case, by its name."""
    output_of(GUARDED)  # not counted: from now on all modules are compiled
    with tempfile.TemporaryDirectory() as folder:
        counting = [valgrind, *CACHEGRIND, f"--cachegrind-out-file={folder}/%p", *GUARDED]
        lines = output_of(counting).splitlines()
        counts: dict[str, dict[str, int]] = {}
        for line in lines:
            without, with_it, who, case = line.split("\t")
            instructions = total(Path(folder, with_it)) - total(Path(folder, without))
            counts.setdefault(case, {})[who] = instructions
    return {case: Counted(by["floor"], by["ChatStream"]) for case, by in counts.items()}


def output_of(command: list[str]) -> str:
    ran = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True)
    if ran.returncode:
        # Only then, since valgrind always has something to say of the caches.
        sys.exit(f"guard: {' '.join(command)} failed:\n{ran.stderr}")
    return ran.stdout


def total(file: Path) -> int:
    """All instructions of one process, as cachegrind has written them down."""
    *_, last = file.read_text(encoding="utf-8").splitlines()
    return int(last.removeprefix("summary: "))


if __name__ == "__main__":
    sys.exit(main())
