"""Count the mutants that no test notices, and say which. Exit code 1 if one is not explained."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from bench.markdown import table
from mutation.environment import SOURCE, Mutant, mutants_of, python
from mutation.explained import FILE, explained
from mutation.memory import remembered
from mutation.page import write
from mutation.score import HEAD, Fate, rows, stale
from mutation.type_checker import refused
from tests.coverage_alone import TESTS, own_tests

CORE = ("sse/*.py", "chat/*.py", "chat/quirks/*.py", "stream.py")
TESTS_OF_THE_CORE = "sse chat test_agreement.py test_corpus.py test_laws.py test_stream*.py".split()
SECONDS_OF_OWN = 120.0
SECONDS_OF_THE_CORE = 10.0
"""How long the tests may take that one mutant is tried with."""


def main(parts: list[str], jobs: int, *, own: bool, writes: bool) -> int:
    every = sorted(path for pattern in CORE for path in SOURCE.glob(pattern))
    modules = [path.relative_to(SOURCE).as_posix() for path in every]
    modules = [name for name in modules if not parts or any(part in name for part in parts)]
    interpreter = python()
    fates: dict[Mutant, Fate] = {}
    for module in modules:
        if mutants := mutants_of(module, interpreter):
            verdicts = verdicts_of(mutants, own_tests(module), jobs, SECONDS_OF_OWN)
            fates.update(zip(mutants, map(_of_own_tests, verdicts), strict=True))
            left = sum(mutant.module == module for mutant in _left(fates))
            print(f"{module}: {len(mutants)}, {left} survive its own tests", flush=True)
    reasons = explained()
    fates.update((mutant, "explained") for mutant in _left(fates) if str(mutant) in reasons)
    fates.update((mutant, "mypy") for mutant in refused(_left(fates)))
    if not own and (alive := _left(fates)):
        tests = sorted(path for pattern in TESTS_OF_THE_CORE for path in TESTS.glob(pattern))
        verdicts = verdicts_of(alive, tests, jobs, SECONDS_OF_THE_CORE)
        fates.update(
            (mutant, "timeout" if verdict == "timeout" else "core's tests")
            for mutant, verdict in zip(alive, verdicts, strict=True)
            if verdict in ("killed", "timeout")
        )
    if writes:
        write(fates, SECONDS_OF_THE_CORE)
    return report(fates, reasons)


def _of_own_tests(verdict: str) -> Fate:
    if verdict == "killed":
        return "own tests"
    return "timeout" if verdict == "timeout" else "survived"


def _left(fates: dict[Mutant, Fate]) -> list[Mutant]:
    return [mutant for mutant, fate in fates.items() if fate == "survived"]


def verdicts_of(mutants: list[Mutant], tests: list[Path], jobs: int, seconds: float) -> list[str]:
    """What becomes of each, or became when all was as it is now."""
    return remembered(mutants, tests, lambda: examine(mutants, tests, jobs, seconds))


def examine(mutants: list[Mutant], tests: list[Path], jobs: int, seconds: float) -> list[str]:
    """What becomes of each. Exits if the tests fail without a mutant."""
    with tempfile.TemporaryDirectory() as folder:
        made, verdicts = Path(folder, "mutants"), Path(folder, "verdicts")
        asked = [(mutant.module, mutant.function, mutant.source) for mutant in mutants]
        made.write_text(json.dumps(asked), encoding="utf-8")
        command = [sys.executable, "-m", "mutation.examination", str(jobs), str(seconds)]
        command += [str(made), str(verdicts), *map(str, tests)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        said = verdicts.read_text(encoding="utf-8").splitlines() if verdicts.exists() else []
    by_number = dict(line.split() for line in said)
    if len(by_number) != len(mutants):
        sys.exit(f"the examination ended early:\n{done.stdout}")
    return [by_number[str(number)] for number in range(len(mutants))]


def report(fates: dict[Mutant, Fate], reasons: Iterable[str]) -> int:
    """Print the table and what is left to do; 1 if that is anything."""
    print(f"\n{table(HEAD, rows(fates))}")
    survivors, needless = _left(fates), stale(reasons, fates)
    if survivors:
        print("\nNo test notices these:", *sorted(map(str, survivors)), sep="\n")
    if needless:
        print(f"\n{FILE.name} explains these, which need it no more:", *needless, sep="\n")
    return 1 if survivors or needless else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m mutation", description=__doc__)
    parser.add_argument("parts", nargs="*", help="of the paths of modules; default: all")
    parser.add_argument("--jobs", type=int, default=2, help="at once; default: %(default)s")
    parser.add_argument("--own", action="store_true", help="try a module's own tests alone")
    parser.add_argument("--report", action="store_true", help="write docs/mutants.md")
    options = parser.parse_args()
    sys.exit(main(options.parts, options.jobs, own=options.own, writes=options.report))
