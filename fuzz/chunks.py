"""Streams made up from nothing: a small vocabulary, so that odd things meet each other often."""

from __future__ import annotations

from random import Random
from typing import Any

from fuzz.gateways import Gateway
from fuzz.json_tree import Literal, Object, Style, dump, tree_of
from fuzz.words import (
    ARGUMENTS,
    FINISH_REASONS,
    IDS,
    INDEXES,
    NAMES,
    ODD_VALUES,
    PAYLOADS,
    SNAPSHOTS,
    TEXTS,
)

Tree = Any

USAGES: list[Tree] = [
    tree_of(value)
    for value in (
        {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
        {"prompt_tokens": 3, "completion_tokens": 9, "total_tokens": 12, "cost": 0.1},
        {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
        {"prompt_tokens": 4.0, "total_tokens": "7"},
        {},
        None,
    )
]
LOGPROBS = [
    Literal(text)
    for text in (
        '{"content":[{"token":"a","logprob":-0.5,"bytes":[97],"top_logprobs":[]}]}',
        '{"content":[{"token":"a","logprob":NaN}],"refusal":null}',
        r'{"content":[{"token":"\ud83d"}]}',
        *("null", "{}", "[]", '"x"', '{"a":1,"a":2}', '{"content":[{"logprob":1e999}]}'),
    )
]


class Sender:
    """One server: how odd it is, and what it says."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.oddity = rng.choice([0.0, 0.01, 0.05, 0.2])
        self.choices = rng.choice([1, 1, 1, 2, 3])
        self.finishing = rng.choice([0.02, 0.1, 0.3])
        self.sends_snapshots = rng.random() < 0.15
        self.calls = rng.choice([0.0, 0.3, 0.7])
        self.gateway = Gateway(rng) if rng.random() < 0.3 else None
        self.field = rng.choice([b"data: ", b"data: ", b"data:"])
        self.style = Style(ensure_ascii=rng.random() < 0.7, colon=rng.choice([":", ": "]))
        self._snapshot = 0

    def is_odd(self) -> bool:
        return self.rng.random() < self.oddity

    def stream(self) -> list[bytes]:
        """The events of one body."""
        rng = self.rng
        # Of a gateway's keys something has to be learned first.
        lengths = [1, 2, 3, 4, 5, 7, 10] if self.gateway is None else [5, 9, 14, 20]
        events = [self.event() for _ in range(rng.choice(lengths))]
        if rng.random() < 0.7:
            for index in range(self.choices):
                reason = rng.choice(FINISH_REASONS[:5])
                events.append(self._framed(self._chunk_of({"finish_reason": reason}, index)))
        if rng.random() < 0.7:
            events.append(b"data: " + rng.choice(PAYLOADS[:7]).encode() + b"\n\n")
        return events

    def event(self) -> bytes:
        """One event, framed as most are."""
        if self.is_odd():
            return b"data: " + self.rng.choice(PAYLOADS).encode() + b"\n\n"
        return self._framed(self.chunk())

    def _framed(self, tree: Tree) -> bytes:
        # Half a pair that is not escaped makes bytes that are not UTF-8.
        return self.field + dump(tree, self.style).encode("utf-8", "surrogatepass") + b"\n\n"

    def chunk(self) -> Tree:
        """A chunk, of one choice mostly."""
        rng = self.rng
        chunk = self._chunk_of({}, rng.randrange(self.choices))
        if self.is_odd():
            chunk[-1] = ("choices", [self.choice(0) for _ in range(rng.randrange(3))])
        if rng.random() < 0.06:
            chunk.append(("usage", rng.choice(USAGES)))
        if self.is_odd():
            chunk.append(("x_groq", Object([("usage", rng.choice(USAGES))])))
        if self.is_odd():
            chunk.append(rng.choice([("error", "no"), ("error", None), ("x_vendor", "v")]))
        if self.gateway is not None:
            self.gateway.add("chunk", chunk)
        return chunk

    def _chunk_of(self, fixed: dict[str, Tree], index: int) -> Object:
        rng = self.rng
        known: list[tuple[str, Tree]] = [
            ("id", "c1"),
            ("object", "chat.completion.chunk"),
            ("model", "m"),
        ]
        known += [("created", 17)] * (rng.random() < 0.3)
        if self.is_odd():
            known.append((rng.choice(known)[0], rng.choice(ODD_VALUES)))
        choice = (
            self.choice(index) if not fixed else Object([("index", index), ("delta", Object())])
        )
        choice += fixed.items()
        return Object([*known, ("choices", [choice])])

    def choice(self, index: int) -> Object:
        """A choice that brings something."""
        rng = self.rng
        shown: Tree = rng.choice(INDEXES) if self.is_odd() else index
        key = "message" if self.is_odd() else "delta"
        choice = Object([("index", shown), (key, self.delta())])
        if self.is_odd():
            choice.append(("text", rng.choice(TEXTS)))
        if rng.random() < self.finishing:
            choice.append(("finish_reason", rng.choice(FINISH_REASONS)))
        elif rng.random() < 0.4:
            choice.append(("finish_reason", None))
        if rng.random() < 0.06:
            choice.append(("logprobs", rng.choice(LOGPROBS)))
        if self.is_odd():
            choice.append(rng.choice([("usage", USAGES[0]), ("error", "no"), ("x_vendor", 1)]))
        if self.gateway is not None:
            self.gateway.add("choice", choice)
        return choice

    def delta(self) -> Object:
        """A delta: a text, a fragment of a call, or something rare."""
        rng = self.rng
        delta = Object()
        if rng.random() < 0.2:
            role = rng.choice(["", None, "tool", 5]) if self.is_odd() else "assistant"
            delta.append(("role", role))
        if rng.random() < self.calls:
            delta.append(("tool_calls", [self.fragment() for _ in range(rng.choice([1, 1, 2]))]))
        elif self.sends_snapshots:
            self._snapshot += rng.choice([0, 1, 1, 1])
            delta.append(("content", SNAPSHOTS[self._snapshot % len(SNAPSHOTS)]))
        else:
            delta.append((self._text_key(), self.text()))
        if self.is_odd():
            delta.append(self._rarity())
        if self.gateway is not None:
            self.gateway.retell(delta)
            self.gateway.add("delta", delta)
        return delta

    def _text_key(self) -> str:
        keys = ("content", "content", "content", "reasoning_content", "reasoning", "refusal")
        return self.rng.choice(keys)

    def text(self) -> Tree:
        """The text of a delta, rarely as a list of parts."""
        rng = self.rng
        if not self.is_odd():
            return rng.choice(TEXTS)
        kind = rng.choice(["text", "thinking"])
        part = Object([("type", kind), (kind, rng.choice(TEXTS))])
        return rng.choice([None, [part], [part, "plain", Object()], part])

    def _rarity(self) -> tuple[str, Tree]:
        rng = self.rng
        details = Object([("type", "reasoning.text"), ("text", rng.choice(TEXTS))])
        audio = Object([("id", "a"), ("data", "eA=="), ("transcript", rng.choice(TEXTS))])
        rarities: list[tuple[str, Tree]] = [
            ("reasoning_details", [details]),
            ("audio", audio),
            ("audio", Object([("expires_at", 9)])),
            ("function_call", self._function()),
            ("annotations", [Object([("type", "url_citation")])]),
            ("x_vendor", rng.choice(TEXTS)),
            ("content", rng.choice(TEXTS)),
        ]
        return rng.choice(rarities)

    def fragment(self) -> Object:
        """A fragment of a tool call."""
        rng = self.rng
        fragment = Object()
        if not self.is_odd():
            fragment.append(("index", rng.choice([0, 0, 1])))
        elif rng.random() < 0.6:
            fragment.append(("index", rng.choice(INDEXES)))
        if rng.random() < 0.4:
            fragment.append(("id", rng.choice(IDS)))
        if self.is_odd():
            fragment += [("type", "custom"), ("custom", self._function("input"))]
        else:
            fragment.append(("function", self._function()))
        return fragment

    def _function(self, key: str = "arguments") -> Object:
        rng = self.rng
        function = Object()
        if rng.random() < 0.4:
            function.append(("name", rng.choice(NAMES)))
        odd = self.is_odd()
        function.append((key, rng.choice(ODD_VALUES) if odd else rng.choice(ARGUMENTS)))
        return function
