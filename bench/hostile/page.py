"""What hostile input cost, as a page."""

from __future__ import annotations

from collections.abc import Sequence

from bench.hostile.parts import BODY, EVENT
from bench.hostile.table import MB, SHORTER, STEEPEST, Row, cells
from bench.markdown import table
from bench.report import PAGE, where

PAGE_NAME = "docs/toughness.md"

TEXT = """\
# How tough it is

`make bench ARGS="--hostile --report"` writes this page.

{where}.

Each row is one body that is one bad idea (`bench/hostile/`), read in a process of its own in reads
of 64 KiB, if it says nothing else. Where it is made of events, it stands between the first words of
an answer and its end; then it is handed in as bytes (`receive_data`) and as payloads
(`receive_payload`), else as bytes and to `untorn.sse.EventStream`. What must hold of each:

- It ends by a limit, and says which, or in the right answer; what came before it is kept; there is
  one defect of each code at most.
- **Peak** is the memory of the whole process at its worst, Python's own 20 MB included. It is at
  most 64 MB, and twice the limit that applies: {event} MB more for one event, {body} MB for a whole
  body whose text is kept, nothing where nothing of it is worth keeping. To Python a text with one
  emoji takes four bytes a character; there it is four times as much.
- **Steeper**: how many times as much a byte costs as in a body of a quarter of the size. Linear is
  1, quadratic {shorter}; more than {steepest} is a fault. Empty where it took less than a tenth of
  a second.

{verdict}

{rows}
"""


def write(rows: list[Row]) -> None:
    """Write the page anew."""
    (PAGE.parent.parent / PAGE_NAME).write_text(page(rows), encoding="utf-8")
    print(f"\nwritten: {PAGE_NAME}")


def page(rows: list[Row]) -> str:
    """The page as Markdown."""
    broken = sum(bool(row.faults) for row in rows)
    return TEXT.format(
        where=where(),
        event=2 * EVENT // MB,
        body=2 * BODY // MB,
        shorter=SHORTER,
        steepest=STEEPEST,
        verdict=f"**{broken} of {len(rows)} are not as promised.**"
        if broken
        else f"All {len(rows)} are as promised.",
        rows=table(HEAD, map(_cells, rows)),
    )


HEAD = ("body", "door", "bytes", "ns a byte", "steeper", "peak, MB", "at most", "ends")


def _cells(row: Row) -> Sequence[str]:
    # Two names hold what Markdown would read as its own.
    return [cell.replace("[", "\\[").replace("|", "\\|") for cell in cells(row)]
