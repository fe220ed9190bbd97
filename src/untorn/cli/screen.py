"""Where talk goes: rows in colour on a terminal, plain text off it."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, TextIO

from untorn.cli.render import Row, safe_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text


def is_colourful(stream: TextIO) -> bool:
    """Whether colour is wanted: on a terminal but with ``NO_COLOR``; anywhere by ``FORCE_COLOR``.

    See no-color.org and force-color.org: an empty value counts as absent.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


class Screen:
    """A stream for talk. No control character of what is handed in reaches it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.is_terminal = stream.isatty()
        self._console: Console | None = None
        if is_colourful(stream):
            from rich.console import Console

            self._console = Console(file=stream, force_terminal=True, highlight=False)

    def line(self, text: str = "", style: str = "") -> None:
        """One line."""
        self._print([_Line("", "", text, style)])

    def block(self, rows: Sequence[Row], name: str | None = None) -> None:
        """A heading, with the name of what it is about, and the rows under it, aligned."""
        heading, *others = rows
        about = "" if name is None else f"{name}: "
        width = max((len(row.label) for row in others), default=0)
        self._print(
            [
                _Line(f"{about}{heading.label}: ", heading.style, heading.text, ""),
                *(_Line(f"  {r.label:<{width}}  ", "dim", r.text, r.style) for r in others),
            ]
        )

    def _print(self, lines: list[_Line]) -> None:
        if self._console is None:
            self._stream.writelines(f"{safe_line(x.label)}{safe_line(x.text)}\n" for x in lines)
            self._stream.flush()
            return
        from rich.text import Text

        # As one text, or a progress bar below would be drawn anew for every line.
        wrapped = [part for line in lines for part in _wrapped(line, self._console)]
        self._console.print(Text("\n").join(wrapped))

    @contextmanager
    def progress(self, names: Sequence[str], *, quiet: bool) -> Generator[Iterator[str]]:
        """The names, one after the other. On a terminal a bar below the talk counts them, but
        for ``quiet``."""
        if quiet or self._console is None or not self.is_terminal:
            yield iter(names)
            return
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        columns = (
            MofNCompleteColumn(),
            BarColumn(),
            TextColumn("{task.description}", markup=False),
        )
        # rich would move what is written to stdout, which is data, to the screen.
        with Progress(
            *columns,
            console=self._console,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        ) as bar:
            task = bar.add_task("", total=len(names))

            def counted() -> Iterator[str]:
                for name in names:
                    bar.update(task, description=safe_line(name))
                    yield name
                    bar.advance(task)

            yield counted()


class _Line(NamedTuple):
    label: str
    label_style: str
    text: str
    style: str


def _wrapped(line: _Line, console: Console) -> Iterator[Text]:
    """The lines of the terminal for one line; what is too long goes on under itself."""
    from rich.text import Text

    label = Text(safe_line(line.label), line.label_style)
    text = Text(safe_line(line.text), line.style)
    indent = label.cell_len if 3 * label.cell_len < console.width else 0
    if not indent:
        label, text = Text(), Text.assemble(label, text)
    for part in text.wrap(console, console.width - indent, overflow="fold") or [Text()]:
        part.rstrip()
        yield Text.assemble(label, part)
        label = Text(" " * indent)
