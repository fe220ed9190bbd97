"""Verdicts of earlier runs, as long as nothing has changed that they depend on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from pathlib import Path

from bench.environments import ROOT
from mutation.environment import ENVIRONMENT, SOURCE, Mutant

FOLDER = ENVIRONMENT / "verdicts"


def remembered(
    mutants: list[Mutant], tests: Iterable[Path], examine: Callable[[], list[str]]
) -> list[str]:
    """The verdicts of these mutants by these tests; ``examine`` gives them if they are new."""
    kept = FOLDER / f"{_digest(mutants, tests)}.json"
    if kept.exists():
        known: list[str] = json.loads(kept.read_text(encoding="utf-8"))
        return known
    verdicts = examine()
    FOLDER.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(verdicts), encoding="utf-8")
    return verdicts


def _digest(mutants: list[Mutant], tests: Iterable[Path]) -> str:
    """Of the mutants, the package, the tests, and what tests share."""
    digest = hashlib.sha256(json.dumps(mutants).encode())
    shared = (path for path in (ROOT / "tests").rglob("*.py") if not path.name.startswith("test_"))
    files = {*SOURCE.rglob("*.py"), *shared}
    for path in tests:
        files |= set(path.rglob("*.py")) if path.is_dir() else {path}
    for path in sorted(files):
        digest.update(path.read_bytes())
    return digest.hexdigest()
