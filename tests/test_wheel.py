"""What is published: the wheel holds the whole package, and needs nothing beside it."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory"]
    subprocess.run([*build, folder], cwd=ROOT, check=True, capture_output=True, timeout=120)
    [built] = folder.glob("*.whl")
    return built


def test_the_wheel_holds_every_file_of_the_package(wheel: Path) -> None:
    package = ROOT / "src" / "untorn"
    files = {
        path.relative_to(ROOT / "src").as_posix()
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    # The plugin lives beside the package, so that pytest can load it without all the rest.
    assert held == files | {"pytest_untorn.py"}


def test_the_wheel_alone_runs_the_command(wheel: Path, tmp_path: Path) -> None:
    # Before site-packages on the path, so that an installed untorn is not what runs.
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-m", "untorn", "demo"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(wheel)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ran.stderr, ran.returncode) == ("", 0)
    assert "complete" in ran.stdout


def test_the_core_requires_msgspec_alone(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = archive.read(name).decode()
    required = [line for line in metadata.splitlines() if line.startswith("Requires-Dist:")]
    core = [line for line in required if "extra ==" not in line]
    assert [line.split()[1].partition(">")[0] for line in core] == ["msgspec"]
