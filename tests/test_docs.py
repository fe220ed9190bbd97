"""What the documents show is what happens."""

from __future__ import annotations

import doctest
import importlib
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

import untorn
from untorn.cli import commands, exit_codes

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [README, (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")]

FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = [(m[1], m[2], README.count("\n", 0, m.start()) + 1) for m in FENCED.finditer(README)]


def examples() -> list[tuple[str, str, int]]:
    """README's Python examples, each with the output that is shown right after it."""
    found = []
    for number, (language, text, line) in enumerate(BLOCKS):
        after = BLOCKS[number + 1 : number + 2]
        if language == "python":
            found.append((text, after[0][1] if after and after[0][0] == "text" else "", line))
    return found


def sessions() -> list[tuple[str, str, str]]:
    """The commands in README's ``console`` blocks, each with its output."""
    return [
        (*command.split("\n", 1), f"{line}-{number}")
        for language, text, line in BLOCKS
        if language == "console"
        for number, command in enumerate(re.split(r"^\$ ", text, flags=re.MULTILINE)[1:])
    ]


def described() -> set[str]:
    """The first column of all tables in README, as plain words."""
    return {m[1] for m in re.finditer(r"^\| `?([^|`]+?)`? \|", README, re.MULTILINE)}


def run(command: list[str], folder: Path) -> tuple[int, str]:
    """The exit code of a command and all that it prints, in the order of printing."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    ran = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
    )
    return ran.returncode, ran.stdout


@pytest.mark.parametrize(
    ("source", "output"), [pytest.param(*e[:2], id=f"line-{e[2]}") for e in examples()]
)
def test_an_example_prints_what_readme_shows(source: str, output: str, tmp_path: Path) -> None:
    assert run([sys.executable, "-W", "error", "-c", source], tmp_path) == (0, output)


@pytest.mark.parametrize(
    ("command", "output"), [pytest.param(*s[:2], id=f"line-{s[2]}") for s in sessions()]
)
def test_a_command_prints_what_readme_shows(command: str, output: str, tmp_path: Path) -> None:
    for shown, content, _ in sessions():
        if shown.startswith("cat "):  # README shows a file, which the other commands read
            (tmp_path / shown.removeprefix("cat ")).write_text(content, encoding="utf-8")
    assert run(["bash", "-c", command], tmp_path)[1] == output


def test_examples_in_docstrings_print_what_they_show() -> None:
    inner = [found.name for found in pkgutil.walk_packages(untorn.__path__, "untorn.")]
    tried = 0
    for name in ["untorn", *inner]:
        results = doctest.testmod(importlib.import_module(name))
        assert results.failed == 0, name
        tried += results.attempted
    assert tried > 0


def test_every_target_named_is_in_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^(\w+):", makefile, re.MULTILINE))
    named = {name for page in PAGES for name in re.findall(r"(?:`|    )make (\w+)", page)}
    assert {"demo", "test"} <= named <= targets


def test_every_command_is_in_readme() -> None:
    named = set(re.findall(r"\buntorn (\w+)`", README))
    assert named == set(commands.NAMES)


def test_every_option_in_readme_is_one_of_parse() -> None:
    help_page = run(["untorn", "parse", "--help"], ROOT)[1]
    named = set(re.findall(r"`(--[\w-]+)`", README))
    assert named
    assert {option for option in named if option not in help_page} == set()


def test_every_exit_code_is_in_readme() -> None:
    codes = {code for code in vars(exit_codes).values() if isinstance(code, int)}
    codes |= set(exit_codes.BY_OUTCOME.values())
    assert {word for word in described() if word.isdecimal()} == set(map(str, codes))


def test_every_outcome_and_ending_is_in_readme() -> None:
    assert set(get_args(untorn.Outcome)) <= described()
    for ending in get_args(untorn.Ending):
        assert f"`{ending}` (" in README
