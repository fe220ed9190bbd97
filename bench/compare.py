"""Who takes how long to read what, in a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import median

from bench.entrants import Entrant
from bench.floors import FLOORS, OTHER_FLOORS
from bench.measure import Table, measure, short
from bench.targets import TARGETS, Case
from bench.workloads import READS, Said, Workload

Run = Callable[[], Said]
Peers = Mapping[str, Callable[[Sequence[bytes]], Run]]


class Comparison:
    """A table that grows with each case."""

    def __init__(self, entrants: Mapping[str, Entrant], rounds: int, peers: Peers) -> None:
        self.cases: list[Case] = []
        self._entrants = entrants
        self._peers = peers
        self._rounds = rounds
        self._table = Table(
            ["workload", "reads", "entrant", "us/chunk", "x floor", "x ChatStream", "target"],
            [9, 9, 22, -8, 20, -12, 14],
        )

    def add(self, workload: Workload, reads: str) -> None:
        """Measure one case and print its rows.

        Raises AssertionError if one of ours does not say what the workload says; a peer is
        left out for that, or if it fails.
        """
        cut = READS[reads](workload.events)
        floors = {"floor": FLOORS[workload.name], **OTHER_FLOORS.get(workload.name, {})}
        runs: dict[str, Run] = {
            name: partial(entrant, cut) for name, entrant in {**floors, **self._entrants}.items()
        }
        for name, run in runs.items():
            if run() != workload.said:
                raise AssertionError(f"{name} does not say what {workload.name} says")
        able, unable = sort_out(workload, cut, self._peers)
        runs |= able
        samples = measure(runs, self._rounds)
        case = Case(workload.name, reads, len(workload.events), samples, unable)
        self.cases.append(case)
        for name in runs:
            self._table.row(workload.name, reads, name, *cells(case, name))


def sort_out(
    workload: Workload, cut: Sequence[bytes], peers: Peers
) -> tuple[dict[str, Run], dict[str, str]]:
    """Those who say what the workload says, and why the others don't."""
    able, unable = {}, {}
    for name, make in peers.items():
        try:
            run = make(cut)
            said = run()
        except Exception as exc:
            unable[name] = f"{type(exc).__name__}: {exc}"
        else:
            if said == workload.said:
                able[name] = run
            else:
                unable[name] = f"does not say what {workload.name} says"
    return able, unable


def cells(case: Case, name: str) -> list[str]:
    """What the table says of one entrant: its time, two ratios, and the target of one."""
    to_floor, to_ours = case.times(name, "floor"), case.times(name, "ChatStream")
    target = next(
        (t for t in TARGETS if (t.entrant, t.workload, t.reads) == (name, *case[:2])), None
    )
    return [
        short(microseconds(case, name)),
        "" if name == "floor" else str(to_floor),
        short(to_ours.middle) if to_ours and name not in ("floor", "ChatStream") else "",
        target.bound_text() if target else "",
    ]


def microseconds(case: Case, name: str) -> float:
    """What a chunk costs, in the middle of all rounds."""
    return median(case.samples[name]) / case.chunks * 1e6
