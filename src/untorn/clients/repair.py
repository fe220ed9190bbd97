"""The body of a response → the same answer as OpenAI would send it, or the failure that is to be
raised. No I/O, no clock.

1. An event in OpenAI's shape that brings text, reasoning, audio or an end is passed on byte for
   byte, in the read in which it is whole.
2. Tool calls are held, and written whole when their choice has ended and they may be run.
3. Usage is held: it is a running total, and those who read it add it up. The last one is given,
   at the end.
4. What says the same in another shape is written anew; what says nothing is left out.
5. ``[DONE]`` is given at the very end, and only for an answer that is whole, or that a limit or a
   filter has ended. For any other there is an error, or ``failure``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from msgspec import structs

from untorn.chat.completion import (
    ERRORS,
    RAISE_ON,
    Choice,
    Completion,
    ToolCall,
    TornToolCall,
    Usage,
)
from untorn.chat.json_scan import is_json
from untorn.chat.json_text import value_of
from untorn.clients.asked import Asked
from untorn.clients.blocks import Block, is_silence, pieces_of
from untorn.clients.body import Body, Failure
from untorn.clients.canonical import (
    Chunk,
    chunk_of,
    data_of,
    events_of,
    is_decodable,
    payload_of,
    usual_payload_of,
)
from untorn.clients.likeness import Likeness, likeness_of
from untorn.clients.writer import DONE, Writer
from untorn.errors import NotWhole, StreamInterrupted
from untorn.events import (
    AudioDelta,
    ChoiceFinished,
    DefectFound,
    Heartbeat,
    LogprobsDelta,
    ReasoningDelta,
    RefusalDelta,
    Revised,
    Started,
    StreamEnded,
    StreamEvent,
    TextDelta,
    ToolCallFinished,
    UsageReported,
)
from untorn.options import Clocks, Options

UNSAID = (Started, DefectFound, LogprobsDelta)
"""What they tell is in the chunk, or about it."""
QUIET = (DefectFound, Heartbeat)
"""What may be told before an event has ended."""
TEXTS = (TextDelta, ReasoningDelta, RefusalDelta)


Channel = type[TextDelta] | type[ReasoningDelta] | type[RefusalDelta]
CHANNELS: dict[str, Channel] = {"content": TextDelta, "reasoning": ReasoningDelta}
"""The channels that can be revised."""


class Like(NamedTuple):
    """What the next event is expected to be like."""

    likeness: Likeness
    parts: tuple[list[str], list[str]]
    """Where its text belongs: in the stream, and in what was sent."""


class Repair(Body):
    """A Body that is repaired."""

    def __init__(self, asked: Asked, options: Options, clocks: Clocks) -> None:
        if asked.n is not None:
            options = structs.replace(options, choices=asked.n)
        super().__init__(options, clocks)
        self._asked = asked
        self._writer = Writer(asked.n or 1)
        self._block = Block(options.limits)
        self._usage: bytes | None = None
        self._sent: dict[tuple[int, Channel], list[str]] = defaultdict(list)
        self._calls: dict[int, list[ToolCall]] = defaultdict(list)
        self._like: Like | None = None

    # Reads → events --------------------------------------------------------------------------

    def receive(self, data: bytes | None, at: float, rang: bool) -> None:
        """See Reading. A read that is an event as the last one was, but for its text, is passed on
        without a further look: the look at the others is a third of what they cost."""
        like = self._like
        if (
            like is None
            or data is None
            or rang
            or at >= self.until
            or (text := like.likeness.text_of(data)) is None
            or not is_decodable(data)
            or not self._stream.pass_by(len(data), at)
        ):
            self._like = None
            super().receive(data, at, rang)
            return
        for parts in like.parts:
            parts.append(text)
        self.unsent.append(data)
        self._patience.arrived(at, says_something=True)

    def _like_of(self, event: bytes, payload: bytes, events: list[StreamEvent]) -> Like | None:
        """What an event is like that was passed on, and tells this; None if it is not one text."""
        if len(events) != 1 or not isinstance(delta := events[0], TextDelta | ReasoningDelta):
            return None
        if self._received is not None or (parts := self._stream.parts_of(payload)) is None:
            return None
        likeness = likeness_of(event)
        return likeness and Like(likeness, (parts, self._sent[delta.choice, type(delta)]))

    def _feed(self, data: bytes, at: float) -> list[StreamEvent]:
        """Feed the stream event by event: it has to be known what each of them tells."""
        if self._block.is_at_rest and (payload := usual_payload_of(data)) is not None:
            told = self._receive_usual(data, payload)  # the read is one event, as most are
            if self.unsent and self.unsent[-1] is data:
                self._like = self._like_of(data, payload, told)
        else:
            told = []
            for piece in pieces_of(data, self._block):
                told += self._receive_piece(piece)
                if _has_ended(told):  # over a limit
                    break
        return self._stream.timed(told, at, reads=1)

    def _receive_usual(self, event: bytes, payload: bytes) -> list[StreamEvent]:
        events = self._stream.receive_data(event)
        if not self._pass_on(event, payload, events):
            self._rewrite(b"" if _has_ended(events) else payload, events)
        return events

    def _receive_piece(self, piece: bytes) -> list[StreamEvent]:
        block = self._block
        is_at_rest = block.is_at_rest
        if is_at_rest and (payload := usual_payload_of(piece)) is not None:
            return self._receive_usual(piece, payload)
        events = self._stream.receive_data(piece)
        if is_at_rest and is_silence(piece):
            self._rewrite(b"", events)  # there may be some if it ended the body
        elif block.add(piece):
            self._end_event(block.take(), events)
        elif any(not isinstance(event, QUIET) for event in events) or self._is_whole(
            block.data_before
        ):
            self._end_event(block.take_told(), events)
        return events

    def _is_whole(self, line: bytes) -> bool:
        """Whether a data line is an event by itself (corpus rule 2). It may say nothing."""
        return bool(line) and isinstance(self._value_of(line[len(b"data:") :]), dict)

    def _end_event(self, event: bytes, events: list[StreamEvent]) -> None:
        payload = payload_of(event)
        if _has_ended(events):
            self._rewrite(b"", events)  # what is open then depends on the reads
        elif payload is None:
            self._rewrite(data_of(event), events)
        elif not self._pass_on(event, payload, events):
            self._rewrite(payload, events)

    # Events → bytes --------------------------------------------------------------------------

    def _pass_on(self, event: bytes, payload: bytes, events: list[StreamEvent]) -> bool:
        """Pass an event on as it is; False if it has to be written anew."""
        chunk = chunk_of(payload)
        if chunk is None or not self._writer.has_begun(chunk):
            return False
        if not chunk.choices:
            return self._hold_usage(event, events)
        says = events_of(chunk)
        if says is None or chunk.usage is not None:
            return False
        if says != events or not events:
            if not _has_all_logprobs(chunk, events):
                return False
            told = [one for one in events if not isinstance(one, UNSAID)]
            calls = [one for one in told if isinstance(one, ToolCallFinished)]
            if [one for one in told if one not in calls] != says:
                return False
            self._write(calls)
        self._writer.see(chunk)
        for one in events:  # not those in ``says``: these share their texts with the completion
            self._keep(one)
        self.unsent.append(event)
        return True

    def _hold_usage(self, event: bytes, events: Sequence[StreamEvent]) -> bool:
        told = [one for one in events if not isinstance(one, UNSAID)]
        if len(told) != 1 or not isinstance(told[0], UsageReported):
            return False
        if not self._asked.wants_usage or None in _counts_of(told[0].usage):
            return False
        self._usage = event
        return True

    def _rewrite(self, payload: bytes, events: list[StreamEvent]) -> None:
        """Write anew what an event tells."""
        if not events and not payload:
            return
        self._writer.rewrite(self._value_of(payload))
        self._write(events)
        if (rest := self._writer.rest()) is not None:
            self.unsent.append(rest)

    def _value_of(self, payload: bytes) -> Any:
        return value_of(payload, self._options.limits)

    def _write(self, events: Sequence[StreamEvent]) -> None:
        for event in events:
            written = self._written(event)
            if written is not None:
                self._keep(event)
                self.unsent.append(written)

    def _written(self, event: StreamEvent) -> bytes | None:
        write = self._writer
        match event:
            case Started():
                write.name(event.id, event.model)
            case TextDelta():
                return write.delta(event.choice, content=event.text)
            case ReasoningDelta():
                return write.delta(event.choice, reasoning_content=event.text)
            case RefusalDelta():
                return write.delta(event.choice, refusal=event.text)
            case AudioDelta():
                audio = {"data": event.data, "transcript": event.transcript}
                return write.delta(event.choice, audio=audio)
            case LogprobsDelta():
                return write.logprobs(event.choice, event.raw)
            case ToolCallFinished():
                return self._written_call(event)
            case ChoiceFinished():
                return write.finish(event.choice, event.finish_reason)
            case Revised():
                return self._written_revision(event)
            case UsageReported():
                self._usage = None  # one that was held is not the last
            case _:
                pass
        return None

    def _written_call(self, event: ToolCallFinished) -> bytes | None:
        sent, call = self._calls[event.choice], event.tool_call
        if self._is_unasked(call):
            return None  # programs that know of none fall over it, or pass over it; see _failure_of
        place = len(sent)
        sent.append(call)
        call = structs.replace(call, arguments=self._arguments_of(call))
        # What came as function_call has neither; there is room for one.
        is_legacy = call.id is None and event.index is None and call.type == "function"
        if self._asked.functions and is_legacy and not place:
            return self._writer.function_call(event.choice, call)
        return self._writer.call(event.choice, place, call)

    def _is_unasked(self, call: ToolCall | TornToolCall) -> bool:
        return call.type == "custom" and not self._asked.wants_custom_calls

    def _arguments_of(self, call: ToolCall) -> str:
        """The arguments as OpenAI sends them: an object, however little is in it."""
        said = call.arguments
        if call.type == "custom":
            return said
        if said.lstrip()[:1] == '"':  # encoded twice
            inner = self._value_of(said.encode())
            depth = self._options.limits.depth
            if isinstance(inner, str) and inner.lstrip()[:1] == "{" and is_json(inner, depth):
                return inner
        return said or "{}"

    def _written_revision(self, event: Revised) -> bytes | None:
        value = event.value
        if not isinstance(value, str):
            return None
        if event.field == "finish_reason":
            return self._writer.finish(event.choice, value)
        channel = CHANNELS.get(event.field)
        so_far = "".join(self._sent[event.choice, channel]) if channel else value
        if channel is None or not value.startswith(so_far) or value == so_far:
            return None
        more = channel(event.choice, value[len(so_far) :])
        self._keep(more)
        return self._written(more)

    # The end ---------------------------------------------------------------------------------

    def _end(self, events: list[StreamEvent], failure: str | None, at: float) -> None:
        super()._end(events, failure, at)
        completion = self.completion
        self._writer.name(completion.id, completion.model, completion.created)
        verdict = completion.verdict
        # What is open when a limit is passed depends on the reads.
        left = b"" if verdict.ending == "limit" else data_of(self._block.take())
        self._rewrite(left, events)
        self.failure = self._failure_of(completion)
        if verdict.error is not None:
            self.unsent.append(self._writer.error(verdict.error))
        elif self.failure is None:
            if (usage := self._usage or self._written_usage(completion)) is not None:
                self.unsent.append(usage)
            self.unsent.append(DONE)

    def _written_usage(self, completion: Completion) -> bytes | None:
        usage = completion.usage
        if usage is None or not _counts_of(usage) - {None}:
            return None
        return self._writer.usage(usage.to_dict(), alone=self._asked.wants_usage)

    def _failure_of(self, completion: Completion) -> Failure | None:
        verdict = completion.verdict
        if verdict.outcome in RAISE_ON:
            return Failure(str(verdict), ERRORS[verdict.outcome](completion))
        for choice in completion.choices:
            for call in choice.message.tool_calls:
                if call.state == "invalid" or (
                    verdict.outcome == "complete" and call.state != "whole"
                ):
                    cause = NotWhole(call)
                    return Failure(f"choice {choice.index}: {cause}", cause)
                if self._is_unasked(call):
                    why = f"choice {choice.index} calls a custom tool, and none was offered: {call}"
                    return Failure(why, StreamInterrupted(completion))
            if not self._was_sent(choice):
                why = f"what was passed on of choice {choice.index} turned out to be something else"
                return Failure(why, StreamInterrupted(completion))
        return None

    def _was_sent(self, choice: Choice) -> bool:
        """Whether what was passed on is what the choice says in the end."""
        said = choice.message
        calls = [call for call in said.tool_calls if call.state == "whole"]
        texts = ((TextDelta, said.content), (ReasoningDelta, said.reasoning))
        return calls == self._calls[choice.index] and all(
            (text or "") == "".join(self._sent[choice.index, channel])
            for channel, text in (*texts, (RefusalDelta, said.refusal))
        )

    def _keep(self, event: StreamEvent) -> None:
        if isinstance(event, TEXTS):
            self._sent[event.choice, type(event)].append(event.text)


def _counts_of(usage: Usage) -> set[int | None]:
    return {usage.prompt_tokens, usage.completion_tokens, usage.total_tokens}


def _has_all_logprobs(chunk: Chunk, events: list[StreamEvent]) -> bool:
    """Whether the logprobs that were told are a chunk's own, as far as one can tell."""
    told = sum(isinstance(event, LogprobsDelta) for event in events)
    return told == sum(choice.logprobs is not None for choice in chunk.choices)


def _has_ended(events: list[StreamEvent]) -> bool:
    return bool(events) and isinstance(events[-1], StreamEnded)
