"""The door: what has to be right before and after any command runs."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from io import TextIOWrapper

from untorn.cli import exit_codes

NEEDS = 'untorn\'s command line needs: pip install "untorn[cli]"'


def main() -> int:
    """Run the command that ``sys.argv`` names, and return its exit code. Never a traceback for
    what the user or the other end of a pipe did."""
    _prepare_streams()
    try:
        code = _run()
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        _drop_output()
        return exit_codes.CANCELLED
    except BrokenPipeError:
        _drop_output()
        return exit_codes.BROKEN_PIPE
    except OSError as exc:
        with suppress(OSError):  # stderr may be what cannot be written
            _complain(f"untorn: cannot write: {exc.strerror}")
        _drop_output()
        return exit_codes.USAGE


def _run() -> int:
    try:
        import click

        from untorn.cli.commands import untorn

        # Not click's own main(): that ends a broken pipe and Ctrl-C with code 1.
        try:
            with untorn.make_context("untorn", sys.argv[1:]) as context:
                code: int = untorn.invoke(context)
                return code
        except click.exceptions.Exit as exc:
            return exc.exit_code
        except click.ClickException as exc:
            exc.show()
            return exit_codes.USAGE
    except ModuleNotFoundError as exc:  # rich is imported late, where there is a terminal
        if exc.name is None or exc.name.partition(".")[0] not in ("click", "rich"):
            raise
        return _complain(NEEDS)


def _complain(sentence: str) -> int:
    print(sentence, file=sys.stderr)
    return exit_codes.USAGE


def _prepare_streams() -> None:
    # A stream that the shell closed (>&-) is None in Python, and print() would then write talk
    # meant for stderr among the data. Text goes out as UTF-8 whatever the locale says, line ends
    # as they are.
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - lives as long as the process
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - likewise
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="")


def _drop_output() -> None:
    # Python flushes at exit: that would fail once more, or wait for a reader that does not read.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
