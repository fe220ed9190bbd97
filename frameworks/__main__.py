"""Play all hard streams to all libraries, and write docs/frameworks.md."""

from __future__ import annotations

import json
import subprocess

from bench.environments import ROOT
from frameworks.environments import ENVIRONMENTS, OLDER, Environment
from frameworks.page import Measured, page, write


def main() -> None:
    text = page([measure(environment) for environment in ENVIRONMENTS])
    print(f"written: {write(text).relative_to(ROOT)}")


def measure(environment: Environment) -> Measured:
    """All cells of one environment."""
    python = environment.python()
    command = [python, "-m", "frameworks.measure", *environment.modules]
    print(f"{environment.name}: this takes some minutes ...", flush=True)
    if environment is OLDER:
        subprocess.run([python, "-m", "frameworks.examples"], cwd=ROOT, check=True)
    ran = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
    found = json.loads(ran.stdout)
    return Measured(environment, found["openai"], found["cells"])


if __name__ == "__main__":
    main()
