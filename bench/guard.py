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

import msgspec

from bench.guarded import CHUNKS
from bench.measure import Table

ROOT = Path(__file__).parent.parent
FILE = Path(__file__).with_suffix(".toml")
VERSION = "{}.{}".format(*sys.version_info)
BUILD = f"{sys.version}, msgspec {msgspec.__version__}"
"""All that makes instructions of the same source differ, but for the processor."""

HEAD = """\
# What `make guard` holds ChatStream to: its instructions for a workload, as a multiple of the
# floor's, by the version of Python. `make guard ARGS=--accept` writes what it measures in here.
# A tolerance is the share by which a ratio may be worse; builds of one version differ by some 6 %.
"""

GUARDED = [sys.executable, "-s", "-m", "bench.guarded"]

CACHEGRIND = ["-q", "--tool=cachegrind", "--cache-sim=no"]

# The same for everyone: already its length has an effect.
ENVIRONMENT = {
    "PYTHONHASHSEED": "0",
    "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
}

ACCEPT = "make guard ARGS=--accept"


class Held(NamedTuple):
    """What was accepted for one version of Python."""

    build: str
    ratios: dict[str, float]
    """By case."""


class Accepted(NamedTuple):
    """What ``guard.toml`` says."""

    tolerance: float
    tolerance_of_other_builds: float
    versions: dict[str, Held]

    def bounds(self, version: str, build: str) -> Bounds:
        """What this Python is held to."""
        held = self.versions.get(version, Held(build, {}))
        is_same = held.build == build
        tolerance = self.tolerance if is_same else self.tolerance_of_other_builds
        return Bounds(held.ratios, tolerance)


class Bounds(NamedTuple):
    """What is held to what."""

    ratios: dict[str, float]
    """By case."""
    tolerance: float

    def word(self, case: str, ratio: float) -> str:
        """A ratio is new, worse, better, or kept."""
        held = self.ratios.get(case)
        if held is None:
            return "new"
        if ratio > held * (1 + self.tolerance):
            return "worse"
        return "better" if ratio < held * (1 - self.tolerance / 2) else "kept"

    def words(self, measured: Mapping[str, float]) -> dict[str, list[str]]:
        """The cases by what is said of them."""
        named: dict[str, list[str]] = {}
        for case, ratio in measured.items():
            named.setdefault(self.word(case, ratio), []).append(case)
        return named


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
    bounds = accepted.bounds(VERSION, BUILD)
    counted = count(valgrind)
    print_table(counted, bounds)
    measured = {case: round(counts.ratio, 3) for case, counts in counted.items()}
    if options.accept:
        held = {**accepted.versions, VERSION: Held(BUILD, measured)}
        save(FILE, accepted._replace(versions=held))
        print(f"accepted for Python {VERSION}: {FILE.relative_to(ROOT)}")
        return 0
    words = bounds.words(measured)
    print(advice(words, bounds.tolerance))
    return 1 if "worse" in words else 0


# What is accepted --------------------------------------------------------------------------------


def load(file: Path) -> Accepted:
    """Read what was accepted."""
    read = tomllib.loads(file.read_text(encoding="utf-8"))
    tolerances = read.pop("tolerance"), read.pop("tolerance_of_other_builds")
    versions = {version: Held(held.pop("build"), held) for version, held in read.items()}
    return Accepted(*tolerances, versions)


def save(file: Path, accepted: Accepted) -> None:
    """Write what is accepted from now on."""
    parts = [
        f"{HEAD}\ntolerance = {accepted.tolerance}\n"
        f"tolerance_of_other_builds = {accepted.tolerance_of_other_builds}\n"
    ]
    for version in sorted(accepted.versions, key=lambda version: [*map(int, version.split("."))]):
        build, ratios = accepted.versions[version]
        lines = [f'"{case}" = {ratio}\n' for case, ratio in ratios.items()]
        parts.append("".join([f'["{version}"]\nbuild = "{build}"\n', *lines]))
    file.write_text("\n".join(parts), encoding="utf-8")


# What is said of it ------------------------------------------------------------------------------


def advice(words: Mapping[str, list[str]], tolerance: float) -> str:
    """What to do now, in a few lines."""
    lines = []
    if worse := words.get("worse"):
        lines.append(
            f"guard: FAILED, by more than {tolerance:.0%} worse than accepted: {'; '.join(worse)}."
            f" Find out what costs it (make bench); if it is worth its price: {ACCEPT}"
        )
    if better := words.get("better"):
        lines.append(
            f"guard: better than accepted: {'; '.join(better)}."
            f" If that is what you have changed, hold it from now on: {ACCEPT}"
        )
    if new := words.get("new"):
        lines.append(
            f"guard: nothing is accepted for Python {VERSION} yet: {'; '.join(new)}."
            f" If these are good: {ACCEPT}"
        )
    return "\n".join(lines or ["guard: ChatStream needs no more instructions than accepted"])


def print_table(counted: Mapping[str, Counted], bounds: Bounds) -> None:
    print(f"Instructions per chunk, Python {VERSION}.\n")
    table = Table(
        ["case", "floor", "ChatStream", "ratio", "accepted", ""], [20, -8, -11, -7, -9, 7]
    )
    for case, counts in counted.items():
        held = bounds.ratios.get(case)
        table.row(
            case,
            f"{counts.floor // CHUNKS:,}",
            f"{counts.ours // CHUNKS:,}",
            f"{counts.ratio:.3f}",
            "" if held is None else f"{held:.3f}",
            bounds.word(case, counts.ratio),
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
