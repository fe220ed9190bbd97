"""One tool call while it grows: fragments of its arguments in, the arguments they mean out."""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct

from untorn.chat.arguments import Seams, repair_arguments
from untorn.chat.completion import ToolCall, TornToolCall
from untorn.chat.json_scan import is_json
from untorn.chat.json_text import load
from untorn.chat.pieces import NO_VALUES
from untorn.chat.quirks.surrogate_split import join_halves
from untorn.options import Limits

MANY = 64
"""So many fragments are made one."""


class FinalCall(Struct):
    """A call as it stands if nothing more comes."""

    number: int
    """Its place in order of opening."""
    index: int | None
    """Its number on the wire."""
    id: str | None
    name: str | None
    custom: bool
    arguments: str
    extra: dict[str, Any]
    """Unknown keys, each with its last value that is not null."""
    repair: str | None
    """The code of the repair that made ``arguments``, or of what is wrong with them; else None."""
    is_json: bool
    is_object: bool


class OpenCall:
    """A call while it grows."""

    __slots__ = (
        "_final",
        "_final_with",
        "_folded",
        "_half",
        "_limits",
        "_measured",
        "_scan",
        "_scanned",
        "_seams",
        "_size",
        "_whole",
        "custom",
        "extra",
        "fragments",
        "id",
        "index",
        "legacy",
        "name",
        "number",
        "started",
        "told_call",
        "told_id",
        "told_name",
    )

    def __init__(
        self, number: int, index: int | None, *, custom: bool, legacy: bool, limits: Limits
    ) -> None:
        self.number = number
        self.index = index
        self.custom = custom
        self.legacy = legacy
        self.id: str | None = None
        self.name: str | None = None
        self.extra = NO_VALUES
        self.fragments: list[str] = []
        """What came; more may be appended. Those before are perhaps many in one."""
        self.started = False
        """Whether ToolCallStarted was delivered."""
        self.told_name: str | None = None
        """The name in ToolCallStarted, or in the Revised after it."""
        self.told_id: str | None = None
        """The id in ToolCallStarted."""
        self.told_call: ToolCall | None = None
        """The call in ToolCallFinished; None before it."""
        self._half = ""
        self._limits = limits
        # How many of the fragments are many in one, and what was seen of them before.
        self._folded = 0
        self._seams = Seams()
        self._scan = Scan()
        self._scanned = 0
        self._whole = False
        # What the arguments mean, and with how many fragments that was so. (They are one then.)
        self._final_with: tuple[int, bool] | None = None
        self._final: tuple[str, str | None, bool, bool] = ("", None, False, False)
        self._measured = 0
        self._size = 0

    @property
    def has_arguments(self) -> bool:
        return bool(self.fragments)

    @property
    def arguments(self) -> str:
        """Everything that came, joined."""
        return "".join(self.fragments)

    @property
    def is_usual(self) -> bool:
        """Whether a further fragment of arguments alone can simply be appended."""
        return self.started and not self._half

    @property
    def size(self) -> int:
        """Characters of the arguments and the name. Each fragment is measured once."""
        self._measure()
        return self._size + len(self.name or "")

    def _measure(self) -> None:
        if self._measured < len(self.fragments):
            self._size += sum(map(len, self.fragments[self._measured :]))
            self._measured = len(self.fragments)

    def fold(self) -> None:
        """Make one of many fragments: to Python a short one is an object of up to 80 bytes.

        Then one of those that are no longer than what comes after them. So they are few, and long:
        the C library gives back to the system only what is.
        """
        start = self._folded
        if len(self.fragments) - start > MANY:
            self._measure()
            size = sum(map(len, self.fragments[start:]))
            while start and len(self.fragments[start - 1]) <= size:
                start -= 1
                size += len(self.fragments[start])
            self._fold(start)

    def _fold(self, start: int) -> None:
        """Make one of the fragments from ``start`` on. They have been measured, or are all."""
        fragments, folded = self.fragments, self._folded
        if self._scanned:
            self.is_whole()  # it would not know any more what it has seen
        self._seams.add(fragments[folded - 1] if folded else "", fragments[folded:])
        fragments[start:] = ["".join(fragments[start:])]
        self._folded = self._measured = len(fragments)
        self._scanned = self._scanned and len(fragments)

    def is_whole(self) -> bool:
        """Whether the arguments so far are JSON. Linear over all fragments."""
        new = self.fragments[self._scanned :]
        self._scanned += len(new)
        shaped = self._scan.ended(new)
        # Blanks change nothing, so they are not worth another look at all the rest.
        if any(part.strip(" \t\n\r") for part in new):
            self._whole = shaped and is_json(self.arguments, self._limits.depth)
        return self._whole

    def append(self, arguments: str) -> tuple[str, tuple[str, ...]]:
        """Take more arguments; the text that is new, and defect codes."""
        codes: tuple[str, ...] = ()
        if arguments and (self._half or not arguments.isascii()):
            joined = join_halves(self._half, arguments)
            self._half = joined.held
            arguments = joined.text
            codes = ("surrogate-split",) * joined.split + ("lone-surrogate",) * joined.lone
        if arguments:
            self.fragments.append(arguments)
        return arguments, codes

    def close(self, *, finished: bool) -> tuple[str, tuple[str, ...]]:
        """Nothing more is expected: what half a pair leaves, and defect codes. See GrowingText."""
        if not self._half:
            return "", ()
        self._half = ""
        if not finished:
            return "", ("lone-surrogate",)
        self.fragments.append("\N{REPLACEMENT CHARACTER}")
        return self.fragments[-1], ("lone-surrogate",)

    def was_told_as(self, call: ToolCall | TornToolCall) -> bool:
        """Whether the events that were delivered tell the same of it as ``call``."""
        if self.told_call is not None:
            same = (call.id, call.name, call.arguments)
            told = (self.told_call.id, self.told_call.name, self.told_call.arguments)
            return isinstance(call, ToolCall) and same == told
        told_so_far = (self.told_id, self.told_name, self.arguments)
        return (call.id, call.name, call.arguments) == told_so_far

    def final(self) -> FinalCall:
        """The call if nothing more comes."""
        if self._final_with != (len(self.fragments), self.custom):
            if self.fragments:
                self._fold(0)  # so that they are not there twice
                self._size = len(self.fragments[0])
            self._final_with = (len(self.fragments), self.custom)
            self._final = self._final_arguments()
        arguments, repair, valid, is_object = self._final
        return FinalCall(
            number=self.number,
            index=self.index,
            id=self.id,
            name=self.name,
            custom=self.custom,
            arguments=arguments,
            extra=dict(self.extra),
            repair=repair,
            is_json=valid,
            is_object=is_object,
        )

    def _final_arguments(self) -> tuple[str, str | None, bool, bool]:
        if self.custom:
            return self.arguments, None, False, False
        if not self.fragments:
            return "", "arguments-empty", False, False
        limits = self._limits
        arguments, repair = repair_arguments(self.arguments, self._seams, limits)
        valid = repair != "arguments-invalid-json"
        mark = arguments.lstrip()[:1] if valid else ""
        if mark == '"' and is_json(load(arguments, limits), limits.depth):
            repair = repair or "arguments-double-encoded"
        return arguments, repair, valid, mark == "{"


class Scan:
    """Whether a text that grows has the outer shape of JSON, looking at each character once.

    ``is_json`` for each fragment would be quadratic; this says when it is worth asking.
    """

    __slots__ = ("_depth", "_ended", "_escaped", "_in_string", "_junk", "_outside")

    def __init__(self) -> None:
        self._depth = 0
        self._in_string = False
        self._escaped = False
        self._ended = False
        self._junk = False
        self._outside = 0

    def ended(self, fragments: list[str]) -> bool:
        """Whether, with these further fragments, all so far may be one whole JSON text."""
        for fragment in fragments:
            self._read(fragment)
        # A scalar has no bracket to close it. One of reasonable length is worth a look.
        scalar = 0 < self._outside < 100 and not self._in_string and not self._depth
        return not self._junk and (scalar if not self._ended else self._outside == 0)

    def _read(self, text: str) -> None:
        escaped = 0 if self._escaped else -1  # where a character stands that a backslash escapes
        outside = 0  # where what is in no string begins
        for mark in _MARKS.finditer(text):
            place, char = mark.start(), mark[0]
            if place == escaped:
                continue
            if not self._in_string:
                self._count_outside(text[outside:place])
                self._step(char)
            elif char == "\\":
                escaped = place + 1
            elif char == '"':
                self._in_string = False
            outside = place + 1
        if not self._in_string:
            self._count_outside(text[outside:])
        self._escaped = escaped == len(text)

    def _step(self, char: str) -> None:
        if char == '"':
            self._in_string = True
            self._outside += not self._depth
        elif char in "{[":
            self._junk = self._junk or self._ended
            self._depth += 1
        elif char in "}]":
            self._depth -= 1
            self._ended = self._depth == 0
        else:
            self._count_outside(char)

    def _count_outside(self, text: str) -> None:
        if not self._depth:
            self._outside += len(text.translate(_NO_BLANKS))


_MARKS = re.compile(r'["\\{}\[\]]')
_NO_BLANKS = dict.fromkeys(map(ord, " \t\n\r"))
