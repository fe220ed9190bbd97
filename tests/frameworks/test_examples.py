"""The examples in docs/drop-in.md do what they show. Those that need openai 2 are run by
``make frameworks``."""

from __future__ import annotations

import os
import subprocess
import sys

from bench.environments import ROOT
from frameworks.examples import Example, examples
from untorn.testing import ReplayServer

PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


def test_every_example_does_what_the_page_says() -> None:
    # In a process of their own: they end as programs do, and leave connections to the system.
    own = {name: text for name, text in os.environ.items() if name.upper() not in PROXIES}
    command = [sys.executable, "-m", "frameworks.examples"]
    ran = subprocess.run(command, cwd=ROOT, env=own, capture_output=True, text=True, timeout=120)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_every_library_has_its_example() -> None:
    sources = "".join(example.source for example in examples())
    for name in ("langchain_openai", "pydantic_ai", "agents", "instructor", "llama_index"):
        assert f"from {name}" in sources or f"import {name}" in sources


def test_an_example_that_hides_what_is_missing_is_seen(stream_server: ReplayServer) -> None:
    silent = Example("try:\n    question = 'hold?'\nexcept Exception:\n    pass", 1)
    assert len(silent.faults(stream_server)) == 3
