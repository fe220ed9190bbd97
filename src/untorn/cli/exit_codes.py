"""What the command tells the shell. The numbers are public: scripts branch on them."""

from __future__ import annotations

from collections.abc import Iterable

from untorn.chat.verdict import Outcome

COMPLETE = 0
USAGE = 2
"""The command was called wrongly, or a file cannot be read or written."""
CANCELLED = 130
"""By Ctrl-C, as shells count: 128 and SIGINT's number."""
BROKEN_PIPE = 141
"""Nobody reads the output any more: 128 and SIGPIPE's number."""

BY_OUTCOME: dict[Outcome, int] = {
    "failed": 4,
    "interrupted": 3,
    "filtered": 6,
    "truncated": 5,
    "complete": COMPLETE,
}
"""The worst first."""


def worst(outcomes: Iterable[Outcome]) -> int:
    """The code of the worst of several outcomes; that of ``complete`` if there is none."""
    seen = set(outcomes)
    return next((code for outcome, code in BY_OUTCOME.items() if outcome in seen), COMPLETE)
