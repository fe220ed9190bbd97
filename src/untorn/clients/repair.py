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

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import structs

from untorn.chat.completion import ERRORS, RAISE_ON, Choice, Completion, ToolCall
from untorn.chat.json_text import value_of
from untorn.clients.canonical import DONE, Writer, chunk_of, events_of, payload_of
from untorn.errors import NotWhole, StreamInterrupted, UntornError
from untorn.events import (
    AudioDelta,
    ChoiceFinished,
    DefectFound,
    LogprobsDelta,
    ReasoningDelta,
    RefusalDelta,
    Revised,
    Started,
    StreamEvent,
    TextDelta,
    ToolCallDelta,
    ToolCallFinished,
    ToolCallStarted,
    UsageReported,
)
from untorn.options import MIB, Clocks, Options
from untorn.reading import Reading

_BLANK_LINE = re.compile(rb"\n\r?\n")
_BLANK_SIZE = 2
"""So many bytes of a read may be the begin of what ``_BLANK_LINE`` finds."""
LONGEST = MIB
"""An event of more bytes is not kept to be passed on, but written anew."""

UNSAID = (Started, DefectFound, LogprobsDelta)
"""What they tell is in the chunk, or about it."""
TEXTS = (TextDelta, ReasoningDelta, RefusalDelta)
CALLS = (ToolCallStarted, ToolCallDelta, ToolCallFinished)


class Asked(msgspec.Struct, frozen=True):
    """What is read of a request."""

    stream: bool = False
    n: int | None = None
    stream_options: dict[str, Any] | None = None
    functions: list[Any] | None = None
    """OpenAI's older tools, answered by ``function_call``."""

    @property
    def wants_usage(self) -> bool:
        return bool((self.stream_options or {}).get("include_usage"))


def asked_by(method: str, path: str, body: bytes) -> Asked | None:
    """What a request asks for, if that is a streamed chat completion."""
    if method != "POST" or not path.endswith("/chat/completions"):
        return None
    try:
        asked = msgspec.json.decode(body, type=Asked)
    except msgspec.MsgspecError:
        return None
    return asked if asked.stream else None


class Failure(NamedTuple):
    """Why an answer must not be taken for a whole one."""

    why: str
    """A sentence that says what is missing."""
    cause: UntornError


Channel = type[TextDelta] | type[ReasoningDelta] | type[RefusalDelta]
CHANNELS: dict[str, Channel] = {"content": TextDelta, "reasoning": ReasoningDelta}
"""The channels that can be revised."""


class Repair(Reading):
    """A Reading that also gives the body anew, in ``unsent``."""

    def __init__(self, asked: Asked, options: Options, clocks: Clocks) -> None:
        if asked.n is not None:
            options = structs.replace(options, choices=asked.n)
        super().__init__(options, clocks, RAISE_ON, None)
        self.unsent: list[bytes] = []
        """Bytes that nobody has taken yet."""
        self.failure: Failure | None = None
        """What is to be raised after ``unsent``; None for an answer that may be taken as it is."""
        self._asked = asked
        self._writer = Writer()
        self._event: list[bytes] = []
        self._size = 0
        self._tail = b""
        self._is_odd = False
        self._usage: bytes | None = None
        self._sent: dict[tuple[int, Channel], list[str]] = defaultdict(list)
        self._calls: dict[int, list[ToolCall]] = defaultdict(list)

    def take(self) -> bytes:
        """What is to be sent on now; it may be nothing."""
        unsent, self.unsent = self.unsent, []
        return unsent[0] if len(unsent) == 1 else b"".join(unsent)

    # Reads → events --------------------------------------------------------------------------

    def _feed(self, data: bytes, at: float) -> list[StreamEvent]:
        """Feed the stream event by event: it has to be known what each of them tells."""
        if not self._size and data.find(b"\n\n") == len(data) - 2:  # one event, as most are
            return self._stream.timed(self._end_event(data), at, reads=1)
        told: list[StreamEvent] = []
        start, tail = 0, self._tail
        for match in _BLANK_LINE.finditer(tail + data if tail else data):
            end = match.end() - len(tail)
            told += self._end_event(data[start:end])
            start = end
        if start < len(data):
            told += self._begin_event(data[start:])
        return self._stream.timed(told, at, reads=1)

    def _end_event(self, data: bytes) -> list[StreamEvent]:
        events = self._stream.receive_data(data)
        if self._size:
            data = self._event_with(data)
        if self._is_odd or not self._pass_on(data, events):
            self._rewrite(data, events)
        self._is_odd = False
        return events

    def _begin_event(self, data: bytes) -> list[StreamEvent]:
        events = self._stream.receive_data(data)
        self._size += len(data)
        self._tail = (self._tail + data[-_BLANK_SIZE:])[-_BLANK_SIZE:]
        self._event.append(data)
        if events or self._size > LONGEST:
            self._is_odd = True  # it is not one event, or too long a one
            self._event.clear()
            self._rewrite(b"", events)
        return events

    def _event_with(self, data: bytes) -> bytes:
        """The event that has begun, and its last bytes."""
        event = b"".join([*self._event, data])
        self._event.clear()
        self._size, self._tail = 0, b""
        return event

    # Events → bytes --------------------------------------------------------------------------

    def _pass_on(self, data: bytes, events: list[StreamEvent]) -> bool:
        """Pass an event on as it is; False if it has to be written anew."""
        payload = payload_of(data)
        chunk = None if payload is None else chunk_of(payload)
        if chunk is None or not self._writer.has_begun(chunk):
            return False
        if not chunk.choices:
            return self._hold_usage(data, events)
        says = events_of(chunk)
        if says is None or chunk.usage is not None:
            return False
        if says != events:
            told = [event for event in events if not isinstance(event, UNSAID)]
            calls = [event for event in told if isinstance(event, CALLS)]
            if [event for event in told if event not in calls] != says:
                return False
            self._write(calls)
        self._writer.see(chunk)
        for event in says:
            self._keep(event)
        self.unsent.append(data)
        return True

    def _hold_usage(self, data: bytes, events: Sequence[StreamEvent]) -> bool:
        told = [event for event in events if not isinstance(event, UNSAID)]
        if len(told) != 1 or not isinstance(told[0], UsageReported):
            return False
        self._usage = data
        return True

    def _rewrite(self, data: bytes, events: list[StreamEvent]) -> None:
        """Write anew what an event tells."""
        if not events and not data:
            return
        payload = payload_of(data.rstrip(b"\r\n") + b"\n\n")
        value = None if payload is None else value_of(payload, self._options.limits)
        self._writer.rewrite(value)
        self._write(events)
        if (rest := self._writer.rest()) is not None:
            self.unsent.append(rest)

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

    def _written_call(self, event: ToolCallFinished) -> bytes:
        sent = self._calls[event.choice]
        place = len(sent)
        sent.append(event.tool_call)
        if self._asked.functions and event.tool_call.id is None:
            return self._writer.function_call(event.choice, event.tool_call)
        return self._writer.call(event.choice, place, event.tool_call)

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
        self._rewrite(self._event_with(b""), events)
        verdict = completion.verdict
        self.failure = self._failure_of(completion)
        if verdict.error is not None:
            self.unsent.append(self._writer.error(verdict.error))
        elif self.failure is None:
            if completion.usage is not None:
                usage, alone = completion.usage.to_dict(), self._asked.wants_usage
                self.unsent.append(self._usage or self._writer.usage(usage, alone=alone))
            self.unsent.append(DONE)

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
            if not self._was_sent(choice):
                why = f"what was passed on of choice {choice.index} turned out to be something else"
                return Failure(why, StreamInterrupted(completion))
        return None

    def _was_sent(self, choice: Choice) -> bool:
        """Whether what was passed on is what the choice says in the end."""
        said = choice.message
        calls = [call for call in said.tool_calls if call.state == "whole"]
        sent = self._calls[choice.index]
        return (
            len(calls) == len(sent)
            and all(map(sent.__contains__, calls))
            and all(
                (text or "") == "".join(self._sent[choice.index, channel])
                for channel, text in (
                    (TextDelta, said.content),
                    (ReasoningDelta, said.reasoning),
                    (RefusalDelta, said.refusal),
                )
            )
        )

    def _keep(self, event: StreamEvent) -> None:
        if isinstance(event, TEXTS):
            self._sent[event.choice, type(event)].append(event.text)
