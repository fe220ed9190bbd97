"""Each delta is the whole text so far.

On the wire   {"content": "The tide"}   then   {"content": "The tide comes"}   then   ...
Seen at       QwenLM/qwen-code#3896
We            take the last of four snapshots or more, if each begins with the one before, three
              are longer than that, and the last has 20 characters: no coincidence
"""

from __future__ import annotations

FEWEST = 4
FEWEST_LONGER = 3
SHORTEST = 20
MOST_HELD = 3
"""How many fragments wait until it is clear what they are."""


class Snapshots:
    """Fragments of which each begins with the one before, so far.

    All but the first wait, at most MOST_HELD of them: delivered text should not have to be taken
    back. Only the last fragment and the lengths are kept, since the others are prefixes of it.
    """

    __slots__ = ("_held", "_last", "_lengths", "_longer", "_waiting", "confirmed", "total")

    def __init__(self, first: str) -> None:
        self._last = first
        self._lengths = [len(first)]
        self._longer = 0
        self._held: list[str] = []
        self._waiting = True
        self.total = len(first)
        """Characters of all fragments."""
        self.confirmed = False
        """Whether they are snapshots, as far as is known."""

    def continued_by(self, fragment: str) -> bool:
        """Whether ``fragment`` begins with the one before it."""
        return fragment.startswith(self._last)

    def add(self, fragment: str) -> tuple[str, bool]:
        """Take a fragment that continues; the text to deliver now, and whether it is a revision
        of all that was delivered."""
        known = len(self._last)
        self._longer += len(fragment) > known
        self._lengths.append(len(fragment))
        self.total += len(fragment)
        self._last = fragment
        if self.confirmed:
            return fragment[known:], False
        if self._are_snapshots():
            self.confirmed = True
            self._held.clear()
            return (fragment[self._lengths[0] :], False) if self._waiting else (fragment, True)
        if not self._waiting:
            return fragment, False
        self._held.append(fragment)
        return (self.release() if len(self._held) > MOST_HELD else ""), False

    def release(self) -> str:
        """The text that waits; from now on nothing does."""
        self._waiting = self.confirmed and self._waiting
        held, self._held = "".join(self._held), []
        return held

    def fragments(self) -> list[str]:
        """All fragments, as they came."""
        return [self._last[:length] for length in self._lengths]

    @property
    def size(self) -> int:
        """Characters of the text."""
        return len(self._last) if self.confirmed else self.total

    @property
    def text(self) -> str:
        """The text, if nothing more comes."""
        return self._last if self.confirmed else "".join(self.fragments())

    def _are_snapshots(self) -> bool:
        return (
            len(self._lengths) >= FEWEST
            and self._longer >= FEWEST_LONGER
            and len(self._last) >= SHORTEST
        )
