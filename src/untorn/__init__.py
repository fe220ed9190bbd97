"""Reads the streams of OpenAI-compatible chat completions.

Bytes come in reads whose edges mean nothing. They become lines, lines become events; from there
on the data are chunks, which grow into a completion; and the end gives a verdict: is the answer
whole, and if not, why?

``parse`` does all of it for bytes you have. ``ChatStream`` does it step by step, as they come:
each ``receive_...`` gives the StreamEvents that have become certain, and ``completion`` is there
at any time. ``sse`` is the first half alone, for any event stream. Nothing here opens a
connection, starts a thread or reads a clock. A server's faults are data in the verdict; only the
caller's own mistakes raise.

    >>> import untorn
    >>> completion = untorn.parse(b'data: {"choices": [{"delta": {"content": "Yes, if"}}]}')
    >>> completion.content, completion.verdict.outcome
    ('Yes, if', 'interrupted')
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from untorn import sse
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
from untorn.options import Limits, Options
from untorn.stream import ChatStream, parse
from untorn.timing import Timing

__all__ = [
    "AnswerFiltered",
    "AnswerTruncated",
    "Audio",
    "AudioDelta",
    "ChatStream",
    "Choice",
    "ChoiceFinished",
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
    "NotWhole",
    "Options",
    "Outcome",
    "ReasoningDelta",
    "RefusalDelta",
    "Revised",
    "Severity",
    "Started",
    "StreamClosed",
    "StreamEnded",
    "StreamEvent",
    "StreamFailed",
    "StreamInterrupted",
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
    "parse",
    "sse",
]

if TYPE_CHECKING:
    __version__: str
else:

    def __getattr__(name: str) -> str:
        # importlib.metadata takes longer to import than untorn itself, and few ask.
        if name == "__version__":
            from importlib.metadata import version

            return version("untorn")
        raise AttributeError(f"module 'untorn' has no attribute {name!r}")
