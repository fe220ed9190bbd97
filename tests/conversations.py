"""Conversations as servers stream them, by an encoder of our own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise, zip_longest
from typing import Any, NamedTuple

from hypothesis import strategies as st

USAGE = {"prompt_tokens": 9, "completion_tokens": 7, "total_tokens": 16, "cached": {"tokens": 1}}


class Answer(NamedTuple):
    """What one choice says, in fragments."""

    choice: int
    reasoning: list[str]
    content: list[str]
    refusal: list[str]
    calls: list[list[str]]
    """The fragments of each call's arguments, which joined are a JSON object."""
    finish_reason: str

    def choices(self) -> list[dict[str, Any]]:
        """The choice of each of its chunks, in the order in which a server sends them."""
        said: list[tuple[dict[str, Any], str | None]] = [(delta, None) for delta in self._deltas()]
        said.append(({}, self.finish_reason))
        return [
            {"index": self.choice, "delta": delta, "finish_reason": reason}
            for delta, reason in said
        ]

    def report(self) -> dict[str, Any]:
        """As a completion's report has it."""
        return {
            "index": self.choice,
            "role": "assistant",
            "content": _joined(self.content),
            "reasoning": _joined(self.reasoning),
            "refusal": _joined(self.refusal),
            "tool_calls": [
                {
                    "index": number,
                    "id": f"call_{number}",
                    "name": f"tool_{number}",
                    "arguments": "".join(fragments),
                    "state": "whole",
                }
                for number, fragments in enumerate(self.calls)
            ],
            "finish_reason": self.finish_reason,
        }

    def _deltas(self) -> Iterator[dict[str, Any]]:
        yield {"role": "assistant", "content": None}
        yield from ({"reasoning_content": fragment} for fragment in self.reasoning)
        yield from ({"content": fragment} for fragment in self.content)
        yield from ({"refusal": fragment} for fragment in self.refusal)
        if self.calls:
            yield {"tool_calls": [_opening(number) for number in range(len(self.calls))]}
        for row in zip_longest(*self.calls):
            yield {
                "tool_calls": [
                    {"index": number, "function": {"arguments": fragment}}
                    for number, fragment in enumerate(row)
                    if fragment is not None
                ]
            }


def _joined(fragments: list[str]) -> str | None:
    return "".join(fragments) if fragments else None


def _opening(number: int) -> dict[str, Any]:
    function = {"name": f"tool_{number}", "arguments": ""}
    return {"index": number, "id": f"call_{number}", "type": "function", "function": function}


class Conversation(NamedTuple):
    """Answers, and the order in which their choices take turns."""

    answers: list[Answer]
    turns: list[int]

    def choices(self) -> Iterator[dict[str, Any]]:
        """The choice of each chunk, in the order of sending."""
        left = [iter(answer.choices()) for answer in self.answers]
        return (next(left[choice]) for choice in self.turns)


class Style(NamedTuple):
    """How a server writes its stream; nothing in it is odd."""

    line_end: bytes
    colon: bytes
    ensure_ascii: bool
    indent: int | None
    comment: bool

    def stream(self, conversation: Conversation) -> bytes:
        """The whole body, with the usage at its end."""
        known = {"id": "c1", "object": "chat.completion.chunk", "created": 17, "model": "m"}
        chunks = [
            {**known, "choices": [choice], "usage": None} for choice in conversation.choices()
        ]
        chunks.append({**known, "choices": [], "usage": USAGE})
        return b"".join(map(self._event, [*map(self._json, chunks), "[DONE]"]))

    def _json(self, value: Any) -> str:
        return json.dumps(value, ensure_ascii=self.ensure_ascii, indent=self.indent)

    def _event(self, data: str) -> bytes:
        lines = [b"data" + self.colon + line.encode() for line in data.split("\n")]
        if self.comment:
            lines.insert(0, b": still here")
        return self.line_end.join([*lines, b"", b""])


styles = st.builds(
    Style,
    line_end=st.sampled_from([b"\n", b"\r\n", b"\r"]),
    colon=st.sampled_from([b": ", b":"]),
    ensure_ascii=st.booleans(),
    indent=st.none() | st.just(1),
    comment=st.booleans(),
)


def fragments_of(text: st.SearchStrategy[str]) -> st.SearchStrategy[list[str]]:
    """A text in pieces."""
    cuts = st.lists(st.integers(0, 30), max_size=5).map(sorted)
    return st.builds(
        lambda text, cuts: [text[a:b] for a, b in pairwise([0, *cuts, len(text)])], text, cuts
    )


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
arguments = st.dictionaries(st.text(), values, max_size=3).map(json.dumps)
nothing: list[str] = []
texts = fragments_of(st.text(max_size=30)) | st.just(nothing)


@st.composite
def conversations(draw: st.DrawFn) -> Conversation:
    answers = []
    for choice in range(draw(st.integers(1, 3))):
        calls = draw(st.lists(fragments_of(arguments), max_size=3))
        reason = draw(st.sampled_from(["stop", "length", "content_filter"]))
        reasoning, content, refusal = draw(texts), draw(texts), draw(texts)
        reason = "tool_calls" if calls else reason
        answers.append(Answer(choice, reasoning, content, refusal, calls, reason))
    turns = [answer.choice for answer in answers for _ in answer.choices()]
    return Conversation(answers, draw(st.permutations(turns)))
