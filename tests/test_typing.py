"""A user's type checker sees what is promised, and notices what a user forgot."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from msgspec import Struct

import untorn

PROGRAM = Path(__file__).parent / "typing" / "user_program.py"


def run(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    # In a folder of its own, so that this project's own settings are not found.
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=300,
    )


def mypy(program: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    return run("-m", "mypy", "--strict", "--no-error-summary", program, cwd=folder)


def test_a_users_program_passes_the_strict_check(tmp_path: Path) -> None:
    checked = mypy(PROGRAM, tmp_path)
    assert (checked.stdout, checked.stderr, checked.returncode) == ("", "", 0)


def test_a_forgotten_event_is_noticed(tmp_path: Path) -> None:
    case = '        case untorn.Heartbeat():\n            return "heartbeat"\n'
    forgetful = tmp_path / "forgetful.py"
    forgetful.write_text(PROGRAM.read_text(encoding="utf-8").replace(case, ""), encoding="utf-8")
    checked = mypy(forgetful, tmp_path)
    assert checked.returncode == 1
    assert '"assert_never" has incompatible type "Heartbeat"' in checked.stdout
    assert checked.stdout.count("error:") == 1


def test_the_users_program_runs(tmp_path: Path) -> None:
    ran = run("-W", "error", PROGRAM, cwd=tmp_path)
    assert (ran.stderr, ran.returncode) == ("", 0)
    assert "interrupted" in ran.stdout


def test_the_users_program_uses_every_public_attribute() -> None:
    source = PROGRAM.read_text(encoding="utf-8")
    offered = [getattr(untorn, name) for name in untorn.__all__]
    structs = [item for item in offered if isinstance(item, type) and issubclass(item, Struct)]
    unused = {
        f"{struct.__name__}.{name}"
        for struct in structs
        for name in vars(struct)
        if not name.startswith("_") and not re.search(rf"\.{name}\b|\b{name}=", source)
    }
    assert unused == set()
