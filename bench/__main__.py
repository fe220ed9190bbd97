"""Measure how fast untorn reads; print a table; exit with 1 if it is too slow."""

from __future__ import annotations

import argparse
import subprocess
import sys

from bench import entrants, peer_environment, workloads
from bench.compare import Comparison
from bench.entrants import Entrant
from bench.peers import PEERS
from bench.workloads import READS

FEW_READS = ("one event", "64 KiB")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--all", action="store_true", help="all workloads, in all reads")
    parser.add_argument(
        "--peers",
        action="store_true",
        help="other libraries too, on text, in an environment of their own",
    )
    parser.add_argument(
        "--limits", action="store_true", help="instead: linearity, memory, start, quirks"
    )
    parser.add_argument("--rounds", type=int, default=21, help="default: %(default)s")
    options = parser.parse_args()
    if options.rounds < 2:
        parser.error("it takes two rounds to say how far they differ")
    if options.limits:
        # It looks at whole processes in a way that Windows lacks.
        from bench import limits

        print(heading(options.rounds))
        return limits.report(options.rounds)
    if options.peers and not peer_environment.is_here():
        command = [peer_environment.python(), "-m", "bench", *sys.argv[1:]]
        return subprocess.run(command, check=False).returncode
    print(heading(options.rounds))
    return compare(everything=options.all, peers=options.peers, rounds=options.rounds)


def heading(rounds: int) -> str:
    """What the numbers of a table are."""
    version = ".".join(map(str, sys.version_info[:3]))
    return f"Python {version}. CPU time, medians of {rounds} rounds; in brackets the quartiles.\n"


def compare(*, everything: bool, peers: bool, rounds: int) -> int:
    """Print the comparison; the exit code."""
    who: dict[str, Entrant] = {"ChatStream": entrants.chat_stream, "parse": entrants.parse}
    if everything or peers:
        who["ChatStream, timed"] = entrants.timed_chat_stream
        who["loop by hand, json"] = entrants.hand_loop
    comparison = Comparison(who, rounds, PEERS if peers else {})
    for make in workloads.ALL if everything else [workloads.text]:
        workload = make()
        for reads in READS if everything else FEW_READS:
            comparison.add(workload, reads)
    for name, why in comparison.absent.items():
        print(f"\nnot measured: {name}: {why}")
    for fault in comparison.faults:
        print(f"\ntoo slow: {fault}")
    return 1 if comparison.faults else 0


if __name__ == "__main__":
    sys.exit(main())
