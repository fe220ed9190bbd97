"""One input, all oracles."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from fuzz import oracles, ways
from fuzz.inputs import Input, by_event, by_size, random_reads
from fuzz.ways import Played, play
from tests.sse import reference


class Finding(NamedTuple):
    """A promise that an input breaks."""

    oracle: str
    reason: str
    given: Input


SHARES = {
    "reference": 0.10,
    "framing": 0.25,
    "readable": 0.25,
    "tears": 0.25,
    "one byte a read": 0.05,
}
"""How many of all inputs are asked what is expensive. All others are asked always."""

MOST_SLOWLY = 6000
"""Bytes; more are not given to the reference, nor one by one."""


def examine(given: Input, rng: Random, *, everything: bool = False) -> Finding | None:
    """The first promise that an input breaks; None if it keeps them.

    What is expensive is asked of a share; with ``everything`` it always is, in more cuttings.
    """
    try:
        for oracle, reason in _broken(given, rng, everything):
            if reason is not None:
                return Finding(oracle, reason, given)
    except Exception as exc:  # whatever it is, nothing may be raised
        return Finding(f"exception {_place_of(exc)}", f"{type(exc).__name__}: {exc}", given)
    return None


def _place_of(exc: Exception) -> str:
    frames = traceback.extract_tb(exc.__traceback__)
    frame = frames[-1]
    return f"{type(exc).__name__} in {Path(frame.filename).stem}.{frame.name}"


def _broken(given: Input, rng: Random, everything: bool) -> Iterator[tuple[str, str | None]]:
    def asks(what: str) -> bool:
        return everything or rng.random() < SHARES[what]

    whole = play(given)
    yield "end", oracles.ends_once(whole)
    yield "replay", oracles.can_be_replayed(whole)
    yield "law one", oracles.keeps_law_one(given, whole)
    yield "invention", oracles.invents_nothing(given, whole)
    yield "plain way", oracles.is_same(whole, ways.play_plainly(given))
    for reads in _cuttings(given.body, rng, everything, asks("one byte a read")):
        yield "cuts", oracles.is_same(whole, play(given, reads))
    if asks("readable"):
        yield "readable", oracles.is_readable(whole)
    if asks("tears"):
        yield from _tears(given, whole, rng, everything)
    if asks("framing"):
        yield "framing", _framing(given, whole)
    if asks("reference") and len(given.body) <= MOST_SLOWLY:
        yield "reference", _reference(given, rng)


def _cuttings(
    body: bytes, rng: Random, everything: bool, byte_by_byte: bool
) -> Iterator[list[bytes]]:
    yield random_reads(body, rng)
    if everything:
        yield by_event(body)
        yield from (by_size(body, size) for size in (2, 3, 7, 37))
    if byte_by_byte and len(body) <= MOST_SLOWLY:
        yield by_size(body, 1)


def _tears(
    given: Input, whole: Played, rng: Random, everything: bool
) -> Iterator[tuple[str, str | None]]:
    for _ in range(8 if everything else 1):
        beginning = given._replace(body=given.body[: rng.randint(0, len(given.body))])
        torn = play(beginning)
        yield "tear end", oracles.ends_once(torn)
        yield "tear law one", oracles.keeps_law_one(beginning, torn)
        yield "tear", oracles.is_beginning(torn, whole)


def _framing(given: Input, whole: Played) -> str | None:
    limits = given.options.limits
    reading = ways.read_events([given.body], limits)
    if reading.over is not None or whole.completion.verdict.ending == "limit":
        return None
    return oracles.frames_by_the_letter(ways.framed(given.body), reading, whole.completion)


def _reference(given: Input, rng: Random) -> str | None:
    limits = given.options.limits
    reading = ways.read_events(random_reads(given.body, rng), limits)
    expected = reference.read(given.body, limits.line, limits.event)
    return oracles.reads_by_the_letter(reading, expected)
