"""The caller gets a whole answer or a clear error, and knows of every request."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from tests.clients.colours import WAYS, ask
from tests.clients.situations import HEADER, SAYS_OTHER, SITUATIONS, Situation, row
from untorn import StreamEnded, StreamInterrupted, TextDelta
from untorn.options import Clocks, Target
from untorn.testing import ReplayServer

PAGE = Path(__file__).parent.parent.parent / "docs" / "clients.md"

each_situation = pytest.mark.parametrize(
    "situation", [pytest.param(one, id=one.name) for one in SITUATIONS]
)


@pytest.mark.parametrize("way", WAYS)
@each_situation
def test_an_answer_is_whole_or_an_error(
    way: str, situation: Situation, stream_server: ReplayServer
) -> None:
    first, other = stream_server.url(*situation.first), stream_server.url(SAYS_OTHER)
    clocks = structs.replace(situation.clocks, after_end=5)
    (answer,) = ask(way, base_url=first, targets=[Target(base_url=other)], clocks=clocks)
    completion = answer.completion
    urls = {f"{first}/chat/completions": "first", f"{other}/chat/completions": "other"}
    asked = [urls[attempt.target] for attempt in completion.attempts]
    assert asked == list(situation.asked)
    assert len(stream_server.log.exchanges) == len(asked)
    assert completion.verdict.outcome == situation.outcome
    if situation.text is not None:
        assert completion.content == situation.text
    told = "".join(event.text for event in answer.events if isinstance(event, TextDelta))
    assert told == (completion.content or "")
    assert sum(isinstance(event, StreamEnded) for event in answer.events) == 1
    assert isinstance(answer.events[-1], StreamEnded)
    assert answer.events[-1].verdict == completion.verdict
    assert isinstance(answer.error, StreamInterrupted) == (situation.outcome == "interrupted")
    # No answer was begun but the one that the caller has.
    assert [attempt.said for attempt in completion.attempts[:-1]] == [False] * (len(asked) - 1)
    whole = situation.outcome == "complete"
    assert row(situation, asked, completion.verdict.outcome, whole) in PAGE.read_text("utf-8")


def test_the_page_shows_all_situations() -> None:
    rows = [row(one, one.asked, one.outcome, one.outcome == "complete") for one in SITUATIONS]
    assert HEADER + "\n".join(rows) + "\n" in PAGE.read_text("utf-8")


def test_clocks_of_the_page_are_those_of_the_code() -> None:
    page = PAGE.read_text("utf-8")
    for name in Clocks.__struct_fields__:
        assert f"`{name}`" in page
