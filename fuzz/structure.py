"""The structure-aware search: inputs by number, in as many processes as there are cores."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import count
from random import Random
from typing import NamedTuple

from fuzz.examination import Finding, examine
from fuzz.findings import keep, minimised
from fuzz.inputs import make_input

BATCH = 250
PATIENCE = 300.0
"""Seconds in which some batch must be done; else an input takes for ever, which is a finding."""
REPORT_EVERY = 5.0
MOST_PER_BATCH = 3


class Batch(NamedTuple):
    """Some numbers of inputs, and what they found."""

    seed: int
    start: int
    size: int
    findings: Sequence[tuple[int, Finding]] = ()
    """With the number of the input; at most MOST_PER_BATCH of one kind."""
    found: int = 0
    """How many inputs broke a promise."""


class Bound(NamedTuple):
    """When to stop: after so many seconds, or so many inputs."""

    seconds: float | None = None
    inputs: int | None = None


def rng_of(seed: int, number: int) -> Random:
    """The only source of all that is random in an input."""
    return Random(seed << 40 | number)


def run_batch(batch: Batch) -> Batch:
    """Examine the inputs of a batch."""
    findings: list[tuple[int, Finding]] = []
    found = 0
    kinds: dict[str, int] = {}
    for number in range(batch.start, batch.start + batch.size):
        rng = rng_of(batch.seed, number)
        finding = examine(make_input(rng), rng)
        if finding is not None:
            found += 1
            kinds[finding.kind] = kinds.get(finding.kind, 0) + 1
            if kinds[finding.kind] <= MOST_PER_BATCH:
                findings.append((number, finding))
    return batch._replace(findings=findings, found=found)


def batches(seed: int, bound: Bound) -> Iterator[Batch]:
    """What is to be done, without an end where only time is bounded."""
    for number in count():
        start = number * BATCH
        size = BATCH if bound.inputs is None else min(BATCH, bound.inputs - start)
        if size <= 0:
            return
        yield Batch(seed, start, size)


class Search:
    """Runs batches and counts what they say."""

    def __init__(self, seed: int, bound: Bound) -> None:
        self.total = 0
        self.found = 0
        self.smallest: dict[str, tuple[int, Finding]] = {}
        """By kind."""
        self._seed = seed
        self._bound = bound
        self._begun = time.monotonic()
        self._told = 0.0

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self._begun

    def run(self) -> None:
        """Run until the bound is reached."""
        todo = batches(self._seed, self._bound)
        workers = os.cpu_count() or 1
        with ProcessPoolExecutor(workers) as pool:
            running: set[Future[Batch]] = set()
            while True:
                while len(running) < 2 * workers and not self._is_late():
                    batch = next(todo, None)
                    if batch is None:
                        break
                    running.add(pool.submit(run_batch, batch))
                if not running:
                    break
                done, running = wait(running, timeout=PATIENCE, return_when=FIRST_COMPLETED)
                if not done:
                    pool.shutdown(wait=False, cancel_futures=True)
                    raise TimeoutError(f"no batch was done within {PATIENCE:.0f} s: a loop?")
                for future in done:
                    self._take(future.result())
        self._tell()

    def _is_late(self) -> bool:
        return self._bound.seconds is not None and self.elapsed >= self._bound.seconds

    def _take(self, batch: Batch) -> None:
        self.total += batch.size
        self.found += batch.found
        for number, finding in batch.findings:
            known = self.smallest.get(finding.kind)
            if known is None:
                print(f"structure: input {number} of seed {batch.seed}: {finding.kind}", flush=True)
            if known is None or len(finding.given.body) < len(known[1].given.body):
                self.smallest[finding.kind] = (number, finding)
        if self.elapsed - self._told >= REPORT_EVERY:
            self._told = self.elapsed
            self._tell()

    def _tell(self) -> None:
        print(
            f"structure: {self.total} inputs in {self.elapsed:.0f} s, "
            f"{self.total / max(self.elapsed, 0.001):.0f} a second, seed {self._seed}; "
            f"{self.found} findings of {len(self.smallest)} kinds",
            flush=True,
        )


MOST_KEPT = 40


def search(seed: int, bound: Bound) -> bool:
    """Search, and keep what is found; whether anything was."""
    one = Search(seed, bound)
    try:
        one.run()
    finally:
        for number, finding in list(one.smallest.values())[:MOST_KEPT]:
            small = minimised(finding)
            path = keep(small, f"input {number} of seed {seed}")
            print(f"finding: {path.name}: {small.reason[:200]}", flush=True)
    return bool(one.found)
