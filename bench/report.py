"""What was measured, as a page and a picture."""

from __future__ import annotations

import datetime
import platform
import re
from collections.abc import Iterable
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from os import cpu_count
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bench.compare import microseconds
from bench.markdown import table
from bench.measure import short
from bench.peer_environment import REQUIREMENTS
from bench.picture import CROSS, Mark, draw
from bench.targets import Case, Judged
from bench.workloads import READS

if TYPE_CHECKING:  # limits.py needs what Windows lacks
    from bench.limits import Row

PAGE_NAME = "docs/performance.md"
PAGE = Path(__file__).parent.parent / PAGE_NAME
PICTURE = PAGE.with_suffix(".svg")

OURS = ("ChatStream", "parse")
BY_HAND = "loop by hand, json"
TIMED = "ChatStream, timed"

WORST = 5
"""So many cases of the corpus are shown."""

GROWING = "openai .stream()"
"""Who takes longer for a chunk of logprobs the more there were before."""

PAGE_TEXT = """\
# How fast it is

`make bench ARGS=--report` writes this page. What was tried to get here, and why it was kept or
dropped, is in [performance-notes.md](performance-notes.md).

![CPU time per chunk of each library, as multiples of the floor](performance.svg)

{where}.

CPU time; all take turns in {rounds} rounds, of which who is very slow skips the last ones.
Times are medians, and ratios are the medians of each round's ratio, with the quartiles in
brackets. All are fed the same reads, without a socket, and what they say is compared.

The workloads are the same bytes at every run (`bench/workloads.py`). So many events they have:
{sizes}.

- The **floor** splits, decodes into typed structs and joins. It knows the shape of its workload
  beforehand, checks nothing and delivers nothing on the way. That of logprobs decodes them and
  throws them away; the **floor that keeps** does with them as with the text, as ChatStream does.
- **ChatStream** delivers all of its events, and ends in a completion and a verdict.
- The **loop by hand** decodes lines with `json` and adds up what it finds. The one that has a
  target takes them from the `iter_lines` of httpx; the others, which are harsher, from a split that
  costs less than that of any HTTP library.

## Targets

How many times as long the first takes as the second.

{targets}

## untorn

Measured before any other library is loaded. Microseconds per chunk, and how many times the floor.
*Timed* is ChatStream that is also told the time of each read.

{ours}

## untorn, beside its speed on usual streams

{limits}

## Beside other libraries

Text, in microseconds per chunk, by how the body is cut into reads. The last column is how many
times ChatStream, at one event a read.

{peers}

All workloads at one event a read, in microseconds per chunk.

{workloads}

With logprobs, {growing} takes longer for a chunk the more have come before. Microseconds per
chunk, and how many times ChatStream, by the length of the answer:

{growth}

{unable}

Versions: {versions}.
"""


class Measured(NamedTuple):
    """All that is on the page."""

    ours: list[Case]
    """untorn beside the floor, in all workloads and reads."""
    beside: list[Case]
    """untorn beside others."""
    growth: list[Case]
    """Logprobs that are shorter than the workload, the shortest first."""
    judged: list[Judged]
    limits: list[Row]
    """Linearity, memory, start, quirks."""
    rounds: int


def write(measured: Measured) -> None:
    """Write the page and the picture on it."""
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(measured), encoding="utf-8")
    PICTURE.write_text(picture(measured.beside), encoding="utf-8")
    print(f"\nwritten: {PAGE_NAME}, and {PICTURE.name} beside it")


def page(measured: Measured) -> str:
    """The page."""
    sizes = dict.fromkeys(f"{case.workload} {case.chunks:,}" for case in measured.ours)
    return PAGE_TEXT.format(
        where=where(),
        rounds=measured.rounds,
        sizes=", ".join(sizes),
        targets=targets_table(measured.judged),
        ours=ours_table(measured.ours),
        limits=limits_table(measured.limits),
        peers=peers_table(measured.beside),
        workloads=workloads_table(measured.beside),
        growing=GROWING,
        growth=growth_table([*measured.growth, case_of(measured.beside, "logprobs")]),
        unable=unable_list(measured.beside),
        versions=", ".join(versions()),
    )


def where() -> str:
    """Date, machine and versions."""
    day = datetime.datetime.now(datetime.UTC).date()
    python = f"{platform.python_implementation()} {platform.python_version()}"
    machine = f"{processor()}, {cpu_count()} cores, {platform.system()} {platform.machine()}"
    return f"{day}, {machine}, {python}, msgspec {version('msgspec')}"


def processor() -> str:
    """The processor's name."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def versions() -> list[str]:
    """Names and versions of the peers that are installed."""
    lines = REQUIREMENTS.read_text(encoding="utf-8").splitlines()
    names = [re.split(r"[\[=]", line)[0] for line in lines if not line.startswith("#")]
    found = []
    for name in names:
        with suppress(PackageNotFoundError):
            found.append(f"{name} {version(name)}")
    return found


# Tables ------------------------------------------------------------------------------------------


def targets_table(judged: Iterable[Judged]) -> str:
    rows = []
    for result in judged:
        target = result.target
        measured = "-" if result.times is None else str(result.times)
        verdict = result.word if result.word == "met" else f"**{result.word}**"
        case = f"{target.workload}, {target.reads}"
        rows.append([target.entrant, target.to, case, target.bound_text(), measured, verdict])
    return table(
        ["the first", "the second", "workload, reads", "target", "measured", ""], rows, words=3
    )


def ours_table(cases: Iterable[Case]) -> str:
    """ChatStream, and beside it what is of the same kind."""
    rows = [
        [
            f"{case.workload}, {case.reads}",
            *(cost(case, name) for name in ("floor", "ChatStream")),
            *(times(case, name, "floor") for name in (*OURS, TIMED, BY_HAND)),
        ]
        for case in cases
    ]
    times_of = (f"{name}, {CROSS}" for name in (*OURS, "timed", "by hand"))
    return table(["workload, reads", "floor, µs", "ChatStream, µs", *times_of], rows)


def limits_table(rows: Iterable[Row]) -> str:
    """All rows, but of the cases of the corpus only the worst."""
    cells, cases = [], 0
    for what, measured, target, kept, _ in rows:
        cases += what.startswith(" ")
        if cases <= WORST or not what.startswith(" "):
            cells.append([what.strip(), measured, target, "" if kept is None else word(kept)])
    return table(["what", "measured", "at most", ""], cells)


def word(is_met: bool) -> str:
    return "met" if is_met else "**missed**"


def peers_table(cases: Iterable[Case]) -> str:
    """Everybody on text, the fastest first."""
    by_reads = {case.reads: case for case in cases if case.workload == "text"}
    one_event = by_reads["one event"]
    rows = [
        [
            name,
            *(cost(by_reads[reads], name) for reads in READS),
            times(one_event, name, "ChatStream"),
        ]
        for name in sorted(one_event.samples, key=lambda name: microseconds(one_event, name))
    ]
    return table(["", *READS, f"{CROSS} ChatStream"], rows)


def workloads_table(cases: Iterable[Case]) -> str:
    """Everybody on every workload, in the same order."""
    by_workload = {case.workload: case for case in cases if case.reads == "one event"}
    text = by_workload["text"]
    rows = [
        [name, *(cost(case, name) for case in by_workload.values())]
        for name in sorted(text.samples, key=lambda name: microseconds(text, name))
    ]
    return table(["", *by_workload], rows)


def growth_table(cases: Iterable[Case]) -> str:
    """What a chunk of logprobs costs in longer and longer answers."""
    rows = [
        [
            f"{case.chunks:,}",
            *(cost(case, name) for name in ("ChatStream", GROWING)),
            times(case, GROWING, "ChatStream"),
        ]
        for case in cases
    ]
    return table(["chunks", "ChatStream", GROWING, CROSS], rows)


def unable_list(cases: Iterable[Case]) -> str:
    """Who was not measured, and why."""
    reasons = dict.fromkeys(
        f"- {name} on {case.workload}: {why}" for case in cases for name, why in case.unable.items()
    )
    return "\n".join(["Not measured:", "", *reasons] if reasons else ["Nobody was left out."])


def case_of(cases: Iterable[Case], workload: str) -> Case:
    """A workload at one event a read."""
    return next(case for case in cases if (case.workload, case.reads) == (workload, "one event"))


def cost(case: Case, name: str) -> str:
    return short(microseconds(case, name)) if name in case.samples else "-"


def times(case: Case, name: str, to: str) -> str:
    spread = case.times(name, to)
    return "-" if spread is None else short(spread.middle)


# The picture -------------------------------------------------------------------------------------


def picture(cases: Iterable[Case]) -> str:
    """Everybody on text, one event a read."""
    case = case_of(cases, "text")
    marks = [
        Mark(
            f"untorn, {name}" if name in OURS else name,
            microseconds(case, name),
            spread.middle,
            name in OURS,
        )
        for name in case.samples
        if name != "floor" and (spread := case.times(name, "floor"))
    ]
    title = "CPU time per chunk, as multiples of the floor (text, one event a read)"
    return draw(title, microseconds(case, "floor"), marks)
