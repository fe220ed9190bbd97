"""The fast way through the items that framing gives out, and the way back to the plain one.

A payload is decoded straight from bytes into a usual shape (``usual.py``). If it only brings more
of what its choice brought before, it is taken; if not, it is read the plain way, which may find
that from now on more is usual. Both ways must mean the same, so the fast one takes a chunk only if
the plain one would do nothing but append.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from untorn.chat.builder import CompletionBuilder
from untorn.chat.choice import ChoiceBuilder, Kind
from untorn.chat.json_text import too_deep
from untorn.chat.payload import USUAL_PREFIX, Item, Payload
from untorn.chat.payload_reader import PayloadReader
from untorn.chat.usual import (
    NOT_USUAL,
    Delta,
    Fragment,
    UsualChoice,
    UsualChunk,
    decode_any,
    decode_reasoning,
    decode_reasoning_content,
    decode_text,
    decode_with_logprobs,
)
from untorn.events import ReasoningDelta, StreamEvent, TextDelta, ToolCallDelta
from untorn.options import Limits

Parts = dict[int, list[str]]
"""By the index of a choice: the fragments of its text, to which more may simply be appended."""


Shape = tuple[Callable[[Any], Any], Parts, type[TextDelta | ReasoningDelta]]
"""What the next chunk will most likely look like: like the one before. A decoder, the texts of its
kind, and their event."""

# No choice is ever in these parts: a chunk that is decoded as any usual one is looked at further.
NO_PARTS: Parts = {}


MANY = 16
"""After so many items in a row that were not usual, only each so-many-th is tried."""


class FastWay:
    """Takes items in order; what comes of them stands in the builder's ``out``."""

    __slots__ = (
        "_builder",
        "_decode_any",
        "_limits",
        "_misses",
        "_reader",
        "_reasonings",
        "_shape",
        "_texts",
    )

    def __init__(self, builder: CompletionBuilder, reader: PayloadReader, limits: Limits) -> None:
        self._builder = builder
        self._reader = reader
        self._limits = limits
        self._misses = 0
        self._texts: Parts = {}
        self._reasonings: Parts = {}
        self._decode_any: Callable[[Any], UsualChunk] = decode_any
        self._shape: Shape = (decode_text, self._texts, TextDelta)

    def receive(self, items: Sequence[Item]) -> list[StreamEvent]:
        """The events of these items.

        The loop takes what is most usual: a chunk of the shape that the one before had, with one
        choice, whose text is known to be plain.
        """
        builder = self._builder
        out = builder.out = []
        decode, parts_of, event = self._shape
        id, model, knows_all = builder.id, builder.model, builder.knows_all
        for item in items:
            try:
                chunk = decode(item[USUAL_PREFIX:])  # type: ignore[index]  # TypeError is caught
            except NOT_USUAL:
                pass
            else:
                if parts_of is not NO_PARTS:
                    choice = chunk.choices[0]
                    index = choice.index
                    text = choice.delta.text
                    if (
                        text
                        and index in parts_of
                        and chunk.id == id
                        and chunk.model == model
                        and (knows_all or not builder.would_learn(chunk))
                    ):
                        parts_of[index].append(text)
                        out.append(event(index, text))
                        continue
                elif self._take(chunk):
                    decode, parts_of, event = self._shape
                    continue
            self._receive(item)
            if builder.over is not None:
                break
            decode, parts_of, event = self._shape
            id, model, knows_all = builder.id, builder.model, builder.knows_all
        return out

    def count(self, size: int) -> int:
        """How many characters are left before a choice with ``size`` more could pass the limit.

        If none are, the fast way, which does not count, is closed.
        """
        choices = self._builder.choices.values()
        most = max([choice.count() for choice in choices], default=0)
        left = self._limits.text - most - size
        self._builder.counts = left < 0
        for choice in choices:
            self._prepare(choice)
        return left

    def _receive(self, item: Item) -> None:
        """Take an item that is not of the shape that was expected."""
        self._misses += 1
        # Where nothing is ever usual, it is not worth the try each time.
        if self._misses < MANY or self._misses % MANY == 0:
            data = item[USUAL_PREFIX:] if isinstance(item, bytes) else _data_of(item)
            try:
                if data is not None and self._take(self._decode_any(data)):
                    return
            except NOT_USUAL:
                pass
        builder = self._builder
        self._reader.receive(item)
        if builder.has_logprobs:
            self._decode_any = decode_with_logprobs
        if builder.is_plain:
            self._texts.clear()
            self._reasonings.clear()
        for choice in builder.touched:
            self._prepare(choice)
        builder.touched.clear()
        self._expect(None)

    def _take(self, chunk: UsualChunk) -> bool:
        """Take a usual chunk; False, and nothing taken, if it needs the plain way."""
        builder = self._builder
        if (chunk.id and chunk.id != builder.id) or (chunk.model and chunk.model != builder.model):
            return False
        choices = chunk.choices
        if not choices or builder.is_plain or builder.counts:
            return False
        if not builder.knows_all and builder.would_learn(chunk):
            return False
        for choice in choices:
            if not self._only_adds(choice):
                return False
        for choice in choices:
            self._add(choice)
        self._misses = 0
        self._expect(choices[0].delta)
        return True

    def _only_adds(self, choice: UsualChoice) -> bool:
        """Whether a choice brings only more of what came before."""
        index, delta = choice.index, choice.delta
        builder = self._builder.choices.get(index)
        if builder is None or builder.is_finished:
            return False
        role, content, seen = delta.role, delta.content, builder.seen
        if role is not None and role != builder.role:
            return False
        if content is not None and not (index in self._texts if content else seen & Kind.CONTENT):
            return False
        reasoning = delta.reasoning_content
        if reasoning is None:
            reasoning = delta.reasoning
        elif delta.reasoning is not None:
            return False
        if reasoning is not None and not (
            index in self._reasonings if reasoning else seen & Kind.REASONING
        ):
            return False
        fragments = delta.tool_calls
        if fragments:
            for fragment in fragments:
                if not _continues(builder, fragment):
                    return False
        elif role is None and content is None and reasoning is None:
            return False  # perhaps a repeated key hides what it says (rule 14)
        return choice.logprobs is None or self._are_plain(bytes(choice.logprobs))

    def _are_plain(self, logprobs: bytes) -> bool:
        # msgspec checks neither the UTF-8 nor the depth of what it does not decode.
        if logprobs == b"null":
            return True
        if logprobs[:1] != b"{":
            return False
        if logprobs.isascii() and logprobs.count(b"{") + logprobs.count(b"[") <= self._limits.depth:
            return True
        try:
            return not too_deep(logprobs.decode("utf-8"), self._limits.depth)
        except UnicodeDecodeError:
            return False

    def _add(self, choice: UsualChoice) -> None:
        index, delta, out = choice.index, choice.delta, self._builder.out
        reasoning = delta.reasoning_content or delta.reasoning
        if reasoning:
            self._reasonings[index].append(reasoning)
            out.append(ReasoningDelta(index, reasoning))
        if delta.content:
            self._texts[index].append(delta.content)
            out.append(TextDelta(index, delta.content))
        if delta.tool_calls:
            calls = self._builder.choices[index].calls
            for fragment in delta.tool_calls:
                call = calls.last = calls.at[fragment.index]
                function = fragment.function
                if function is not None and function.arguments:
                    call.fragments.append(function.arguments)
                    out.append(
                        ToolCallDelta(index, call.number, fragment.index, function.arguments)
                    )
        if choice.logprobs is not None and bytes(choice.logprobs) != b"null":
            self._builder.choices[index].receive_logprobs(choice.logprobs)

    def _expect(self, delta: Delta | None) -> None:
        """The next chunk will most likely be as this one, or after a plain one, bring text."""
        if self._misses >= MANY:
            self._shape = decode_nothing, NO_PARTS, TextDelta
        elif self._decode_any is decode_with_logprobs:
            self._shape = decode_with_logprobs, NO_PARTS, TextDelta
        elif delta is None or delta.content:
            self._shape = decode_text, self._texts, TextDelta
        elif delta.reasoning_content:
            self._shape = decode_reasoning_content, self._reasonings, ReasoningDelta
        elif delta.reasoning:
            self._shape = decode_reasoning, self._reasonings, ReasoningDelta
        else:
            self._shape = decode_any, NO_PARTS, TextDelta

    def _prepare(self, choice: ChoiceBuilder) -> None:
        """Say what a further chunk may add to a choice without a look."""
        usual = not (choice.is_finished or self._builder.is_plain or self._builder.counts)
        for kind, text, parts in (
            (Kind.CONTENT, choice.content, self._texts),
            (Kind.REASONING, choice.reasoning, self._reasonings),
        ):
            if usual and text.is_plain and choice.seen & kind and choice.role == "assistant":
                parts[choice.index] = text.parts
            else:
                parts.pop(choice.index, None)


def decode_nothing(_data: bytes) -> Any:
    """The decoder for streams in which nothing is usual."""
    raise TypeError


def _data_of(item: Item) -> bytes | None:
    # The framing was odd, the chunk need not be.
    return item.data if isinstance(item, Payload) and item.kind == "event" else None


def _continues(choice: ChoiceBuilder, fragment: Fragment) -> bool:
    """Whether a fragment brings nothing but arguments to a call that is open."""
    call = choice.calls.at.get(fragment.index)
    if call is None or not call.is_usual or fragment.id is not None:
        return False
    return fragment.function is None or fragment.function.name is None
