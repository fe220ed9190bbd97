"""Cells → docs/frameworks.md."""

from __future__ import annotations

import platform
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple, get_args

from bench.environments import ROOT
from bench.markdown import table
from frameworks.cells import AFTER_A_CALL, Word
from frameworks.environments import HERE, Environment
from frameworks.rows import PATIENCE, Row, all_rows
from frameworks.seen import TIMEOUT

PAGE = ROOT / "docs" / "frameworks.md"
WORDS: tuple[Word, ...] = get_args(Word)
GOOD = ("right", "raises")
MOST_TOLD = 90
"""Characters of an exception that are told."""

TEXT = """\
# Hard streams under other people's code

`make frameworks` writes this page. {rows} streams were played by a real server to programs on the
openai SDK, each written as the library's own pages show it, bare and with
`untorn.clients.openai` underneath ([drop-in.md](drop-in.md)). {day}, Python {python}:
{versions}.

| word | what became of the stream |
| --- | --- |
| right | the text and the calls are what was meant; a limit or a filter may be told by the \
library's own exception for that |
| raises | one of the exceptions that the library says it raises |
| asks again | an agent found arguments that are not valid, and asked the model for better ones |
| loses | no exception, but text or calls are missing or wrong |
| crashes | an exception of another kind, such as an `AttributeError`, or the HTTP library's own |
| hangs | it waited as long as the server did, {patience:g} seconds; a bare one was told to wait \
{timeout:g} for a byte |
| **LIES** | no exception, and an answer that is torn or failed was taken for a whole one |
| **RUNS** | a call that is torn or not the one that was meant was run, or given out to be run |

"raw" adds up the fragments of a call as OpenAI's guide to function calling shows it. Retries are
off. Where a tool was run, the next request was answered by `{after}`. What "raw" gives
at the end of a loop is taken for whole, and so is what the others give without an exception: none
of their pages asks for more. A cell holds what became of it bare, and with the drop-in; two words
with a stroke are those of the synchronous and the asynchronous way, where they differ.

## In short

Of each library all streams, in both ways where it has both.

{totals}

## With the drop-in

{ours}

{tables}

## The others

Each of these is right, or raises as it should, in every library with and without the drop-in:
{others}.
"""

HEADINGS = {
    "complete": "Whole answers",
    "truncated": "Stopped by a limit or a filter",
    "filtered": "Stopped by a limit or a filter",
    "interrupted": "Torn answers: a client should raise",
    "failed": "Errors: a client should raise",
}


class Measured(NamedTuple):
    """The cells of one environment."""

    environment: Environment
    openai: str
    """The version of the SDK in it."""
    cells: list[dict[str, Any]]


Key = tuple[str, str, bool]
"""Library, row, and whether the drop-in was there."""


def page(measured: Sequence[Measured]) -> str:
    """The page."""
    rows = all_rows()
    cells: dict[Key, list[Word]] = {}
    for one in measured:
        cells |= _by_key(one)
    libraries = list(dict.fromkeys(library for library, _, _ in cells))
    shown = [row for row in rows.values() if _is_hard(row, cells, libraries)]
    columns = [library for library in libraries if not _is_older(library)]
    return TEXT.format(
        rows=len(rows),
        day=datetime.now(UTC).date(),
        python=platform.python_version(),
        versions=", ".join(_versions(measured)),
        patience=PATIENCE,
        timeout=TIMEOUT,
        after=AFTER_A_CALL,
        totals=_totals(libraries, cells),
        ours=_exceptions_of_ours(measured, rows),
        tables="\n\n".join(_tables(shown, columns, cells)),
        others=", ".join(f"`{name}`" for name, row in rows.items() if row not in shown),
    )


def _is_older(library: str) -> bool:
    return library.startswith("openai 2")


def _by_key(one: Measured) -> dict[Key, list[Word]]:
    found: dict[Key, list[Word]] = {}
    for cell in one.cells:
        key = (_name(one, cell["library"]), cell["row"], cell["with_ours"])
        found.setdefault(key, []).append(cell["word"])
    return found


def _name(one: Measured, library: str) -> str:
    if library.startswith("openai ") and one.openai.startswith("2."):
        return library.replace("openai ", "openai 2 ")
    return library


def _versions(measured: Sequence[Measured]) -> Iterable[str]:
    for one in measured:
        for line in (HERE / f"{one.environment.name}.txt").read_text("utf-8").splitlines():
            if not line.startswith("#"):
                yield re.sub(r"(\[.*])?==", " ", line)


def _is_hard(row: Row, cells: Mapping[Key, list[Word]], libraries: Iterable[str]) -> bool:
    """Whether some library, or the drop-in in one, does not do what it should."""
    should = "right" if row.is_right else "raises"
    return any(
        word != should
        for library in libraries
        for with_ours in (False, True)
        for word in cells.get((library, row.name, with_ours), ())
    )


# Tables ------------------------------------------------------------------------------------------


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return table(head, rows, words=len(head))


def _totals(libraries: Iterable[str], cells: Mapping[Key, list[Word]]) -> str:
    lines = []
    for library in libraries:
        for with_ours in (False, True):
            count = Counter(
                word
                for (of, _, ours), words in cells.items()
                if (of, ours) == (library, with_ours)
                for word in words
            )
            who = f"{library}, with the drop-in" if with_ours else library
            lines.append([who, *(str(count[word] or "") for word in WORDS)])
    return _table(["", *WORDS], lines)


def _tables(
    rows: Iterable[Row], libraries: Sequence[str], cells: Mapping[Key, list[Word]]
) -> Iterable[str]:
    by_heading = sorted(rows, key=lambda row: list(HEADINGS).index(row.outcome))
    for heading, group in groupby(by_heading, key=lambda row: HEADINGS[row.outcome]):
        lines = [
            [
                f"`{row.name}`: {_plain(row.about)}",
                *(_cell(cells, library, row) for library in libraries),
            ]
            for row in group
        ]
        yield f"## {heading}\n\n{_table(['the server', *libraries], lines)}"


def _cell(cells: Mapping[Key, list[Word]], library: str, row: Row) -> str:
    bare, ours = (cells.get((library, row.name, with_ours), []) for with_ours in (False, True))
    return f"{_words(bare)} → {_words(ours)}" if bare else ""


def _words(words: Iterable[Word]) -> str:
    return " / ".join(f"**{word}**" if word.isupper() else word for word in dict.fromkeys(words))


def _exceptions_of_ours(measured: Sequence[Measured], rows: Mapping[str, Row]) -> str:
    """Where the drop-in does not give a whole answer, or something else than an exception."""
    found: dict[tuple[str, Word], dict[str, str]] = {}
    for one in measured:
        for cell in one.cells:
            row, word = rows[cell["row"]], cell["word"]
            if cell["with_ours"] and word != ("right" if row.is_right else "raises"):
                said = found.setdefault((row.name, word), {})
                said.setdefault(_name(one, cell["library"]), cell["error"])
    if not found:
        return "Every whole answer is given, and every other raises."
    lines = [[f"`{name}`", word, _said(said)] for (name, word), said in sorted(found.items())]
    return f"Not as it should be, and what was said:\n\n{_table(['', '', ''], lines)}"


def _said(said: Mapping[str, str | None]) -> str:
    by_error: dict[str, list[str]] = {}
    for library, error in said.items():
        by_error.setdefault(_plain(error or "")[:MOST_TOLD], []).append(library)
    return "; ".join(
        f"{', '.join(libraries)}{error and f': {error}'}" for error, libraries in by_error.items()
    )


def _plain(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ").replace("*", "\\*").replace("<", "\\<")


def write(text: str) -> Path:
    """Write the page."""
    PAGE.write_text(text, encoding="utf-8")
    return PAGE
