"""Completion and verdict → text for people. What a stream sent is never obeyed by a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from untorn.chat.completion import Choice, Completion, ToolCall, TornToolCall
from untorn.chat.verdict import Defect
from untorn.readable import amount, one_line

# C0 but tab and LF, DEL, C1; bidi marks, embeddings, overrides and isolates (they reorder what
# stands before them too); line and paragraph separators, BOM, interlinear marks and tags, which
# are invisible; halves of surrogate pairs, which cannot be encoded.
UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)

STYLES = {
    "complete": "bold green",
    "truncated": "bold yellow",
    "filtered": "bold magenta",
    "interrupted": "bold red",
    "failed": "bold red",
    "error": "red",
    "torn": "red",
    "invalid": "red",
    "warning": "yellow",
    "info": "dim",
}
"""Styles of rich, by outcome, severity and state."""

ENDINGS = {
    "eof": "the bytes ended without [DONE]",
    "torn": "the bytes ended inside an event",
    "cut": "the bytes could not be read to their end",
    "stalled": "nothing came any more",
    "cancelled": "cancelled",
    "limit": "a limit of the reader",
    "document": "one document, not a stream",
}

MOST_CALLS = 20
MOST_INFOS = 2


def safe(text: str) -> str:
    """``text`` with everything a terminal would obey, hide or reorder shown as an escape.

    It looks at each character alone, so the pieces of a text are safe when they are shown one
    after the other.
    """
    return UNSAFE.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


def safe_line(text: str) -> str:
    """The same on one line."""
    return safe(text).replace("\n", "\\n").replace("\t", " ")


class Row(Struct, frozen=True):
    """One line of talk: what it is about, what it says, and a style of rich for it."""

    label: str
    text: str
    style: str = ""


def verdict_rows(completion: Completion, *, hidden_choices: int = 0) -> list[Row]:
    """What a person wants to know of an answer when it has ended; the outcome first."""
    verdict = completion.verdict
    outcome, _, why = str(verdict).partition(": ")
    rows = [Row(outcome, why, STYLES[outcome])]
    if verdict.ending in ENDINGS:
        rows.append(Row("ending", ENDINGS[verdict.ending]))
    rows += _finish(completion.choices)
    rows += [row for choice in completion.choices for row in _said(choice)]
    rows += _calls(completion)
    if hidden_choices:
        rows.append(Row("choices", f"{hidden_choices} more not shown, see --all-choices"))
    rows += _facts(completion)
    rows += _defects(verdict.defects, why)
    if (tail := verdict.tail) is not None:
        # Its begin stands in the why. Its end shows where the stream was cut.
        end = tail.data.decode("utf-8", "replace")[-60:]
        rows.append(Row("tail", f"{amount(len(tail.data), 'byte')} to {one_line(end)}"))
    return rows


def _finish(choices: list[Choice]) -> Iterator[Row]:
    reasons = [one_line(c.finish_reason)[1:-1] if c.finish_reason else "none" for c in choices]
    if len(reasons) == 1:
        yield Row("finish", reasons[0])
    elif reasons:
        pairs = zip(choices, reasons, strict=True)
        yield Row("finish", ", ".join(f"choice {c.index} {reason}" for c, reason in pairs))


def _said(choice: Choice) -> Iterator[Row]:
    where = f"choice {choice.index}: " if choice.index else ""
    if reasoning := choice.message.reasoning:
        length = amount(len(reasoning), "character")
        yield Row("reasoning", f"{where}{length}, {one_line(reasoning)}", "dim")
    if refusal := choice.message.refusal:
        yield Row("refusal", where + one_line(refusal, 400), "magenta")
    if audio := choice.message.audio:
        length = amount(len(audio.data), "base64 character")
        yield Row("audio", f"{where}{length}, {one_line(audio.transcript or '')}")


def _calls(completion: Completion) -> Iterator[Row]:
    calls = [(choice, call) for choice in completion.choices for call in choice.message.tool_calls]
    for choice, call in calls[:MOST_CALLS]:
        where = f"choice {choice.index}: " if choice.index else ""
        yield Row("call", where + call_line(call), STYLES.get(call.state, ""))
    if len(calls) > MOST_CALLS:
        yield Row("call", f"{len(calls) - MOST_CALLS} more, see --json")


def call_line(call: ToolCall | TornToolCall) -> str:
    """A call as one line; one that must not be run says so first."""
    name = one_line(call.name)[1:-1] if call.name else "without name "
    arguments = one_line(call.arguments)[1:-1]
    if call.state == "whole":
        return f"{name}({arguments})"
    return f"{call.state.upper()}, NOT TO BE RUN: {name}({arguments}"


def _facts(completion: Completion) -> Iterator[Row]:
    if completion.usage is not None:
        yield Row("usage", str(completion.usage))
    if completion.model:
        yield Row("model", one_line(completion.model)[1:-1])
    if (head := completion.head) is not None:
        names = {"request id": head.request_id, "retry after": head.retry_after}
        known = [f"{name} {value}" for name, value in names.items() if value is not None]
        yield Row("head", ", ".join([str(head), *known]))
    if (timing := completion.timing) is not None:
        times = {
            "first content": timing.first_content,
            "longest gap": timing.gap_max,
            "total": timing.total,
        }
        known = [f"{name} {value:.2f} s" for name, value in times.items() if value is not None]
        yield Row("timing", ", ".join([*known, amount(timing.reads, "read")]))


def _defects(defects: list[Defect], why: str) -> Iterator[Row]:
    infos = [defect for defect in defects if defect.severity == "info"]
    fold = len(infos) > MOST_INFOS
    for defect in defects:
        if defect.severity != "info" or not fold:
            label, _, text = str(defect).partition(" ")
            told = text.removesuffix(f": {defect.detail}") if defect.detail in why else text
            yield Row(label, told, STYLES[label])
    if fold:
        codes = ", ".join(defect.code for defect in infos)
        yield Row("info", f"{len(infos)} harmless oddities: {codes}", STYLES["info"])
