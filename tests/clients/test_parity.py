"""Every scenario with every client: what it says of it, over real sockets, and asked only once.

All cells are asked beforehand, many at a time, since most of the time they wait.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import pytest
from msgspec import structs

from tests.http_clients import TIMEOUT, no_task_left, no_thread_left
from tests.test_parity import matches
from untorn import Completion, UntornError
from untorn.clients import AsyncClient, Client
from untorn.options import Clocks
from untorn.replay import ReplayServer
from untorn.replay.log import Log
from untorn.replay.scenarios import SCENARIOS, Scenario

WAYS = ["Client httpx2", "Client urllib3", "AsyncClient httpx2", "AsyncClient aiohttp"]
SOON = 1.0
AT_ONCE = 8
WAITING_AT_ONCE = 24
MESSAGES = [{"role": "user", "content": "Does it hold?"}]


class Answer(NamedTuple):
    """What a client made of one cell."""

    texts: list[str]
    completion: Completion
    raised: str | None
    """The class of the exception, as by default."""


class Cell(NamedTuple):
    """One scenario, to be asked in one way."""

    way: str
    scenario: Scenario
    url: str

    @property
    def choices(self) -> dict[str, Any]:
        clocks = Clocks(
            connect=TIMEOUT,
            first_byte=TIMEOUT,
            idle=TIMEOUT,
            content_idle=TIMEOUT,
            after_end=TIMEOUT,
        )
        if self.scenario.clock is not None:
            clocks = structs.replace(clocks, **{self.scenario.clock: SOON})
        return {
            "base_url": self.url,
            "backend": self.way.split()[1],
            "options": self.scenario.options,
            "clocks": clocks,
            "max_retries": 0,
        }

    def is_closed(self, log: Log) -> bool:
        """Whether its connection is closed, as the server sees it."""
        (asked,) = [one for one in log.exchanges if self.url.endswith(_base(one.request.path))]
        return not log.connections[asked.connection - 1].is_open

    @property
    def is_given_up(self) -> bool:
        ending = self.scenario.expected.ending
        return self.scenario.is_endless or ending in ("cut", "stalled", "limit")

    def ask(self, server: ReplayServer) -> Answer:
        texts: list[str] = []
        raised: str | None = None
        with Client(**self.choices) as client:
            stream = client.chat(model="m", messages=MESSAGES)
            try:
                with stream:
                    texts += stream.text
            except UntornError as exc:
                raised = type(exc).__name__
            if self.is_given_up:
                server.wait_until(self.is_closed, TIMEOUT)
        return Answer(texts, stream.completion, raised)

    async def aask(self, server: ReplayServer, turns: asyncio.Semaphore) -> Answer:
        texts: list[str] = []
        raised: str | None = None
        async with turns, AsyncClient(**self.choices) as client:
            stream = client.chat(model="m", messages=MESSAGES)
            try:
                async with stream:
                    async for text in stream.text:
                        texts.append(text)  # noqa: PERF401  (what came before it raises)
            except UntornError as exc:
                raised = type(exc).__name__
            if self.is_given_up:
                await server.until(self.is_closed, TIMEOUT)
        return Answer(texts, stream.completion, raised)


def _base(path: str) -> str:
    return path.removesuffix("/chat/completions")


Answers = dict[tuple[str, str], Answer]
"""By way and name of scenario."""


async def aask_all(cells: list[Cell], server: ReplayServer, at_once: int) -> list[Answer]:
    turns = asyncio.Semaphore(at_once)
    answers = await asyncio.gather(*(cell.aask(server, turns) for cell in cells))
    await no_task_left()
    return answers


@pytest.fixture(scope="module")
def server() -> Iterator[ReplayServer]:
    with ReplayServer() as running:
        yield running


def ask_all(cells: list[Cell], server: ReplayServer, at_once: int) -> Answers:
    """Ask the cells of Client, and then those of AsyncClient."""
    sync = [cell for cell in cells if cell.way.startswith("Client")]
    rest = [cell for cell in cells if cell not in sync]
    with ThreadPoolExecutor(at_once) as pool:
        found = [*pool.map(lambda cell: cell.ask(server), sync)]
    found += asyncio.run(aask_all(rest, server, at_once))
    pairs = zip([*sync, *rest], found, strict=True)
    return {(cell.way, cell.scenario.name): answer for cell, answer in pairs}


@pytest.fixture(scope="module")
def answers(server: ReplayServer) -> Answers:
    cells = [Cell(way, one, server.url(one)) for way in WAYS for one in SCENARIOS.values()]
    waiting = [cell for cell in cells if cell.scenario.clock is not None]
    found = ask_all([cell for cell in cells if cell not in waiting], server, AT_ONCE)
    found |= ask_all(waiting, server, WAITING_AT_ONCE)
    server.wait_closed(TIMEOUT)
    return found


each_scenario = pytest.mark.parametrize(
    "scenario", [pytest.param(one, id=one.name) for one in SCENARIOS.values()]
)

RAISED = {"interrupted": "StreamInterrupted", "failed": "StreamFailed"}


@pytest.mark.parametrize("way", WAYS)
@each_scenario
def test_a_client_says_what_happened(way: str, scenario: Scenario, answers: Answers) -> None:
    texts, completion, raised = answers[way, scenario.name]
    verdict, expected = completion.verdict, scenario.expected
    assert (verdict.outcome, verdict.ending) == (expected.outcome, expected.ending)
    assert raised == RAISED.get(expected.outcome)
    assert matches(expected.error, verdict.error), verdict.error
    assert completion.content == expected.text
    assert "".join(texts) == (expected.text or "")
    calls = [(call.name, call.arguments, call.state) for call in completion.tool_calls]
    assert calls == [(call.name, call.arguments, call.state) for call in expected.calls]
    assert {defect.code for defect in verdict.defects} == expected.defects
    assert (completion.head and completion.head.retry_after) == expected.retry_after
    (attempt,) = completion.attempts
    assert (attempt.outcome, attempt.ending) == (verdict.outcome, verdict.ending)
    assert attempt.status == (completion.head and completion.head.status)


@each_scenario
def test_all_clients_in_both_colours_say_the_same(scenario: Scenario, answers: Answers) -> None:
    first, *others = [answers[way, scenario.name].completion for way in WAYS]
    for other in others:
        assert other.choices == first.choices
        assert other.usage == first.usage
        verdict = other.verdict
        if scenario.is_endless:  # how many bytes come until it is given up is chance
            verdict = structs.replace(verdict, defects=first.verdict.defects)
        assert verdict == first.verdict


def test_no_thread_and_no_connection_is_left(answers: Answers, server: ReplayServer) -> None:
    no_thread_left()
    assert server.log.open == []
    assert len(answers) == len(WAYS) * len(SCENARIOS)
