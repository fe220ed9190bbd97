"""Who takes how long to read what, in a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import median

from bench.entrants import Entrant
from bench.floors import FLOORS
from bench.measure import Samples, Table, measure, ratio, short
from bench.workloads import READS, Said, Workload

Run = Callable[[], Said]

# How many times the floor ChatStream may take.
TARGETS = {
    ("text", "one event"): 1.5,
    ("text", "4 KiB"): 1.2,
    ("text", "64 KiB"): 1.2,
    ("text", "37 bytes"): 2.5,
    ("tools", "one event"): 1.7,
    ("n4", "one event"): 1.7,
    ("reasoning", "one event"): 1.7,
    ("vendor", "one event"): 2.5,
    ("logprobs", "one event"): 0.5,
}

# Over one of these it is a fault, however noisy the machine.
FAULTS = {("text", "one event"): 2.0, ("text", "64 KiB"): 1.5}


class Comparison:
    """A table that grows with each case, and the complaints about what is in it."""

    def __init__(
        self,
        entrants: dict[str, Entrant],
        rounds: int,
        peers: Mapping[str, Callable[[Sequence[bytes]], Run]],
    ) -> None:
        self.faults: list[str] = []
        """What makes the whole a failure, as sentences."""
        self.absent: dict[str, str] = {}
        """Why a peer is not in the table, by its name."""
        self._entrants = entrants
        self._peers = peers
        self._rounds = rounds
        self._table = Table(
            ["workload", "reads", "entrant", "us/chunk", "x floor", "x ChatStream", "at most"],
            [9, 9, 22, -8, 20, -12, 12],
        )

    def add(self, workload: Workload, reads: str) -> None:
        """Measure one case and print its rows."""
        cut = READS[reads](workload.events)
        runs: dict[str, Run] = {
            name: partial(entrant, cut)
            for name, entrant in {"floor": FLOORS[workload.name], **self._entrants}.items()
        }
        for name, run in runs.items():
            if run() != workload.said:
                raise AssertionError(f"{name} does not say what {workload.name} says")
        if workload.name == "text":
            runs |= self._peers_that_work(workload, cut)
        samples = measure(runs, self._rounds)
        for name in runs:
            self._row(workload, reads, name, samples)

    def _peers_that_work(self, workload: Workload, cut: Sequence[bytes]) -> dict[str, Run]:
        runs = {}
        for name, make in self._peers.items():
            try:
                run = make(cut)
                if run() == workload.said:
                    runs[name] = run
                else:
                    self.absent[name] = f"it does not say what {workload.name} says"
            except Exception as exc:
                self.absent[name] = f"{type(exc).__name__}: {exc}"
        return runs

    def _row(self, workload: Workload, reads: str, name: str, samples: Samples) -> None:
        times = ratio(samples[name], samples["floor"])
        times_ours = ratio(samples[name], samples["ChatStream"])
        case = (workload.name, reads)
        ours = name == "ChatStream"
        target = ""
        if ours and case in TARGETS:
            target = f"{TARGETS[case]}{'  missed' if times.middle > TARGETS[case] else ''}"
        if ours and times.middle > FAULTS.get(case, times.middle):
            self.faults.append(
                f"{name} on {' in reads of '.join(case)} takes {times} times as long as the floor;"
                f" {FAULTS[case]} is the most"
            )
        self._table.row(
            *case,
            name,
            short(median(samples[name]) / len(workload.events) * 1e6),
            "" if name == "floor" else str(times),
            "" if name == "floor" or ours else short(times_ours.middle),
            target,
        )
