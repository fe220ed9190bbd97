"""What became of the mutants → a table, and what is left to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Literal

from mutation.environment import Mutant

Fate = Literal["own tests", "core's tests", "timeout", "mypy", "explained", "survived"]
FATES: tuple[Fate, ...] = (
    "own tests",
    "core's tests",
    "timeout",
    "mypy",
    "explained",
    "survived",
)
"""By whom it was killed; explained: nobody need notice it; survived: somebody should."""
KILLED = FATES[:4]

HEAD = ["module", "mutants", *FATES, "score"]


def rows(fates: Mapping[Mutant, Fate]) -> list[list[str]]:
    """A row for each module, and one for all."""
    modules = dict.fromkeys(mutant.module for mutant in fates)
    counted = {
        module: Counter(fate for mutant, fate in fates.items() if mutant.module == module)
        for module in modules
    }
    counted["all"] = Counter(fates.values())
    return [_row(module, count) for module, count in counted.items()]


def _row(module: str, count: Counter[Fate]) -> list[str]:
    asked = count.total() - count["explained"]
    score = 100 * (asked - count["survived"]) / asked if asked else 100.0
    return [
        module,
        f"{count.total():,}",
        *(f"{count[fate]:,}" for fate in FATES),
        # Never rounded up to all.
        f"{int(score * 10) / 10:.1f} %",
    ]


def stale(lines: Iterable[str], fates: Mapping[Mutant, Fate]) -> list[str]:
    """The explanations, of the modules that were looked at, of what needs none."""
    modules = {mutant.module for mutant in fates}
    used = {str(mutant) for mutant, fate in fates.items() if fate == "explained"}
    return [line for line in lines if line.split(" ")[0] in modules and line not in used]


def verdict(fates: Mapping[Mutant, Fate]) -> str:
    """All in a sentence."""
    count = Counter(fates.values())
    killed = sum(count[fate] for fate in KILLED)
    return (
        f"**Of {count.total():,} mutants {killed:,} were killed, {count['explained']:,} are"
        f" explained, and {count['survived']:,} survived.**"
    )
