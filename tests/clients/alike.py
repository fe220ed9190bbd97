"""Streams of like events, and what comes of them if they are all read, or passed on unread."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from tests.clients.repairs import ASKED, Ending, end
from untorn import Completion, Options
from untorn.clients.asked import Asked
from untorn.clients.repair import Like, Repair
from untorn.events import StreamEvent
from untorn.head import EVENT_STREAM
from untorn.options import Clocks
from untorn.sources import Opened

ENOUGH = 20
"""More than the stopwatch counts at once."""


class Counting(Repair):
    """A Repair that counts the events that it took for like ones."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.passed_by = 0
        self._last: Like | None = None

    def receive(self, data: bytes | None, at: float, rang: bool) -> None:
        super().receive(data, at, rang)
        self.passed_by += self._like is not None and self._like is self._last
        self._last = self._like


class ReadingAll(Counting):
    """One that reads all of them."""

    def _like_of(self, event: bytes, payload: bytes, events: list[StreamEvent]) -> Like | None:
        return None


class Came(NamedTuple):
    """What came of a body."""

    sent: list[bytes]
    """After each read, and after the end."""
    failure: tuple[str, type[BaseException]] | None
    completions: list[Completion]
    """The last one; or, where it was asked for after each read, all."""


class How(NamedTuple):
    """How a body is read."""

    options: Options = Options()
    asked: Asked = ASKED
    headers: Sequence[tuple[str, str]] = (("content-type", EVENT_STREAM),)
    clocks: Clocks = Clocks()
    waits: Sequence[float] = (0.25,)
    """Seconds before each read, over and over."""
    ending: Ending = "eof"
    received: int | None = None
    """Bytes on the wire, where the body is compressed."""
    rings_at: int | None = None
    """The number of the read that a clock ends."""


USUAL = How()


def came_of(repair: Counting, reads: Iterable[bytes], how: How, *, asking: bool) -> Came:
    at = 5.0
    repair.begin(Opened(200, list(how.headers)), lambda: how.received, at)
    sent: list[bytes] = []
    completions: list[Completion] = []
    for number, data in enumerate(filter(None, reads)):
        if repair.is_over:
            break
        repair.wait(at)
        at += how.waits[number % len(how.waits)]
        repair.receive(data, at, number == how.rings_at)
        sent.append(repair.take())
        if asking:
            completions.append(repair.completion)
    if not repair.is_over:
        repair.wait(at)
        end(repair, how.ending, at)
    failure = repair.failure
    said = None if failure is None else (failure.why, type(failure.cause))
    return Came([*sent, repair.take()], said, [*completions, repair.completion])


def passed_by(reads: Iterable[bytes], how: How = USUAL) -> int:
    """How many of the reads were taken for like ones. All is as if none had been."""
    reads = list(reads)
    given = (how.asked, how.options, how.clocks)
    repair, asked = Counting(*given), Counting(*given)
    plain = came_of(ReadingAll(*given), reads, how, asking=True)
    assert came_of(asked, reads, how, asking=True) == plain
    assert came_of(repair, reads, how, asking=False) == plain._replace(
        completions=plain.completions[-1:]
    )
    assert asked.passed_by == repair.passed_by
    return repair.passed_by


ABOUT = '"id":"c1","object":"chat.completion.chunk","created":17,"model":"m"'
COMPACT = f'{{{ABOUT},"choices":[{{"index":0,"delta":{{"content":"?"}},"finish_reason":null}}]'
SHAPES = {
    "content": COMPACT + "}",
    "obfuscation": COMPACT + ',"obfuscation":"aZ9"}',
    "obfuscation first": '{"obfuscation":"aZ9",' + COMPACT[1:] + "}",
    "reasoning_content": COMPACT.replace("content", "reasoning_content") + "}",
    "reasoning": COMPACT.replace("content", "reasoning") + ',"service_tier":null}',
    "role": COMPACT.replace('"content"', '"role":"assistant","content"') + ',"usage":null}',
    "spaces": json.dumps(json.loads(COMPACT + ',"obfuscation":"aZ9"}')),
    "more spaces": COMPACT.replace(":", "\t: ") + ' , "obfuscation" :  "aZ9"}',
    "no logprobs": COMPACT.replace('"finish', '"logprobs":null,"finish') + "}",
    "a vendor's": COMPACT + ',"x":1}',
    "escapes": COMPACT.replace('"m"', r'"a\/m"') + "}",
    "escaped key": COMPACT.replace('"index"', r'"\u0069ndex"') + "}",
}


def stream_of(shape: str, texts: Iterable[str]) -> list[bytes]:
    """Events of this shape; the texts as they stand in JSON."""
    first = json.loads(shape)
    first["choices"][0]["delta"] = {"role": "assistant", "content": ""}
    return [
        f"data: {one}\n\n".encode("utf-8", "surrogatepass")
        for one in (json.dumps(first), *(shape.replace("?", text, 1) for text in texts))
    ]


WORDS = [f" word {number}" for number in range(ENOUGH)]
