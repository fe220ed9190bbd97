"""The door of the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec

import untorn
from tests.cli.processes import TIMEOUT, environment, run


def test_without_a_command_help_is_shown() -> None:
    ran = run()
    assert ran.code == 2
    assert "Commands:\n  demo" in ran.out + ran.err


def test_help_names_the_exit_codes_and_the_commands() -> None:
    ran = run("--help")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("Usage: untorn ")
    assert "  130  you pressed Ctrl-C" in ran.out
    assert "  parse  Read streams from files or a pipe.\n" in ran.out


def test_the_version_is_told() -> None:
    ran = run("--version")
    assert (ran.code, ran.out, ran.err) == (0, f"untorn {untorn.__version__}\n", "")


def test_wrong_usage_is_said_on_stderr() -> None:
    for arguments in (["nope"], ["--nope"], ["parse", "--nope"]):
        ran = run(*arguments)
        assert (ran.code, ran.out) == (2, "")
        assert "nope" in ran.err
        assert "Traceback" not in ran.err


def test_without_click_the_command_says_what_to_install(tmp_path: Path) -> None:
    for package in (untorn, msgspec):
        folder = Path(str(package.__file__)).parent
        (tmp_path / folder.name).symlink_to(folder)
    ran = subprocess.run(
        [sys.executable, "-S", "-m", "untorn", "parse"],
        capture_output=True,
        env=environment({"PYTHONPATH": str(tmp_path)}),
        timeout=TIMEOUT,
        check=False,
    )
    assert ran.returncode == 2
    assert ran.stderr == b'untorn\'s command line needs: pip install "untorn[cli]"\n'
