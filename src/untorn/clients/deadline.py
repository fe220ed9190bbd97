"""When what a thread waits for has to be there, whatever its socket's own timeout allows.

A timeout bounds one read. A head may take many: a peer that sends it letter by letter is never
too late for any of them.
"""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from math import inf
from time import monotonic

LEAST = 0.001
"""Seconds for a read that comes too late: none would mean not to wait at all, another error."""


class _Deadline(threading.local):
    until: float = inf


_deadline = _Deadline()


@contextmanager
def deadline(until: float) -> Generator[None, None, None]:
    """In this block, and this thread, no read waits beyond ``until``, by ``time.monotonic()``."""
    _deadline.until = until
    try:
        yield
    finally:
        _deadline.until = inf


def time_left(timeout: float | None) -> float | None:
    """Seconds that a read may wait; ``timeout`` are those that it may wait by itself."""
    until = _deadline.until
    if until == inf:
        return timeout
    left = max(until - monotonic(), LEAST)
    return left if timeout is None else min(left, timeout)
