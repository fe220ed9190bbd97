"""What the end means: one outcome, how the bytes stopped, and everything that was odd."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from msgspec import Struct

from untorn.chat.defects import CODES, Severity
from untorn.chat.finish_reasons import Meaning
from untorn.readable import amount, one_line, plain
from untorn.sse.event_stream import Tail

Outcome = Literal["complete", "truncated", "filtered", "interrupted", "failed"]
Ending = Literal["done", "eof", "torn", "cut", "stalled", "cancelled", "limit", "document"]


class Defect(Struct, frozen=True):
    """One kind of oddity in a stream; there is one record per code."""

    code: str
    """A name of the vocabulary in ``untorn.chat.defects``."""
    severity: Severity
    """How grave it is."""
    offset: int | None
    """The byte of the body where the line of its first place begins; None where it has none."""
    count: int
    """How often it was seen."""
    detail: str
    """A sentence: what was seen at the first place."""

    def to_dict(self) -> dict[str, Any]:
        """As in the report."""
        return {
            "code": self.code,
            "severity": self.severity,
            "offset": self.offset,
            "count": self.count,
            "detail": self.detail,
        }

    def __str__(self) -> str:
        where = "" if self.offset is None else f" at byte {self.offset}"
        often = "" if self.count == 1 else f" ({self.count} times)"
        return f"{self.severity} {self.code}{where}{often}: {self.detail}"


class ErrorObject(Struct, frozen=True):
    """An error that the server reported. Nothing in it is our own wording."""

    message: str
    """The server's text; ``""`` if it said that it failed and nothing else."""
    code: str | None = None
    """Its code, numbers as decimal strings; None if it sent none."""
    type: str | None = None
    """Its type; None if it sent none."""
    param: str | None = None
    """The request's parameter it complains of; None if it names none."""
    status: int | None = None
    """The HTTP status, if that was 400 or above; else None."""
    raw: Any = None
    """The error as sent: the decoded JSON, or the text."""

    def to_dict(self) -> dict[str, Any]:
        """As in the report."""
        return {
            "message": self.message,
            "code": self.code,
            "type": self.type,
            "param": self.param,
            "status": self.status,
        }

    def __str__(self) -> str:
        names = [plain(str(name)) for name in (self.status, self.type, self.code) if name]
        said = one_line(self.message, 200) if self.message else "no message"
        return f"{said} ({', '.join(dict.fromkeys(names))})" if names else said


class Verdict(Struct, frozen=True):
    """Whether the answer is whole, and if not, why."""

    outcome: Outcome
    """The one word. While the stream is open: what it would be if it stopped here."""
    ending: Ending | None
    """How the bytes stopped; None while the stream is open."""
    reason: str | None
    """Which clock, limit or failure ended it; None for the other endings."""
    error: ErrorObject | None
    """The first error that the server reported."""
    defects: list[Defect]
    """Every oddity, in the order in which the codes were first seen."""
    tail: Tail | None
    """The event that was cut by the end; None if none was."""
    usage_reported: bool
    """Whether the server sent a usage with a count in it."""

    def to_dict(self) -> dict[str, Any]:
        """The verdict's part of the report."""
        return {
            "outcome": self.outcome,
            "ending": self.ending,
            "reason": self.reason,
            "error": self.error and self.error.to_dict(),
            "defects": [defect.to_dict() for defect in self.defects],
            "tail": self.tail and self.tail.to_dict(),
        }

    def __str__(self) -> str:
        return f"{self.outcome}: {self._why()}"

    def _why(self) -> str:
        if self.error is not None:
            return f"the server reported {self.error}"
        lost = [defect.detail for defect in self.defects if defect.severity == "error"]
        if self.reason is not None and (lost or self.outcome == "interrupted"):
            lost.insert(0, plain(self.reason, 200))
        if lost:
            return "; ".join(lost)
        if self.ending is None:
            return "the stream is still open"
        why = {
            "complete": "every choice finished normally",
            "truncated": "a token limit stopped the answer",
            "filtered": "a content filter stopped the answer",
            "interrupted": "nobody knows that every choice ended normally",
            "failed": "the server reported an error by its finish reason",
        }[self.outcome]
        odd = [defect for defect in self.defects if defect.severity == "warning"]
        return f"{why}, with {amount(len(odd), 'warning')}" if odd else why


class Facts(NamedTuple):
    """What the outcome depends on."""

    reported_failure: bool
    """An error status, an error in the stream, or an HTML page."""
    lost: bool
    """Some defect is of severity error."""
    done: bool
    """``[DONE]`` came."""
    choices: int
    """How many there are."""
    unfinished: int
    """How many of them got no end."""
    meanings: frozenset[Meaning]
    """What the finish reasons mean."""

    @property
    def failed(self) -> bool:
        """Whether the server said that it failed."""
        return self.reported_failure or Meaning.ERROR in self.meanings


def outcome_of(facts: Facts) -> Outcome:
    """The first outcome that applies, in this order (corpus rules, "Outcome")."""
    if facts.failed:
        return "failed"
    if facts.lost or not facts.choices or facts.unfinished:
        return "interrupted"
    if facts.meanings & {Meaning.UNKNOWN, Meaning.GAVE_UP}:
        return "interrupted"
    if Meaning.FILTER in facts.meanings:
        return "filtered"
    return "truncated" if Meaning.LIMIT in facts.meanings else "complete"


def code_of_end(facts: Facts, is_document: bool, ending: Ending) -> str | None:
    """The defect that tells how the stream ended; None if nothing is odd about it (rule 5)."""
    if facts.failed or is_document:
        return None
    if not facts.choices:
        return "empty-stream"
    if facts.unfinished:
        return "missing-finish-reason" if facts.done else "unexpected-eof"
    if facts.done or facts.lost or ending != "eof":
        return None
    return "missing-done"


NO_DEFECTS: dict[str, Defect] = {}
NO_COUNTS: dict[str, int] = {}
"""Stand for those of every log without a defect. Nobody adds to them: streams share them."""


class DefectLog:
    """Defects as they are found: one record per code, however often it is seen."""

    __slots__ = ("_counts", "_first", "event_lost", "lost")

    def __init__(self) -> None:
        self._first = NO_DEFECTS
        self._counts = NO_COUNTS
        self.lost = False
        """Whether an error was among them: no answer with one is complete."""
        self.event_lost = False
        """Whether an event was lost that may have held a part of the answer."""

    def __contains__(self, code: str) -> bool:
        return code in self._first

    def add(self, code: str, offset: int | None, detail: str) -> Defect:
        """The first of its code."""
        severity = CODES[code][0]
        if not self._first:
            self._first, self._counts = {}, {}
        defect = self._first[code] = Defect(code, severity, offset, 1, detail)
        self._counts[code] = 1
        self.lost = self.lost or severity == "error"
        self.event_lost = self.event_lost or code == "bad-json"
        return defect

    def count(self, code: str, more: int) -> None:
        """So many more of a code that was added."""
        self._counts[code] += more

    def defects(self) -> list[Defect]:
        """The records, in the order of the first places."""
        return [
            Defect(one.code, one.severity, one.offset, self._counts[one.code], one.detail)
            for one in self._first.values()
        ]
