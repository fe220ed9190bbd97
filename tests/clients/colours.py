"""One test for all clients: what is asked, and what the caller sees."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from collections.abc import Callable
from typing import Any

import pytest
from msgspec import Struct

from untorn import Completion, StreamEvent, UntornError
from untorn.clients import AsyncClient, Client

WAYS = ["Client httpx2", "Client urllib3", "AsyncClient httpx2", "AsyncClient aiohttp"]
MESSAGES = [{"role": "user", "content": "Does it hold?"}]
TIMEOUT = 20


class Answer(Struct):
    """What the caller saw of one call."""

    events: list[StreamEvent]
    completion: Completion
    error: UntornError | None
    was_entered: bool


def ask(way: str, *calls: dict[str, Any], **choices: Any) -> list[Answer]:
    """Make calls, one after the other, with one client."""
    kind, backend = way.split()
    choices = {"backend": backend, **choices}
    asked = [{"model": "m", "messages": MESSAGES, **call} for call in calls or ({},)]
    if kind == "Client":
        with Client(**choices) as client:
            return [_ask(client, call) for call in asked]

    async def main() -> list[Answer]:
        async with asyncio.timeout(TIMEOUT), AsyncClient(**choices) as aclient:
            return [await _aask(aclient, call) for call in asked]

    return asyncio.run(main())


def _ask(client: Client, call: dict[str, Any]) -> Answer:
    stream = client.chat(**call)
    answer = Answer([], stream.completion, None, False)
    try:
        with stream:
            answer.was_entered = True
            for event in stream:
                answer.events.append(event)
    except UntornError as exc:
        answer.error = exc
    answer.completion = stream.completion
    return answer


async def _aask(client: AsyncClient, call: dict[str, Any]) -> Answer:
    stream = client.chat(**call)
    answer = Answer([], stream.completion, None, False)
    try:
        async with stream:
            answer.was_entered = True
            async for event in stream:
                answer.events.append(event)
    except UntornError as exc:
        answer.error = exc
    answer.completion = stream.completion
    return answer


Ask = Callable[..., list[Answer]]


def import_without(library: str, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Import a module of ours, beside the one that is there, as if a library were not."""
    monkeypatch.setitem(sys.modules, library, None)
    found = importlib.util.find_spec(module)
    assert found is not None
    assert found.loader is not None
    found.loader.exec_module(importlib.util.module_from_spec(found))
