"""The rows of the table: hard streams, and what a client should make of them."""

from __future__ import annotations

import json
from functools import cache

from msgspec import Struct, structs

from frameworks.own_rows import OWN_ROWS
from tests.chat_helpers import CORPUS, Case, corpus
from untorn.capture import Read
from untorn.chat.verdict import Outcome
from untorn.options import Options
from untorn.replay.reply import Reply
from untorn.replay.scenario import Clock
from untorn.replay.scenarios import SCENARIOS, Scenario

PATIENCE = 9.0
"""Seconds after which the server ends what would never end: who is still there then, hangs."""
MOST = 32
"""How often is sent what would come without end and without a pause."""


class Call(Struct, frozen=True):
    """A tool call of choice 0."""

    name: str
    arguments: str
    is_whole: bool
    """Whether it may be run."""


class Row(Struct, frozen=True):
    """One stream."""

    name: str
    about: str
    """What the server does, for people."""
    reply: Reply
    outcome: Outcome
    """What untorn says of the answer."""
    text: str
    """The content of choice 0."""
    calls: tuple[Call, ...]
    usage: tuple[int | None, int | None] | None
    """The counts of the prompt and of the completion; None: not known here."""
    choices: int
    """How many the request asks for."""
    clock: Clock | None
    """The clock of the drop-in that ends it: the server never would."""
    options: Options
    """What the drop-in has to read it with."""

    refuses: bool
    """Whether the model refuses to answer."""

    @property
    def is_stopped(self) -> bool:
        """Whether a limit, a filter or the model itself has stopped the answer."""
        return self.refuses or self.outcome in ("truncated", "filtered")

    @property
    def is_right(self) -> bool:
        """Whether a client should give the answer; if not, it should raise."""
        is_whole = self.outcome in ("complete", "truncated", "filtered")
        return is_whole and (
            self.outcome != "complete" or all(call.is_whole for call in self.calls)
        )

    @property
    def whole_calls(self) -> tuple[Call, ...]:
        return tuple(call for call in self.calls if call.is_whole)


@cache
def all_rows() -> dict[str, Row]:
    """Every scenario that has an answer to a streamed request, and every case of the corpus."""
    rows = [
        *(_of_scenario(scenario) for scenario in SCENARIOS.values() if scenario.answered),
        *map(_of_scenario, OWN_ROWS),
        *map(_of_case, corpus()),
    ]
    return {row.name: row for row in rows}


def _of_scenario(scenario: Scenario) -> Row:
    expected = scenario.expected
    return Row(
        name=scenario.name,
        about=scenario.about,
        reply=_ending_at_last(scenario.reply),
        outcome=expected.outcome,
        text=expected.text or "",
        calls=tuple(
            Call(call.name or "", call.arguments, call.state == "whole") for call in expected.calls
        ),
        usage=None,
        choices=2 if scenario.name.startswith("choice") else 1,
        clock=scenario.clock,
        options=scenario.options,
        refuses=False,
    )


def _ending_at_last(reply: Reply) -> Reply:
    """A reply that ends, however long after."""
    if reply.repeat:
        interval = sum(read.interval for read in reply.repeat)
        times = int(PATIENCE / interval) if interval else MOST
        reads = (*reply.reads, *tuple(reply.repeat) * times)
        return structs.replace(reply, reads=reads, repeat=(), end="reset")
    if reply.pause > PATIENCE:
        return structs.replace(reply, pause=PATIENCE, end="reset")
    return reply


def _of_case(case: Case) -> Row:
    expect = case.expect
    outcome: Outcome = expect["outcome"]
    choices = {choice["index"]: choice for choice in expect["choices"]}
    first = choices.get(0, {})
    usage = expect["usage"]
    headers = (("Content-Type", case.content_type),) if case.content_type else ()
    return Row(
        name=case.name,
        about=json.loads((CORPUS / "quirks" / f"{case.name}.json").read_text("utf-8"))["title"],
        reply=Reply(status=case.status, headers=headers, reads=(Read(0.0, case.body),)),
        outcome=outcome,
        text=first.get("content") or "",
        calls=tuple(
            Call(
                call["name"] or "",
                call["arguments"],
                _is_whole(call["arguments"], outcome, case.name),
            )
            for call in first.get("tool_calls", ())
        ),
        usage=usage and (usage["prompt_tokens"], usage["completion_tokens"]),
        choices=max(1, len(choices)),
        clock=None,
        options=Options(),
        refuses=bool(first.get("refusal")),
    )


def _is_whole(arguments: str, outcome: Outcome, name: str) -> bool:
    """Whether a call may be run: design, "Tool calls"."""
    if outcome == "complete" and (not arguments or "custom" in name):
        return True
    try:
        value = json.loads(arguments)
    except ValueError:
        return False
    return outcome == "complete" or (outcome == "truncated" and isinstance(value, dict))
