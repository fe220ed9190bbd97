"""What is left at the end: the completion, its choices, messages, tool calls and usage."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection
from typing import Any, Literal, NoReturn

import msgspec
from msgspec import Struct

from untorn.attempt import Attempt
from untorn.chat.json_text import value_of
from untorn.chat.verdict import Outcome, Verdict
from untorn.errors import (
    AnswerFiltered,
    AnswerTruncated,
    IncompleteAnswer,
    NotWhole,
    StreamFailed,
    StreamInterrupted,
)
from untorn.head import Head
from untorn.options import Limits
from untorn.readable import one_line, plain
from untorn.timing import Timing

RAISE_ON: frozenset[Outcome] = frozenset({"interrupted", "failed"})
"""The outcomes that raise unless the caller says otherwise."""

ERRORS: dict[Outcome, type[IncompleteAnswer]] = {
    "interrupted": StreamInterrupted,
    "failed": StreamFailed,
    "truncated": AnswerTruncated,
    "filtered": AnswerFiltered,
}


def outcomes_of(raise_on: Collection[Outcome]) -> frozenset[Outcome]:
    """The outcomes that a caller wants raised. Raises ValueError for what is none."""
    outcomes = frozenset(raise_on)
    if isinstance(raise_on, str) or not outcomes <= set(ERRORS):
        raise ValueError(f"raise_on is a collection of {sorted(ERRORS)}, not {raise_on!r}")
    return outcomes


class ToolCall(Struct, frozen=True):
    """A whole tool call: its choice finished, and its arguments are what the model meant."""

    index: int
    """Its place in the list: 0, 1, ..."""
    id: str | None
    """The id to answer to; None if the server never sent one."""
    type: Literal["function", "custom"]
    """``custom``: the arguments are free text."""
    name: str | None
    """The function's (or custom tool's) name."""
    arguments: str
    """The arguments as sent: JSON, or ``""`` if none were sent; free text of a custom tool."""
    state: Literal["whole"] = "whole"
    """Always ``whole``; the others are a TornToolCall."""
    extra: dict[str, Any] = {}
    """Unknown keys of the call, the last value that is not null, such as ``extra_content``: Gemini
    wants its signature back with the result."""

    def parsed(self) -> Any:
        """The decoded arguments; ``{}`` where none were sent; a custom tool's text as it is."""
        if self.type == "custom":
            return self.arguments
        return json.loads(self.arguments) if self.arguments else {}

    def __str__(self) -> str:
        return _call_line(self)


class TornToolCall(Struct, frozen=True):
    """A tool call that must not be run."""

    index: int
    """Its place in the list: 0, 1, ..."""
    id: str | None
    """The id; None if none came."""
    type: Literal["function", "custom"]
    """``custom``: the arguments are free text."""
    name: str | None
    """The name as far as it came; None if none came."""
    arguments: str
    """The text of the arguments as far as it came."""
    state: Literal["invalid", "torn"]
    """``invalid``: its choice finished, but the arguments are no JSON. ``torn``: its end, or
    something in it, is missing."""
    extra: dict[str, Any] = {}
    """As of a whole call."""

    def parsed(self) -> NoReturn:
        """Raises NotWhole."""
        raise NotWhole(self)

    def __str__(self) -> str:
        return _call_line(self)


def _call_line(call: ToolCall | TornToolCall) -> str:
    name = plain(call.name) if call.name else "a call without name"
    arguments = plain(call.arguments)
    return f"{name}({arguments})" + ("" if call.state == "whole" else f", {call.state}")


class Usage(Struct, frozen=True):
    """The token counts, as the server sent them; nothing is counted or summed here."""

    prompt_tokens: int | None
    """None if it did not come as an integer; so are the next two."""
    completion_tokens: int | None
    total_tokens: int | None
    details: dict[str, Any] = {}
    """Everything else in the usage object, as sent."""

    def to_dict(self) -> dict[str, Any]:
        """As in the report: every count that was sent."""
        return {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "total_tokens": self.total_tokens,
            **self.details,
        }

    def __str__(self) -> str:
        shown = ["?" if n is None else str(n) for n in (self.prompt_tokens, self.completion_tokens)]
        return f"{shown[0]} prompt + {shown[1]} completion tokens"


class Audio(Struct, frozen=True):
    """A spoken answer."""

    id: str | None
    """Its id; None if none came."""
    data: str
    """The base64 text of all pieces, joined."""
    transcript: str | None
    """What is said; None if no transcript came."""
    expires_at: int | None
    """Unix seconds; it comes with the last piece, so it also marks the end. None before."""


class Message(Struct, frozen=True):
    """What one choice says."""

    role: str
    """The first role sent; ``assistant`` if none was."""
    content: str | None
    """The text; None if no string for it ever came."""
    reasoning: str | None
    """The reasoning, from whichever key it came under; None if none came."""
    reasoning_details: list[dict[str, Any]]
    """OpenRouter's blocks: runs of one type merged, signatures and encrypted data as sent."""
    refusal: str | None
    """The refusal; None if none came."""
    tool_calls: list[ToolCall | TornToolCall]
    """The calls, by their number on the wire."""
    audio: Audio | None
    """Audio; None if none came."""
    annotations: list[Any]
    """Annotations (citations), in order of arrival."""
    extra: dict[str, Any]
    """Unknown keys of the deltas: strings joined, other values the last."""


UNLIMITED = Limits(depth=sys.maxsize, values=sys.maxsize)
"""What was kept undecoded kept its limits when it came."""


def decode_logprobs(raw: bytes) -> dict[str, Any]:
    """The logprobs object in its JSON, read as leniently as its chunk was."""
    value = value_of(raw, UNLIMITED)
    return value if isinstance(value, dict) else {}


class Choice(Struct, frozen=True):
    """One of the answers."""

    index: int
    """Its index on the wire."""
    message: Message
    finish_reason: str | None
    """Exactly as sent; None if none came."""
    raw_logprobs: list[bytes]
    """The logprobs objects as sent (JSON), undecoded; see ``logprobs``."""
    extra: dict[str, Any]
    """Unknown keys of the choice, the last value that is not null."""

    @property
    def logprobs(self) -> dict[str, Any] | None:
        """The logprobs of all chunks, lists joined; None if none came. Decoded at each access."""
        merged: dict[str, Any] = {}
        for raw in self.raw_logprobs:
            for key, value in decode_logprobs(raw).items():
                if isinstance(value, list) and isinstance(merged.get(key), list):
                    merged[key] += value
                elif value is not None or key not in merged:
                    merged[key] = value
        return merged if self.raw_logprobs else None

    def to_dict(self) -> dict[str, Any]:
        """As in the report."""
        message = self.message
        return {
            "index": self.index,
            "role": message.role,
            "content": message.content,
            "reasoning": message.reasoning,
            "refusal": message.refusal,
            "tool_calls": [
                {
                    "index": call.index,
                    "id": call.id,
                    "name": call.name,
                    "arguments": call.arguments,
                    "state": call.state,
                }
                for call in message.tool_calls
            ],
            "finish_reason": self.finish_reason,
        }

    def __str__(self) -> str:
        message = self.message
        said = [f"choice {self.index}"]
        for name, text in (
            ("content", message.content),
            ("reasoning", message.reasoning),
            ("refusal", message.refusal),
        ):
            if text:
                said.append(f"{name} {one_line(text)}")
        said += [f"call {call}" for call in message.tool_calls]
        return ", ".join([*said, plain(self.finish_reason or "not finished")])


class Completion(Struct, frozen=True):
    """Everything that arrived, and the verdict on it."""

    id: str | None
    """The completion's first id that is not empty; None if none came."""
    model: str | None
    """The first model name that is not empty; None if none came."""
    created: int | None
    """Unix seconds; None if it did not come as an integer."""
    system_fingerprint: str | None
    """The first one sent; None if none was."""
    service_tier: str | None
    """The first one sent; None if none was."""
    choices: list[Choice]
    """By index."""
    usage: Usage | None
    """The last usage with a count in it; None if none came."""
    extra: dict[str, Any]
    """Unknown keys of the chunks, the last value that is not null."""
    verdict: Verdict
    """Whether all this is whole."""
    timing: Timing | None
    """When it came; None where no times were handed in."""
    head: Head | None
    """The head of the response; None where none was handed in."""
    attempts: list[Attempt] = []
    """All requests that a client made for it, in order; the last one is the one that answered.
    Empty where no client asked."""

    @property
    def content(self) -> str | None:
        """The content of choice 0."""
        return self._first.message.content if self._first else None

    @property
    def reasoning(self) -> str | None:
        """The reasoning of choice 0."""
        return self._first.message.reasoning if self._first else None

    @property
    def tool_calls(self) -> list[ToolCall | TornToolCall]:
        """The tool calls of choice 0."""
        return self._first.message.tool_calls if self._first else []

    @property
    def finish_reason(self) -> str | None:
        """The finish reason of choice 0."""
        return self._first.finish_reason if self._first else None

    @property
    def _first(self) -> Choice | None:
        return self.choices[0] if self.choices and self.choices[0].index == 0 else None

    def raise_for_verdict(self, raise_on: Collection[Outcome] = RAISE_ON) -> None:
        """Raise the IncompleteAnswer of this outcome if ``raise_on`` holds it.

        ``complete`` never raises.
        """
        outcome = self.verdict.outcome
        if outcome in raise_on and outcome in ERRORS:
            raise ERRORS[outcome](self)

    def to_dict(self) -> dict[str, Any]:
        """The report: plain values, as ``untorn parse --json`` prints them."""
        verdict = self.verdict.to_dict()
        return {
            "outcome": verdict.pop("outcome"),
            "ending": verdict.pop("ending"),
            "reason": verdict.pop("reason"),
            "choices": [choice.to_dict() for choice in self.choices],
            "usage": self.usage and self.usage.to_dict(),
            **verdict,
            "head": self.head and self.head.to_dict(),
            "id": self.id,
            "model": self.model,
            "created": self.created,
            "timing": self.timing and self.timing.to_dict(),
        }

    def to_openai(self) -> dict[str, Any]:
        """The ``chat.completion`` object that the call would have returned without streaming.

        Torn tool calls are left out: that shape has no place for their state, and code that
        reads it runs what it finds.
        """
        given: dict[str, Any] = {
            "id": self.id,
            "object": "chat.completion",
            "created": self.created,
            "model": self.model,
            "choices": [_openai_choice(choice) for choice in self.choices],
        }
        for key in ("service_tier", "system_fingerprint"):
            if (value := getattr(self, key)) is not None:
                given[key] = value
        if self.usage is not None:
            given["usage"] = self.usage.to_dict()
        return {**self.extra, **given}

    def __str__(self) -> str:
        said = [str(choice) for choice in self.choices] or ["no choice"]
        if self.usage is not None:
            said.append(str(self.usage))
        return f"{self.verdict} [{'; '.join(said)}]"


def _openai_choice(choice: Choice) -> dict[str, Any]:
    message = choice.message
    given: dict[str, Any] = {
        "role": message.role,
        "content": message.content,
        "refusal": message.refusal,
    }
    calls = [_openai_call(call) for call in message.tool_calls if call.state != "torn"]
    if calls:
        given["tool_calls"] = calls
    if message.reasoning is not None:
        given["reasoning_content"] = message.reasoning
    if message.reasoning_details:
        given["reasoning_details"] = message.reasoning_details
    if message.annotations:
        given["annotations"] = message.annotations
    if message.audio is not None:
        given["audio"] = msgspec.to_builtins(message.audio)
    return {
        **choice.extra,
        "index": choice.index,
        "message": {**message.extra, **given},
        "logprobs": choice.logprobs,
        "finish_reason": choice.finish_reason,
    }


def _openai_call(call: ToolCall | TornToolCall) -> dict[str, Any]:
    text = "input" if call.type == "custom" else "arguments"
    return {
        **call.extra,
        "id": call.id,
        "type": call.type,
        call.type: {"name": call.name, text: call.arguments},
    }
