"""The examples in docs/drop-in.md, to be run against a server of our own."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

from frameworks.environments import ROOT
from untorn.replay.server import ReplayServer

PAGE = ROOT / "docs" / "drop-in.md"
OLDER = ("instructor", "llama_index")
"""Libraries that need openai 2."""
ENVIRONMENT = {"OPENAI_API_KEY": "a key of the test", "NO_PROXY": "*"}
TIMEOUT = 120


class Example(NamedTuple):
    """One of them."""

    source: str
    line: int
    """Where it is on the page."""

    @property
    def needs_openai_2(self) -> bool:
        return any(f"import {name}" in self.source for name in OLDER) or any(
            f"from {name}" in self.source for name in OLDER
        )

    @property
    def asks(self) -> bool:
        """Whether it asks for anything."""
        return "question" in self.source or "hold?" in self.source

    @property
    def catches(self) -> bool:
        """Whether it catches the exception that comes for an answer that is not whole."""
        return "except" in self.source

    def run(
        self, python: str, server: ReplayServer, scenario: str, folder: Path
    ) -> tuple[int, str, str]:
        """Its exit code, what it prints, and its traceback."""
        url = server.url(scenario)
        ran = subprocess.run(
            [python, "-c", self.source],
            cwd=folder,
            env={**os.environ, **ENVIRONMENT, "OPENAI_BASE_URL": url, "OPENAI_API_BASE": url},
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
        )
        return ran.returncode, ran.stdout, ran.stderr


def examples() -> list[Example]:
    """All of them."""
    page = PAGE.read_text(encoding="utf-8")
    return [
        Example(match[1], page.count("\n", 0, match.start()) + 1)
        for match in re.finditer(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    ]
