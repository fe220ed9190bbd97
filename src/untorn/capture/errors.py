"""What is raised for a capture that cannot be read."""

from __future__ import annotations

from untorn.errors import UntornError
from untorn.readable import plain


class CaptureError(UntornError):
    """A recorded file is not what it should be. What was read before it stands."""

    def __init__(self, problem: str, *, line: int | None = None, name: str = "") -> None:
        super().__init__(problem, line, name)
        self.problem = problem
        """What came, and what was expected."""
        self.line = line
        """The line of the file, from 1; None where it is about all of it."""
        self.name = name
        """The file; empty where it has no name."""

    @property
    def where(self) -> str:
        """The place in the file, and the problem."""
        return self.problem if self.line is None else f"line {self.line}: {self.problem}"

    def __str__(self) -> str:
        return f"{plain(self.name, 200)}: {self.where}" if self.name else self.where
