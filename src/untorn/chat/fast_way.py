"""The fast way through the items that framing gives out, and the way back to the plain one.

A payload is decoded straight from bytes into a usual shape (``usual.py``), or else into a chunk of
known keys (``wide.py``). If it only brings more of what its choice brought before, it is taken; if
not, it is read the plain way, which may find that from now on more is usual. Both ways must mean
the same, so the fast one takes a chunk only if the plain one would do nothing but append.

The next chunk is expected to look like the one before. What is most usual, more text, is taken in
the loop of ``receive``; each other shape has a method that takes it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from untorn.chat.builder import CompletionBuilder
from untorn.chat.growing import NULL, Growing, Parts, may_be_kept
from untorn.chat.json_scan import may_stay_undecoded
from untorn.chat.learned import KNOWN, MOST_BYTES, Decode, kind_of, learn
from untorn.chat.payload import Item, KeepAlive, Payload
from untorn.chat.payload_reader import PayloadReader
from untorn.chat.usual import (
    DEPTH,
    NOT_USUAL,
    VALUES,
    CallChunk,
    LogprobsChunk,
    TextChunk,
    decode_call,
    decode_reasoning,
    decode_reasoning_content,
    decode_text,
    decode_text_with_logprobs,
)
from untorn.chat.wide import Wide, WideChunk, WideDelta
from untorn.events import ReasoningDelta, StreamEvent, TextDelta, ToolCallDelta
from untorn.options import MIB, Limits

MANY = 16
"""After so many items in a row that were not usual, only each so-many-th is tried."""
FEW = 4
"""Each so-many-th of them is learned from, until something was learned; then each MANY-th."""
SOME = 2
"""After more items in a row than these that did more than add, no shape is expected any more, but
a wide chunk; where no text has begun that will likely go on, after more than one. (An answer that
is usual begins with as many.)"""

USUAL_ROLES = (None, "assistant")
"""Those of the usual shapes."""

NEAR = MIB
"""So few characters before the limit of a choice, each chunk is counted as it comes."""


class Shape(Struct, frozen=True):
    """What the next chunk will most likely look like."""

    decode: Callable[[Any], Any]
    parts_of: Parts
    """Where its text belongs."""
    event: type[TextDelta | ReasoningDelta]
    """What its text becomes."""
    take: Callable[[FastWay, Any], bool] | None = None
    """Takes a chunk of a shape that is not only text; False, and nothing taken, if it needs the
    plain way."""


class FastWay:
    """Takes items in order; what comes of them stands in the builder's ``out``."""

    __slots__ = (
        "_builder",
        "_decode_text",
        "_growing",
        "_learned",
        "_limits",
        "_misses",
        "_reader",
        "_refused",
        "_shape",
    )

    def __init__(self, builder: CompletionBuilder, reader: PayloadReader, limits: Limits) -> None:
        self._builder = builder
        self._reader = reader
        self._limits = limits
        builder.is_plain = limits.depth < DEPTH or limits.values < VALUES
        self._misses = 0
        self._refused = 0  # how many in a row have keys that are not known
        self._growing = Growing(builder, limits)
        self._learned = KNOWN
        self._decode_text: Decode = decode_nothing
        self._shape = Shape(decode_text, self._growing.texts, TextDelta)

    def receive(self, items: Sequence[Item]) -> list[StreamEvent]:
        """The events of these items."""
        builder = self._builder
        out = builder.out = []
        shape = self._shape
        decode, parts_of, event, take = shape.decode, shape.parts_of, shape.event, shape.take
        id, model, knows_all = builder.id, builder.model, builder.knows_all
        for item in items:
            try:
                chunk = decode(item)
            except NOT_USUAL:
                chunk = None
            else:
                if (
                    chunk.id == id
                    and chunk.model == model
                    and (knows_all or not builder.would_learn(chunk))
                ):
                    if take is None:
                        choice = chunk.choices[0]
                        index = choice.index
                        text = choice.delta.text
                        if text and index in parts_of:
                            parts_of[index].append(text)
                            out.append(event(index, text))
                            continue
                    elif take(self, chunk):
                        continue
            self._receive(item, chunk)
            if builder.over is not None:
                break
            shape = self._shape
            decode, parts_of, event, take = shape.decode, shape.parts_of, shape.event, shape.take
            id, model, knows_all = builder.id, builder.model, builder.knows_all
        return out

    def parts_of(self, payload: bytes) -> list[str] | None:
        """Where the text is put of a chunk that is as this one but for its text; None if there is
        more to do, or to look at."""
        shape, builder = self._shape, self._builder
        if shape.take is not None:
            return None
        try:
            chunk = shape.decode(payload)
        except NOT_USUAL:
            return None
        if chunk.id != builder.id or chunk.model != builder.model:
            return None
        if not builder.knows_all and builder.would_learn(chunk):
            return None
        return shape.parts_of.get(chunk.choices[0].index)

    def count(self, size: int) -> int:
        """How many characters are left before a choice with ``size`` more could pass the limit.

        If they are few, the fast way, which does not count, is closed.
        """
        choices = self._builder.choices.values()
        most = max([choice.count() for choice in choices], default=0)
        left = self._limits.text - most - size
        self._builder.counts = left < NEAR
        for choice in choices:
            self._growing.prepare(choice)
        return left

    def _receive(self, item: Item, chunk: Any) -> None:
        """Take an item that is not of the shape that was expected; ``chunk`` is what it was decoded
        to."""
        if isinstance(item, KeepAlive):
            self._builder.receive_heartbeat()
            return
        data = item if isinstance(item, bytes) else _data_of(item)
        wide = None if data is None else self._decode(data, chunk)
        if wide is not None and self._take_wide(wide):
            return
        builder, growing = self._builder, self._growing
        self._reader.receive(item, wide)
        builder.item = None
        if builder.is_plain:
            growing.clear()
        else:
            for choice in builder.touched:
                growing.prepare(choice)
        builder.touched.clear()
        if wide is not None and self._misses > (SOME if growing.texts or growing.reasonings else 1):
            self._expect_any()
        if growing.roleless and self._shape.take is None:
            self._shape = replace(self._shape, take=FastWay._take_text)

    def _decode(self, data: bytes, chunk: Any) -> WideChunk | None:
        """What a payload says if all of its keys are known; if not, learn what is usual here."""
        misses = self._misses = self._misses + 1
        if isinstance(chunk, Wide):
            self._refused = 0
            return chunk
        # Where that is never so, it is not worth the try each time.
        if self._refused > MANY and misses % MANY:
            return None
        try:
            wide = self._decode_any(data)
        except NOT_USUAL:
            self._refused += 1
            due = FEW if self._learned is KNOWN else MANY
            if misses % due == 0 and not self._learn(data) and misses >= MANY:
                self._shape = Shape(decode_nothing, self._growing.texts, TextDelta)
            return None
        self._refused = 0
        return wide

    def _decode_any(self, data: bytes) -> WideChunk:
        """A chunk with no keys but those that are known. Raises one of NOT_USUAL."""
        limits, learned = self._limits, self._learned
        if data.__class__ is not bytes or len(data) > limits.values // 2:
            raise TypeError  # it may hold too many values
        if learned.is_nested and not self._is_flat(data):
            raise TypeError
        if not self._builder.has_logprobs:
            wide: WideChunk = learned.wide(data)
        elif self._may_stay_undecoded(data):
            wide = learned.wide_with_logprobs(data)
        else:
            raise TypeError
        return wide

    def _learn(self, data: bytes) -> bool:
        """Expect chunks with the keys that this one has; False if it has none that are new, or
        more that is unusual."""
        before = self._learned
        learned = learn(data, before)
        if learned is None:
            return False
        self._learned = learned
        try:
            chunk = self._decode_any(data)
        except NOT_USUAL:
            self._learned = before
            return False
        self._misses = 0
        self._expect(chunk)
        return True

    def _is_flat(self, data: bytes) -> bool:
        # Nobody else looks how much a vendor's values hold, and how deep they are.
        limits = self._limits
        if len(data) > min(MOST_BYTES, limits.values // 2):
            return False
        return data.count(b"{") + data.count(b"[") <= limits.depth

    # Any chunk that only adds ----------------------------------------------------------------

    def _take_wide(self, chunk: WideChunk) -> bool:
        """Take a chunk that only adds, and expect the next one to be like it."""
        builder, choices, growing = self._builder, chunk.choices, self._growing
        if not choices or builder.is_plain or builder.counts:
            return False
        if len(choices) > self._limits.choices:
            return False
        again = self._odd_again(chunk)
        if again is None:
            return False
        if len(choices) > 1 and len({choice.index for choice in choices}) < len(choices):
            return False  # what the first of them adds might not leave the second one to add
        for choice in choices:
            if not growing.only_adds(choice):
                return False
        if not builder.knows_all and builder.would_learn(chunk):
            return False
        if chunk.__class__ is not Wide and not self._learned.take(chunk, builder):
            return False
        for code in again:
            builder.found_again(code)
        for choice in choices:
            growing.add(choice)
        if chunk.usage is not None:
            builder.receive_usage(chunk.usage)
        # Where chunks of many shapes come, one alone says nothing about the next.
        if again:
            self._expect_any()
        elif self._misses == 1 or self._shape.take is not take_nothing:
            self._expect(chunk)
        self._misses = 0
        return True

    def _odd_again(self, chunk: WideChunk) -> Sequence[str] | None:
        """What is odd beside the choices, as it has been before; None if that was not yet so."""
        builder = self._builder
        codes = []
        if chunk.id and chunk.id != builder.id:
            codes.append("id-changed")
        if chunk.model and chunk.model != builder.model:
            codes.append("model-changed")
        if chunk.created is not None and chunk.created.__class__ is not int:
            codes.append("created-invalid")
        for code in codes:
            if not builder.has_found(code):
                return None
        return codes

    def _expect(self, chunk: WideChunk) -> None:
        """The next chunk will most likely be as this one."""
        choice, growing = chunk.choices[0], self._growing
        delta = choice.delta
        take = FastWay._take_text if growing.roleless else None
        if choice.finish_reason is not None or delta.role not in USUAL_ROLES:
            self._expect_any()
        elif chunk.__class__ is not Wide:
            self._expect_learned(delta)
        elif delta.tool_calls:
            self._shape = Shape(decode_call, growing.texts, TextDelta, FastWay._take_call)
        elif self._builder.has_logprobs and delta.content:
            decode = self._decode_with_logprobs
            self._shape = Shape(decode, growing.texts, TextDelta, FastWay._take_with_logprobs)
        elif delta.reasoning_content:
            self._shape = Shape(decode_reasoning_content, growing.reasonings, ReasoningDelta, take)
        elif delta.reasoning:
            self._shape = Shape(decode_reasoning, growing.reasonings, ReasoningDelta, take)
        else:
            self._shape = Shape(decode_text, growing.texts, TextDelta, take)

    def _expect_any(self) -> None:
        """The next chunk may be of any shape."""
        if self._shape.take is not take_nothing:
            self._shape = Shape(self._decode_any, self._growing.texts, TextDelta, take_nothing)

    def _expect_learned(self, delta: WideDelta) -> None:
        """The next chunk will most likely be as one with this delta, beside a vendor's keys."""
        kind = kind_of(delta)
        if kind is None or self._builder.has_logprobs:
            self._expect_any()
            return
        self._decode_text = self._learned.text(kind)
        self._shape = Shape(
            self._decode_flat if self._learned.is_nested else self._decode_text,
            self._growing.texts if kind == "content" else self._growing.reasonings,
            TextDelta if kind == "content" else ReasoningDelta,
            FastWay._take_learned,
        )

    def _decode_flat(self, data: bytes) -> Any:
        if not self._is_flat(data):
            raise TypeError
        return self._decode_text(data)

    # The other shapes ------------------------------------------------------------------------

    def _take_text(self, chunk: TextChunk) -> bool:
        """Take text, or reasoning, as in ``receive``, where choices have no role yet."""
        shape = self._shape
        choice = chunk.choices[0]
        index, delta = choice.index, choice.delta
        text = delta.text
        if not text or index not in shape.parts_of:
            return False
        if delta.role is not None and index in self._growing.roleless:
            return False
        shape.parts_of[index].append(text)
        self._builder.out.append(shape.event(index, text))
        return True

    def _take_call(self, chunk: CallChunk) -> bool:
        """Take a fragment of arguments of one call."""
        choice = chunk.choices[0]
        index, delta = choice.index, choice.delta
        if delta.role is not None and index in self._growing.roleless:
            return False
        fragment = delta.tool_calls[0]
        calls = self._growing.calls.get(index)
        call = None if calls is None else calls.at.get(fragment.index)
        if calls is None or call is None or not call.is_usual:
            return False
        calls.last = call
        arguments = fragment.function.arguments
        if arguments:
            call.fragments.append(arguments)
            self._builder.out.append(ToolCallDelta(index, call.number, fragment.index, arguments))
        return True

    def _take_with_logprobs(self, chunk: LogprobsChunk) -> bool:
        """Take text with its logprobs."""
        choice = chunk.choices[0]
        index, delta = choice.index, choice.delta
        text = delta.text
        if not text or index not in self._growing.texts:
            return False
        if delta.role is not None and index in self._growing.roleless:
            return False
        logprobs = bytes(choice.logprobs)
        if not may_be_kept(logprobs):
            return False
        builder = self._builder
        self._growing.texts[index].append(text)
        builder.out.append(TextDelta(index, text))
        if logprobs != NULL:
            builder.choices[index].receive_logprobs(logprobs)
        return True

    def _decode_with_logprobs(self, data: bytes) -> LogprobsChunk:
        if data.__class__ is not bytes or not self._may_stay_undecoded(data):
            raise TypeError
        return decode_text_with_logprobs(data)

    def _may_stay_undecoded(self, data: bytes) -> bool:
        # All of it, not only the logprobs that count: there may be others under a repeated key.
        return may_stay_undecoded(data, self._limits.depth, self._limits.values)

    def _take_learned(self, chunk: Any) -> bool:
        """Take text, or reasoning, beside keys of a vendor that were kept before."""
        shape, builder = self._shape, self._builder
        choice = chunk.choices[0]
        index, delta = choice.index, choice.delta
        if not delta.text or index not in shape.parts_of:
            return False
        if delta.role is not None and index in self._growing.roleless:
            return False
        if not self._learned.take(chunk, builder):
            return False
        shape.parts_of[index].append(delta.text)
        builder.out.append(shape.event(index, delta.text))
        if chunk.usage is not None:
            builder.receive_usage(chunk.usage)
        return True


def decode_nothing(_data: bytes) -> Any:
    """The decoder for streams in which nothing is usual."""
    raise TypeError


def take_nothing(_fast_way: FastWay, _chunk: WideChunk) -> bool:
    """Leave all that is to be done with a wide chunk to who decoded it."""
    return False


def _data_of(item: Item) -> bytes | None:
    # The framing was odd, the chunk need not be.
    return item.data if isinstance(item, Payload) and item.kind == "event" else None
