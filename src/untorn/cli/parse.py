"""``untorn parse``: read streams from files or a pipe."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence

import click

from untorn.capture import CaptureError
from untorn.chat.verdict import Outcome
from untorn.cli import exit_codes
from untorn.cli.output import EventsOutput, Output, ReportOutput, TextOutput
from untorn.cli.screen import Screen
from untorn.cli.sources import STDIN, Interrupt, Source, follow
from untorn.readable import amount
from untorn.stream import ChatStream

NewOutput = Callable[[str | None], Output]
"""Makes the output for one file; the name is None where there is but one."""


@click.command(short_help="Read streams from files or a pipe.")
@click.argument("files", nargs=-1, metavar="[FILE...|-]")
@click.option(
    "--json", "report", is_flag=True, help="Print the report: what was said, and how whole it is."
)
@click.option(
    "--jsonl", "events", is_flag=True, help="Print each event as a line of JSON, as it comes."
)
@click.option(
    "--all-choices", is_flag=True, help="Print the text of all choices, not only of the first."
)
def parse(files: tuple[str, ...], report: bool, events: bool, all_choices: bool) -> int:
    """Read the stream in each FILE (without one, or with "-": standard input).

    A file holds one response: its body, as "curl -N" prints it; head and body, as "curl -i" does;
    a capture (.untorn); or a HAR, whose first stream is read. The text goes to standard output as
    it arrives, the verdict to standard error; the exit code says the outcome (see "untorn
    --help"), that of the worst file if there are several.

    With several files each text stands under its file's name, and each object of --json and
    --jsonl is one line whose first key is "file".

    \b
    Examples:
      curl -sN ... | untorn parse
      untorn parse --json answer.sse | jq .outcome
      untorn parse captures/*.sse > /dev/null
    """
    if report and events:
        raise click.UsageError("--json and --jsonl exclude each other")
    screen = Screen(sys.stderr)

    def new_output(name: str | None) -> Output:
        if report:
            return ReportOutput(name)
        if events:
            return EventsOutput(name)
        return TextOutput(screen, name, all_choices=all_choices)

    run = _Run(screen, new_output)
    code = run.read_all(files or (STDIN,))
    if len(files) > 1 and not report and not events:
        screen.line(run.summary())
    return code


class _Run:
    """One call of the command: file after file, and how they ended."""

    def __init__(self, screen: Screen, new_output: NewOutput) -> None:
        self._screen = screen
        self._new_output = new_output
        self._outcomes: list[Outcome] = []
        self._unreadable = 0

    def read_all(self, files: Sequence[str]) -> int:
        """Read them all; the exit code."""
        # Where the texts flow to the terminal, nothing else needs to show that it goes on.
        quiet = len(files) == 1 or sys.stdout.isatty()
        with Interrupt() as interrupt, self._screen.progress(files, quiet=quiet) as names:
            for name in names:
                self._read(name, interrupt, self._new_output(name if len(files) > 1 else None))
                if interrupt.pressed:
                    return exit_codes.CANCELLED
        return exit_codes.USAGE if self._unreadable else exit_codes.worst(self._outcomes)

    def summary(self) -> str:
        """How many files ended how; the worst first."""
        counts = Counter(self._outcomes)
        said = [f"{counts[o]} {o}" for o in exit_codes.BY_OUTCOME if counts[o]]
        said += [f"{self._unreadable} unreadable"] if self._unreadable else []
        return f"{amount(counts.total() + self._unreadable, 'file')}: {', '.join(said)}"

    def _read(self, name: str, interrupt: Interrupt, output: Output) -> None:
        stream = ChatStream()
        try:
            source = Source(name)
        except OSError as exc:
            self._unreadable += 1
            self._screen.line(f"untorn: cannot read {name}: {exc.strerror}", "red")
            return
        with source:
            if source.is_terminal and self._screen.is_terminal:
                self._screen.line(
                    "reading from the terminal: paste a stream, end with Ctrl-D", "dim"
                )
            error = self._follow(source, stream, interrupt, output)
        if error is not None:
            self._unreadable += 1
            self._screen.line(f"untorn: cannot read {name}: {error.where}", "red")

    def _follow(
        self, source: Source, stream: ChatStream, interrupt: Interrupt, output: Output
    ) -> CaptureError | None:
        """Print a stream. What is wrong with the file, if it is a damaged capture."""
        came, error = False, None
        try:
            for events in follow(source, stream, interrupt):
                output.events(events)
                came = True
        except CaptureError as exc:
            error = exc
        if came or error is None:
            output.end(stream.completion)
            self._outcomes.append(stream.completion.verdict.outcome)
        return error
