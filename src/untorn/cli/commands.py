"""The group of commands; each is imported when it is called."""

from __future__ import annotations

from importlib import import_module

import click

from untorn.cli import exit_codes

NAMES = ("demo", "parse")


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(NAMES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in NAMES:
            return None
        command = getattr(import_module(f"untorn.cli.{cmd_name}"), cmd_name)
        return command if isinstance(command, click.Command) else None


def _print_version(ctx: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted:
        from importlib.metadata import PackageNotFoundError, version

        try:
            click.echo(f"untorn {version('untorn')}")
        except PackageNotFoundError:  # run from its source
            click.echo("untorn, not installed as a package")
        ctx.exit()


@click.group(
    cls=_Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version.",
)
@click.pass_context
def untorn(ctx: click.Context) -> int:
    """Read streams of OpenAI-compatible chat completions, and say whether the answer is whole.

    \b
    Exit codes:
      0    complete: every choice ended normally, nothing is missing
      2    wrong usage, or a file cannot be read or written
      3    interrupted: it stopped before its end, or a part is lost
      4    failed: the server reported an error
      5    truncated: a token limit stopped the answer
      6    filtered: a content filter stopped the answer
      130  you pressed Ctrl-C; what had arrived is printed
    """
    if ctx.invoked_subcommand is None:  # what click does then differs between its versions
        click.echo(ctx.get_help())
    return exit_codes.COMPLETE
