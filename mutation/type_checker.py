"""Mutants → those that mypy refuses: nobody could commit them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType

from mutation.environment import SOURCE, Mutant

SETTINGS = SOURCE.parent.parent / "pyproject.toml"
CHECKED = ["src/untorn/sse", "src/untorn/chat", "src/untorn/stream.py"]


class TypeChecker:
    """Mypy, which stays and looks again at what has changed, in a copy of the package."""

    def __enter__(self) -> TypeChecker:
        self._folder = tempfile.TemporaryDirectory()
        self._second = 0
        self._package = Path(self._folder.name, "src", "untorn")
        shutil.copytree(SOURCE, self._package)
        shutil.copy(SETTINGS, self._folder.name)
        if not self._accepts():
            sys.exit("mypy refuses the package without a mutant")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, at: TracebackType | None
    ) -> None:
        self._run("stop")
        self._folder.cleanup()

    def refuses(self, mutant: Mutant) -> bool:
        """Whether it finds a fault in the mutant."""
        original = (SOURCE / mutant.module).read_text(encoding="utf-8")
        self._write(mutant.module, mutant.source)
        accepts = self._accepts()
        self._write(mutant.module, original)
        if not self._accepts():
            sys.exit(f"mypy refuses the package after a mutant: {mutant}")
        return not accepts

    def _write(self, module: str, source: str) -> None:
        path = self._package / module
        path.write_text(source, encoding="utf-8")
        # A file of the same size is looked at again only if it is of another second.
        self._second += 1
        os.utime(path, (self._second, self._second))

    def _accepts(self) -> bool:
        return self._run("run", "--", *CHECKED) == 0

    def _run(self, *arguments: str) -> int:
        command = [sys.executable, "-m", "mypy.dmypy", "--status-file", "status", *arguments]
        return subprocess.run(command, cwd=self._folder.name, stdout=subprocess.DEVNULL).returncode


def refused(mutants: Iterable[Mutant]) -> set[Mutant]:
    """Those that mypy refuses."""
    with TypeChecker() as checker:
        return {mutant for mutant in mutants if checker.refuses(mutant)}
