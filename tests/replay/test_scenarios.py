"""The table: what is promised for each scenario is what the core says of it."""

from __future__ import annotations

import re
import runpy
import zlib
from itertools import chain, islice, repeat
from pathlib import Path
from typing import Literal

import pytest

from untorn import ChatStream, Completion
from untorn.options import MIB
from untorn.replay import faults
from untorn.replay.reply import NEVER, Reply
from untorn.replay.scenarios import SCENARIOS, SECTIONS, Scenario

DOCS = Path(__file__).parent.parent.parent / "docs"
DATES = {
    "Date": "Mon, 02 Mar 2026 10:00:00 GMT",
    2.0: "Mon, 02 Mar 2026 10:00:02 GMT",
    30.0: "Mon, 02 Mar 2026 10:00:30 GMT",
}

each_scenario = pytest.mark.parametrize(
    "scenario", [pytest.param(scenario, id=name) for name, scenario in SCENARIOS.items()]
)


def heard(reply: Reply) -> tuple[bytes, Literal["cut", "stalled"] | None]:
    """What a faultless HTTP library hands on of a reply, and how the body then stops."""
    again = chain.from_iterable(repeat(reply.repeat)) if reply.repeat else ()
    body = faults.body([*reply.reads, *islice(again, 20)])
    promised = len(body)
    if reply.framing == "content-length" and reply.content_length is not None:
        promised = reply.content_length
        body = body[:promised]
    if reply.stray:  # the size of a piece, and some of it
        body += reply.stray.partition(b"\r\n")[2].rstrip(b"\r\n")
    if dict(reply.headers).get("Content-Encoding") == "gzip":
        body = zlib.decompressobj(wbits=31).decompress(body)
    if reply.repeat or NEVER in (reply.wait, reply.pause):
        return body, "stalled"
    is_broken = reply.framing == "chunked" or promised > len(body)
    if reply.end == "reset" or (reply.end == "fin" and is_broken):
        return body, "cut"
    return body, None


def completion_of(scenario: Scenario) -> Completion:
    stream = ChatStream(scenario.options)
    reply = scenario.reply
    if scenario.answered:
        headers = dict(reply.headers)
        if reply.retry_at is not None:
            headers |= {"Date": DATES["Date"], "Retry-After": DATES[reply.retry_at]}
        stream.receive_head(reply.status, headers)
    body, failure = heard(reply)
    if scenario.answered and body:
        stream.receive_data(body)
    if failure is None:
        stream.receive_eof()
    else:
        stream.receive_failure(failure, scenario.expected.reason or "")
    return stream.completion


# How much a body may grow when it is decompressed is not for the core: it sees no compressed bytes.
@pytest.mark.parametrize(
    "scenario",
    [pytest.param(one, id=name) for name, one in SCENARIOS.items() if name != "gzip-bomb"],
)
def test_the_core_says_what_the_table_says(scenario: Scenario) -> None:
    expected = scenario.expected
    completion = completion_of(scenario)
    verdict = completion.verdict
    assert (verdict.outcome, verdict.ending) == (expected.outcome, expected.ending)
    assert completion.content == expected.text
    calls = [(call.name, call.arguments, call.state) for call in completion.tool_calls]
    assert calls == [(call.name, call.arguments, call.state) for call in expected.calls]
    assert {defect.code for defect in verdict.defects} == expected.defects
    assert (completion.head and completion.head.retry_after) == expected.retry_after
    assert matches(expected.reason, verdict.reason)
    assert matches(expected.error, None if verdict.error is None else str(verdict.error))


def matches(pattern: str | None, text: str | None) -> bool:
    if pattern is None or text is None:
        return pattern is text
    return re.search(pattern, text) is not None


def test_there_are_sixty_and_no_name_twice() -> None:
    assert len(SCENARIOS) == sum(map(len, SECTIONS.values())) >= 60


@each_scenario
def test_a_name_fits_into_a_path(scenario: Scenario) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", scenario.name)


@each_scenario
def test_a_clock_is_named_where_neither_the_server_nor_a_limit_ends_it(scenario: Scenario) -> None:
    is_limited = scenario.expected.ending == "limit"
    assert scenario.is_endless == (
        scenario.clock is not None or (is_limited and scenario.name == "endless-line")
    )


@each_scenario
def test_only_a_broken_end_has_a_moment_before_it(scenario: Scenario) -> None:
    # Else every clean scenario would cost it.
    assert (0 < scenario.reply.pause < NEVER) == (scenario.reply.end != "whole")


def test_the_bomb_is_small_and_becomes_large() -> None:
    body = SCENARIOS["gzip-bomb"].reply.body
    assert len(body) < 8192
    assert len(zlib.decompress(body, wbits=31)) > 4 * MIB


def test_every_kind_of_end_is_in_the_table() -> None:
    endings = {scenario.expected.ending for scenario in SCENARIOS.values()}
    assert endings == {"done", "eof", "torn", "cut", "stalled", "limit", "document"}
    outcomes = {scenario.expected.outcome for scenario in SCENARIOS.values()}
    assert outcomes == {"complete", "truncated", "filtered", "interrupted", "failed"}
    statuses = {scenario.reply.status for scenario in SCENARIOS.values()}
    assert statuses == {200, 400, 401, 404, 408, 409, 425, 429, 500, 502, 503, 504}


def test_the_page_about_the_network_is_up_to_date() -> None:
    page = runpy.run_path(str(DOCS / "network.py"))["page"]()
    assert (DOCS / "network.md").read_text(encoding="utf-8") == page, "run python docs/network.py"
