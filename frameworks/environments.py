"""The environments in which libraries are tried: some still need openai 2."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import NamedTuple

from bench.environments import ROOT, interpreter_of

HERE = Path(__file__).parent


class Environment(NamedTuple):
    """One of them."""

    name: str
    modules: tuple[str, ...]
    """The files of ``ways`` that are tried in it."""

    @property
    def folder(self) -> Path:
        return HERE / f".venv-{self.name}"

    def python(self) -> str:
        """Its interpreter. Makes it first, and sees that it holds what it should."""
        interpreter = interpreter_of(self.folder)
        install = [interpreter, "-m", "pip", "--disable-pip-version-check", "install", "-qq"]
        wanted = ["--requirement", str(HERE / f"{self.name}.txt"), "--editable", f"{ROOT}[testing]"]
        subprocess.run([*install, *wanted], check=True)
        return interpreter


NEWER = Environment("openai3", ("openai_sdk", "langchain", "pydantic", "agents_sdk"))
OLDER = Environment("openai2", ("openai_sdk", "llama_index"))
ENVIRONMENTS = (NEWER, OLDER)
