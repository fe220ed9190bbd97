"""The environments in which libraries are tried: some still need openai 2."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
ROOT = HERE.parent


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
        if not self.folder.exists():
            print(f"setting up {self.folder.relative_to(ROOT)}, which takes a moment ...")
            venv.create(self.folder, with_pip=True)
            (self.folder / ".gitignore").write_text("*\n")
        scripts = "Scripts" if sys.platform == "win32" else "bin"
        interpreter = str(self.folder / scripts / "python")
        install = [interpreter, "-m", "pip", "--disable-pip-version-check", "install", "-qq"]
        wanted = ["--requirement", str(HERE / f"{self.name}.txt"), "--editable", f"{ROOT}[testing]"]
        subprocess.run([*install, *wanted], check=True)
        return interpreter


NEWER = Environment("openai3", ("openai_sdk", "langchain", "pydantic", "agents_sdk"))
OLDER = Environment("openai2", ("openai_sdk", "llama_index"))
ENVIRONMENTS = (NEWER, OLDER)
