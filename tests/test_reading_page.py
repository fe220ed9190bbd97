"""The examples in docs/reading.md run, and print what they show."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from untorn.replay import ReplayServer

PAGE = (Path(__file__).parent.parent / "docs" / "reading.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"(?ms)^```python\n(.*?)^```\n(?:```text\n(.*?)^```$)?", PAGE)
GIVEN = 'URL = {url!r}\nREQUEST = {{"model": "m", "stream": True, "messages": []}}\n'


@pytest.mark.parametrize(("source", "output"), EXAMPLES)
def test_an_example_prints_what_the_page_shows(source: str, output: str) -> None:
    with ReplayServer() as server:
        url = server.url("text") + "/chat/completions"
        program = GIVEN.format(url=url) + source
        ran = subprocess.run(
            [sys.executable, "-W", "error", "-X", "utf8", "-c", program],
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
    assert ran.stderr == ""
    assert ran.stdout == output or (output == "" and "Die Brücke" in ran.stdout)
