"""One input: a response, how it ends, how it is read; made from nothing but a number."""

from __future__ import annotations

import re
from itertools import pairwise
from random import Random
from typing import Literal, NamedTuple

import msgspec

from fuzz.chunks import Sender
from fuzz.json_mutations import weighed
from fuzz.mutations import BODY_MUTATIONS, EVENT_MUTATIONS, events_of
from fuzz.seeds import EVENT_STREAM, Seed, seeds
from fuzz.words import ENDS, FIELDS, LINES
from untorn import ChatStream, Limits, Options

Ending = Literal["eof", "cut", "stalled", "cancelled"]
ENDINGS: list[Ending] = ["eof", "eof", "eof", "eof", "eof", "cut", "stalled", "cancelled"]

MOST_BYTES = 2500
MOST_EVENTS = 14

CONTENT_TYPES = [
    *(EVENT_STREAM, "text/event-stream; charset=utf-8", "application/json", "text/html", None, ""),
    *("application/x-ndjson", "Text/Event-Stream"),
]
STATUSES = [200, 200, 201, 204, 302, 400, 404, 429, 500, 503]

SMALL_LIMITS: dict[str, list[int]] = {
    "line": [0, 5, 40, 90, 300, 1000],
    "event": [0, 5, 40, 90, 300, 1000],
    "body": [0, 1, 10, 300, 1000],
    "text": [0, 1, 3, 20, 200],
    "choices": [1, 2],
    "tool_calls": [0, 1, 2],
    "name": [0, 4, 9],
    "extras": [0, 1, 3],
    "depth": [1, 3, 4, 5, 6, 9],
}

BLANK_LINE = re.compile(rb"(?:\r\n|\r|\n){2}")


class Input(NamedTuple):
    """A response and its reader."""

    body: bytes
    status: int | None = 200
    """None: no head is handed in."""
    content_type: str | None = EVENT_STREAM
    options: Options = Options()
    ending: Ending = "eof"

    def open(self) -> ChatStream:
        """A ChatStream that has the head."""
        stream = ChatStream(self.options)
        if self.status is not None:
            named = {} if self.content_type is None else {"content-type": self.content_type}
            stream.receive_head(self.status, named)
        return stream


def make_input(rng: Random, *, real: bool = True) -> Input:
    """An input; ``real``: captures of real servers may be in it."""
    given = _base(rng, real=real)
    events = given.events
    for _ in range(rng.choice([0, 1, 1, 2, 3, 5])):
        if events:
            events = weighed(EVENT_MUTATIONS, rng)(events, rng)
    body = b"".join(events)
    for _ in range(rng.choice([0, 0, 0, 0, 1, 1, 3])):
        if body:
            body = weighed(BODY_MUTATIONS, rng)(body, rng)
    status, content_type = _head(given, rng)
    return Input(body, status, content_type, random_options(rng), rng.choice(ENDINGS))


def _base(rng: Random, *, real: bool) -> Seed:
    made = Seed("made", 200, EVENT_STREAM, [])
    known = seeds(real=real)
    kind = rng.random()
    if kind < 0.04:
        return made._replace(events=_fields(rng))
    if kind < 0.45:
        return made._replace(events=Sender(rng).stream())
    seed = rng.choice(known)
    events = _window(seed.events, rng)
    if kind < 0.75:
        return seed._replace(events=events)
    other = _window(rng.choice(known).events, rng)
    if kind < 0.9:
        at, start = rng.randrange(len(events) + 1), rng.randrange(len(other) + 1)
        return seed._replace(events=events[:at] + other[start:])
    merged = list(events)
    for number, event in enumerate(other):
        merged.insert(min(2 * number, len(merged)), event)
    return seed._replace(events=merged[:MOST_EVENTS])


def _fields(rng: Random) -> list[bytes]:
    """Lines that only the standard of event streams is about."""
    end = rng.choice(ENDS)
    lines = rng.choices([b"", *FIELDS, *LINES], [9, *[3] * len(FIELDS), *[0.2] * len(LINES)], k=12)
    return events_of(b"".join(line + end for line in lines))


def _window(events: list[bytes], rng: Random) -> list[bytes]:
    """Not too many events: the first ones, and the last ones."""
    last = rng.choice([1, 2, 2])
    most = rng.choice([2, 3, 4, 5, 7, 9, MOST_EVENTS])
    chosen = events if len(events) <= most else [*events[: most - last], *events[-last:]]
    size = 0
    kept: list[bytes] = []
    for event in chosen:
        size += len(event)
        if size > MOST_BYTES and kept:
            break
        kept.append(event[:MOST_BYTES])
    return kept


def _head(seed: Seed, rng: Random) -> tuple[int | None, str | None]:
    if rng.random() < 0.88:
        return seed.status, seed.content_type
    if rng.random() < 0.2:
        return None, None
    return rng.choice(STATUSES), rng.choice(CONTENT_TYPES)


def random_options(rng: Random) -> Options:
    """Mostly none."""
    if rng.random() < 0.7:
        return Options()
    return Options(
        limits=random_limits(rng) if rng.random() < 0.6 else Limits(),
        accept_done_without_finish_reason=rng.random() < 0.4,
        normal_finish_reasons=rng.choice([frozenset(), frozenset({"weird", "length"})]),
        choices=rng.choice([None, None, 1, 2, 3]),
    )


def random_limits(rng: Random) -> Limits:
    """One or a few limits that are soon passed."""
    names = rng.sample(sorted(SMALL_LIMITS), rng.choice([1, 1, 2, 3]))
    return limits_of(**{name: rng.choice(SMALL_LIMITS[name]) for name in names})


def limits_of(**small: int) -> Limits:
    """The usual limits but for these."""
    limits: Limits = msgspec.structs.replace(Limits(), **small)
    return limits


# Reads ---------------------------------------------------------------------------------------


def by_size(body: bytes, size: int) -> list[bytes]:
    """Reads of one size."""
    return [body[at : at + size] for at in range(0, len(body), size)]


def by_event(body: bytes) -> list[bytes]:
    """One event a read, as servers flush them."""
    return at_places(body, [found.end() for found in BLANK_LINE.finditer(body)])


def at_places(body: bytes, places: list[int]) -> list[bytes]:
    """Reads with these edges; some may be empty."""
    edges = [0, *sorted(places), len(body)]
    return [body[start:end] for start, end in pairwise(edges)]


def random_reads(body: bytes, rng: Random) -> list[bytes]:
    """Some cutting: by events, near their edges, anywhere, or in one size."""
    kind = rng.randrange(5)
    if kind == 0:
        return by_event(body)
    if kind == 1:
        ends = [found.end() for found in BLANK_LINE.finditer(body)]
        return at_places(body, [max(0, end - rng.choice([0, 0, 0, 1, 2, 3])) for end in ends])
    if kind == 2:
        return by_size(body, rng.choice([1, 2, 3]) if len(body) < 400 else 37)
    return at_places(body, [rng.randint(0, len(body)) for _ in range(rng.choice([1, 2, 4, 9]))])
