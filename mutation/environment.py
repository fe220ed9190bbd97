"""The environment of mutmut, and what is made in it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import NamedTuple

from bench.environments import ROOT, interpreter_of

HERE = Path(__file__).parent
SOURCE = ROOT / "src" / "untorn"
ENVIRONMENT = HERE / ".venv-mutmut"


class Mutant(NamedTuple):
    """One change of one function."""

    module: str
    """Its path in the package."""
    function: str
    """The qualified name."""
    was: str
    becomes: str
    """The lines that differ, each side on one."""
    source: str
    """The whole module with the change in it."""

    def __str__(self) -> str:
        return f"{self.module} {self.function}: {self.was} → {self.becomes}"


def python() -> str:
    """The interpreter that has mutmut."""
    interpreter = interpreter_of(ENVIRONMENT)
    install = [interpreter, "-m", "pip", "--disable-pip-version-check", "install", "-qq"]
    subprocess.run([*install, "--requirement", str(HERE / "requirements.txt")], check=True)
    return interpreter


def mutants_of(module: str, interpreter: str) -> list[Mutant]:
    """All mutants of a module."""
    command = [interpreter, str(HERE / "making.py"), str(SOURCE), module]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    return [Mutant(**made) for made in json.loads(done.stdout)]
