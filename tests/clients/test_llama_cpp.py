"""A server that others wrote, with a model of random weights. Not installed by default:

python -m pip install gguf xllamacpp
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.clients.colours import TIMEOUT, WAYS, ask
from untorn import StreamFailed, TextDelta
from untorn.clients import Client

for library in ("xllamacpp", "gguf"):
    pytest.importorskip(library, reason=f"{library} is not installed: pip install gguf xllamacpp")

SCRIPT = Path(__file__).parent / "llama_cpp.py"
ASKED = [{"role": "user", "content": "Does it hold?"}]
BOOLEAN = {"type": "object", "properties": {"a": {"type": "boolean"}}, "required": ["a"]}
SCHEMA = {"type": "json_schema", "json_schema": {"name": "x", "schema": BOOLEAN}}

ENDLESS: dict[str, Any] = {"ignore_eos": True}
"""It goes on until its limit; else it ends wherever chance wants."""

each_way = pytest.mark.parametrize("way", WAYS)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("model")
    command = [sys.executable, str(SCRIPT), str(folder)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield process.stdout.readline().decode().strip()
        process.stdin.close()
        process.wait(TIMEOUT)


@each_way
def test_a_token_limit_is_told_and_nothing_is_odd(way: str, url: str) -> None:
    (answer,) = ask(way, {"max_tokens": 20, **ENDLESS}, base_url=url)
    completion = answer.completion
    assert completion.verdict.outcome == "truncated"
    assert completion.verdict.ending == "done"
    # Now and then it sends no role.
    assert {one.code for one in completion.verdict.defects} <= {"role-missing"}
    assert completion.usage is not None
    assert completion.usage.completion_tokens == 20
    told = "".join(event.text for event in answer.events if isinstance(event, TextDelta))
    assert told == completion.content


@each_way
def test_an_answer_that_has_to_be_json_is_whole(way: str, url: str) -> None:
    (answer,) = ask(way, {"response_format": SCHEMA, "max_tokens": 400}, base_url=url)
    assert answer.completion.verdict.outcome in ("complete", "truncated")
    assert (answer.completion.content or "").startswith("{")


@each_way
def test_each_of_several_choices_comes(way: str, url: str) -> None:
    (answer,) = ask(way, {"n": 2, "max_tokens": 8, **ENDLESS}, base_url=url)
    assert [choice.index for choice in answer.completion.choices] == [0, 1]
    # It tells the usage of each choice by itself.
    codes = {one.code for one in answer.completion.verdict.defects}
    assert "usage-repeated" in codes
    assert codes <= {"usage-repeated", "role-missing"}


@each_way
def test_what_it_refuses_is_an_error(way: str, url: str) -> None:
    (answer,) = ask(way, {"max_tokens": "many"}, base_url=url)
    assert isinstance(answer.error, StreamFailed)
    assert answer.completion.head is not None
    assert answer.completion.head.status == 400
    assert len(answer.completion.attempts) == 1


def test_who_leaves_early_stops_it(url: str) -> None:
    with Client(url) as client:
        for _ in range(4):  # it has two places
            with client.chat(model="m", messages=ASKED, max_tokens=400, **ENDLESS) as stream:
                next(stream.text)
            assert stream.completion.verdict.ending == "cancelled"
        assert client.chat(model="m", messages=ASKED, max_tokens=5).result().content
