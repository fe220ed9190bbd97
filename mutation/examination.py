"""Mutants → verdicts, in a process of its own.

    python -m mutation.examination JOBS SECONDS FILE VERDICTS TESTS...

FILE holds a JSON list of mutants. Of each, VERDICTS gets a line: its number and what became of it;
or two, and the later counts.

The tests are collected once. Then the process is forked for each mutant: the child puts the
mutant's code into the function, runs those tests that had reached it, the fastest first and as many
as take SECONDS together, and ends at the first that fails. What Python computes when a module is
imported is computed by then; so a mutant of a function that is called there, or of a default, is
put into the file's text in a process forked before. So is a survivor, of a function that the tests
call while they are imported.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from collections import defaultdict
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any, TextIO

import pytest
from hypothesis import Phase, settings

from mutation.children import in_a_child, in_children
from mutation.placing import SOURCE, Finder, Mutant, can_be_put_in, put_in

# Assertions are not rewritten: nobody reads what a failing one would say.
PYTEST = ["-q", "-s", "--tb=no", "--assert=plain", "-p", "no:cacheprovider"]
MEMORY = 4 << 30
"""Bytes that a mutant may take."""
SECONDS = 5
"""Of processor time that each mutant has beside three times what its tests had taken."""

# Few examples, the same each time, and none made smaller.
settings.register_profile(
    "mutation",
    max_examples=30,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
)
settings.load_profile("mutation")


class Reached:
    """Which functions of the core are called: by module and qualified name."""

    def __init__(self) -> None:
        self.names: set[tuple[str, str]] = set()
        self._folder = str(SOURCE) + os.sep

    def __enter__(self) -> Reached:
        sys.setprofile(self._see)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _see(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(self._folder):
            self.names.add((code.co_filename, code.co_qualname.partition(".<locals>")[0]))


class Baseline:
    """A plugin: notes what each test reaches and how long it takes. All must pass."""

    def __init__(self) -> None:
        self.collected: list[tuple[str, str]] = []
        self.reached: dict[str, list[tuple[str, str]]] = {}
        self.seconds: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Iterator[None]:
        with Reached() as reached:
            result = yield
        self.collected = sorted(reached.names)
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        start = _processor_time()
        with Reached() as reached:
            result = yield
        self.reached[item.nodeid] = sorted(reached.names)
        self.seconds[item.nodeid] = _processor_time() - start
        return result


def _processor_time() -> float:
    return sum(os.times()[:2])


def baseline(tests: list[str], modules: list[str]) -> dict[str, Any]:
    """What is known before the first mutant. Runs the tests once."""
    with Reached() as imported:
        for module in modules:
            import_module(module)
    plugin = Baseline()
    if pytest.main([*PYTEST, *tests], [plugin]):
        sys.exit("the tests fail without a mutant")
    return {
        "imported": sorted(imported.names),
        "collected": plugin.collected,
        "reached": plugin.reached,
        "seconds": plugin.seconds,
    }


class Examination:
    """A plugin: examines mutants in place of running the tests."""

    def __init__(
        self,
        mutants: dict[int, Mutant],
        known: dict[str, Any],
        jobs: int,
        seconds: float,
        verdicts: TextIO,
    ) -> None:
        self._mutants = mutants
        self._jobs = jobs
        self._verdicts = verdicts
        self.survivors: dict[int, Mutant] = {}
        self._seconds: dict[str, float] = known["seconds"]
        self._tests: dict[tuple[str, str], list[str]] = {}
        taken: defaultdict[tuple[str, str], float] = defaultdict(float)
        for test in sorted(self._seconds, key=self._seconds.__getitem__):
            for file, function in known["reached"][test]:
                if taken[file, function] < seconds:
                    self._tests.setdefault((file, function), []).append(test)
                    taken[file, function] += self._seconds[test]

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}

        def examine(mutant: Mutant) -> int:
            tests = self._tests.get((mutant.file, mutant.function))
            if not tests:
                return 2
            _limit(sum(map(self._seconds.__getitem__, tests)))
            put_in(mutant)
            return int(_fails(session, [items[test] for test in tests]))

        self.survivors = in_children(self._mutants, examine, self._jobs, self._verdicts)
        return True


def _fails(session: pytest.Session, items: list[pytest.Item]) -> bool:
    for item, following in zip(items, [*items[1:], None], strict=True):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.testsfailed:
            return True
    return False


def _limit(seconds: float) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (int(3 * seconds) + SECONDS,) * 2)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def import_and_run(mutant: Mutant, tests: list[str], seconds: float) -> int:
    """Import everything with the mutant in it, and run all tests."""
    _limit(seconds)
    sys.meta_path.insert(0, Finder(mutant))
    return int(pytest.main([*PYTEST, "-x", *tests]) != 0)


def main(
    jobs: int, seconds: float, mutants: dict[int, Mutant], verdicts: TextIO, tests: list[str]
) -> None:
    """Examine all."""
    known = in_a_child(lambda: baseline(tests, sorted({m.name for m in mutants.values()})))
    later = {number: m for number, m in mutants.items() if can_be_put_in(m, known)}
    first = {number: m for number, m in mutants.items() if number not in later}
    whole = sum(known["seconds"].values())

    def in_session() -> list[int]:
        """Those that survive, and may not when the tests are imported with them."""
        examination = Examination(later, known, jobs, seconds, verdicts)
        pytest.main([*PYTEST, *tests], [examination])
        collected = known["collected"]
        return [
            number
            for number, mutant in examination.survivors.items()
            if [mutant.file, mutant.function] in collected
        ]

    if later:
        first |= {number: later[number] for number in in_a_child(in_session)}
    in_children(first, lambda mutant: import_and_run(mutant, tests, whole), jobs, verdicts)


if __name__ == "__main__":
    made = json.loads(Path(sys.argv[3]).read_text(encoding="utf-8"))
    numbered = {number: Mutant(*one) for number, one in enumerate(made)}
    with open(sys.argv[4], "a", encoding="utf-8") as file:
        main(int(sys.argv[1]), float(sys.argv[2]), numbered, file, sys.argv[5:])
