"""What the replay server sends to the tests of both colours of sources."""

from __future__ import annotations

import pytest

from untorn.replay.reply import NEVER, Framing, Reply
from untorn.replay.streams import ROLE, contents, stream
from untorn.sources import Opened

ANSWER = stream(contents())
GZIPPED = (("Content-Type", "text/event-stream"), ("Content-Encoding", "gzip"))
NO_HEAD = Opened(None, [])
FRAMINGS: list[Framing] = ["chunked", "close", "content-length"]

each_framing = pytest.mark.parametrize("framing", FRAMINGS)


def begun(framing: Framing = "chunked") -> Reply:
    """One event, and then nothing for ever."""
    length = 5000 if framing == "content-length" else None
    return Reply(reads=[ROLE], framing=framing, content_length=length, pause=NEVER)
