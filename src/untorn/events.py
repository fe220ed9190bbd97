"""What comes out while it streams: one frozen struct for each kind, made for ``match``.

Events carry deltas, never snapshots. ``choice`` is the choice's index on the wire; ``call`` is a
tool call's place in the order of opening, which never changes; ``index`` is its number on the
wire, or None where it has none.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from msgspec import Raw, Struct

from untorn.chat.completion import ToolCall, TornToolCall, Usage, decode_logprobs
from untorn.chat.verdict import Defect, ErrorObject, Verdict
from untorn.readable import one_line


class Started(Struct, frozen=True, gc=False, tag_field="type", tag="started"):
    """The first chunk that has a choice has come."""

    type: ClassVar[Literal["started"]] = "started"
    id: str | None
    """The completion's id; None if none came yet."""
    model: str | None
    """The model's name; None if none came yet."""

    def __str__(self) -> str:
        return f"started, {one_line(self.model) if self.model else 'no model named'}"


class TextDelta(Struct, frozen=True, gc=False, tag_field="type", tag="text_delta"):
    """More content."""

    type: ClassVar[Literal["text_delta"]] = "text_delta"
    choice: int
    text: str

    def __str__(self) -> str:
        return f"choice {self.choice} text {one_line(self.text)}"


class ReasoningDelta(Struct, frozen=True, gc=False, tag_field="type", tag="reasoning_delta"):
    """More reasoning."""

    type: ClassVar[Literal["reasoning_delta"]] = "reasoning_delta"
    choice: int
    text: str

    def __str__(self) -> str:
        return f"choice {self.choice} reasoning {one_line(self.text)}"


class RefusalDelta(Struct, frozen=True, gc=False, tag_field="type", tag="refusal_delta"):
    """More of a refusal."""

    type: ClassVar[Literal["refusal_delta"]] = "refusal_delta"
    choice: int
    text: str

    def __str__(self) -> str:
        return f"choice {self.choice} refusal {one_line(self.text)}"


class ToolCallStarted(Struct, frozen=True, gc=False, tag_field="type", tag="tool_call_started"):
    """A tool call has begun. It comes with its first arguments, or at its end if it has none."""

    type: ClassVar[Literal["tool_call_started"]] = "tool_call_started"
    choice: int
    call: int
    index: int | None
    id: str | None
    """None if none came yet."""
    name: str | None
    """None if none came yet."""

    def __str__(self) -> str:
        name = one_line(self.name) if self.name else "without name"
        return f"choice {self.choice} call {self.call} started, {name}"


class ToolCallDelta(Struct, frozen=True, gc=False, tag_field="type", tag="tool_call_delta"):
    """More text of a call's arguments. For display only: run a call when it has finished."""

    type: ClassVar[Literal["tool_call_delta"]] = "tool_call_delta"
    choice: int
    call: int
    index: int | None
    arguments: str

    def __str__(self) -> str:
        return f"choice {self.choice} call {self.call} arguments {one_line(self.arguments)}"


class ToolCallFinished(Struct, frozen=True, tag_field="type", tag="tool_call_finished"):
    """A call is whole, and its choice has finished: it may be run."""

    type: ClassVar[Literal["tool_call_finished"]] = "tool_call_finished"
    choice: int
    call: int
    index: int | None
    tool_call: ToolCall

    def __str__(self) -> str:
        return f"choice {self.choice} call {self.call} finished, {self.tool_call}"


class AudioDelta(Struct, frozen=True, gc=False, tag_field="type", tag="audio_delta"):
    """More audio."""

    type: ClassVar[Literal["audio_delta"]] = "audio_delta"
    choice: int
    data: str
    """Base64; ``""`` where the delta brought none."""
    transcript: str
    """``""`` where the delta brought none."""

    def __str__(self) -> str:
        return (
            f"choice {self.choice} audio, {len(self.data)} base64 characters, "
            f"transcript {one_line(self.transcript)}"
        )


class LogprobsDelta(Struct, frozen=True, tag_field="type", tag="logprobs_delta"):
    """More logprobs, undecoded until asked for."""

    type: ClassVar[Literal["logprobs_delta"]] = "logprobs_delta"
    choice: int
    raw: Raw
    """The JSON of the chunk's logprobs object."""

    @property
    def logprobs(self) -> dict[str, Any]:
        """The decoded object. Decoded at each access."""
        return decode_logprobs(bytes(self.raw))

    def __str__(self) -> str:
        return f"choice {self.choice} logprobs, {len(bytes(self.raw))} bytes of JSON"


class ChoiceFinished(Struct, frozen=True, gc=False, tag_field="type", tag="choice_finished"):
    """A choice got its first finish reason."""

    type: ClassVar[Literal["choice_finished"]] = "choice_finished"
    choice: int
    finish_reason: str | None
    """Exactly as sent; None where audio ended it, or where ``[DONE]`` did by the caller's wish."""

    def __str__(self) -> str:
        return f"choice {self.choice} finished, {one_line(self.finish_reason or 'no reason sent')}"


class UsageReported(Struct, frozen=True, tag_field="type", tag="usage_reported"):
    """A usage with a count in it came. It is a running total: the last one counts."""

    type: ClassVar[Literal["usage_reported"]] = "usage_reported"
    usage: Usage

    def __str__(self) -> str:
        return f"usage, {self.usage}"


class ErrorReported(Struct, frozen=True, tag_field="type", tag="error_reported"):
    """The server reported an error; the first one only."""

    type: ClassVar[Literal["error_reported"]] = "error_reported"
    error: ErrorObject

    def __str__(self) -> str:
        return f"error, {self.error}"


class Heartbeat(Struct, frozen=True, gc=False, tag_field="type", tag="heartbeat"):
    """The connection lives: a comment, or data that says nothing. The model may be dead."""

    type: ClassVar[Literal["heartbeat"]] = "heartbeat"

    def __str__(self) -> str:
        return "heartbeat"


class DefectFound(Struct, frozen=True, tag_field="type", tag="defect_found"):
    """Something is odd; once for each code, at its first place."""

    type: ClassVar[Literal["defect_found"]] = "defect_found"
    defect: Defect

    def __str__(self) -> str:
        return f"defect, {self.defect}"


class Revised(Struct, frozen=True, tag_field="type", tag="revised"):
    """A repair changed what was already delivered. Rare."""

    type: ClassVar[Literal["revised"]] = "revised"
    choice: int
    field: Literal["content", "reasoning", "name", "finish_reason", "tool_calls"]
    value: str | list[ToolCall | TornToolCall]
    """The whole new value; all calls of the choice for ``tool_calls``."""
    call: int | None = None
    """The call that is meant, for ``name``; else None."""

    def __str__(self) -> str:
        value = self.value
        shown = one_line(value) if isinstance(value, str) else ", ".join(map(str, value))
        return f"choice {self.choice} {self.field} is now {shown}"


class Restarted(Struct, frozen=True, gc=False, tag_field="type", tag="restarted"):
    """What came so far is void: the client asks again, and all begins anew. It comes only where
    the caller has allowed it (``restart_torn``), and costs a second generation."""

    type: ClassVar[Literal["restarted"]] = "restarted"
    attempt: int
    """The number of the request that follows, counted from 1."""
    reason: str
    """Why the answer so far is not whole, as a sentence."""

    def __str__(self) -> str:
        return f"restarted with request {self.attempt}, {self.reason}"


class StreamEnded(Struct, frozen=True, tag_field="type", tag="stream_ended"):
    """The end: always the last event, always once."""

    type: ClassVar[Literal["stream_ended"]] = "stream_ended"
    verdict: Verdict

    def __str__(self) -> str:
        return f"ended, {self.verdict}"


StreamEvent = (
    Started
    | TextDelta
    | ReasoningDelta
    | RefusalDelta
    | ToolCallStarted
    | ToolCallDelta
    | ToolCallFinished
    | AudioDelta
    | LogprobsDelta
    | ChoiceFinished
    | UsageReported
    | ErrorReported
    | Heartbeat
    | DefectFound
    | Revised
    | Restarted
    | StreamEnded
)
