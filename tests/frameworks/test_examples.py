"""The examples in docs/drop-in.md do what they show. Those that need openai 2 are run by
``make frameworks``."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from frameworks.examples import Example, examples
from untorn.replay import streams
from untorn.testing import ReplayServer

HERE = [
    pytest.param(example, id=f"line-{example.line}")
    for example in examples()
    if not example.needs_openai_2
]
ASKING = [parameter for parameter in HERE if parameter.values[0].asks]  # type: ignore[union-attr]


@pytest.mark.parametrize("example", HERE)
def test_an_example_gives_a_whole_answer(
    example: Example, stream_server: ReplayServer, tmp_path: Path
) -> None:
    code, printed, errors = example.run(sys.executable, stream_server, "text", tmp_path)
    assert (code, errors) == (0, "")
    assert (streams.TEXT in printed) is example.asks


@pytest.mark.parametrize("example", ASKING)
@pytest.mark.parametrize("scenario", ["end-mid-text", "end-mid-call"])
def test_an_example_never_takes_a_torn_answer_for_a_whole_one(
    example: Example, scenario: str, stream_server: ReplayServer, tmp_path: Path
) -> None:
    code, printed, errors = example.run(sys.executable, stream_server, scenario, tmp_path)
    assert code == (0 if example.catches else 1)
    assert "interrupted: the body ended after" in (printed if example.catches else errors)


def test_every_library_has_its_example() -> None:
    sources = "".join(example.source for example in examples())
    for name in ("langchain_openai", "pydantic_ai", "agents", "instructor", "llama_index"):
        assert f"{name} import" in sources or f"import {name}" in sources
