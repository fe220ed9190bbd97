"""Measure how fast untorn reads; print a table; exit with 1 if it is far too slow."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from bench import entrants, peer_environment, report, workloads
from bench.compare import Comparison
from bench.entrants import Entrant
from bench.measure import FEWEST_ROUNDS, Table
from bench.peers import PEERS
from bench.targets import Case, Judged, judge, too_slow
from bench.workloads import READS

if TYPE_CHECKING:
    from bench.limits import Row

FEW_READS = ("one event", "64 KiB")
SHORTER = (250, 500, 1000)
ROUNDS_OF_LIMITS = 7


def main() -> int:
    options = arguments()
    if options.hostile:
        from bench.hostile import page, table

        measured = table.report(options.only)
        if options.report:
            page.write(measured)
        return 1 if any(row.faults for row in measured) else 0
    if options.limits:
        from bench import limits  # here, since it needs what Windows lacks

        print(heading(options.rounds))
        return limits.report(options.rounds)
    if (options.peers or options.clients) and not peer_environment.is_here():
        command = [peer_environment.python(), "-m", "bench", *sys.argv[1:]]
        return subprocess.run(command, check=False).returncode
    if options.clients:
        from bench import clients

        return clients.report(options.rounds, write=options.report)
    print(heading(options.rounds))
    ours = compare_ours(everything=options.all, rounds=options.rounds)
    rows = measure_limits() if options.report else []
    beside = compare_peers(everything=options.all, rounds=options.rounds) if options.peers else []
    judged = judge([*ours, *beside])
    print_absent(beside)
    if options.all:
        print_targets(judged)
    if options.report:
        growth = compare_growth(options.rounds)
        report.write(report.Measured(ours, beside, growth, judged, rows, options.rounds))
    faults = too_slow(judged)
    for fault in faults:
        print(f"\ntoo slow: {fault}")
    return 1 if faults else 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "--all", action="store_true", help="all workloads, in all reads, and all targets"
    )
    parser.add_argument(
        "--peers", action="store_true", help="other libraries too, in an environment of their own"
    )
    parser.add_argument(
        "--report", action="store_true", help=f"all of that, and write {report.PAGE_NAME} anew"
    )
    parser.add_argument(
        "--limits", action="store_true", help="instead: linearity, memory, start, quirks"
    )
    parser.add_argument(
        "--clients",
        action="store_true",
        help="instead: clients over a socket; with --report, a section of docs/clients.md",
    )
    parser.add_argument(
        "--hostile",
        action="store_true",
        help="instead: what hostile input costs; with --report, write docs/toughness.md anew",
    )
    parser.add_argument(
        "--only", action="append", default=[], metavar="PART", help="of it, inputs so named"
    )
    parser.add_argument("--rounds", type=int, default=21, help="default: %(default)s")
    options = parser.parse_args()
    if options.rounds < FEWEST_ROUNDS:
        parser.error(f"it takes {FEWEST_ROUNDS} rounds to say how far they differ")
    options.all |= options.report
    options.peers |= options.report and not options.clients
    return options


def heading(rounds: int) -> str:
    """What the numbers of a table are."""
    version = ".".join(map(str, sys.version_info[:3]))
    return f"Python {version}. CPU time, medians of {rounds} rounds; in brackets the quartiles.\n"


def compare_ours(*, everything: bool, rounds: int) -> list[Case]:
    """Print what untorn takes beside the floor, as it is measured."""
    who: dict[str, Entrant] = {"ChatStream": entrants.chat_stream, "parse": entrants.parse}
    if everything:
        who["ChatStream, timed"] = entrants.timed_chat_stream
        who["loop by hand, json"] = entrants.hand_loop
    comparison = Comparison(who, rounds, {})
    for make in workloads.ALL if everything else [workloads.text]:
        for reads in READS if everything else FEW_READS:
            comparison.add(make(), reads)
    return comparison.cases


def measure_limits() -> list[Row]:
    """What else is promised; without a word, since it has a table of its own."""
    from bench import limits

    return list(limits.rows(ROUNDS_OF_LIMITS))


def compare_peers(*, everything: bool, rounds: int) -> list[Case]:
    """Print what other libraries take: after ours, since they fill the memory."""
    print()
    who = {"ChatStream": entrants.chat_stream, "parse": entrants.parse}
    comparison = Comparison({**who, "loop by hand, json": entrants.hand_loop}, rounds, PEERS)
    for make in workloads.ALL if everything else [workloads.text]:
        for reads in READS if everything else FEW_READS:
            # Peers take their time, and the cut hardly matters to them.
            if make is workloads.text or reads == "one event":
                comparison.add(make(), reads)
    return comparison.cases


def compare_growth(rounds: int) -> list[Case]:
    """Print what a chunk of logprobs costs in longer and longer answers."""
    print()
    peers = {report.GROWING: PEERS[report.GROWING]}
    comparison = Comparison({"ChatStream": entrants.chat_stream}, rounds, peers)
    for chunks in SHORTER:
        comparison.add(workloads.logprobs(chunks), "one event")
    return comparison.cases


def print_absent(cases: Iterable[Case]) -> None:
    for case in cases:
        for name, why in case.unable.items():
            print(f"not measured: {name} on {case.workload}, reads of {case.reads}: {why}")


def print_targets(judged: Iterable[Judged]) -> None:
    print()
    table = Table(
        ["entrant", "times", "workload", "reads", "target", "measured", ""],
        [22, 10, 9, 9, 14, 20, 12],
    )
    for result in judged:
        target = result.target
        measured = "" if result.times is None else str(result.times)
        table.row(
            *(target.entrant, target.to, target.workload, target.reads),
            *(target.bound_text(), measured, result.word),
        )


if __name__ == "__main__":
    sys.exit(main())
