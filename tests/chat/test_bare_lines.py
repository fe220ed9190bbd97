"""Lines without ``data:``: what they are is told apart by what follows (rules 3 and 6)."""

from __future__ import annotations

from typing import Any

import pytest

from untorn.chat.bare_lines import BareLines
from untorn.chat.payload import Note

CHUNK = {"choices": [{"index": 0, "delta": {"content": "a"}}]}
COMPLETION = {
    "object": "chat.completion",
    "choices": [{"index": 0, "message": {"content": "a"}}],
}
MESSAGE = {"choices": [{"index": 0, "message": {"content": "a"}}]}
ERROR = {"error": {"message": "m"}}


def bare(
    first: Any, count: int = 1, *, is_one_line: bool = True, have_company: bool = False
) -> BareLines:
    """So many bare lines, at places 3, 4, ..., of which the first has this value."""
    lines = BareLines()
    for place in range(3, 3 + count):
        lines.add(place)
    lines.first = first
    lines.is_one_line = is_one_line
    lines.have_company = have_company
    return lines


def codes(notes: list[Note]) -> list[str]:
    return [note.code for note in notes]


def test_first_place_and_count_are_kept() -> None:
    lines = bare(CHUNK, 3)
    assert (lines.place, lines.count) == (3, 3)


def test_line_is_one_without_company_unless_it_is_said_otherwise() -> None:
    lines = BareLines()
    lines.add(3)
    lines.first = CHUNK
    assert codes(lines.alone(failed=False)) == ["ndjson-framing"]


# With SSE around them ------------------------------------------------------------------------


def test_bare_lines_of_a_stream_lack_their_prefix() -> None:
    assert bare(CHUNK, 2).in_a_stream() == [
        Note("missing-data-prefix", "a JSON line stands without data:", 3, 2)
    ]


def test_without_bare_lines_there_is_nothing_to_say() -> None:
    assert BareLines().in_a_stream() == []


@pytest.mark.parametrize(
    ("first", "code"), [(COMPLETION, "completion-in-stream"), (MESSAGE, "message-for-delta")]
)
def test_messages_in_the_first_of_several_lines_are_odd_after_all(first: Any, code: str) -> None:
    # It was read as if it were a document, for which messages are usual.
    note = Note(code, "a bare line holds messages", 3)
    assert bare(first, 2).in_a_stream()[1:] == [note]
    assert bare(first, 2).alone(failed=False)[1:] == [note]


# Alone ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", [CHUNK, ERROR, [CHUNK], None])
def test_several_bare_lines_are_ndjson(first: Any) -> None:
    lines = bare(first, 2)
    assert lines.alone(failed=False) == [
        Note("ndjson-framing", "the chunks came one JSON a line, without SSE", 3, 2)
    ]
    assert not lines.is_document


def test_single_bare_chunk_is_ndjson_too() -> None:
    lines = bare(CHUNK)
    assert codes(lines.alone(failed=False)) == ["ndjson-framing"]
    assert not lines.is_document


@pytest.mark.parametrize("first", [COMPLETION, MESSAGE, ERROR, {}, [], [1], [ERROR]])
def test_any_other_value_that_is_alone_is_a_document(first: Any) -> None:
    lines = bare(first)
    assert lines.alone(failed=False) == [Note("not-streamed", "the body is one JSON document", 3)]
    assert lines.is_document


def test_chunk_of_several_lines_is_a_document() -> None:
    lines = bare(CHUNK, is_one_line=False)
    assert codes(lines.alone(failed=False)) == ["not-streamed"]
    assert lines.is_document


@pytest.mark.parametrize("first", [[CHUNK], [1, CHUNK], [COMPLETION]])
def test_array_that_holds_a_chunk_is_told_apart(first: Any) -> None:
    lines = bare(first)
    note = Note("json-array-body", "the body is one array of chunks", 3)
    assert lines.alone(failed=False) == [note]
    assert lines.alone(failed=True) == [note]
    assert lines.is_document


def test_document_is_what_an_error_status_comes_with() -> None:
    lines = bare(ERROR)
    assert lines.alone(failed=True) == []
    assert lines.is_document


@pytest.mark.parametrize("count", [1, 2])
def test_bare_lines_with_lines_of_another_kind_are_no_ndjson(count: int) -> None:
    lines = bare(COMPLETION, count, have_company=True)
    assert codes(lines.alone(failed=False)) == ["missing-data-prefix", "completion-in-stream"]
    assert not lines.is_document


def test_value_that_is_no_container_is_no_document() -> None:
    assert not bare(None).is_document
    assert not BareLines().is_document
