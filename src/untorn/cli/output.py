"""The three ways to print a stream: its text, its report, its events. Data goes to stdout."""

from __future__ import annotations

import os
import sys
from io import StringIO
from typing import Any, Protocol

from untorn.chat.completion import Completion
from untorn.cli.json_text import json_text, plain
from untorn.cli.render import safe, safe_line, verdict_rows
from untorn.cli.screen import Screen
from untorn.events import Revised, StreamEvent, TextDelta


class Output(Protocol):
    """Prints one stream."""

    def events(self, events: list[StreamEvent]) -> None:
        """Print what a read brought."""

    def end(self, completion: Completion) -> None:
        """Print what is left to say."""


class TextOutput:
    """The text of choice 0 as it arrives, then the verdict on the screen.

    Where choice 0 never came it is the lowest one's text, at the end; with ``all_choices`` the
    others follow there too. A heading stands above each text where there may be several. Off a
    terminal a text goes out as it is.
    """

    def __init__(self, screen: Screen, name: str | None, *, all_choices: bool) -> None:
        self._screen = screen
        self._name = name
        self._all_choices = all_choices
        self._headings = all_choices or name is not None
        self._terminal = sys.stdout.isatty()
        # On one terminal, or by "2>&1": then the verdict begins on a line of its own.
        self._shared = os.path.sameopenfile(sys.stdout.fileno(), sys.stderr.fileno())
        self._said = StringIO()  # the text begun last; a list of small strings would cost more

    def events(self, events: list[StreamEvent]) -> None:
        for event in events:
            match event:
                case TextDelta(choice=0):
                    self._write(0, event.text)
                case Revised(choice=0, field="content", value=str(value)):
                    self._revise(value)
        sys.stdout.flush()

    def end(self, completion: Completion) -> None:
        choices = completion.choices
        for choice in choices if self._all_choices else choices[:1]:
            if choice.index and choice.message.content:
                self._end_text()
                self._write(choice.index, choice.message.content)
        wrote = self._said.tell() > 0
        self._end_text()
        sys.stdout.flush()
        hidden = [] if self._all_choices else [c for c in choices[1:] if c.message.content]
        if wrote and self._terminal and self._shared:
            self._screen.line()
        self._screen.block(verdict_rows(completion, hidden_choices=len(hidden)), self._name)

    def _write(self, choice: int, text: str) -> None:
        if not text:
            return
        if self._headings and not self._said.tell():
            names = [] if self._name is None else [safe_line(self._name)]
            names += [f"choice {choice}"] if self._all_choices else []
            sys.stdout.write(f"==> {', '.join(names)} <==\n")
        self._said.write(text)
        sys.stdout.write(safe(text) if self._terminal else text)

    def _revise(self, text: str) -> None:
        said = self._said.getvalue()
        if text.startswith(said):
            return self._write(0, text[len(said) :])
        self._end_text(always=True)
        sys.stdout.flush()
        self._screen.line("the text above was wrong; the whole of it, corrected:", "yellow")
        self._write(0, text)

    def _end_text(self, *, always: bool = False) -> None:
        """End the last line where something follows it; the next text begins anew."""
        followed = always or self._terminal or self._headings or self._shared
        said = self._said.getvalue()
        if followed and said and not said.endswith("\n"):
            sys.stdout.write("\n")
        self._said = StringIO()


class ReportOutput:
    """The report, as JSON: for people on a terminal, else one line."""

    def __init__(self, name: str | None) -> None:
        self._name = name

    def events(self, events: list[StreamEvent]) -> None:
        """The report has it all."""

    def end(self, completion: Completion) -> None:
        pretty = self._name is None and sys.stdout.isatty()
        report = plain(completion.to_dict())
        print(json_text(_named(self._name, report), indent=2 if pretty else None), flush=True)


class EventsOutput:
    """One event a line, as JSON, as soon as it comes."""

    def __init__(self, name: str | None) -> None:
        self._name = name

    def events(self, events: list[StreamEvent]) -> None:
        for event in events:
            print(json_text(_named(self._name, plain(event))))
        sys.stdout.flush()

    def end(self, completion: Completion) -> None:
        """The last event has told it."""


def _named(name: str | None, fields: dict[str, Any]) -> dict[str, Any]:
    return fields if name is None else {"file": name, **fields}
