"""One input, all oracles."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from random import Random
from typing import NamedTuple

from msgspec.structs import replace

from fuzz import oracles, repaired, ways
from fuzz.inputs import Input, by_event, by_size, random_reads
from fuzz.ways import Played, play
from tests.sse import reference


class Finding(NamedTuple):
    """A promise that an input breaks."""

    oracle: str
    reason: str
    given: Input

    @property
    def kind(self) -> str:
        """The same for findings that most likely have the same cause."""
        return f"{self.oracle}: {self.reason.partition(':')[0]}"


MOST_SLOWLY = 4096
"""Bytes; more are not given to the reference, nor one by one."""
MOST_ENDS = 20


class Subject:
    """An input and what came of it."""

    def __init__(self, given: Input, rng: Random, *, everything: bool) -> None:
        self.given = given
        self.rng = rng
        self.everything = everything

    @cached_property
    def whole(self) -> Played:
        """The input in one read."""
        return play(self.given)


def _end(subject: Subject) -> Iterator[str | None]:
    yield oracles.ends_once(subject.whole)


def _replay(subject: Subject) -> Iterator[str | None]:
    yield oracles.can_be_replayed(subject.whole)


def _law_one(subject: Subject) -> Iterator[str | None]:
    yield oracles.keeps_law_one(subject.given, subject.whole)


def _invention(subject: Subject) -> Iterator[str | None]:
    yield oracles.invents_nothing(subject.given, subject.whole)


def _cuts(subject: Subject) -> Iterator[str | None]:
    body, rng = subject.given.body, subject.rng
    cuttings = [random_reads(body, rng)]
    if subject.everything:
        cuttings += [random_reads(body, rng) for _ in range(4)]
        cuttings += [by_event(body), *(by_size(body, size) for size in (2, 3, 7, 37))]
    for reads in cuttings:
        yield oracles.is_same(subject.whole, play(subject.given, reads))


def _byte_by_byte(subject: Subject) -> Iterator[str | None]:
    if len(subject.given.body) <= MOST_SLOWLY:
        reads = by_size(subject.given.body, 1)
        yield oracles.is_same(subject.whole, play(subject.given, reads))


def _plain_way(subject: Subject) -> Iterator[str | None]:
    yield oracles.is_same(subject.whole, ways.play_plainly(subject.given))


def _readable(subject: Subject) -> Iterator[str | None]:
    yield oracles.is_readable(subject.whole)


def _tears(subject: Subject) -> Iterator[str | None]:
    body = subject.given.body
    sizes = [subject.rng.randint(0, len(body))]
    if subject.everything:
        ends = [found.end() for found in re.finditer(rb"[\r\n]|\Z", body)][:MOST_ENDS]
        sizes += [max(0, end - less) for end in ends for less in (0, 1, 2)]
    for size in sizes:
        beginning = subject.given._replace(body=body[:size])
        torn = play(beginning)
        yield oracles.ends_once(torn)
        yield oracles.keeps_law_one(beginning, torn)
        yield oracles.is_beginning(size, torn, subject.whole)


def _while_open(subject: Subject) -> Iterator[str | None]:
    given, events = subject.given, subject.whole.events
    played = None
    for played in ways.play_open(given, by_event(given.body)):
        yield oracles.keeps_law_one(given, played)
        str(played.completion)
    if played is not None and played.events != events[: len(played.events)]:
        yield "events: they differ where times are handed in"


def _framing(subject: Subject) -> Iterator[str | None]:
    given, completion = subject.given, subject.whole.completion
    reading = ways.read_events([given.body], given.options.limits)
    is_failure = completion.head is not None and completion.head.failed  # its text is the message
    if is_failure or reading.over is not None or completion.verdict.ending == "limit":
        return
    payloads = [event[1] for event in reading.events]
    yield oracles.says_what_was_sent(payloads, completion)
    framing = ways.framed(given.body)
    yield oracles.frames_by_the_letter(framing, reading, completion)
    if given.ending == "eof" and not framing.codes and not framing.names_errors:
        by_payloads = ways.play_payloads(given, framing.payloads)
        yield oracles.holds_the_same(completion, by_payloads.completion)


def _reference(subject: Subject) -> Iterator[str | None]:
    body, limits = subject.given.body, subject.given.options.limits
    if len(body) <= MOST_SLOWLY:
        reading = ways.read_events(random_reads(body, subject.rng), limits)
        expected = reference.read(body, limits.line, limits.event)
        yield oracles.reads_by_the_letter(reading, expected)


def _repaired(subject: Subject) -> Iterator[str | None]:
    given, rng = subject.given, subject.rng
    if given.status is None or not 200 <= given.status < 300:
        given = given._replace(status=200)  # it gets no other
    asked = repaired.asked_for(rng)
    if asked.n is not None:
        given = given._replace(options=replace(given.options, choices=asked.n))
    whole = repaired.repair(given, asked=asked)
    yield from repaired.keeps_the_answer(given, whole, play(given).completion)
    cuttings = [random_reads(given.body, rng) for _ in range(4 if subject.everything else 1)]
    cuttings.append(by_event(given.body))
    if subject.everything:
        cuttings += [by_size(given.body, size) for size in (1, 7, 37)]
    for reads in cuttings:
        yield repaired.is_same(whole, repaired.repair(given, reads, asked))


Check = Callable[[Subject], Iterator[str | None]]

CHECKS: dict[str, tuple[float, Check]] = {
    "end": (1.0, _end),
    "replay": (1.0, _replay),
    "law one": (1.0, _law_one),
    "invention": (1.0, _invention),
    "cuts": (1.0, _cuts),
    "byte by byte": (0.05, _byte_by_byte),
    "plain way": (0.5, _plain_way),
    "readable": (0.2, _readable),
    "tears": (0.25, _tears),
    "while open": (0.05, _while_open),
    "framing": (0.4, _framing),
    "reference": (0.2, _reference),
    "repaired": (0.3, _repaired),
}
"""By name: of which share of all inputs it is asked, and the check."""


def examine(
    given: Input, rng: Random, *, only: str | None = None, everything: bool = False
) -> Finding | None:
    """The first promise that an input breaks; None if it keeps them.

    ``only`` one check is made where it is named. What is expensive is asked of a share of all
    inputs, or with ``everything`` always, and in more cuttings.
    """
    subject = Subject(given, rng, everything=everything or only is not None)
    for name, (share, check) in CHECKS.items():
        if only != name if only else not everything and rng.random() >= share:
            continue
        try:
            reason = next((reason for reason in check(subject) if reason is not None), None)
        except Exception as exc:  # whatever it is, nothing may be raised
            reason = f"{type(exc).__name__} in {_place_of(exc)}: {exc}"
        if reason is not None:
            return Finding(name, reason, given)
    return None


def _place_of(exc: Exception) -> str:
    frame = traceback.extract_tb(exc.__traceback__)[-1]
    return f"{Path(frame.filename).stem}.{frame.name}"
