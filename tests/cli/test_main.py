"""The door of the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import click
import msgspec

import untorn
from tests.cli.processes import TIMEOUT, Ran, environment, run

NEEDS = 'untorn\'s command line needs: pip install "untorn[cli]"\n'


def test_without_a_command_help_is_shown() -> None:
    assert run() == run("--help")


def test_help_names_the_exit_codes_and_the_commands() -> None:
    ran = run("--help")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("Usage: untorn ")
    assert "  130  you pressed Ctrl-C" in ran.out
    assert "  parse  Read streams from files or a pipe.\n" in ran.out


def test_the_version_is_that_of_the_package(tmp_path: Path) -> None:
    metadata = tmp_path / "untorn-9.8.7.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text("Metadata-Version: 2.4\nName: untorn\nVersion: 9.8.7\n")
    ran = run("--version", variables={"PYTHONPATH": str(tmp_path)})
    assert ran == (0, "untorn 9.8.7\n", "")


def run_with_nothing_but(
    modules: list[ModuleType], folder: Path, *arguments: str, force_color: str = ""
) -> Ran:
    """Run the command where only these packages can be imported; "" forces no colour."""
    folder.mkdir(exist_ok=True)
    for module in modules:
        package = Path(str(module.__file__)).parent
        (folder / package.name).symlink_to(package)
    ran = subprocess.run(
        [sys.executable, "-S", "-m", "untorn", *arguments],
        capture_output=True,
        env=environment({"PYTHONPATH": str(folder), "FORCE_COLOR": force_color}),
        timeout=TIMEOUT,
        check=False,
    )
    return Ran(ran.returncode, ran.stdout.decode(), ran.stderr.decode())


def test_where_it_is_no_package_it_says_so(tmp_path: Path) -> None:
    ran = run_with_nothing_but([untorn, msgspec, click], tmp_path, "--version")
    assert ran == (0, "untorn, not installed as a package\n", "")


def test_wrong_usage_is_said_on_stderr() -> None:
    for arguments in (["nope"], ["--nope"], ["parse", "--nope"]):
        ran = run(*arguments)
        assert (ran.code, ran.out) == (2, "")
        assert "nope" in ran.err
        assert "Traceback" not in ran.err


def test_without_click_the_command_says_what_to_install(tmp_path: Path) -> None:
    ran = run_with_nothing_but([untorn, msgspec], tmp_path, "parse")
    assert ran == (2, "", NEEDS)


def test_without_rich_the_command_says_so_only_where_colour_is_wanted(tmp_path: Path) -> None:
    packages = [untorn, msgspec, click]
    ran = run_with_nothing_but(packages, tmp_path / "plain", "demo")
    assert (ran.code, ran.err) == (0, "")
    ran = run_with_nothing_but(packages, tmp_path / "colour", "demo", force_color="1")
    assert ran == (2, "", NEEDS)
