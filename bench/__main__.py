"""``python -m bench``: measure, print a table, say whether untorn is too slow."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from functools import partial
from statistics import median

from bench import entrants, limits, workloads
from bench.entrants import Entrant
from bench.floors import FLOORS
from bench.measure import Table, measure, ratio
from bench.workloads import READS, Workload

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

# Over one of these it is a fault, on whatever machine.
FAULTS = {("text", "one event"): 2.0, ("text", "64 KiB"): 1.5}

UNTORN: dict[str, Entrant] = {"ChatStream": entrants.chat_stream, "parse": entrants.parse}
BY_HAND: dict[str, Entrant] = {"loop by hand, json": entrants.hand_loop}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--all", action="store_true", help="all workloads, in all reads")
    parser.add_argument("--rounds", type=int, default=21, help="default: %(default)s")
    parser.add_argument("--limits", action="store_true", help="linearity, memory, start, quirks")
    options = parser.parse_args()
    if options.limits:
        return 1 if limits.report(options.rounds) else 0
    if options.all:
        cases = [(make(), reads) for make in workloads.ALL for reads in READS]
        who = {**UNTORN, **BY_HAND}
    else:
        cases = [(workloads.text(), reads) for reads in ("one event", "64 KiB")]
        who = UNTORN
    faults = compare(cases, who, options.rounds)
    for fault in faults:
        print(f"\nToo slow: {fault}")
    return 1 if faults else 0


def compare(
    cases: Iterable[tuple[Workload, str]], who: dict[str, Entrant], rounds: int
) -> list[str]:
    """Print how everybody does in each case; sentences on what is a fault."""
    print(f"CPU time, {rounds} rounds. In brackets the quartiles.\n")
    table = Table(workload=9, reads=9, entrant=18, us_a_chunk=10, times_the_floor=20, target=6)
    faults = []
    for workload, reads in cases:
        cut = READS[reads](workload.events)
        runs = {"floor": FLOORS[workload.name], **who}
        for name, run in runs.items():
            if run(cut) != workload.said:
                raise AssertionError(f"{name} does not say what {workload.name} says")
        samples = measure({name: partial(run, cut) for name, run in runs.items()}, rounds)
        for name in runs:
            times = ratio(samples[name], samples["floor"])
            per_chunk = median(samples[name]) / len(workload.events) * 1e6
            target = TARGETS.get((workload.name, reads)) if name == "ChatStream" else None
            table.row(
                workload.name,
                reads,
                name,
                f"{per_chunk:.2f}",
                "" if name == "floor" else str(times),
                "" if target is None else f"{target}{'' if times.middle <= target else '  missed'}",
            )
            most = FAULTS.get((workload.name, reads))
            if name == "ChatStream" and most is not None and times.middle > most:
                faults.append(f"{workload.name}, {reads}: {times} times the floor, limit {most}")
    return faults


if __name__ == "__main__":
    sys.exit(main())
