"""``untorn demo``: captures of our own making, read in pieces and shown with their verdicts."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from importlib.resources import files
from itertools import cycle

import click
from msgspec import Struct

from untorn.chat.completion import Completion
from untorn.cli import exit_codes
from untorn.cli.render import Row, verdict_rows
from untorn.cli.screen import Screen
from untorn.readable import amount
from untorn.stream import ChatStream

CAPTURES = {
    "text": "a plain answer, torn inside lines and characters",
    "tools": "two tool calls at once, their arguments in fragments",
    "reasoning": "reasoning first, and comments while the model thinks",
    "choices": "two choices at once, one stopped by a token limit",
    "error": "an error after half the answer, although the status was 200",
    "cut": "a tool call cut in half: closing its JSON would delete another folder",
}
"""Each capture in ``captures/``, and what it shows."""

READ_SIZES = (1, 2, 3, 5, 8, 13, 21, 34)

TOLD_ABOVE = {"finish", "usage", "model"}
"""Rows of a verdict that would only make a demo longer."""


class Shown(Struct, frozen=True):
    """One capture, read."""

    completion: Completion
    length: int
    reads: int
    events: Counter[str]
    """How many of each type, in the order in which the types came."""


@click.command(short_help="Show what is read from six small streams.")
def demo() -> int:
    """Read six small streams that come with untorn, in reads of 1 to 34 bytes, and show what
    was said and the verdict on each."""
    screen = Screen(sys.stdout)
    for name, title in CAPTURES.items():
        shown = _read(name)
        screen.line(f"{name}: {title}", "bold cyan")
        events = [kind if count == 1 else f"{count} {kind}" for kind, count in shown.events.items()]
        sizes = f"{amount(shown.length, 'byte')} in {amount(shown.reads, 'read')}"
        screen.line(f"{sizes}: {', '.join(events)}", "dim")
        screen.block(_rows(shown.completion))
        screen.line()
    screen.line("Your own: curl -sN ... | untorn parse")
    return exit_codes.COMPLETE


def _read(name: str) -> Shown:
    body = files("untorn.cli").joinpath("captures", f"{name}.sse").read_bytes()
    stream = ChatStream()
    reads = list(_pieces(body))
    events = [event for data in reads for event in stream.receive_data(data)]
    events += stream.receive_eof()
    kinds = Counter[str](event.type for event in events)
    return Shown(stream.completion, len(body), len(reads), kinds)


def _pieces(body: bytes) -> Iterator[bytes]:
    sizes = cycle(READ_SIZES)
    start = 0
    while start < len(body):
        end = start + next(sizes)
        yield body[start:end]
        start = end


def _rows(completion: Completion) -> list[Row]:
    outcome, *rows = verdict_rows(completion, hidden_choices=0)
    many = len(completion.choices) > 1
    texts = [
        Row(f"choice {choice.index}" if many else "text", line)
        for choice in completion.choices
        for line in (choice.message.content or "").splitlines()
    ]
    return [outcome, *texts, *(row for row in rows if row.label not in TOLD_ABOVE)]
