"""The process whose instructions ``guard.py`` has counted.

It reads every workload once. Then, for each reading, it forks two children: one ends at once, the
other reads once more, warm. So the second has the instructions of the first and of that reading,
and neither Python's start nor another reading is among the difference.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from functools import partial

from bench import workloads
from bench.entrants import chat_stream
from bench.floors import FLOORS
from bench.workloads import READS

CASES = [
    (workloads.text, "one event"),
    (workloads.text, "64 KiB"),
    (workloads.text, "37 bytes"),
    (workloads.tools, "one event"),
    (workloads.n4, "one event"),
    (workloads.reasoning, "one event"),
    (workloads.logprobs, "one event"),
    (workloads.vendor, "one event"),
]
"""A workload, and how it is cut into reads."""

CHUNKS = 1000


def main() -> None:
    """Print a line for each reading: the process that did not do it, the one that did, whose
    reading it was, and its case."""
    runs = {}
    for make, reads in CASES:
        workload = make(CHUNKS)
        cut = READS[reads](workload.events)
        case = f"{workload.name}, {reads}"
        runs["floor", case] = partial(FLOORS[workload.name], cut)
        runs["ChatStream", case] = partial(chat_stream, cut)
    for run in runs.values():
        run()
    for (who, case), run in runs.items():
        print(child(), child(run), who, case, sep="\t", flush=True)


def child(run: Callable[[], object] | None = None) -> int:
    """Have it run in a process of its own, whose number is returned when it has ended."""
    process = os.fork()
    if process == 0:
        # It depends on all readings before when the collector's next turn is: let it begin anew.
        gc.collect()
        gc.freeze()
        if run is not None:
            run()
        os._exit(0)
    if os.waitpid(process, 0)[1] != 0:
        sys.exit(1)
    return process


if __name__ == "__main__":
    main()
