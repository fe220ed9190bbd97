"""For tests of your own client, whatever it is made of: a server that misbehaves as you wish.

    @pytest.mark.parametrize("fault", untorn.testing.faults())
    def test_a_torn_answer_is_never_taken_for_a_whole_one(stream_server, fault):
        with pytest.raises(MyError):
            my_client(base_url=stream_server.url(fault)).ask("How long is the bridge?")

``stream_server`` is a pytest fixture, there as soon as untorn is installed. It gives a running
``ReplayServer``; without pytest, make one: ``with ReplayServer() as server``. The ready streams
have names, and docs/network.md tells what each of them does. See docs/testing.md.
"""

from __future__ import annotations

from untorn.chat.verdict import Outcome
from untorn.replay.errors import NotInTime, ReplayError, UnknownScenario
from untorn.replay.log import Connection, Exchange, Log
from untorn.replay.reply import NEVER, Reply
from untorn.replay.requests import Request
from untorn.replay.routes import named_scenario
from untorn.replay.scenarios import SCENARIOS, Call, Expected, Scenario
from untorn.replay.schedule import Pace
from untorn.replay.server import ReplayServer

__all__ = [
    "NEVER",
    "Call",
    "Connection",
    "Exchange",
    "Expected",
    "Log",
    "NotInTime",
    "Pace",
    "ReplayError",
    "ReplayServer",
    "Reply",
    "Request",
    "Scenario",
    "UnknownScenario",
    "endless",
    "faults",
    "scenario",
    "whole",
]


def whole() -> list[str]:
    """The streams that hold a whole answer, however odd. A client should give all of it."""
    return _ending_by_themselves("complete")


def faults(*outcomes: Outcome) -> list[str]:
    """The streams that hold no whole answer. A client should not take them for one.

    Without ``outcomes`` they are the ``interrupted`` and the ``failed`` ones; there are
    ``truncated`` (a token limit stopped the answer) and ``filtered``, too.
    """
    return _ending_by_themselves(*(outcomes or ("interrupted", "failed")))


def endless() -> list[str]:
    """The streams that never end, by silence or by heartbeats. A client should give up at last;
    give it a short timeout."""
    return [name for name, scenario in SCENARIOS.items() if scenario.is_endless]


def scenario(name: str) -> Scenario:
    """What the server does for this name, and what a reader should say. Raises UnknownScenario."""
    return named_scenario(name)


def _ending_by_themselves(*outcomes: str) -> list[str]:
    return [
        name
        for name, scenario in SCENARIOS.items()
        if scenario.expected.outcome in outcomes and not scenario.is_endless
    ]
