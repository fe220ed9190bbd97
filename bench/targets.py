"""The speed that untorn promises, as ratios that are measured in one run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from bench.measure import Samples, Spread, ratio, short


class Case(NamedTuple):
    """One workload, cut in one way, and how long everybody took to read it."""

    workload: str
    reads: str
    chunks: int
    samples: Samples
    unable: dict[str, str]
    """Why somebody has no samples, by name."""

    def times(self, name: str, to: str) -> Spread | None:
        """How many times as long ``name`` took as ``to``; None if one of them was not measured."""
        if name not in self.samples or to not in self.samples:
            return None
        return ratio(self.samples[name], self.samples[to])


class Target(NamedTuple):
    """How many times as long one may take, or has to take, as another."""

    entrant: str
    to: str
    workload: str
    reads: str
    bound: float
    at_least: bool = False

    def is_met(self, times: float) -> bool:
        return times >= self.bound if self.at_least else times <= self.bound

    def bound_text(self) -> str:
        return f"at {'least' if self.at_least else 'most'} {self.bound:g}"


def ours(workload: str, reads: str, bound: float) -> Target:
    """ChatStream, with events, defects and verdict, beside the floor."""
    return Target("ChatStream", "floor", workload, reads, bound)


def theirs(entrant: str, bound: float, workload: str = "text") -> Target:
    """Somebody else beside ChatStream."""
    return Target(entrant, "ChatStream", workload, "one event", bound, at_least=True)


TARGETS = [
    ours("text", "one event", 1.5),
    ours("text", "4 KiB", 1.2),
    ours("text", "64 KiB", 1.2),
    ours("text", "37 bytes", 2.5),
    ours("tools", "one event", 1.7),
    ours("n4", "one event", 1.7),
    ours("reasoning", "one event", 1.7),
    ours("vendor", "one event", 2.5),
    ours("logprobs", "one event", 0.5),
    Target("ChatStream", "floor that keeps", "logprobs", "one event", 0.5),
    theirs("httpx iter_lines, json", 2.7),
    theirs("httpx-sse, json", 3.5),
    theirs("openai raw", 40),
    theirs("langchain-openai", 55),
    theirs("pydantic-ai", 65),
    theirs("openai .stream()", 75),
    theirs("openai .stream()", 1000, "logprobs"),
]


class Judged(NamedTuple):
    """A target and what was measured."""

    target: Target
    times: Spread | None
    """None if it was not measured."""

    @property
    def word(self) -> str:
        if self.times is None:
            return "not measured"
        return "met" if self.target.is_met(self.times.middle) else "missed"


def judge(cases: Iterable[Case], targets: Iterable[Target] = TARGETS) -> list[Judged]:
    """What these cases say of the targets: of each, the first in which both were measured."""
    cases = list(cases)
    judged = []
    for target in targets:
        times = (
            case.times(target.entrant, target.to)
            for case in cases
            if (case.workload, case.reads) == (target.workload, target.reads)
        )
        judged.append(Judged(target, next((spread for spread in times if spread), None)))
    return judged


def too_slow(judged: Iterable[Judged]) -> list[str]:
    """Sentences about what is far off, however noisy the machine: by a third, on text."""
    return [
        f"{target.entrant} on {target.workload}, reads of {target.reads}: {short(times.middle)}"
        f" times the {target.to}, where {target.bound:g} is promised"
        for target, times in judged
        if times and target.workload == "text" and not target.at_least
        if times.middle > target.bound * 4 / 3
    ]
