"""Ways of cutting a body into reads. Whoever reads it must give the same for all of them."""

from __future__ import annotations

from collections.abc import Iterator

READ_SIZES = (1, 2, 3, 7, 37, 64)


def cuttings(data: bytes) -> Iterator[list[bytes]]:
    """Whole, byte by byte, and in reads of the other sizes."""
    yield [data]
    for size in READ_SIZES:
        yield [data[at : at + size] for at in range(0, len(data), size)]


def two_way_cuts(data: bytes) -> Iterator[list[bytes]]:
    """In two reads, at every place. The first and the last cutting have an empty read."""
    for at in range(len(data) + 1):
        yield [data[:at], data[at:]]
