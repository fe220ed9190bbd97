"""Read one hostile body, in a process of its own; print what it cost and how it ended, as JSON.

``python -m bench.hostile.run DOOR SIZE INPUT``
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from resource import RUSAGE_SELF, getrusage
from time import process_time
from typing import Literal

import msgspec
from msgspec import Struct

import untorn
from bench.entrants import HEAD
from bench.hostile.inputs import INPUTS
from bench.hostile.parts import BLANK, FINISH, KIB, OPENING, PIECE, Input, events
from untorn.sse import EventStream

Door = Literal["receive_data", "receive_payload", "EventStream"]


class Measured(Struct):
    """What reading one body cost, and how it ended."""

    size: int
    """Bytes that were handed in."""
    seconds: float
    """CPU seconds of the reader alone, from its making to the completion."""
    peak: int = 0
    """The most bytes that the process ever held, the interpreter's own included."""
    ending: str | None = None
    reason: str | None = None
    content: str | None = None
    """How the content begins."""
    codes: list[str] = []
    """Of all defects."""


def read(what: Input, door: Door, size: int) -> Measured:
    """Feed a body of about ``size`` bytes to a new reader; what comes back is dropped."""
    pieces = what.make(size)
    if what.are_events:
        pieces = _between(pieces)
    if door == "receive_payload":
        return _read_chat(what, _payloads(pieces), payloads=True)
    body = _cut(_as_body(pieces) if what.are_events else pieces, what.read_size)
    if door == "EventStream":
        return _read_events(what, body)
    return _read_chat(what, body, payloads=False)


def _between(pieces: Iterable[bytes]) -> Iterator[bytes]:
    yield from events(OPENING)
    yield from pieces
    yield from events(FINISH)


def _read_chat(what: Input, reads: Iterator[bytes], *, payloads: bool) -> Measured:
    start = process_time()
    stream = untorn.ChatStream(untorn.Options(limits=what.limits))
    if not payloads:
        stream.receive_head(what.status, HEAD)
    seconds = process_time() - start
    size, of_feeding = _feed(stream.receive_payload if payloads else stream.receive_data, reads)
    start = process_time()
    stream.receive_eof()
    completion = stream.completion
    seconds += of_feeding + process_time() - start
    verdict = completion.verdict
    return Measured(
        size=size,
        seconds=seconds,
        ending=verdict.ending,
        reason=verdict.reason,
        content=completion.content and completion.content[:20],
        codes=[defect.code for defect in verdict.defects],
    )


def _read_events(what: Input, reads: Iterator[bytes]) -> Measured:
    stream = EventStream(limits=what.limits)
    ended: list[str] = []

    def receive(data: bytes) -> None:
        if not ended:
            try:
                stream.receive_data(data)
            except untorn.LimitExceeded as exc:
                ended.append(str(exc))

    size, seconds = _feed(receive, reads)
    start = process_time()
    if not ended:
        try:
            stream.receive_eof()
        except untorn.LimitExceeded as exc:
            ended.append(str(exc))
    seconds += process_time() - start
    return Measured(size, seconds, ending="limit" if ended else "eof", reason="".join(ended))


def _feed(receive: Callable[[bytes], object], reads: Iterator[bytes]) -> tuple[int, float]:
    """Bytes and CPU seconds. The making of the reads is not measured."""
    size, seconds = 0, 0.0
    for batch in _batches(reads):
        size += sum(map(len, batch))
        start = process_time()
        for data in batch:
            receive(data)
        seconds += process_time() - start
    return size, seconds


def _batches(reads: Iterator[bytes]) -> Iterator[list[bytes]]:
    """So many reads at once that the clock costs nothing, but that they weigh nothing either."""
    batch: list[bytes] = []
    size = 0
    for data in reads:
        batch.append(data)
        size += len(data)
        if size >= 4 * PIECE:
            # It is given away whole: nothing here holds a read for longer than that.
            given, batch, size = batch, [], 0
            del data
            yield given
            given.clear()
    yield batch


def _payloads(pieces: Iterable[bytes]) -> Iterator[bytes]:
    parts: list[bytes] = []
    for piece in pieces:
        if piece is BLANK:
            payload = b"".join(parts)
            parts.clear()
            yield payload
            del payload
        else:
            parts.append(piece)


def _as_body(pieces: Iterable[bytes]) -> Iterator[bytes]:
    begins = True
    for piece in pieces:
        yield b"data: " + piece if begins else piece
        begins = piece is BLANK


def _cut(pieces: Iterable[bytes], size: int) -> Iterator[bytes]:
    """All pieces in reads of ``size`` bytes."""
    held: list[bytes] = []
    length = 0
    for piece in pieces:
        held.append(piece)
        length += len(piece)
        if length >= size:
            data = b"".join(held)
            whole = length - length % size
            for start in range(0, whole, size):
                yield data[start : start + size]
            held, length = [data[whole:]], length - whole
    yield b"".join(held)


def peak() -> int:
    """The most bytes of memory that this process ever held."""
    try:
        with open("/proc/self/status") as status:
            (line,) = [line for line in status if line.startswith("VmHWM")]
    except FileNotFoundError:
        # Where there is no such file. On Linux it would count what the parent held at the fork.
        kilo = 1 if sys.platform == "darwin" else KIB
        return getrusage(RUSAGE_SELF).ru_maxrss * kilo
    return int(line.split()[1]) * KIB


def main(door: Door, size: int, name: str) -> None:
    """Print what it cost to read an input by a door."""
    measured = read(INPUTS[name], door, size)
    measured.peak = peak()
    print(msgspec.json.encode(measured).decode())


if __name__ == "__main__":
    main(msgspec.convert(sys.argv[1], Door), int(sys.argv[2]), sys.argv[3])
