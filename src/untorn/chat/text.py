"""One text of a choice while it grows: content, reasoning, refusal."""

from __future__ import annotations

from msgspec import Struct

from untorn.chat.quirks.content_cumulative import Snapshots
from untorn.chat.quirks.surrogate_split import high_half, join_halves


class Growth(Struct, frozen=True, gc=False):
    """What a fragment brings."""

    deliver: str
    """Text to deliver now; ``""`` for none."""
    revised: str | None
    """The whole new text, if what was delivered is no longer right; else None."""
    codes: tuple[str, ...]
    """Defect codes."""


NOTHING = Growth("", None, ())

MANY = 64
"""So many parts are made one."""


class GrowingText:
    """Fragments in, text to deliver out. What waits, waits for a reason:

    - half a surrogate pair, for the other half;
    - fragments that may be snapshots, until it is clear (content and reasoning only).
    """

    __slots__ = (
        "_folded",
        "_half",
        "_may_be_cumulative",
        "_measured",
        "_most",
        "_size",
        "_snapshots",
        "arrived",
        "is_over",
        "parts",
    )

    def __init__(self, most: int, *, may_be_cumulative: bool) -> None:
        self.is_over = False
        """Whether it would be longer than ``most`` characters, if all snapshots had to be told."""
        self._most = most
        self._size = 0
        self._measured = 0
        self._folded = 0  # how many of the parts are many in one
        self.arrived = False
        """Whether any string came, be it empty."""
        self.parts: list[str] = []
        """The fragments, once they are known to be no snapshots, or many of them in one."""
        self._may_be_cumulative = may_be_cumulative
        self._snapshots: Snapshots | None = None
        self._half = ""

    @property
    def is_plain(self) -> bool:
        """Whether a further fragment can simply be appended to ``parts``."""
        return bool(self.parts) and self._snapshots is None and not self._half

    def is_continued_by(self, fragment: str) -> bool:
        """Whether ``fragment`` may be a further snapshot, and nothing waits for it."""
        snapshots = self._snapshots
        return snapshots is not None and not self._half and snapshots.continued_by(fragment)

    @property
    def is_cumulative(self) -> bool:
        """Whether the fragments turned out to be snapshots."""
        return self._snapshots is not None and self._snapshots.confirmed

    def receive(self, fragment: str) -> Growth:
        """Take a fragment."""
        self.arrived = True
        if not fragment:
            return NOTHING
        if self.parts and self._snapshots is None and not self._half and fragment.isascii():
            self.parts.append(fragment)
            return Growth(fragment, None, ())
        codes: tuple[str, ...] = ()
        if self._half or not fragment.isascii():
            joined = join_halves(self._half, fragment)
            self._half = joined.held
            codes = ("surrogate-split",) * joined.split + ("lone-surrogate",) * joined.lone
            fragment = joined.text
        deliver, revised = self._append(fragment) if fragment else ("", None)
        return Growth(deliver, revised, codes)

    def receive_whole(self, text: str) -> Growth:
        """Take a whole message's text: one that begins with the text so far brings the rest."""
        known = self.size if len(text) >= self.size else 0
        if known and not text.startswith(self.text or ""):
            known = 0
        rest = text[known:]
        if self._half and rest and high_half(rest[0]) == self._half:
            self._half = ""  # here it comes again, with or without the other half
        return self.receive(rest)

    @property
    def size(self) -> int:
        """Characters of the text. Each fragment is measured once."""
        if self._snapshots is not None:
            return self._snapshots.size
        if self._measured < len(self.parts):
            self._size += sum(map(len, self.parts[self._measured :]))
            self._measured = len(self.parts)
        return self._size

    def fold(self) -> None:
        """Make one part of many: to Python a short one is an object of 70 bytes."""
        parts, folded, _ = self.parts, self._folded, self.size
        if len(parts) - folded > MANY:
            parts[folded:] = ["".join(parts[folded:])]
            self._folded += 1
            self._measured = len(parts)

    def release(self, *, finished: bool) -> Growth:
        """Nothing more is expected: what waits. Half a pair is delivered as U+FFFD only if the
        choice has finished; where the bytes were torn, its other half may have been on the way,
        and what is delivered stays a beginning of what was said."""
        codes: tuple[str, ...] = ()
        deliver, revised = self._snapshots.release() if self._snapshots else "", None
        if self._half:
            codes = ("lone-surrogate",)
            self._half = ""
            if finished:
                more, revised = self._append("\N{REPLACEMENT CHARACTER}")
                deliver += more
        return Growth(deliver, revised, codes)

    @property
    def text(self) -> str | None:
        """The text, if nothing more comes; None if no string ever came."""
        if self._snapshots is not None:
            return self._snapshots.text
        return "".join(self.parts) if self.arrived else None

    def _append(self, fragment: str) -> tuple[str, str | None]:
        snapshots = self._snapshots
        if snapshots is None:
            if self.parts or not self._may_be_cumulative:
                self.parts.append(fragment)
            else:
                self._snapshots = Snapshots(fragment)
            return fragment, None
        if snapshots.continued_by(fragment):
            deliver, is_revision = snapshots.add(fragment)
            return ("", deliver) if is_revision else (deliver, None)
        if snapshots.total + len(fragment) > self._most:
            self.is_over = True
            return "", None
        self.parts = [*snapshots.fragments(), fragment]
        self._snapshots = None
        if snapshots.confirmed:
            return "", "".join(self.parts)
        return snapshots.release() + fragment, None


NO_TEXT = GrowingText(0, may_be_cumulative=False)
"""Stands for a text of which nothing has come. It receives nothing: streams share it. Who
asks whether a text is this one asks whether any ``arrived``, since a stream may be copied."""
