"""The environment in which the peers are measured, untorn among them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from bench.environments import ROOT, interpreter_of

HERE = Path(__file__).parent
ENVIRONMENT = HERE / ".venv-peers"
REQUIREMENTS = HERE / "peers.txt"


def is_here() -> bool:
    """Whether this is the environment."""
    return ENVIRONMENT.exists() and ENVIRONMENT.samefile(sys.prefix)


def python() -> str:
    """Its interpreter. Makes the environment first, and sees that it holds what it should."""
    interpreter = interpreter_of(ENVIRONMENT)
    install = [interpreter, "-m", "pip", "--disable-pip-version-check", "install", "-qq"]
    subprocess.run([*install, "--editable", str(ROOT)], check=True)
    if subprocess.run([*install, "--requirement", str(REQUIREMENTS)], check=False).returncode:
        # One that cannot be installed here shall not stop the others; the table will name it.
        for line in REQUIREMENTS.read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                subprocess.run([*install, line], check=False)
    return interpreter
