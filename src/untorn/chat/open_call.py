"""One tool call while it grows: fragments of its arguments in, the arguments they mean out."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from msgspec import Struct

from untorn.chat.completion import ToolCall, TornToolCall
from untorn.chat.json_scan import is_json
from untorn.chat.json_text import load, normal_form
from untorn.chat.pieces import NO_VALUES
from untorn.chat.quirks import arguments_cumulative, arguments_placeholder, arguments_resent
from untorn.chat.quirks.surrogate_split import join_halves
from untorn.options import Limits

REPAIRS = {
    "arguments-cumulative": "repeated all arguments in each fragment; the last one is taken",
    "arguments-double-encoded": "has a JSON string for arguments, which holds JSON",
    "arguments-empty": "has no arguments",
    "arguments-invalid-json": "has arguments that are no JSON; it is not to be run",
    "arguments-placeholder": "began with {} before its arguments, which is dropped",
    "arguments-resent": "got its whole arguments once more, which are dropped",
}
"""What to say of a call whose arguments are odd."""


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
        "_half",
        "_limits",
        "_measured",
        "_scan",
        "_size",
        "_whole_with",
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
        self._scan = Scan()
        self._whole_with = (0, False)
        # What the arguments mean, and with how many fragments that was so.
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
        if self._measured < len(self.fragments):
            self._size += sum(map(len, self.fragments[self._measured :]))
            self._measured = len(self.fragments)
        return self._size + len(self.name or "")

    def is_whole(self) -> bool:
        """Whether the arguments so far are JSON. Linear over all fragments."""
        known, whole = self._whole_with
        # Blanks change nothing, so they are not worth another look at all the rest.
        if any(part.strip(" \t\n\r") for part in self.fragments[known:]):
            shaped = self._scan.ended(self.fragments)
            whole = shaped and is_json(self.arguments, self._limits.depth)
        self._whole_with = (len(self.fragments), whole)
        return whole

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
        known = (len(self.fragments), self.custom)
        if self._final_with != known:
            self._final_with, self._final = known, self._final_arguments()
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
        arguments, repair = repair_arguments(self.fragments, limits)
        valid = repair != "arguments-invalid-json"
        mark = arguments.lstrip()[:1] if valid else ""
        if mark == '"' and is_json(load(arguments, limits), limits.depth):
            repair = repair or "arguments-double-encoded"
        return arguments, repair, valid, mark == "{"


def repair_arguments(fragments: list[str], limits: Limits) -> tuple[str, str | None]:
    """The arguments that fragments (at least one) mean, and the code of the repair (rule 10)."""
    valid: Callable[[str], bool] = partial(is_json, depth=limits.depth)
    normal: Callable[[str], str] = partial(normal_form, limits=limits)
    plain = "".join(fragments)
    if valid(plain):
        return plain, None
    if (repaired := arguments_placeholder.repair(fragments, valid)) is not None:
        return repaired, "arguments-placeholder"
    if (repaired := arguments_resent.repair(fragments, valid, normal)) is not None:
        return repaired, "arguments-resent"
    if (repaired := arguments_cumulative.repair(fragments, valid)) is not None:
        return repaired, "arguments-cumulative"
    return plain, "arguments-invalid-json"


class Scan:
    """Whether a text that grows has the outer shape of JSON, looking at each character once.

    ``is_json`` for each fragment would be quadratic; this says when it is worth asking.
    """

    __slots__ = ("_depth", "_ended", "_escaped", "_fragments", "_in_string", "_junk", "_outside")

    def __init__(self) -> None:
        self._fragments = 0
        self._depth = 0
        self._in_string = False
        self._escaped = False
        self._ended = False
        self._junk = False
        self._outside = 0

    def ended(self, fragments: list[str]) -> bool:
        """Whether all fragments so far may be one whole JSON text."""
        for fragment in fragments[self._fragments :]:
            self._read(fragment)
        self._fragments = len(fragments)
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
