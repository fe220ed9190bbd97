"""What untorn promises besides its speed on usual streams: that all stays linear and small.

What hostile input costs is in ``hostile/``.
"""

from __future__ import annotations

import compileall
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from typing import NamedTuple

import untorn
from bench import gateways, workloads
from bench.corpus import long_cases
from bench.entrants import HEAD, read_to_end
from bench.measure import Samples, Table, cpu_time, measure, ratio
from bench.workloads import KIB, Workload, read_by

MB = 1_000_000
LENGTHS = (1_000, 20_000, 100_000)
STREAMS = 2_000
CHUNKS_OF_EACH = 25
STEEPEST_CASE = 8


class Row(NamedTuple):
    """One promise and what was measured."""

    what: str
    measured: str
    target: str
    kept: bool | None = None
    """None where nothing was promised."""
    share: float = 0.0
    """What was measured, as a share of the target."""


def report(rounds: int) -> int:
    """Print all rows; the exit code, 1 if a promise was not kept."""
    table = Table(["what", "measured", "at most"], [62, 22, 18])
    broken = False
    for row in rows(rounds):
        table.row(row.what, row.measured, row.target + ("  missed" if row.kept is False else ""))
        broken |= row.kept is False
    return 1 if broken else 0


def rows(rounds: int) -> Iterator[Row]:
    yield from longer_streams("text", workloads.text, rounds)
    yield from longer_streams("arguments of one call", partial(workloads.tools, calls=1), rounds)
    yield huge_events(rounds)
    yield from short_lives(rounds)
    yield from idle_memory()
    yield streams_in_turn(rounds)
    yield from fresh_processes(rounds)
    yield from streams_of_gateways(rounds)
    yield from corpus_cases()


def at_most(what: str, measured: float, target: float, unit: str, shown: str = "") -> Row:
    """A promise with a bound."""
    return Row(
        what,
        shown or f"{measured:.2f} {unit}",
        f"{target:g} {unit}",
        measured <= target,
        measured / target,
    )


def times(what: str, samples: Samples, name: str, to: str, scale: float, target: float) -> Row:
    """A promise about how many times as long ``name`` takes as ``to`` does, for ``scale`` times
    the work."""
    spread = ratio([sample / scale for sample in samples[name]], samples[to])
    return at_most(what, spread.middle, target, "times", str(spread))


# Longer and larger ----------------------------------------------------------------------------


def longer_streams(what: str, make: Callable[[int], Workload], rounds: int) -> Iterator[Row]:
    """The cost of a chunk must not depend on how many there are."""
    streams = {f"{length:,}": make(length).events for length in LENGTHS}
    runs = {name: partial(read_to_end, events) for name, events in streams.items()}
    samples = measure(runs, rounds)
    shortest, *longer = streams
    for name in longer:
        scale = len(streams[name]) / len(streams[shortest])
        label = f"{what}: a chunk of {name}, to one of {shortest}"
        yield times(label, samples, name, shortest, scale, 1.15)


def huge_events(rounds: int) -> Row:
    """Nor that of a byte on how long its line is, though it comes in many reads."""
    limits = untorn.Limits(line=64 * MB, event=64 * MB)
    options = untorn.Options(limits=limits)
    runs = {
        name: partial(read_to_end, read_by(4 * KIB)(huge_event(size).events), options)
        for name, size in {"small": 4 * MB, "large": 16 * MB}.items()
    }
    label = "one event of 16 MB in reads of 4 KiB, to one of 4 MB"
    return times(label, measure(runs, rounds), "large", "small", 1, 5)


def huge_event(size: int) -> Workload:
    """A text whose one chunk has about ``size`` bytes."""
    return workloads.text_of([workloads.WORDS[0] * (size // len(workloads.WORDS[0]))])


# Many streams ---------------------------------------------------------------------------------


def short_lives(rounds: int) -> Iterator[Row]:
    """What a stream costs before and beside its chunks."""

    def make() -> None:
        for _ in range(1000):
            untorn.ChatStream()

    def read() -> None:
        for _ in range(100):
            read_to_end(events)

    events = workloads.text(1).events
    cost = median(cpu_time(make) for _ in range(rounds)) / 1000
    yield at_most("making a ChatStream", cost * 1e6, 2.5, "us")
    cost = median(cpu_time(read) for _ in range(rounds)) / 100
    yield Row("an answer of one word, from head to completion", f"{cost * 1e6:.0f} us", "")


def idle_memory() -> Iterator[Row]:
    """Memory of a stream that waits for its next read."""
    yield at_most("memory of a new stream", memory_of([]) / KIB, 4, "KiB")
    events = workloads.text(10).events[:10]
    what = "memory of a stream that waits for its 11th chunk"
    yield at_most(what, memory_of(events) / KIB, 4, "KiB")


def memory_of(reads: list[bytes]) -> float:
    """Bytes of one stream that has had these reads."""
    count = 1_000
    fed_stream(reads)  # what is made once and kept is no stream's own
    streams: list[untorn.ChatStream] = []
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        streams += [fed_stream(reads) for _ in range(count)]
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return (after - before) / count


def fed_stream(reads: list[bytes]) -> untorn.ChatStream:
    stream = untorn.ChatStream()
    stream.receive_head(200, HEAD)
    for data in reads:
        stream.receive_data(data)
    return stream


def streams_in_turn(rounds: int) -> Row:
    """Many streams open at once must not disturb each other."""
    events = workloads.text(CHUNKS_OF_EACH).events

    def one_after_the_other() -> None:
        for _ in range(STREAMS):
            fed_stream(events)

    def in_turn() -> None:
        streams = [fed_stream([]) for _ in range(STREAMS)]
        for data in events:
            for stream in streams:
                stream.receive_data(data)

    samples = measure({"alone": one_after_the_other, "in turn": in_turn}, rounds)
    return times(f"{STREAMS:,} streams in turn, to each alone", samples, "in turn", "alone", 1, 1.3)


# Whole processes ------------------------------------------------------------------------------


def fresh_processes(rounds: int) -> Iterator[Row]:
    yield at_most("import untorn, msgspec included", import_time("untorn", rounds) * 1e3, 40, "ms")
    for what, module, hidden in (
        ("import msgspec", "msgspec", True),
        ("import untorn, where typing_extensions are installed", "untorn", False),
    ):
        yield Row(what, f"{import_time(module, rounds, hidden=hidden) * 1e3:.2f} ms", "")
    body = b"".join(workloads.text().events)
    for what, arguments in {
        "python -c pass, start to exit": ["-c", "pass"],
        "untorn parse --help, start to exit": ["-m", "untorn", "parse", "--help"],
        "untorn parse, 5,000 chunks, start to exit": ["-m", "untorn", "parse"],
    }.items():
        try:
            cost = median(process_time([sys.executable, *arguments], body) for _ in range(rounds))
        except subprocess.CalledProcessError as exc:
            yield Row(what, "not measured", exc.stderr.decode().strip())
        else:
            yield Row(what, f"{cost * 1e3:.1f} ms", "")


def import_time(module: str, rounds: int, *, hidden: bool = True) -> float:
    """CPU seconds that an import takes in a process that has not imported anything yet.

    msgspec imports typing_extensions, which untorn does not need, where they are installed, as
    they are beside every tool that looks at types; unless they are ``hidden``.
    """
    hide = "import sys; sys.modules['typing_extensions'] = None; " if hidden else ""
    code = f"import time; s = time.process_time(); import {module}; print(time.process_time() - s)"
    code = hide + code
    command = [sys.executable, "-c", code]
    # Where Python may not write what it compiles, it would compile anew each time what has changed.
    compileall.compile_dir(Path(untorn.__file__).parent, quiet=1)
    return median(float(subprocess.check_output(command)) for _ in range(rounds))


def process_time(command: list[str], body: bytes) -> float:
    """CPU seconds of a process, from its start to its end."""
    before = getrusage(RUSAGE_CHILDREN)
    subprocess.run(command, input=body, capture_output=True, check=True)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


# What others add ------------------------------------------------------------------------------


def streams_of_gateways(rounds: int) -> Iterator[Row]:
    """What an event costs to which a server adds something, at one event a read."""
    clean = workloads.text().events
    runs_of_clean = partial(read_to_end, clean)
    for name, events in gateways.streams():
        samples = measure({"added": partial(read_to_end, events), "clean": runs_of_clean}, rounds)
        scale = len(events) / len(clean)
        spread = ratio([sample / scale for sample in samples["added"]], samples["clean"])
        yield Row(f"{name}: an event, to one of clean text", str(spread), "")


# Quirks ---------------------------------------------------------------------------------------


def corpus_cases() -> Iterator[Row]:
    """What an odd stream costs, to a clean text; in reads of 4 KiB.

    By bytes, and by events: many events of the corpus have 40 to 180 bytes, and what an event
    costs beside its bytes is then most of it. What is promised is the first.
    """
    cut = read_by(4 * KIB)
    clean = workloads.text().events
    runs_of_clean = partial(read_to_end, cut(clean))
    by_byte: list[Row] = []
    by_event: list[Row] = []
    for name, events in long_cases():
        runs = {"odd": partial(read_to_end, cut(events)), "clean": runs_of_clean}
        samples = measure(runs, 3)
        for rows, sizes in (
            (by_byte, (total(events), total(clean))),
            (by_event, (len(events), len(clean))),
        ):
            scale = sizes[0] / sizes[1]
            rows.append(times(f"  {name}", samples, "odd", "clean", scale, STEEPEST_CASE))
    yield from judged_cases("a byte of a case of the corpus, to one of a clean text", by_byte)
    yield from judged_cases("an event of a case of the corpus, to one of a clean text", by_event)


def judged_cases(what: str, rows: list[Row]) -> Iterator[Row]:
    """How many are kept, those that are not, and the three that come next."""
    rows.sort(key=lambda row: -row.share)
    kept = [row for row in rows if row.kept]
    yield Row(
        what, f"{len(kept)} of {len(rows)} kept", f"{STEEPEST_CASE} times", len(kept) == len(rows)
    )
    yield from (row for row in rows if not row.kept)
    yield from kept[:3]


def total(events: list[bytes]) -> int:
    return sum(map(len, events))
