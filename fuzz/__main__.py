"""Search for input that breaks a promise. Exit code 1 if there is some."""

from __future__ import annotations

import argparse
import sys

from fuzz import coverage_environment, structure
from fuzz.findings import FOLDER
from fuzz.structure import Bound

SECONDS = 40.0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    bound = parser.add_mutually_exclusive_group()
    bound.add_argument("--seconds", type=float, help=f"for each search; default: {SECONDS:.0f}")
    bound.add_argument("--inputs", type=int, help="for each search, instead of a time")
    parser.add_argument("--seed", type=int, default=0, help="default: %(default)s")
    parser.add_argument(
        "--only",
        choices=("structure", "coverage"),
        help="structure: mutated streams; coverage: atheris, in an environment of its own",
    )
    options = parser.parse_args()
    seconds = SECONDS if options.seconds is None and options.inputs is None else options.seconds
    limit = Bound(seconds, options.inputs)
    found = False
    if options.only != "coverage":
        found |= structure.search(options.seed, limit)
    if options.only != "structure":
        found |= coverage_environment.search(options.seed, limit)
    if found:
        print(f"findings are in {FOLDER}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
