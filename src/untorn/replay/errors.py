"""What is raised for wrong use of a replay server. A client's faults are answered and logged."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from untorn.errors import UntornError

HOW = (
    "choose one by url() or play(), by the path or as the model; untorn.testing.whole(), faults()"
    " and endless() list them"
)


class ReplayError(UntornError):
    """The root of these."""


class UnknownScenario(ReplayError, LookupError):
    """No scenario has this name."""

    def __init__(self, name: str, names: Iterable[str]) -> None:
        super().__init__(name)
        self.name = name
        self.close = get_close_matches(name, names)
        """Names that look like it."""

    def __str__(self) -> str:
        if not self.name:
            return f"no scenario was named; {HOW}"
        near = f"; did you mean {' or '.join(self.close)}?" if self.close else ""
        return f"no scenario is named {self.name!r}{near}; {HOW}"


class NotInTime(ReplayError, TimeoutError):
    """What was waited for did not happen in time."""

    def __init__(self, seconds: float, state: str) -> None:
        super().__init__(seconds, state)
        self.seconds = seconds
        self.state = state
        """What had happened, for people."""

    def __str__(self) -> str:
        return f"it did not happen within {self.seconds:g} s; the server's log says: {self.state}"
