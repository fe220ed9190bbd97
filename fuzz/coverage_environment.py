"""The environment of the coverage-guided search, and the two processes that run in it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random

from bench.environments import ROOT, interpreter_of
from fuzz.examination import examine
from fuzz.findings import keep, minimised
from fuzz.seeds import seeds
from fuzz.structure import Bound
from fuzz.wire_input import bytes_of, dictionary, input_of

HERE = Path(__file__).parent
ENVIRONMENT = HERE / ".venv-atheris"
GROWN = HERE / "grown"
"""Inputs that reached new code, kept from one run to the next."""

CHECKS_OF = {"chat": None, "sse": "reference"}
"""By target: the one check that it makes, None for all."""
MOST_BYTES = 4096
SLOW = 60
"""Seconds after which one input is said to take for ever."""


class NotHere(Exception):
    """Atheris can't be installed; the text says why."""


def python() -> str:
    """The interpreter of the environment, which is made first where there is none."""
    interpreter = interpreter_of(ENVIRONMENT)
    if subprocess.run(
        [interpreter, "-c", "import atheris, untorn"], capture_output=True
    ).returncode:
        install = [interpreter, "-m", "pip", "--disable-pip-version-check", "install", "-q"]
        # Only a wheel: without one it would be built, which needs a compiler of its own.
        install += ["--only-binary", "atheris", "atheris>=3", "--editable", f"{ROOT}[cli,openai]"]
        done = subprocess.run(install, capture_output=True, text=True)
        if done.returncode:
            raise NotHere((done.stderr.strip().splitlines() or ["pip failed"])[-1])
    return interpreter


def search(seed: int, bound: Bound) -> bool:
    """Run all targets at once; whether anything was found. False too where atheris can't run."""
    try:
        interpreter = python()
    except NotHere as exc:
        version = ".".join(map(str, sys.version_info[:2]))
        print(f"coverage: not run, there is no atheris for Python {version} here: {exc}")
        return False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write_seeds(folder / "seeds")
        (folder / "words").write_text(dictionary())
        runs = [Run(target, interpreter, folder, seed, bound) for target in CHECKS_OF]
        found = [run.finished() for run in runs]
        return any(found)


def _write_seeds(folder: Path) -> None:
    folder.mkdir()
    for one in seeds(real=True):
        body = b"".join(one.events)[:MOST_BYTES]
        (folder / one.name).write_bytes(bytes_of(body, one.status, one.content_type))


class Run:
    """One target in a process of its own."""

    def __init__(
        self, target: str, interpreter: str, folder: Path, seed: int, bound: Bound
    ) -> None:
        self._target = target
        self._seed = seed
        self._log = folder / f"{target}.log"
        self._found = folder / f"{target}-found"
        self._found.mkdir()
        grown = GROWN / target
        grown.mkdir(parents=True, exist_ok=True)
        command = [interpreter, "-m", "fuzz.coverage_guided", target, str(self._found)]
        command += [str(grown), str(folder / "seeds"), f"-dict={folder / 'words'}"]
        command += [f"-seed={seed + 1}", f"-max_len={MOST_BYTES}", f"-timeout={SLOW}"]
        command += [f"-artifact_prefix={self._found}{os.sep}", "-print_final_stats=1"]
        if bound.seconds is not None:
            command.append(f"-max_total_time={max(1, round(bound.seconds))}")
        if bound.inputs is not None:
            command.append(f"-runs={bound.inputs}")
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)

    def finished(self) -> bool:
        """Wait for it, and keep what it found; whether that is anything."""
        code = self._process.wait()
        log = self._log.read_text(errors="replace")
        kinds: set[str] = set()
        for path in sorted(self._found.iterdir()):
            data = path.read_bytes()
            finding = examine(
                input_of(data), Random(0), only=CHECKS_OF[self._target], everything=True
            )
            if finding is not None and finding.kind not in kinds:
                kinds.add(finding.kind)
                kept = keep(minimised(finding), f"coverage, seed {self._seed}")
                print(f"finding: {kept.name}: {finding.reason[:200]}", flush=True)
        done, covered = _last(r"number_of_executed_units: (\d+)", log), _last(r"cov: (\d+)", log)
        print(
            f"coverage: {self._target}: {done} inputs, {covered} edges of the code reached; "
            f"{len(kinds)} kinds of findings",
            flush=True,
        )
        if code:
            print(f"coverage: {self._target}: stopped with {code}: {log[-1000:]}")
        return bool(kinds or code)


def _last(pattern: str, log: str) -> str:
    found: list[str] = re.findall(pattern, log)
    return found[-1] if found else "?"
