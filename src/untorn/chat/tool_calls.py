"""Fragments → tool calls: which call a fragment belongs to (corpus rule 9)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from untorn.chat.arguments import REPAIRS
from untorn.chat.chunks import Finding, Fragment
from untorn.chat.json_text import normal_form
from untorn.chat.kept import Kept
from untorn.chat.open_call import FinalCall, OpenCall
from untorn.chat.quirks.tool_call_duplicated import without_copies
from untorn.chat.quirks.tool_index_missing import call_of
from untorn.chat.quirks.tool_index_reused import is_another_call
from untorn.options import Limits

LEGACY = "function_call"
"""The slot of ``function_call``, which counts as an index of its own."""

Slot = int | str


class ToolCalls:
    """The calls of one choice."""

    __slots__ = ("_by_id", "_kept", "_limits", "at", "calls", "last", "over")

    def __init__(self, limits: Limits) -> None:
        self.over: str | None = None
        """The limit that was passed, as a sentence; None while all are kept."""
        self._limits = limits
        self.calls: list[OpenCall] = []
        """In order of opening."""
        self.at: dict[Slot, OpenCall] = {}
        """By wire index: the call that is open there."""
        self._by_id: dict[str, OpenCall] = {}
        self.last: OpenCall | None = None
        """The call of the fragment before."""
        self._kept = Kept()

    @property
    def kept(self) -> int:
        """How many unknown keys and values beside calls are kept."""
        return self._kept.count

    def place(self, fragment: Fragment, findings: list[Finding], *, of_message: bool) -> OpenCall:
        """The call that a fragment belongs to, perhaps a new one, with its id and name taken.

        The arguments are left to the caller. ``of_message``: its calls have no index by nature.
        """
        slot = LEGACY if fragment.legacy else fragment.index
        if slot is None:
            call = self._without_index(fragment, findings, of_message)
        else:
            call = self._at_index(slot, fragment, findings)
        if call is None:
            call = self._open(slot, fragment)
        else:
            call.custom = call.custom or (fragment.custom and not call.has_arguments)
            self._take_id(call, fragment, findings)
            self._take_name(call, fragment, findings)
        if fragment.extra:
            call.extra = call.extra or {}
            call.extra |= fragment.extra
            self._kept.take_keys("call", call.number, fragment.extra)
        self.last = call
        return call

    def _at_index(self, slot: Slot, fragment: Fragment, findings: list[Finding]) -> OpenCall | None:
        call = self.at.get(slot)
        if call is None or fragment.name is None:
            return call  # without a name it opens none
        normal: Callable[[str], str] = partial(normal_form, limits=self._limits)
        if not is_another_call(call, fragment.id, fragment.name, fragment.arguments, normal):
            return call
        findings.append(
            Finding("tool-index-reused", f"a new call at the index of call {call.number}")
        )
        return None

    def _without_index(
        self, fragment: Fragment, findings: list[Finding], of_message: bool
    ) -> OpenCall | None:
        if of_message:
            return None if fragment.name is not None else self.last
        findings.append(Finding("tool-index-missing", "a tool call fragment has no index"))
        return call_of(self._by_id, self.last, fragment.id, fragment.name)

    def _open(self, slot: Slot | None, fragment: Fragment) -> OpenCall:
        call = OpenCall(
            len(self.calls),
            fragment.index,
            custom=fragment.custom,
            legacy=fragment.legacy,
            limits=self._limits,
        )
        call.name = fragment.name
        self._know_id(call, fragment.id)
        self.calls.append(call)
        if slot is not None:
            self.at[slot] = call
        return call

    def _take_id(self, call: OpenCall, fragment: Fragment, findings: list[Finding]) -> None:
        if fragment.id is None:
            return
        if call.id is None:
            self._know_id(call, fragment.id)
        elif call.id == fragment.id:
            findings.append(Finding("tool-id-repeated", f"the id of call {call.number} came again"))
        else:
            findings.append(
                Finding("tool-id-changed", f"another id for call {call.number}; the first stays")
            )

    def _take_name(self, call: OpenCall, fragment: Fragment, findings: list[Finding]) -> None:
        name = fragment.name
        if name is None:
            return
        if call.name is None:
            findings.append(
                Finding("tool-name-late", f"call {call.number} got its name after it began")
            )
            call.name = name
        elif call.name == name:
            findings.append(Finding("name-repeated", f"the name of call {call.number} came again"))
        elif len(call.name) + len(name) > self._limits.name:
            self.over = f"more than {self._limits.name} characters in the name of a tool call"
        else:
            findings.append(
                Finding("name-split", f"another piece of the name of call {call.number}")
            )
            call.name += name

    def _know_id(self, call: OpenCall, id: str | None) -> None:
        call.id = id
        if id is not None:
            self._by_id.setdefault(id, call)

    def final(self, findings: list[Finding]) -> list[FinalCall]:
        """The calls as they stand if nothing more comes, and what is odd about them."""
        if not self.calls:
            return []
        calls = [call.final() for call in self._in_order()]
        kept, dropped, shared = without_copies(calls, partial(normal_form, limits=self._limits))
        findings += [Finding("tool-call-duplicated", "a call came twice; one is kept")] * dropped
        findings += [Finding("tool-id-duplicated", "two different calls have one id")] * shared
        for call in kept:
            if call.repair is not None:
                findings.append(Finding(call.repair, f"call {call.number} {REPAIRS[call.repair]}"))
        for opened in self.calls:
            if opened.id is None and not opened.legacy:
                findings.append(Finding("tool-id-missing", f"call {opened.number} has no id"))
        indexes = sorted({call.index for call in self.calls if call.index is not None})
        if indexes != list(range(len(indexes))):
            shown = ", ".join(map(str, indexes[:4]))
            findings.append(Finding("tool-index-offset", f"the calls are numbered {shown}"))
        return kept

    def _in_order(self) -> list[OpenCall]:
        # By wire index if every call has one of its own, else in order of arrival (rule 9).
        indexes = [call.index for call in self.calls if call.index is not None]
        if len(set(indexes)) == len(self.calls):
            return [call for _, call in sorted(zip(indexes, self.calls, strict=True))]
        return self.calls
