"""The rows of the table say of their streams what untorn says."""

from __future__ import annotations

import re

import pytest

import untorn
from frameworks.own_rows import OWN_ROWS
from frameworks.page import PAGE
from frameworks.rows import all_rows
from untorn.replay.scenario import Scenario
from untorn.replay.scenarios import SCENARIOS

ROWS = all_rows()


@pytest.mark.parametrize("own", OWN_ROWS, ids=[own.name for own in OWN_ROWS])
def test_a_row_expects_what_untorn_says(own: Scenario) -> None:
    completion = untorn.parse(own.reply.body)
    expected = own.expected
    assert completion.verdict.outcome == expected.outcome
    assert completion.verdict.ending == expected.ending
    assert (completion.content or "") == expected.text
    calls = [(call.name, call.arguments, call.state) for call in completion.tool_calls]
    assert calls == [(call.name, call.arguments, call.state) for call in expected.calls]


def test_every_call_that_may_be_run_is_one_that_untorn_calls_whole() -> None:
    for row in ROWS.values():
        if row.name in SCENARIOS or not row.calls:
            continue
        calls = untorn.parse(row.reply.body).tool_calls
        assert [call.is_whole for call in row.calls] == [call.state == "whole" for call in calls]


def test_no_row_is_for_ever() -> None:
    for row in ROWS.values():
        assert not row.reply.repeat
        assert row.reply.pause < 10


def test_the_page_is_about_these_rows() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert set(re.findall(r"`([a-z0-9-]+)`", page)) >= ROWS.keys()
