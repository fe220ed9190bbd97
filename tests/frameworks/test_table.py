"""All hard streams, in all libraries, with the drop-in underneath."""

from __future__ import annotations

from collections.abc import Iterator

import openai
import pytest

from frameworks.cells import Cell, cells_of
from frameworks.rows import Row, all_rows
from frameworks.seen import Way
from frameworks.ways import agents_sdk, langchain, openai_sdk, pydantic
from tests.http_clients import no_thread_left
from untorn import IncompleteAnswer, UntornError
from untorn.errors import NotWhole
from untorn.replay.server import ReplayServer

WAYS = [*openai_sdk.WAYS, *langchain.WAYS, *pydantic.WAYS, *agents_sdk.WAYS]
ROWS = all_rows()

NO_AUDIO = "openai-agents: Audio is not currently supported"
NO_ID = "openai-agents: a call needs an id"
SAME_ID = "calls need ids of their own"
NO_CUSTOM = "no custom tool was offered, so the drop-in raises"
NO_TEXT = "openai-agents: an answer that a limit has stopped needs some text"

OWN_LIMITS = {
    ("openai-agents", "chunk-audio-deltas"): NO_AUDIO,
    ("openai-agents", "chunk-audio-without-finish-reason"): NO_AUDIO,
    ("openai-agents", "end-length-inside-tool-arguments"): NO_TEXT,
    ("openai-agents", "tool-id-never-sent"): NO_ID,
    ("openai-agents", "tool-legacy-function-call"): NO_ID,
    ("openai-agents", "tool-id-shared-by-two-calls"): SAME_ID,
    ("pydantic-ai", "tool-id-shared-by-two-calls"): SAME_ID,
    **{(way.library, "tool-custom-call"): NO_CUSTOM for way in WAYS},
}
"""Whole answers for which a library raises, whatever the bytes."""

PAIRS = [(way, row) for way in WAYS for row in ROWS.values() if way.has_choices or row.choices == 1]


def pairs(*, right: bool) -> list[object]:
    """The cells of one kind, as parameters."""
    return [
        pytest.param(way, row, id=f"{way.name}-{row.name}")
        for way, row in PAIRS
        if row.is_right is right
    ]


Cells = dict[tuple[str, str], Cell]


@pytest.fixture(scope="module")
def cells() -> Iterator[Cells]:
    with ReplayServer() as server:
        found = cells_of(WAYS, ROWS.values(), server, with_ours=True)
        server.wait_closed()
    yield {(cell.way.name, cell.row.name): cell for cell in found}
    no_thread_left()


@pytest.mark.parametrize(("way", "row"), pairs(right=True))
def test_a_whole_answer_is_given(way: Way, row: Row, cells: Cells) -> None:
    cell, key = cells[way.name, row.name], (way.library, row.name)
    if key in OWN_LIMITS:
        assert cell.word == "raises"
    else:
        assert cell.word == "right", (cell.error, cell.seen)


@pytest.mark.parametrize(("way", "row"), pairs(right=False))
def test_any_other_answer_raises(way: Way, row: Row, cells: Cells) -> None:
    cell = cells[way.name, row.name]
    assert not cell.seen.ran
    assert cell.word == "raises", (cell.error, cell.seen)


each_raw = pytest.mark.parametrize(
    "way", [pytest.param(way, id=way.name) for way in WAYS if way.library == "openai raw"]
)


@each_raw
@pytest.mark.parametrize("name", [row.name for row in ROWS.values() if not row.is_right])
def test_an_exception_says_what_is_missing_and_has_what_came(
    way: Way, name: str, cells: Cells
) -> None:
    row, error = ROWS[name], cells[way.name, name].error
    assert isinstance(error, openai.APIError)
    assert str(error)
    if row.outcome == "failed":
        return  # it is the server's, or the SDK's for the status
    assert isinstance(error, openai.APIConnectionError)
    assert isinstance(error.__cause__, UntornError)
    if isinstance(error.__cause__, IncompleteAnswer):
        content = error.__cause__.completion.content or ""
        assert row.text.startswith(content)
        assert cells[way.name, name].seen.text == content
    else:
        assert isinstance(error.__cause__, NotWhole)


@each_raw
@pytest.mark.parametrize("name", [row.name for row in ROWS.values() if row.usage and row.is_right])
def test_usage_is_the_last_one(way: Way, name: str, cells: Cells) -> None:
    assert cells[way.name, name].seen.usage == ROWS[name].usage


def test_every_limit_named_is_one_of_a_cell() -> None:
    assert OWN_LIMITS.keys() <= {(way.library, row.name) for way, row in PAIRS}
