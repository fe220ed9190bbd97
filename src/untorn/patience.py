"""How much longer a reader waits, and for what. No clock: the times are handed in."""

from __future__ import annotations

from math import inf

from untorn.options import Clocks

SENTENCES = {
    "first_byte": "no byte came within {:g} seconds",
    "idle": "no more bytes came for {:g} seconds",
    "content_idle": "nothing was said for {:g} seconds",
    "total": "the answer took longer than {:g} seconds",
    "after_end": "the body did not end within {:g} seconds after the answer",
}


class Patience:
    """What the clocks have left. ``wait`` before each read, ``arrived`` after it.

    All times are seconds by a clock that does not go back. What passes between two reads is the
    caller's time, and counts for ``total`` alone.
    """

    __slots__ = ("_clocks", "_is_full", "_least", "_left", "_since", "_stop")

    def __init__(self, clocks: Clocks, at: float) -> None:
        self._clocks = clocks
        self._since = at
        self._stop = at + _or_never(clocks.total)
        # Seconds of waiting that each clock has left. Full are those that run between two deltas.
        self._left: dict[str, float] = {}
        self._least = 0.0
        self._is_full = False
        self._set(first_byte=clocks.first_byte, content_idle=clocks.content_idle)

    def wait(self, at: float) -> float:
        """A read begins; when it has to end."""
        self._since = at
        until = at + self._least
        return until if until < self._stop else self._stop

    def arrived(self, at: float, *, says_something: bool) -> None:
        """The read gave bytes."""
        if says_something and self._is_full:
            return
        left, waited = self._left, at - self._since
        if "after_end" in left:
            self._set(after_end=left["after_end"] - waited)
        elif says_something:
            self._set(idle=self._clocks.idle, content_idle=self._clocks.content_idle)
            self._is_full = True
        else:
            self._set(idle=self._clocks.idle, content_idle=left["content_idle"] - waited)
            self._is_full = False

    def end_announced(self) -> None:
        """The answer is over; only the end of the body is missing."""
        if "after_end" not in self._left:
            self._set(after_end=self._clocks.after_end)
            self._stop = inf
            self._is_full = False

    def reason(self) -> str:
        """Which clock ran out in the read that began last, as a sentence."""
        left = {**self._left, "total": self._stop - self._since}
        clock = min(left, key=left.__getitem__)
        return f"{SENTENCES[clock].format(getattr(self._clocks, clock))} (clock {clock})"

    def _set(self, **left: float | None) -> None:
        self._left = {clock: _or_never(seconds) for clock, seconds in left.items()}
        self._least = min(self._left.values())


def _or_never(seconds: float | None) -> float:
    return inf if seconds is None else seconds
