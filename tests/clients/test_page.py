"""The examples in docs/clients.md do what they show, against a server of our own."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest

from untorn.replay import streams
from untorn.testing import ReplayServer

PAGE = (Path(__file__).parent.parent.parent / "docs" / "clients.md").read_text("utf-8")
BLOCKS = [
    (match[1], PAGE.count("\n", 0, match.start()) + 1)
    for match in re.finditer(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
]
HOSTS = re.compile(r"(?:https?://)(?:localhost:\d+|[\w.]+\.(?:com|ai))(?=[/\"])")


def at_home(source: str, server: ReplayServer) -> str:
    """An example whose hosts are the replay server."""
    return HOSTS.sub(server.url("text").removesuffix("/v1"), source)


def environment(server: ReplayServer) -> dict[str, str]:
    keys = ("OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "OPENROUTER_API_KEY")
    return {"OPENAI_BASE_URL": server.url("text"), **dict.fromkeys(keys, "a key of the test")}


@pytest.mark.parametrize(
    "source", [pytest.param(source, id=f"line-{line}") for source, line in BLOCKS]
)
def test_an_example_runs(source: str, stream_server: ReplayServer, tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", at_home(source, stream_server)],
        cwd=tmp_path,
        env={**os.environ, **environment(stream_server)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    if "print(" in source and "attempt" not in source:
        assert streams.TEXT in ran.stdout
    if "print(" in source:
        assert stream_server.log.exchanges


@pytest.mark.parametrize(
    ("scenario", "end"),
    [("text", "event: whole"), ("fin-mid-text", "event: torn\ndata: interrupted")],
)
def test_fastapi_passes_a_stream_on(
    scenario: str, end: str, stream_server: ReplayServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    (source,) = [source for source, _ in BLOCKS if "FastAPI" in source]
    for name, value in environment(stream_server).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("OPENAI_BASE_URL", stream_server.url(scenario))

    async def main() -> str:
        space: dict[str, Any] = {"__name__": "example"}
        exec(source, space)
        transport = httpx2.ASGITransport(space["app"])
        async with httpx2.AsyncClient(transport=transport, base_url="http://app") as browser:
            response = await browser.post("/ask", params={"question": "Does it hold?"})
        await space["client"].close()
        return response.text

    text = asyncio.run(main())
    assert "data: Die Brücke\n\n" in text
    assert end in text


def test_every_provider_has_its_example() -> None:
    for name in ("OpenAI", "Azure", "Ollama", "vLLM", "OpenRouter", "FastAPI"):
        assert re.search(rf"^### {name}", PAGE, re.MULTILINE)
