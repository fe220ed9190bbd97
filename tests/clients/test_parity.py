"""Every scenario with every client: what it says of it, over real sockets, and asked only once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from tests import parity
from tests.clients.colours import MESSAGES, WAYS
from tests.http_clients import TIMEOUT, no_thread_left
from tests.parity import answers_of, assert_all_say_the_same, assert_said_as_expected
from untorn import Completion, UntornError
from untorn.clients import AsyncClient, Client
from untorn.replay import ReplayServer
from untorn.replay.scenarios import SCENARIOS, Scenario


class Answer(NamedTuple):
    """What a client made of one cell."""

    texts: list[str]
    completion: Completion
    raised: str | None
    """The class of the exception, as by default."""


class Cell(parity.Cell, frozen=True):
    """Asks with a client."""

    @property
    def choices(self) -> dict[str, Any]:
        return {
            "base_url": self.url,
            "backend": self.library,
            "options": self.scenario.options,
            "clocks": self.clocks,
            "max_retries": 0,
        }

    def read(self, server: ReplayServer) -> Answer:
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

    async def aread(self, server: ReplayServer) -> Answer:
        texts: list[str] = []
        raised: str | None = None
        async with AsyncClient(**self.choices) as client:
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


Answers = dict[tuple[str, str], Answer]
"""By way and name of scenario."""


@pytest.fixture(scope="module")
def server() -> Iterator[ReplayServer]:
    with ReplayServer() as running:
        yield running


@pytest.fixture(scope="module")
def answers(server: ReplayServer) -> Answers:
    cells = [Cell(way, one, server.url(one)) for way in WAYS for one in SCENARIOS.values()]
    return answers_of(cells, server)


each_scenario = pytest.mark.parametrize(
    "scenario", [pytest.param(one, id=one.name) for one in SCENARIOS.values()]
)

RAISED = {"interrupted": "StreamInterrupted", "failed": "StreamFailed"}


@pytest.mark.parametrize("way", WAYS)
@each_scenario
def test_a_client_says_what_happened(way: str, scenario: Scenario, answers: Answers) -> None:
    texts, completion, raised = answers[way, scenario.name]
    assert_said_as_expected(completion, texts, scenario)
    assert raised == RAISED.get(scenario.expected.outcome)
    verdict = completion.verdict
    (attempt,) = completion.attempts
    assert (attempt.outcome, attempt.ending) == (verdict.outcome, verdict.ending)
    assert attempt.status == (completion.head and completion.head.status)


@each_scenario
def test_all_clients_in_both_colours_say_the_same(scenario: Scenario, answers: Answers) -> None:
    completions = [answers[way, scenario.name].completion for way in WAYS]
    assert_all_say_the_same(completions, scenario)


def test_no_thread_and_no_connection_is_left(answers: Answers, server: ReplayServer) -> None:
    no_thread_left()
    assert server.log.open == []
    assert len(answers) == len(WAYS) * len(SCENARIOS)
