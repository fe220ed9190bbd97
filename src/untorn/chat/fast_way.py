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
from typing import Any, Literal, cast

from msgspec import Struct, UnsetType
from msgspec.structs import replace

from untorn.chat.builder import CompletionBuilder
from untorn.chat.choice import ChoiceBuilder, Kind
from untorn.chat.choice_calls import ChoiceCalls
from untorn.chat.json_scan import may_stay_undecoded
from untorn.chat.learned import MOST_BYTES, LearnedShape, learn
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
from untorn.chat.wide import (
    AnyWideChoice,
    Wide,
    WideChunk,
    WideDelta,
    WideFragment,
    decode_wide,
    decode_wide_with_logprobs,
    has_more,
)
from untorn.events import ReasoningDelta, StreamEvent, TextDelta, ToolCallDelta
from untorn.options import MIB, Limits

Parts = dict[int, list[str]]
"""By the index of a choice: the fragments of its text, to which more may simply be appended."""

NO_PARTS: Parts = {}
NO_CALLS_OF: dict[int, ChoiceCalls] = {}
NOBODY: frozenset[int] = frozenset()
"""Stand for what a stream has none of. Nobody adds to them: streams share them."""

MANY = 16
"""After so many items in a row that were not usual, only each so-many-th is tried."""
FEW = 4
"""Each so-many-th of them is learned from, until something was learned; then each MANY-th."""


SOME = 2
"""After more items in a row than these that did more than add, no shape is expected any more, but
a wide chunk; where no text has begun that will likely go on, after more than one. (An answer that
is usual begins with as many.)"""

NULL = b"null"
ONLY_TEXT = (str, UnsetType)
"""The types of arguments that may be appended, or are absent."""

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
        "_calls",
        "_limits",
        "_misses",
        "_reader",
        "_refused",
        "_reasonings",
        "_roleless",
        "_shape",
        "_learned",
        "_texts",
    )

    def __init__(self, builder: CompletionBuilder, reader: PayloadReader, limits: Limits) -> None:
        self._builder = builder
        self._reader = reader
        self._limits = limits
        builder.is_plain = limits.depth < DEPTH or limits.values < VALUES
        self._misses = 0
        self._refused = 0  # how many in a row have keys that are not known
        self._texts: Parts = {}
        self._reasonings = NO_PARTS
        self._calls = NO_CALLS_OF
        # Choices that got no role yet: one that comes would be their first.
        self._roleless = NOBODY
        self._learned = NOTHING_LEARNED
        self._shape = Shape(decode_text, self._texts, TextDelta)

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
            self._prepare(choice)
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
        builder = self._builder
        self._reader.receive(item, wide)
        builder.item = None
        if builder.is_plain:
            self._texts.clear()
            self._reasonings.clear()
            self._calls.clear()
        else:
            for choice in builder.touched:
                self._prepare(choice)
        builder.touched.clear()
        if wide is not None and self._misses > (SOME if self._texts or self._reasonings else 1):
            self._shape = WIDE_WITH_LOGPROBS if builder.has_logprobs else WIDE
        if self._roleless and self._shape.take is None:
            self._shape = replace(self._shape, take=FastWay._take_text)

    def _decode(self, data: bytes, chunk: Any) -> WideChunk | None:
        """What a payload says if all of its keys are known; if not, learn what is usual here."""
        misses = self._misses = self._misses + 1
        # Where that is never so, it is not worth the try each time.
        if self._refused > MANY and misses % MANY:
            return None
        wide = self._decode_wide(data, chunk)
        self._refused = 0 if wide is not None else self._refused + 1
        due = FEW if self._learned is NOTHING_LEARNED else MANY
        if wide is None and misses % due == 0 and not self._learn(data) and misses >= MANY:
            self._shape = Shape(decode_nothing, self._texts, TextDelta)
        return wide

    def _decode_wide(self, data: bytes, chunk: Any) -> WideChunk | None:
        if len(data) > self._limits.values // 2:
            return None  # it may hold too many values
        has_logprobs = self._builder.has_logprobs
        if has_logprobs and not self._may_stay_undecoded(data):
            return None
        if chunk.__class__ is Wide:
            return cast(WideChunk, chunk)
        decode = decode_wide_with_logprobs if has_logprobs else decode_wide
        try:
            return decode(data)
        except NOT_USUAL:
            return None

    def _prepare(self, choice: ChoiceBuilder) -> None:
        """Say what a further chunk may add to a choice without a look."""
        index = choice.index
        builder = self._builder
        usual = not (choice.is_finished or builder.is_plain or builder.counts)
        if usual and choice.role is None:
            self._roleless |= {index}
        elif self._roleless:
            self._roleless = self._roleless - {index} or NOBODY
        if usual and choice.seen & Kind.CONTENT and choice.content.is_plain:
            self._texts[index] = choice.content.parts
        elif index in self._texts:
            del self._texts[index]
        if usual and choice.seen & Kind.REASONING and choice.reasoning.is_plain:
            self._reasonings = self._reasonings or {}
            self._reasonings[index] = choice.reasoning.parts
        elif index in self._reasonings:
            del self._reasonings[index]
        if usual and choice.calls.at:
            self._calls = self._calls or {}
            self._calls[index] = choice.calls
        elif index in self._calls:
            del self._calls[index]

    # Any chunk that only adds ----------------------------------------------------------------

    def _take_wide(self, chunk: WideChunk) -> bool:
        """Take a chunk that only adds, and expect the next one to be like it."""
        builder = self._builder
        if (chunk.id and chunk.id != builder.id) or (chunk.model and chunk.model != builder.model):
            return False
        choices = chunk.choices
        if not choices or builder.is_plain or builder.counts:
            return False
        if len(choices) > self._limits.choices:
            return False
        if chunk.created is not None and chunk.created.__class__ is not int:
            return False
        for choice in choices:
            if not self._only_adds(choice):
                return False
        if not builder.knows_all and builder.would_learn(chunk):
            return False
        for choice in choices:
            self._add(choice)
        # Where chunks of many shapes come, one alone says nothing about the next.
        if self._misses == 1 or self._shape.take is not take_nothing:
            self._expect(choices[0].delta)
        self._misses = 0
        return True

    def _expect(self, delta: WideDelta) -> None:
        """The next chunk will most likely be as this one."""
        take = FastWay._take_text if self._roleless else None
        if delta.tool_calls:
            self._shape = Shape(decode_call, self._texts, TextDelta, FastWay._take_call)
        elif self._builder.has_logprobs and delta.content:
            decode = self._decode_with_logprobs
            self._shape = Shape(decode, self._texts, TextDelta, FastWay._take_with_logprobs)
        elif delta.reasoning_content:
            self._shape = Shape(decode_reasoning_content, self._reasonings, ReasoningDelta, take)
        elif delta.reasoning:
            self._shape = Shape(decode_reasoning, self._reasonings, ReasoningDelta, take)
        else:
            self._shape = Shape(decode_text, self._texts, TextDelta, take)

    def _only_adds(self, choice: AnyWideChoice) -> bool:
        """Whether a choice brings only more of what came before."""
        index, delta = choice.index, choice.delta
        if not isinstance(index, int) or choice.finish_reason is not None or has_more(delta):
            return False
        builder = self._builder.choices.get(index)
        if builder is None or builder.is_finished:
            return False
        role, content, seen = delta.role, delta.content, builder.seen
        if role is not None and role != builder.role:
            return False
        if not (content is None or isinstance(content, str)):
            return False
        if content is not None and not (
            index in self._texts or builder.content.is_continued_by(content)
            if content
            else seen & Kind.CONTENT
        ):
            return False
        reasoning = delta.reasoning_content
        if reasoning is None:
            reasoning = delta.reasoning
        elif delta.reasoning is not None:
            return False
        if reasoning is not None and not (
            index in self._reasonings or builder.reasoning.is_continued_by(reasoning)
            if reasoning
            else seen & Kind.REASONING
        ):
            return False
        fragments = delta.tool_calls
        if fragments:
            if len(fragments) > self._limits.tool_calls:
                return False
            for fragment in fragments:
                if not _continues(builder, fragment):
                    return False
        elif role is None and content is None and reasoning is None:
            return False  # perhaps a repeated key hides what it says (rule 14)
        return choice.logprobs is None or _may_be_kept(bytes(choice.logprobs))

    def _add(self, choice: Any) -> None:
        """Take a choice that only adds."""
        index, delta, out = choice.index, choice.delta, self._builder.out
        reasoning = delta.reasoning_content or delta.reasoning
        if reasoning:
            if index in self._reasonings:
                self._reasonings[index].append(reasoning)
                out.append(ReasoningDelta(index, reasoning))
            else:
                self._say("reasoning", index, reasoning)
        if delta.content:
            if index in self._texts:
                self._texts[index].append(delta.content)
                out.append(TextDelta(index, delta.content))
            else:
                self._say("content", index, delta.content)
        if delta.tool_calls:
            calls = self._builder.choices[index].calls
            for fragment in delta.tool_calls:
                call = calls.last = calls.at[fragment.index]
                arguments = None if fragment.function is None else fragment.function.arguments
                if arguments:
                    call.fragments.append(arguments)
                    out.append(ToolCallDelta(index, call.number, fragment.index, arguments))
        if choice.logprobs is not None and (logprobs := bytes(choice.logprobs)) != NULL:
            self._builder.choices[index].receive_logprobs(logprobs)

    def _say(self, channel: Literal["content", "reasoning"], index: int, text: str) -> None:
        """Take what may be a further snapshot of a text."""
        choice = self._builder.choices[index]
        choice.say(channel, text, [])
        self._prepare(choice)

    # The other shapes ------------------------------------------------------------------------

    def _take_text(self, chunk: TextChunk) -> bool:
        """Take text, or reasoning, as in ``receive``, where choices have no role yet."""
        shape = self._shape
        choice = chunk.choices[0]
        index, delta = choice.index, choice.delta
        text = delta.text
        if not text or index not in shape.parts_of:
            return False
        if delta.role is not None and index in self._roleless:
            return False
        shape.parts_of[index].append(text)
        self._builder.out.append(shape.event(index, text))
        return True

    def _take_call(self, chunk: CallChunk) -> bool:
        """Take a fragment of arguments of one call."""
        choice = chunk.choices[0]
        index, delta = choice.index, choice.delta
        if delta.role is not None and index in self._roleless:
            return False
        fragment = delta.tool_calls[0]
        calls = self._calls.get(index)
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
        if not text or index not in self._texts:
            return False
        if delta.role is not None and index in self._roleless:
            return False
        logprobs = bytes(choice.logprobs)
        if not _may_be_kept(logprobs):
            return False
        builder = self._builder
        self._texts[index].append(text)
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

    # A vendor's keys -------------------------------------------------------------------------

    def _learn(self, data: bytes) -> bool:
        """Expect chunks with the keys that this one has; False if it has more that is unusual."""
        learned = learn(data)
        if learned is None:
            return False
        self._misses = 0
        self._learned = learned
        decode = self._decode_nested if learned.is_nested else learned.decode
        self._shape = Shape(decode, self._texts, TextDelta, FastWay._take_learned)
        return True

    def _decode_nested(self, data: bytes) -> Any:
        # Nobody else looks how much a vendor's values hold, and how deep they are.
        limits = self._limits
        if len(data) > min(MOST_BYTES, limits.values // 2):
            raise TypeError
        if data.count(b"{") + data.count(b"[") > limits.depth:
            raise TypeError
        return self._learned.decode(data)

    def _take_learned(self, chunk: Any) -> bool:
        """Take text, or reasoning, beside keys of a vendor that were kept before."""
        learned, builder = self._learned, self._builder
        choice = chunk.choices[0]
        index, text = choice.index, choice.delta.text
        parts_of = self._reasonings if learned.is_reasoning else self._texts
        if not text or index not in parts_of or not learned.take(chunk, builder):
            return False
        parts_of[index].append(text)
        event = ReasoningDelta if learned.is_reasoning else TextDelta
        builder.out.append(event(index, text))
        if chunk.usage is not None:
            builder.receive_usage(chunk.usage)
        return True


def decode_nothing(_data: bytes) -> Any:
    """The decoder for streams in which nothing is usual."""
    raise TypeError


def take_nothing(_fast_way: FastWay, _chunk: WideChunk) -> bool:
    """Leave all that is to be done with a wide chunk to who decoded it."""
    return False


WIDE = Shape(decode_wide, {}, TextDelta, take_nothing)
WIDE_WITH_LOGPROBS = Shape(decode_wide_with_logprobs, {}, TextDelta, take_nothing)
"""What is expected where chunks are of many shapes."""

NOTHING_LEARNED = LearnedShape(decode_nothing, False, False, (), (), ())


def _data_of(item: Item) -> bytes | None:
    # The framing was odd, the chunk need not be.
    return item.data if isinstance(item, Payload) and item.kind == "event" else None


def _continues(choice: ChoiceBuilder, fragment: WideFragment) -> bool:
    """Whether a fragment brings nothing but arguments to a call that is open."""
    index, function = fragment.index, fragment.function
    call = choice.calls.at.get(index) if isinstance(index, int) else None
    if call is None or not call.is_usual or fragment.id is not None:
        return False
    if function is None:
        return True
    return function.name is None and isinstance(function.arguments, ONLY_TEXT)


def _may_be_kept(logprobs: bytes) -> bool:
    return logprobs == NULL or logprobs[:1] == b"{"
