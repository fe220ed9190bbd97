"""Every scenario with every HTTP library: what a reader says of it, over real sockets."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from tests import parity
from tests.http_clients import ASYNC, SYNC, TIMEOUT, no_thread_left
from tests.parity import (
    answers_of,
    assert_all_say_the_same,
    assert_said_as_expected,
    matches,
)
from untorn import Completion
from untorn.reader import aread, read
from untorn.replay import ReplayServer
from untorn.replay.scenarios import SCENARIOS, Scenario

# Where there is no response the library raises, and there is nothing to read.
ANSWERED = [scenario for scenario in SCENARIOS.values() if scenario.answered]

WAYS = [*(f"read {name}" for name in SYNC), *(f"aread {name}" for name in ASYNC)]


class Answer(NamedTuple):
    """What a reader made of one cell."""

    texts: list[str]
    completion: Completion


class Cell(parity.Cell, frozen=True):
    """Reads with a reader."""

    @property
    def choices(self) -> dict[str, Any]:
        """What the reader is told."""
        return {"clocks": self.clocks, "raise_on": (), "options": self.scenario.options}

    def read(self, server: ReplayServer) -> Answer:
        with SYNC[self.library]() as post:
            with read(post(self.url), **self.choices) as stream:
                texts = [*stream.text]
            if self.is_given_up:
                server.wait_until(self.is_closed, TIMEOUT)
        return Answer(texts, stream.completion)

    async def aread(self, server: ReplayServer) -> Answer:
        async with ASYNC[self.library]() as post:
            async with aread(await post(self.url), **self.choices) as stream:
                texts = [text async for text in stream.text]
            if self.is_given_up:
                await server.until(self.is_closed, TIMEOUT)
        return Answer(texts, stream.completion)


Answers = dict[tuple[str, str], Answer]
"""By way and name of scenario."""


@pytest.fixture(scope="module")
def answers() -> Answers:
    with ReplayServer() as server:
        cells = [Cell(way, one, server.url(one)) for way in WAYS for one in ANSWERED]
        return answers_of(cells, server)


each_scenario = pytest.mark.parametrize(
    "scenario", [pytest.param(scenario, id=scenario.name) for scenario in ANSWERED]
)


@pytest.mark.parametrize("way", WAYS)
@each_scenario
def test_a_reader_says_what_happened(way: str, scenario: Scenario, answers: Answers) -> None:
    texts, completion = answers[way, scenario.name]
    assert_said_as_expected(completion, texts, scenario)
    reason = completion.verdict.reason
    assert matches(scenario.expected.reason, reason), reason


@each_scenario
def test_all_libraries_in_both_colours_say_the_same(scenario: Scenario, answers: Answers) -> None:
    completions = [answers[way, scenario.name].completion for way in WAYS]
    assert_all_say_the_same(completions, scenario)


def test_no_thread_is_left(answers: Answers) -> None:
    no_thread_left()
    assert len(answers) == len(WAYS) * len(ANSWERED)
