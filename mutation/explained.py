"""The mutants that no test need notice, and why: explained.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path

FILE = Path(__file__).with_suffix(".toml")


def explained(path: Path = FILE) -> dict[str, str]:
    """The reason by mutant, as ``str(mutant)`` names it.

    Raises ValueError for a mutant that is there twice.
    """
    reasons: dict[str, str] = {}
    for why in tomllib.loads(path.read_text(encoding="utf-8"))["why"]:
        for line in why["mutants"].strip().splitlines():
            if line in reasons:
                raise ValueError(f"explained twice: {line}")
            reasons[line] = why["reason"]
    return reasons
