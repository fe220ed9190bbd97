"""The examples in docs/drop-in.md, to be run against a server of our own."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from typing import Any, NamedTuple
from unittest.mock import patch

import openai

from bench.environments import ROOT
from untorn.replay.server import ReplayServer
from untorn.replay.streams import TEXT

PAGE = ROOT / "docs" / "drop-in.md"
OLDER = ("instructor", "llama_index")
"""Libraries that need openai 2."""
SAID = "interrupted: the body ended after"
KEY = "a key of the test"


class Ran(NamedTuple):
    """What became of one example."""

    printed: str
    error: Exception | None


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

    def run(self, server: ReplayServer, scenario: str) -> Ran:
        """Run it here, with a server that plays a scenario in place of OpenAI's."""
        url = server.url(scenario)
        urls = dict.fromkeys(("OPENAI_BASE_URL", "OPENAI_API_BASE"), url)
        space: dict[str, Any] = {"__name__": "example"}
        printed = io.StringIO()
        with patch.dict(os.environ, {**urls, "OPENAI_API_KEY": KEY}), redirect_stdout(printed):
            try:
                exec(self.source, space)
            except Exception as exc:
                return Ran(printed.getvalue(), exc)
        return Ran(printed.getvalue(), None)

    def faults(self, server: ReplayServer) -> list[str]:
        """What it does other than the page says."""
        return [
            *self._faults_of_whole(server),
            *(self._faults_of_torn(server) if self.asks else ()),
        ]

    def _faults_of_whole(self, server: ReplayServer) -> Iterator[str]:
        calls = "Bridge" in self.source
        said = "Brücke 🌉" if calls else TEXT
        ran = self.run(server, "tool-call" if calls else "text")
        if ran.error is not None or (said in ran.printed) is not self.asks:
            yield f"line {self.line}: a whole answer is not given: {ran}"

    def _faults_of_torn(self, server: ReplayServer) -> Iterator[str]:
        for scenario in ("end-mid-text", "end-mid-call"):
            ran = self.run(server, scenario)
            if (ran.error is None) is not self.catches:
                yield f"line {self.line}: what {scenario} raises comes out wrong: {ran}"
            if SAID not in (ran.printed if self.catches else str(ran.error)):
                yield f"line {self.line}: it does not say what is missing of {scenario}: {ran}"


def examples() -> list[Example]:
    """All of them."""
    page = PAGE.read_text(encoding="utf-8")
    return [
        Example(match[1], page.count("\n", 0, match.start()) + 1)
        for match in re.finditer(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    ]


def main() -> None:
    """Run those whose libraries are here."""
    is_older = openai.__version__.startswith("2.")
    here = [example for example in examples() if example.needs_openai_2 is is_older]
    with ReplayServer() as server:
        faults = [fault for example in here for fault in example.faults(server)]
    if faults:
        sys.exit("\n".join(faults))
    print(f"{len(here)} examples do what the page says")


if __name__ == "__main__":
    main()
