"""The arguments of a tool call in one piece → what they mean (rule 10)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain

from untorn.chat.json_scan import is_json
from untorn.chat.json_text import normal_form
from untorn.chat.quirks import arguments_cumulative, arguments_placeholder, arguments_resent
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


class Seams:
    """What repairs ask of the fragments of a text, so that the fragments need not be kept."""

    __slots__ = ("first", "grow", "last")

    def __init__(self, fragments: Sequence[str] = ()) -> None:
        self.first = 0
        """Characters of the first fragment; 0 if there is none."""
        self.last = 0
        """Characters of the last one."""
        self.grow = True
        """Whether each begins with the one before it."""
        self.add("", fragments)

    def add(self, before: str, fragments: Sequence[str]) -> None:
        """More fragments, none of them empty. ``before``: the text before them, or its end with the
        last fragment in it."""
        if not fragments:
            return
        if self.grow:
            last = before[len(before) - self.last :]
            self.grow = arguments_cumulative.grow(chain([last], fragments))
        self.first = self.first or len(fragments[0])
        self.last = len(fragments[-1])


def repair_arguments(text: str, seams: Seams, limits: Limits) -> tuple[str, str | None]:
    """The arguments that a text (not empty) of fragments means, and the code of the repair."""
    valid: Callable[[str], bool] = partial(is_json, depth=limits.depth)
    normal: Callable[[str], str] = partial(normal_form, limits=limits)
    if valid(text):
        return text, None
    if (repaired := arguments_placeholder.repair(text, seams.first, valid)) is not None:
        return repaired, "arguments-placeholder"
    if (repaired := arguments_resent.repair(text, seams.last, valid, normal)) is not None:
        return repaired, "arguments-resent"
    if seams.grow and (repaired := arguments_cumulative.repair(text, seams.last, valid)):
        return repaired, "arguments-cumulative"
    return text, "arguments-invalid-json"
