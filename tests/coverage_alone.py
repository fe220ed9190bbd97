"""Runs each module's own tests alone, and asks that they cover all of it: lines and branches.

    python -m tests.coverage_alone            every module
    python -m tests.coverage_alone framing    those with "framing" in their path

A module that its own tests can't cover is in the wrong place, or has lines that nothing reaches.
Where every test together covers a line, nobody knows which of them means to.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import untorn

TESTS = Path(__file__).parent
PACKAGE = Path(untorn.__file__).parent

OWN_TESTS = {
    "__init__.py": "test_exports.py",
    "capture/__init__.py": "test_exports.py",
    "capture/redaction/__init__.py": "capture/redaction/test_captures.py",
    "chat/quirks/__init__.py": "chat/quirks/test_quirks.py",
    "clients/__init__.py": "test_exports.py",
    "clients/openai.py": "clients/test_openai*.py",
    "cli/commands.py": "cli/test_main.py",
    "replay/__init__.py": "replay/test_server.py",
    "replay/scenario.py": "replay/test_scenarios.py",
    "replay/scenarios/__init__.py": "replay/test_scenarios.py",
    "replay/scenarios/failed.py": "replay/test_scenarios.py",
    "replay/scenarios/making.py": "replay/test_scenarios.py",
    "replay/scenarios/torn.py": "replay/test_scenarios.py",
    "replay/scenarios/whole.py": "replay/test_scenarios.py",
    "sse/__init__.py": "test_exports.py",
    "stream.py": "test_stream*.py",
}
"""Of modules that are tested under another name, or in several files."""

WITHOUT_TESTS = {
    "__main__.py": "it calls main(), in a process of its own",
    "chat/__init__.py": "it is a docstring",
    "cli/__init__.py": "it is a docstring",
}
"""Modules with nothing to test, and why."""

# Tests of the command line run it as a process of its own, hence the patch.
SETTINGS = """
[run]
branch = true
source_pkgs = untorn
data_file = {folder}/coverage
parallel = true
patch = subprocess
"""


@dataclass(frozen=True)
class Result:
    """How much of a module its own tests cover."""

    module: str
    percent: float
    missing: str
    """What went wrong; lines, and branches as ``from->to``, that no test reaches."""

    @property
    def is_full(self) -> bool:
        return not self.missing


def own_tests(module: str) -> list[Path]:
    """The test files of a module, which is given as a path in the package."""
    folder, _, name = module.rpartition("/")
    return sorted(TESTS.glob(OWN_TESTS.get(module, f"{folder}/test_{name}".lstrip("/"))))


def measure(module: str) -> Result:
    """Run the module's own tests alone."""
    tests = own_tests(module)
    if not tests:
        return Result(module, 0.0, "it has no tests of its own")
    with tempfile.TemporaryDirectory() as folder:
        settings = f"--rcfile={folder}/settings"
        Path(folder, "settings").write_text(SETTINGS.format(folder=folder), encoding="utf-8")
        pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider", *map(str, tests)]
        failure = _coverage("run", settings, *pytest)
        _coverage("combine", settings)
        _coverage("json", settings, f"--include={PACKAGE / module}", "-o", f"{folder}/json")
        report = Path(folder, "json")
        if not report.exists():
            return Result(module, 0.0, failure or "it is not even imported")
        (file,) = json.loads(report.read_text(encoding="utf-8"))["files"].values()
    missing = [*map(str, file["missing_lines"])]
    missing += [f"{start}->{end}" for start, end in file["missing_branches"]]
    said = ", ".join(filter(None, [failure, " ".join(missing)]))
    return Result(module, file["summary"]["percent_covered"], said)


def _coverage(*arguments: str) -> str:
    """Run the tool; its last line if it failed."""
    done = subprocess.run(
        [sys.executable, "-m", "coverage", *arguments],
        cwd=TESTS.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    said = (done.stdout or done.stderr).strip().splitlines()
    return said[-1] if done.returncode and said else ""


def main(parts: list[str]) -> int:
    """Measure the modules that have one of ``parts`` in their paths; 1 if one is not covered."""
    every = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))
    modules = [module for module in every if module not in WITHOUT_TESTS]
    if parts:
        modules = [module for module in modules if any(part in module for part in parts)]
    width = max(map(len, modules), default=0)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = []
        for result in pool.map(measure, modules):
            results.append(result)
            print(f"{result.module:{width}} {result.percent:6.1f} %  {result.missing}", flush=True)
    full = sum(result.is_full for result in results)
    print(f"{full} of {len(results)} modules are covered by their own tests alone")
    return 0 if results and full == len(results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
