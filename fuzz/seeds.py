"""Bodies to begin with: the corpus, the package's own captures, and real ones where present."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import untorn
from fuzz.mutations import events_of
from tests.chat_helpers import captures, corpus

OWN_CAPTURES = Path(untorn.__file__).parent / "cli" / "captures"

EVENT_STREAM = "text/event-stream"


class Seed(NamedTuple):
    """A response."""

    name: str
    status: int
    content_type: str | None
    events: list[bytes]


@cache
def seeds(*, real: bool) -> list[Seed]:
    """All seeds; with ``real`` those that only some machines have."""
    cases = [*corpus(), *(captures() if real else [])]
    found = [Seed(one.name, one.status, one.content_type, events_of(one.body)) for one in cases]
    found += [
        Seed(path.stem, 200, EVENT_STREAM, events_of(path.read_bytes()))
        for path in sorted(OWN_CAPTURES.glob("*.sse"))
    ]
    return [seed for seed in found if seed.events]
