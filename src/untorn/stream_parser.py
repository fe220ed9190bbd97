"""StreamParser: bytes or lines in, callbacks out. No I/O."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from untorn.chat.completion import Completion, ToolCall, Usage
from untorn.chat.verdict import ErrorObject
from untorn.events import (
    ChoiceFinished,
    ErrorReported,
    ReasoningDelta,
    Started,
    StreamEvent,
    TextDelta,
    ToolCallFinished,
    UsageReported,
)
from untorn.options import Options
from untorn.stream import ChatStream

Call = tuple[Callable[[Any], object], Any]


class StreamParser:
    """Calls back with what an answer says. ``feed`` it what comes, in order; ``close`` it at the
    end.

    ``on_event`` is called with every StreamEvent. The others are for one choice, 0:

    - ``on_role`` with the role, once; ``assistant`` if the server names none
    - ``on_text`` and ``on_reasoning`` with each piece of the text
    - ``on_tool_call`` with each call, once, when it is whole and may be run
    - ``on_finish`` with the finish reason as sent, or None (see ``ChoiceFinished``)
    - ``on_usage`` and ``on_error`` with those of the whole answer

    What a callback raises comes out of the method that fed it. Nothing is lost by that: the next
    one goes on with the callback after it.
    """

    def __init__(
        self,
        *,
        on_text: Callable[[str], object] | None = None,
        on_reasoning: Callable[[str], object] | None = None,
        on_tool_call: Callable[[ToolCall], object] | None = None,
        on_finish: Callable[[str | None], object] | None = None,
        on_role: Callable[[str], object] | None = None,
        on_usage: Callable[[Usage], object] | None = None,
        on_error: Callable[[ErrorObject], object] | None = None,
        on_event: Callable[[StreamEvent], object] | None = None,
        options: Options = Options(),
    ) -> None:
        self._options = options
        self._on_event = on_event
        self._on_role = on_role
        self._on: dict[type, tuple[Callable[[Any], object] | None, str]] = {
            TextDelta: (on_text, "text"),
            ReasoningDelta: (on_reasoning, "text"),
            ToolCallFinished: (on_tool_call, "tool_call"),
            ChoiceFinished: (on_finish, "finish_reason"),
            UsageReported: (on_usage, "usage"),
            ErrorReported: (on_error, "error"),
        }
        self.reset()

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the body, cut anywhere. Raises StreamClosed after ``close``."""
        self._call_back(self._stream.receive_data(data))

    def feed_line(self, line: str | bytes) -> None:
        """Take the next line of the body, with or without its end, also a blank one.

        For those who have no bytes. A library's ``iter_lines()`` may take more for a line's end
        than event streams do, and so tear lines; the verdict then tells of lost events.
        """
        data = line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line
        self.feed(data if data.endswith(b"\n") else data + b"\n")

    def close(self) -> Completion:
        """The body has ended; all that there is. May be called again."""
        self._call_back(self._stream.receive_eof())
        return self._stream.completion

    def reset(self) -> None:
        """Begin anew with another answer. What still waits to be called back is dropped."""
        self._stream = ChatStream(self._options)
        self._waiting: deque[Call] = deque()
        self._has_told_role = False

    def _call_back(self, events: Iterable[StreamEvent]) -> None:
        for event in events:
            self._waiting.extend(self._calls(event))
        while self._waiting:
            callback, value = self._waiting.popleft()
            callback(value)

    def _calls(self, event: StreamEvent) -> Iterator[Call]:
        if self._on_event is not None:
            yield self._on_event, event
        if getattr(event, "choice", 0) != 0:
            return
        if self._on_role is not None and not self._has_told_role:
            yield from self._role_calls(self._on_role, event)
        callback, attribute = self._on.get(event.__class__, (None, ""))
        if callback is not None:
            yield callback, getattr(event, attribute)

    def _role_calls(self, on_role: Callable[[str], object], event: StreamEvent) -> Iterator[Call]:
        # A choice has its role from its first chunk on, of which there may be no other event.
        if not (isinstance(event, Started) or hasattr(event, "choice")):
            return
        choices = self._stream.completion.choices
        if choices and choices[0].index == 0:
            self._has_told_role = True
            yield on_role, choices[0].message.role
