"""A Reading whose body is given on, read by read. No I/O, no clock."""

from __future__ import annotations

from typing import NamedTuple

from untorn.chat.completion import RAISE_ON
from untorn.errors import UntornError
from untorn.options import Clocks, Options
from untorn.reading import Reading


class Failure(NamedTuple):
    """Why an answer must not be taken for a whole one."""

    why: str
    """A sentence that says what is missing."""
    cause: UntornError


class Body(Reading):
    """What is to be given on waits in ``unsent``; what that is, a subclass says."""

    def __init__(self, options: Options, clocks: Clocks) -> None:
        super().__init__(options, clocks, RAISE_ON, None)
        self.unsent: list[bytes] = []
        """Bytes that nobody has taken yet."""
        self.failure: Failure | None = None
        """What is to be raised after ``unsent``; None for a body that may be taken as it is."""

    def take(self) -> bytes:
        """What is to be sent on now; it may be nothing."""
        unsent, self.unsent = self.unsent, []
        return unsent[0] if len(unsent) == 1 else b"".join(unsent)
