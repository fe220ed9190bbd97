"""Every scenario with every HTTP library: what a reader says of it, over real sockets.

All cells are read beforehand, many at a time, since most of the time they wait.
"""

from __future__ import annotations

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import pytest
from msgspec import structs

from tests.http_clients import ASYNC, SYNC, TIMEOUT, no_task_left, no_thread_left
from untorn import Completion
from untorn.options import Clocks
from untorn.reader import aread, read
from untorn.replay import ReplayServer
from untorn.replay.log import Log
from untorn.replay.scenarios import SCENARIOS, Scenario

# Where there is no response the library raises, and there is nothing to read.
ANSWERED = [scenario for scenario in SCENARIOS.values() if scenario.answered]

WAYS = [*(f"read {name}" for name in SYNC), *(f"aread {name}" for name in ASYNC)]

SOON = 1.0
"""Seconds of the clock that ends a cell: a busy machine has to send what comes before."""
AT_ONCE = 8
WAITING_AT_ONCE = 24


class Answer(NamedTuple):
    """What a reader made of one cell."""

    texts: list[str]
    completion: Completion


class Cell(NamedTuple):
    """One scenario, to be read in one way."""

    way: str
    scenario: Scenario
    url: str

    @property
    def library(self) -> str:
        return self.way.split()[1]

    @property
    def choices(self) -> dict[str, Any]:
        """What the reader is told. The clocks that are not meant only end a test that hangs."""
        clocks = Clocks(first_byte=TIMEOUT, idle=TIMEOUT, content_idle=TIMEOUT, after_end=TIMEOUT)
        if self.scenario.clock is not None:
            clocks = structs.replace(clocks, **{self.scenario.clock: SOON})
        return {"clocks": clocks, "raise_on": (), "options": self.scenario.options}

    @property
    def is_given_up(self) -> bool:
        """Whether the reader has to end the connection, since it cannot be used again."""
        ending = self.scenario.expected.ending
        return self.scenario.is_endless or ending in ("cut", "stalled", "limit")

    def is_closed(self, log: Log) -> bool:
        """Whether its connection is closed, as the server sees it."""
        (asked,) = [one for one in log.exchanges if self.url.endswith(one.request.path)]
        return not log.connections[asked.connection - 1].is_open

    def read(self, server: ReplayServer) -> Answer:
        with SYNC[self.library]() as post:
            with read(post(self.url), **self.choices) as stream:
                texts = [*stream.text]
            if self.is_given_up:
                server.wait_until(self.is_closed, TIMEOUT)
        return Answer(texts, stream.completion)

    async def aread(self, server: ReplayServer, turns: asyncio.Semaphore) -> Answer:
        async with turns, ASYNC[self.library]() as post:
            async with aread(await post(self.url), **self.choices) as stream:
                texts = [text async for text in stream.text]
            if self.is_given_up:
                await server.until(self.is_closed, TIMEOUT)
        return Answer(texts, stream.completion)


Answers = dict[tuple[str, str], Answer]
"""By way and name of scenario."""


def read_all(cells: list[Cell], server: ReplayServer, at_once: int) -> Answers:
    """Read the cells of ``read``, and then those of ``aread``."""
    sync = [cell for cell in cells if cell.way.startswith("read")]
    with ThreadPoolExecutor(at_once) as pool:
        answers = [*pool.map(lambda cell: cell.read(server), sync)]
    rest = [cell for cell in cells if cell not in sync]
    answers += asyncio.run(aread_all(rest, server, at_once))
    pairs = zip([*sync, *rest], answers, strict=True)
    return {(cell.way, cell.scenario.name): answer for cell, answer in pairs}


async def aread_all(cells: list[Cell], server: ReplayServer, at_once: int) -> list[Answer]:
    turns = asyncio.Semaphore(at_once)
    answers = await asyncio.gather(*(cell.aread(server, turns) for cell in cells))
    await no_task_left()
    return answers


@pytest.fixture(scope="module")
def answers() -> Answers:
    with ReplayServer() as server:
        cells = [Cell(way, one, server.url(one)) for way in WAYS for one in ANSWERED]
        waiting = [cell for cell in cells if cell.scenario.clock is not None]
        found = read_all([cell for cell in cells if cell not in waiting], server, AT_ONCE)
        found |= read_all(waiting, server, WAITING_AT_ONCE)
        server.wait_closed(TIMEOUT)
    return found


each_scenario = pytest.mark.parametrize(
    "scenario", [pytest.param(scenario, id=scenario.name) for scenario in ANSWERED]
)


def matches(pattern: str | None, said: object) -> bool:
    """Whether it was said as expected; None: nothing at all."""
    if pattern is None or said is None:
        return pattern is said
    return re.search(pattern, str(said)) is not None


@pytest.mark.parametrize("way", WAYS)
@each_scenario
def test_a_reader_says_what_happened(way: str, scenario: Scenario, answers: Answers) -> None:
    texts, completion = answers[way, scenario.name]
    verdict, expected = completion.verdict, scenario.expected
    assert (verdict.outcome, verdict.ending) == (expected.outcome, expected.ending)
    assert matches(expected.reason, verdict.reason), verdict.reason
    assert matches(expected.error, verdict.error), verdict.error
    assert completion.content == expected.text
    assert "".join(texts) == (expected.text or "")
    calls = [(call.name, call.arguments, call.state) for call in completion.tool_calls]
    assert calls == [(call.name, call.arguments, call.state) for call in expected.calls]
    assert {defect.code for defect in verdict.defects} == expected.defects
    assert (completion.head and completion.head.retry_after) == expected.retry_after


@each_scenario
def test_all_libraries_in_both_colours_say_the_same(scenario: Scenario, answers: Answers) -> None:
    first, *others = [answers[way, scenario.name].completion for way in WAYS]
    for other in others:
        assert other.choices == first.choices
        assert other.usage == first.usage
        verdict = other.verdict
        if scenario.is_endless:  # how many bytes come until it is given up is chance
            verdict = structs.replace(verdict, defects=first.verdict.defects)
        assert verdict == first.verdict


def test_no_thread_is_left(answers: Answers) -> None:
    no_thread_left()
    assert len(answers) == len(WAYS) * len(ANSWERED)
