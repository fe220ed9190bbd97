"""Where talk goes."""

from __future__ import annotations

from io import StringIO

import pytest

from untorn.cli.render import Row
from untorn.cli.screen import Screen, is_colourful

ROWS = [
    Row("complete", "all is well", "bold green"),
    Row("call", "f(\x1b[31m\n)"),
    Row("finish", "stop", "red"),
]


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "40")


@pytest.mark.parametrize(
    ("variables", "terminal", "colourful"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"TERM": "dumb"}, True, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": ""}, False, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, False),
    ],
)
def test_colour_is_for_terminals_and_for_those_who_ask(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], terminal: bool, colourful: bool
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert is_colourful(Terminal() if terminal else StringIO()) is colourful


def test_off_a_terminal_rows_are_plain_and_aligned() -> None:
    stream = StringIO()
    Screen(stream).block(ROWS, "a\x07.sse")
    assert stream.getvalue() == (
        "a\\x07.sse: complete: all is well\n  call    f(\\x1b[31m\\n)\n  finish  stop\n"
    )


def test_a_heading_may_stand_alone() -> None:
    stream = StringIO()
    Screen(stream).block(ROWS[:1])
    assert stream.getvalue() == "complete: all is well\n"


def test_on_a_terminal_rows_are_coloured_and_nothing_else_is_obeyed() -> None:
    stream = Terminal()
    Screen(stream).block(ROWS)
    assert stream.getvalue() == (
        "\x1b[1;32mcomplete: \x1b[0mall is well\n"
        "\x1b[2m  call    \x1b[0mf(\\x1b[31m\\n)\n"
        "\x1b[2m  finish  \x1b[0m\x1b[31mstop\x1b[0m\n"
    )


def test_text_that_looks_like_markup_is_shown_as_it_is() -> None:
    stream = Terminal()
    Screen(stream).line("[bold]x[/bold] :smile:")
    assert stream.getvalue() == "[bold]x[/bold] :smile:\n"


def test_a_long_row_goes_on_under_itself() -> None:
    stream = Terminal()
    Screen(stream).block([ROWS[0], Row("tail", "word " * 12 + "x" * 50)])
    lines = stream.getvalue().replace("\x1b[2m", "").replace("\x1b[0m", "").splitlines()
    assert lines[1:] == [
        "  tail  word word word word word word",
        "        word word word word word word",
        "        " + "x" * 32,
        "        " + "x" * 18,
    ]


def test_a_long_name_leaves_no_narrow_column() -> None:
    stream = Terminal()
    Screen(stream).block(ROWS[:1], "folder/" * 4 + "a.sse")
    lines = stream.getvalue().splitlines()
    assert len(lines) == 2
    assert lines[1].endswith("all is well")


def test_an_empty_line_is_a_line() -> None:
    for stream in (StringIO(), Terminal()):
        Screen(stream).line()
        assert stream.getvalue() == "\n"


@pytest.mark.parametrize("quiet", [True, False])
def test_progress_hands_out_every_name(quiet: bool) -> None:
    stream = Terminal()
    with Screen(stream).progress(["a\x1b", "[b]"], quiet=quiet) as names:
        assert list(names) == ["a\x1b", "[b]"]
    assert ("0/2" in stream.getvalue()) is not quiet


def test_off_a_terminal_there_is_no_progress() -> None:
    stream = StringIO()
    with Screen(stream).progress(["a", "b"], quiet=False) as names:
        assert list(names) == ["a", "b"]
    assert stream.getvalue() == ""
