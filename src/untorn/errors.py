"""Every exception that untorn raises. The last two live beside what raises them.

    UntornError
    ├── IncompleteAnswer        the answer is not whole; it has .completion
    │   ├── StreamInterrupted   it stopped before it was finished, or a part is lost
    │   │   └── NoConnection    no server was reached, by a client
    │   ├── StreamFailed        the server reported an error
    │   ├── AnswerTruncated     a token limit stopped it
    │   └── AnswerFiltered      a content filter stopped it
    ├── NotWhole                arguments were asked of a call that is not whole
    ├── StreamClosed            bytes were handed in after the end
    ├── LimitExceeded           an event stream outgrew a limit (untorn.sse used alone)
    ├── CaptureError            a recorded file is damaged, or none (untorn.capture)
    └── ReplayError             the replay server was asked for what it has not (untorn.replay)

The peer's faults are data in the verdict; what is raised for them is raised at the end, on the
caller's wish. The rest are the caller's own mistakes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from untorn.chat.completion import Completion, ToolCall, TornToolCall


class UntornError(Exception):
    """The root of all."""


class IncompleteAnswer(UntornError):
    """The answer is not whole. What arrived is in ``completion``, the why in its verdict."""

    def __init__(self, completion: Completion) -> None:
        super().__init__(completion)
        self.completion = completion

    def __str__(self) -> str:
        return str(self.completion.verdict)


class StreamInterrupted(IncompleteAnswer):
    """The stream stopped before the answer was finished, or an event of it was lost."""


class NoConnection(StreamInterrupted):
    """A client reached no server: its name is unknown, it refused, or TLS failed."""


class StreamFailed(IncompleteAnswer):
    """The server reported an error, by its status, in the stream or as the body."""


class AnswerTruncated(IncompleteAnswer):
    """The stream is whole, but a token limit stopped a choice."""


class AnswerFiltered(IncompleteAnswer):
    """The stream is whole, but a content filter stopped a choice."""


class NotWhole(UntornError):
    """``parsed()`` was called on a tool call that is torn or whose arguments are no JSON."""

    def __init__(self, call: ToolCall | TornToolCall) -> None:
        super().__init__(call)
        self.call = call

    def __str__(self) -> str:
        return f"the arguments cannot be used: {self.call}"


class StreamClosed(UntornError):
    """Something was handed to a stream that has ended already, or its head came too late."""

    def __str__(self) -> str:
        return "this stream is past that: each response needs an object of its own"


class LimitExceeded(UntornError):
    """An event stream sent a line or an event over the limit. Nothing more is read from it.

    ``limit`` is the field of ``Limits``: ``line``, ``event`` or ``lines``, of one event.
    """

    def __init__(self, limit: str, most: int, offset: int) -> None:
        super().__init__(limit, most, offset)
        self.limit = limit
        self.most = most
        self.offset = offset

    def __str__(self) -> str:
        if self.limit == "lines":
            return f"the event at byte {self.offset} has more than {self.most} data lines"
        return f"the {self.limit} at byte {self.offset} is over {self.most} bytes"
