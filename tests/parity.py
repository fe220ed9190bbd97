"""All scenarios in all ways: what the tests of readers and of clients share.

Cells are read beforehand, many at a time, since most of the time they wait.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from msgspec import Struct, structs

from tests.http_clients import TIMEOUT, no_task_left
from untorn import Completion
from untorn.options import Clocks
from untorn.replay import ReplayServer
from untorn.replay.log import Log
from untorn.replay.scenarios import Scenario

SOON = 1.0
"""Seconds of the clock that ends a cell: a busy machine has to send what comes before."""
AT_ONCE = 8
WAITING_AT_ONCE = 24
PATH = "/chat/completions"


class Cell(Struct, frozen=True):
    """One scenario, to be read in one way, such as ``read httpx`` or ``AsyncClient aiohttp``."""

    way: str
    scenario: Scenario
    url: str

    @property
    def library(self) -> str:
        return self.way.split()[1]

    @property
    def is_async(self) -> bool:
        return self.way[0] in "aA"

    @property
    def clocks(self) -> Clocks:
        """The clocks that are not meant only end a test that hangs."""
        clocks = Clocks(
            connect=TIMEOUT,
            first_byte=TIMEOUT,
            idle=TIMEOUT,
            content_idle=TIMEOUT,
            after_end=TIMEOUT,
        )
        if self.scenario.clock is None:
            return clocks
        return structs.replace(clocks, **{self.scenario.clock: SOON})

    @property
    def is_given_up(self) -> bool:
        """Whether the connection has to be ended, since it cannot be used again."""
        ending = self.scenario.expected.ending
        return self.scenario.is_endless or ending in ("cut", "stalled", "limit")

    def is_closed(self, log: Log) -> bool:
        """Whether its connection is closed, as the server sees it."""
        (asked,) = [
            one for one in log.exchanges if self.url.endswith(one.request.path.removesuffix(PATH))
        ]
        return not log.connections[asked.connection - 1].is_open

    def read(self, server: ReplayServer) -> Any:
        """What comes of it."""
        raise NotImplementedError

    async def aread(self, server: ReplayServer) -> Any:
        """The same for the other colour."""
        raise NotImplementedError


def answers_of(cells: Sequence[Cell], server: ReplayServer) -> dict[tuple[str, str], Any]:
    """What comes of all cells, by way and name of scenario."""
    waiting = [cell for cell in cells if cell.scenario.clock is not None]
    found = _read_all([cell for cell in cells if cell not in waiting], server, AT_ONCE)
    found |= _read_all(waiting, server, WAITING_AT_ONCE)
    server.wait_closed(TIMEOUT)
    return found


def _read_all(
    cells: Sequence[Cell], server: ReplayServer, at_once: int
) -> dict[tuple[str, str], Any]:
    """The synchronous cells, and then the others."""
    sync = [cell for cell in cells if not cell.is_async]
    rest = [cell for cell in cells if cell.is_async]
    with ThreadPoolExecutor(at_once) as pool:
        answers = [*pool.map(lambda cell: cell.read(server), sync)]
    answers += asyncio.run(_aread_all(rest, server, at_once))
    pairs = zip([*sync, *rest], answers, strict=True)
    return {(cell.way, cell.scenario.name): answer for cell, answer in pairs}


async def _aread_all(cells: Sequence[Cell], server: ReplayServer, at_once: int) -> list[Any]:
    turns = asyncio.Semaphore(at_once)

    async def aread(cell: Cell) -> Any:
        async with turns:
            return await cell.aread(server)

    answers = await asyncio.gather(*map(aread, cells))
    await no_task_left()
    return answers


def matches(pattern: str | None, said: object) -> bool:
    """Whether it was said as expected; None: nothing at all."""
    if pattern is None or said is None:
        return pattern is said
    return re.search(pattern, str(said)) is not None


def assert_said_as_expected(completion: Completion, texts: list[str], scenario: Scenario) -> None:
    """What every way says of a scenario."""
    verdict, expected = completion.verdict, scenario.expected
    assert (verdict.outcome, verdict.ending) == (expected.outcome, expected.ending)
    assert matches(expected.error, verdict.error), verdict.error
    assert completion.content == expected.text
    assert "".join(texts) == (expected.text or "")
    calls = [(call.name, call.arguments, call.state) for call in completion.tool_calls]
    assert calls == [(call.name, call.arguments, call.state) for call in expected.calls]
    assert {defect.code for defect in verdict.defects} == expected.defects
    assert (completion.head and completion.head.retry_after) == expected.retry_after


def assert_all_say_the_same(completions: list[Completion], scenario: Scenario) -> None:
    """Whatever the library, and whatever the colour."""
    first, *others = completions
    for other in others:
        assert other.choices == first.choices
        assert other.usage == first.usage
        verdict = other.verdict
        if scenario.is_endless:  # how many bytes come until it is given up is chance
            verdict = structs.replace(verdict, defects=first.verdict.defects)
        assert verdict == first.verdict
