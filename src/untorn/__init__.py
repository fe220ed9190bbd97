"""Reads the streams of OpenAI-compatible chat completions.

Bytes come in reads whose edges mean nothing. They become lines, lines become events; from there
on the data are chunks, which grow into a completion; and the end gives a verdict: is the answer
whole, and if not, why?

``parse`` does all of it for bytes you have, ``read`` and ``aread`` for a response that you opened
with an HTTP library: iterate over its text or its events. ``ChatStream`` does it step by step, as
bytes come: each ``receive_...`` gives the StreamEvents that have become certain, and
``completion`` is there at any time. ``StreamParser`` calls functions of yours instead. ``sse`` is
the first half alone, for any event stream. A server's faults are data in the verdict; ``read``
raises for them at the end, and whatever had arrived is kept.

    >>> import untorn
    >>> completion = untorn.parse(b'data: {"choices": [{"delta": {"content": "Yes, if"}}]}')
    >>> completion.content, completion.verdict.outcome
    ('Yes, if', 'interrupted')
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from untorn import sse
from untorn.attempt import Attempt
from untorn.chat.completion import (
    Audio,
    Choice,
    Completion,
    Message,
    ToolCall,
    TornToolCall,
    Usage,
)
from untorn.chat.defects import Severity
from untorn.chat.verdict import Defect, Ending, ErrorObject, Outcome, Verdict
from untorn.errors import (
    AnswerFiltered,
    AnswerTruncated,
    IncompleteAnswer,
    LimitExceeded,
    NoConnection,
    NotWhole,
    StreamClosed,
    StreamFailed,
    StreamInterrupted,
    UntornError,
)
from untorn.events import (
    AudioDelta,
    ChoiceFinished,
    DefectFound,
    ErrorReported,
    Heartbeat,
    LogprobsDelta,
    ReasoningDelta,
    RefusalDelta,
    Restarted,
    Revised,
    Started,
    StreamEnded,
    StreamEvent,
    TextDelta,
    ToolCallDelta,
    ToolCallFinished,
    ToolCallStarted,
    UsageReported,
)
from untorn.head import Head, Headers
from untorn.options import Clocks, Limits, Options, Target
from untorn.stream import ChatStream, parse
from untorn.stream_parser import StreamParser
from untorn.timing import Timing

__all__ = [
    "AnswerFiltered",
    "AnswerTruncated",
    "AsyncClient",
    "AsyncReader",
    "Attempt",
    "Audio",
    "AudioDelta",
    "ChatStream",
    "Choice",
    "ChoiceFinished",
    "Client",
    "Clocks",
    "Completion",
    "Defect",
    "DefectFound",
    "Ending",
    "ErrorObject",
    "ErrorReported",
    "Head",
    "Headers",
    "Heartbeat",
    "IncompleteAnswer",
    "LimitExceeded",
    "Limits",
    "LogprobsDelta",
    "Message",
    "NoConnection",
    "NotWhole",
    "Options",
    "Outcome",
    "Reader",
    "ReasoningDelta",
    "RecordingIncomplete",
    "RefusalDelta",
    "Restarted",
    "Revised",
    "Severity",
    "Started",
    "StreamClosed",
    "StreamEnded",
    "StreamEvent",
    "StreamFailed",
    "StreamInterrupted",
    "StreamParser",
    "Target",
    "TextDelta",
    "Timing",
    "ToolCall",
    "ToolCallDelta",
    "ToolCallFinished",
    "ToolCallStarted",
    "TornToolCall",
    "UntornError",
    "Usage",
    "UsageReported",
    "Verdict",
    "aread",
    "parse",
    "read",
    "sse",
]

if TYPE_CHECKING:
    from untorn.clients import AsyncClient, Client
    from untorn.reader import AsyncReader, Reader, aread, read
    from untorn.recording import RecordingIncomplete

    __version__: str
else:

    def __getattr__(name: str) -> object:
        # What reads responses brings asyncio and threads, and importlib.metadata takes longer to
        # import than untorn itself; not everybody needs them.
        if name in ("AsyncReader", "Reader", "aread", "read"):
            from untorn import reader

            return getattr(reader, name)
        if name == "RecordingIncomplete":
            from untorn import recording

            return recording.RecordingIncomplete
        if name in ("AsyncClient", "Client"):
            from untorn import clients

            return getattr(clients, name)
        if name == "__version__":
            from importlib.metadata import version

            return version("untorn")
        raise AttributeError(f"module 'untorn' has no attribute {name!r}")
