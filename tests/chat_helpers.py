"""The corpus and the captures as cases, and ways to look at what a ChatStream makes of them."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from untorn import (
    ChatStream,
    Choice,
    ChoiceFinished,
    Completion,
    ReasoningDelta,
    RefusalDelta,
    Revised,
    StreamEvent,
    TextDelta,
    ToolCallDelta,
    ToolCallStarted,
)
from untorn.options import Options

TESTS = Path(__file__).parent
CORPUS = TESTS / "vectors" / "chat"
CAPTURES = Path(os.environ.get("UNTORN_CAPTURES") or TESTS.parent.parent / "shared" / "captures")
NO_CAPTURES = "no captures: UNTORN_CAPTURES names no folder that holds them"

E = TypeVar("E")

DONE = b"data: [DONE]\n\n"


@dataclass(frozen=True)
class Case:
    """A response of a server, and what a reader should make of it."""

    name: str
    status: int
    content_type: str | None
    body: bytes
    expect: dict[str, Any]
    dialect: str = "chat"

    def __str__(self) -> str:
        return self.name

    def open(self, options: Options = Options()) -> ChatStream:
        """A ChatStream that has the head."""
        stream = ChatStream(options)
        content_type = self.content_type
        stream.receive_head(
            self.status, {} if content_type is None else {"content-type": content_type}
        )
        return stream

    def play(
        self, reads: Iterable[bytes], options: Options = Options()
    ) -> tuple[list[StreamEvent], Completion]:
        """All events, and the completion, of the body in these reads."""
        return play(reads, self.open(options))


@cache
def corpus() -> list[Case]:
    """Every case of the corpus."""
    cases = []
    for path in sorted((CORPUS / "quirks").glob("*.json")):
        case = json.loads(path.read_text(encoding="utf-8"))
        body = case["body"].encode() if "body" in case else base64.b64decode(case["body_base64"])
        http = case["http"]
        cases.append(Case(path.stem, http["status"], http["content_type"], body, case["expect"]))
    return cases


@cache
def captures() -> list[Case]:
    """Every capture; none where the folder is absent."""
    index = CAPTURES / "index.json"
    if not index.exists():
        return []
    return [
        Case(
            entry["name"],
            entry["http"]["status"],
            entry["http"]["content_type"],
            (CAPTURES / f"{entry['name']}.sse").read_bytes(),
            entry["expect"],
            entry["dialect"],
        )
        for entry in json.loads(index.read_text(encoding="utf-8"))
    ]


def case_named(name: str) -> Case:
    """A case of the corpus."""
    return next(case for case in corpus() if case.name == name)


def play(
    reads: Iterable[bytes], stream: ChatStream | None = None
) -> tuple[list[StreamEvent], Completion]:
    """All events, and the completion, of a body in these reads."""
    stream = stream or ChatStream()
    events: list[StreamEvent] = []
    for data in reads:
        events += stream.receive_data(data)
    events += stream.receive_eof()
    return events, stream.completion


def by_event(body: bytes) -> list[bytes]:
    """A body in reads of one event each, as servers send it."""
    return re.findall(rb"(?s).*?\n\n|.+", body)


def of(kind: type[E], events: Iterable[StreamEvent]) -> list[E]:
    """The events of one kind."""
    return [event for event in events if isinstance(event, kind)]


def report(completion: Completion) -> dict[str, Any]:
    """A completion as the ``expect`` of a corpus case has it."""
    usage, error = completion.usage, completion.verdict.error
    return {
        "outcome": completion.verdict.outcome,
        "choices": [
            {
                "index": choice.index,
                "role": choice.message.role,
                "content": choice.message.content,
                "reasoning": choice.message.reasoning,
                "refusal": choice.message.refusal,
                "tool_calls": [
                    {"index": call.index, "id": call.id, "name": call.name}
                    | {"arguments": call.arguments}
                    for call in choice.message.tool_calls
                ],
                "finish_reason": choice.finish_reason,
            }
            for choice in completion.choices
        ],
        "usage": usage
        and {
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
            "total_tokens": usage.total_tokens,
        },
        "error": error and {"message": error.message, "code": error.code, "type": error.type},
        "defects": sorted(defect.code for defect in completion.verdict.defects),
    }


def event(payload: Any) -> bytes:
    """One event whose data is ``payload`` as JSON."""
    return b"data: " + json.dumps(payload, separators=(",", ":")).encode() + b"\n\n"


def chunk(delta: dict[str, Any] | None = None, index: int = 0, **more: Any) -> bytes:
    """One event with a chunk of one choice; ``more`` are further keys of the choice."""
    choice = {"index": index, "delta": delta or {}, **more}
    return event({"id": "c1", "object": "chat.completion.chunk", "model": "m", "choices": [choice]})


def finish(reason: str = "stop", index: int = 0) -> bytes:
    """One event that finishes a choice."""
    return chunk({}, index, finish_reason=reason)


def call(index: int | None = 0, **function: Any) -> dict[str, Any]:
    """A delta with a fragment of one tool call: ``id``, ``name``, ``arguments``."""
    fragment: dict[str, Any] = {} if index is None else {"index": index}
    if "id" in function:
        fragment |= {"id": function.pop("id"), "type": "function"}
    return {"tool_calls": [fragment | {"function": function}]}


Place = tuple[str, int] | tuple[str, int, int]
"""A kind of text, the choice, and the call where it is of one."""


class Told:
    """What events have told so far, as a program that shows them would have it."""

    def __init__(self) -> None:
        self.deltas: dict[Place, str] = {}
        """The deltas of each text, joined, as if nothing were ever revised."""
        self.texts: dict[Place, str] = {}
        """Each text, the revised ones too; also names and finish reasons."""
        self.indexes: dict[int, dict[int, int | None]] = {}
        """Of each choice: its calls, and their numbers on the wire."""
        self.revised_calls: dict[int, list[tuple[str, str]]] = {}
        """Of each choice: names and arguments in its last Revised of ``tool_calls``."""

    def take(self, events: Iterable[StreamEvent]) -> Told:
        for event in events:
            match event:
                case TextDelta():
                    self._add(("content", event.choice), event.text)
                case ReasoningDelta():
                    self._add(("reasoning", event.choice), event.text)
                case RefusalDelta():
                    self._add(("refusal", event.choice), event.text)
                case ToolCallStarted():
                    self.texts["name", event.choice, event.call] = event.name or ""
                    self.indexes.setdefault(event.choice, {})[event.call] = event.index
                case ToolCallDelta():
                    self._add(("arguments", event.choice, event.call), event.arguments)
                case ChoiceFinished():
                    self.texts["finish_reason", event.choice] = event.finish_reason or ""
                case Revised():
                    self._revise(event)
        return self

    def copy(self) -> Told:
        told = Told()
        told.deltas = dict(self.deltas)
        told.texts = dict(self.texts)
        told.indexes = {choice: dict(calls) for choice, calls in self.indexes.items()}
        told.revised_calls = dict(self.revised_calls)
        return told

    def texts_of(self, choice: int) -> dict[str, Any]:
        """The texts of a choice; its calls as names and arguments, as a completion has them."""
        kinds = ("content", "reasoning", "refusal", "finish_reason")
        texts: dict[str, Any] = {kind: self.texts.get((kind, choice), "") for kind in kinds}
        calls = [
            tuple(self.texts.get((kind, choice, call), "") for kind in ("name", "arguments"))
            for call in self._calls(choice)
        ]
        return texts | {"calls": self.revised_calls.get(choice, calls)}

    def _calls(self, choice: int) -> list[int]:
        # By wire index if every call has one of its own, else in order of opening.
        indexes = self.indexes.get(choice, {})
        if None in indexes.values() or len(set(indexes.values())) < len(indexes):
            return sorted(indexes)
        return sorted(indexes, key=lambda call: indexes[call] or 0)

    def _add(self, place: Place, text: str) -> None:
        self.deltas[place] = self.deltas.get(place, "") + text
        self.texts[place] = self.texts.get(place, "") + text

    def _revise(self, event: Revised) -> None:
        if not isinstance(event.value, str):
            calls = [(call.name or "", call.arguments) for call in event.value]
            self.revised_calls[event.choice] = calls
        elif event.call is not None:
            self.texts[event.field, event.choice, event.call] = event.value
        else:
            self.texts[event.field, event.choice] = event.value


def texts_of(choice: Choice) -> dict[str, Any]:
    """The texts of a choice, as ``Told`` has them."""
    message = choice.message
    return {
        "content": message.content or "",
        "reasoning": message.reasoning or "",
        "refusal": message.refusal or "",
        "finish_reason": choice.finish_reason or "",
        "calls": [(call.name or "", call.arguments) for call in message.tool_calls],
    }
