"""What a program knows that follows the events alone; it has to be what the completion holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tests.chat_helpers import Told, texts_of
from untorn import (
    AudioDelta,
    ChoiceFinished,
    Completion,
    DefectFound,
    ErrorReported,
    LogprobsDelta,
    Revised,
    Started,
    StreamEvent,
    ToolCall,
    ToolCallFinished,
    UsageReported,
)


class Follower:
    """Takes all events of a stream."""

    def __init__(self, events: list[StreamEvent]) -> None:
        self.told = Told().take(events)
        self.counts: dict[type[StreamEvent], int] = {}
        self.finished: list[int] = []
        self.runnable: dict[tuple[int, int], ToolCall] = {}
        """By choice and call: calls that were said to be whole."""
        self.taken_back: set[int] = set()
        """Choices whose calls, or the reason for their end, were revised."""
        self.revised_whole: dict[int, list[ToolCall]] = {}
        """By choice: the whole calls in its last Revised of ``tool_calls``."""
        self.logprobs: dict[int, list[bytes]] = {}
        self.audio: dict[int, tuple[str, str]] = {}
        self.codes: list[str] = []
        self.usage: Any = None
        self.errors: list[Any] = []
        for event in events:
            self._take(event)

    def _take(self, event: StreamEvent) -> None:
        self.counts[type(event)] = self.counts.get(type(event), 0) + 1
        match event:
            case ToolCallFinished():
                self.runnable[event.choice, event.call] = event.tool_call
            case ChoiceFinished():
                self.finished.append(event.choice)
            case Revised(field="tool_calls", value=list(calls)):
                self.taken_back.add(event.choice)
                whole = [call for call in calls if isinstance(call, ToolCall)]
                self.revised_whole[event.choice] = whole
            case Revised(field="finish_reason"):
                self.taken_back.add(event.choice)
            case LogprobsDelta():
                self.logprobs.setdefault(event.choice, []).append(bytes(event.raw))
            case AudioDelta():
                data, transcript = self.audio.get(event.choice, ("", ""))
                spoken = (data + event.data, transcript + event.transcript)
                self.audio[event.choice] = spoken
            case DefectFound():
                self.codes.append(event.defect.code)
            case UsageReported():
                self.usage = event.usage
            case ErrorReported():
                self.errors.append(event.error)

    def differences(self, completion: Completion) -> Iterator[str]:
        """Sentences: where the events have told something else."""
        for choice in completion.choices:
            told, there = self.told.texts_of(choice.index), texts_of(choice)
            for kind, text in there.items():
                if told[kind] != text:
                    yield f"{kind}: of choice {choice.index}, told {told[kind]!r}, is {text!r}"
            yield from self._odd_calls(choice.index, choice.message.tool_calls)
            if self.logprobs.get(choice.index, []) != choice.raw_logprobs:
                yield f"logprobs: of choice {choice.index}"
            audio = choice.message.audio
            spoken = ("", "") if audio is None else (audio.data, audio.transcript or "")
            if self.audio.get(choice.index, ("", "")) != spoken:
                yield f"audio: of choice {choice.index}"
        yield from self._odd_facts(completion)

    def _odd_calls(self, choice: int, calls: Iterable[Any]) -> Iterator[str]:
        whole = [call for call in calls if isinstance(call, ToolCall)]
        said = [call for (at, _), call in self.runnable.items() if at == choice]
        for call in whole:
            if not any(
                _is_same(call, other) for other in said + self.revised_whole.get(choice, [])
            ):
                yield f"a whole call was never said to be: in choice {choice}, {call!r}"
        if choice not in self.taken_back:
            for other in said:
                if not any(_is_same(call, other) for call in whole):
                    yield f"a call was said to be whole, and is not: in choice {choice}, {other!r}"

    def _odd_facts(self, completion: Completion) -> Iterator[str]:
        verdict = completion.verdict
        if self.codes != [defect.code for defect in verdict.defects]:
            yield f"defects: told {self.codes}"
        if self.usage != completion.usage:
            yield f"usage: told {self.usage!r}"
        if self.errors != ([] if verdict.error is None else [verdict.error]):
            yield f"errors: told {self.errors!r}"
        if self.counts.get(Started, 0) != bool(completion.choices):
            yield f"started: {self.counts.get(Started, 0)} times"
        if len(self.finished) != len(set(self.finished)):
            yield "a choice finished twice"
        known = {choice.index for choice in completion.choices}
        told = {place[1] for place in self.told.texts} | set(self.finished)
        if not told <= known:
            yield f"choices: {sorted(told - known)} are in the events alone"


def _is_same(call: ToolCall, other: ToolCall) -> bool:
    # Its place in the list may change when a further call opens at a lower index.
    return (call.id, call.type, call.name, call.arguments) == (
        *(other.id, other.type, other.name),
        other.arguments,
    )
