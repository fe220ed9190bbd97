"""One answer while it is read: all that a Reader and an AsyncReader decide. No clock, and no I/O
but the recording's."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from itertools import chain
from typing import Literal

from untorn.chat.completion import ERRORS, Completion
from untorn.chat.verdict import Outcome
from untorn.events import StreamEnded, StreamEvent, TextDelta
from untorn.failures import failure_of, is_of_transport
from untorn.options import MIB, Clocks, Options
from untorn.patience import Patience
from untorn.recording import Recording
from untorn.sources import Opened
from untorn.stream import CONTENT, ChatStream

HARMLESS = MIB
"""Bytes that a compressed body may become, however few came for them."""
LEFT = "closed by the caller before its end"


class Reading:
    """The outcomes of reads come in; what comes of them waits in ``unread``.

    ``begin`` first. Then for each read ``wait``, and ``receive`` or ``fail``, until ``is_over``;
    or ``cancel``, where nobody reads on. ``raise_for_end`` whenever somebody has taken all that
    there is. ``at`` is the time in seconds, by a clock that does not go back. ``rang`` says that
    a clock ended the read, whatever that looked like.
    """

    def __init__(
        self,
        options: Options,
        clocks: Clocks,
        raise_on: Collection[Outcome],
        recording: Recording | None,
    ) -> None:
        self.unread: Iterator[StreamEvent] = iter(())
        """Events that nobody has taken yet: where one loop is left, the next one goes on."""
        self.has_begun = False
        self.is_over = False
        """Whether nothing more is read: the source can be closed."""
        self.recording = recording
        self._stream = ChatStream(options)
        self._options = options
        self._clocks = clocks
        self._raise_on = raise_on
        self._patience = Patience(clocks, 0.0)
        self.until = 0.0
        """When the read that began last has to end."""
        self._received: Callable[[], int | None] | None = None
        self._body = 0
        self._completion: Completion | None = None
        self._cause: BaseException | None = None
        self._has_told_text = False

    @property
    def completion(self) -> Completion:
        """What there is so far."""
        if not self.is_over:
            return self._stream.completion
        if self._completion is None:
            self._completion = self._stream.completion
        return self._completion

    def next_text(self) -> str | None:
        """The next text of choice 0 in ``unread``, None if there is none; at the end, if that
        choice never came, the text of the first one that did."""
        for event in self.unread:
            if isinstance(event, TextDelta) and event.choice == 0:
                return event.text
        if not self.is_over or self._has_told_text:
            return None
        self._has_told_text = True
        choices = self.completion.choices
        return choices[0].message.content if choices and choices[0].index > 0 else None

    def raise_for_end(self) -> None:
        """Raise the IncompleteAnswer that the caller wants to be told by."""
        outcome = self.completion.verdict.outcome
        if outcome in self._raise_on:
            raise ERRORS[outcome](self.completion) from self._cause

    # What comes in ---------------------------------------------------------------------------

    def begin(self, opened: Opened, received: Callable[[], int | None], at: float) -> None:
        """The head has come. ``received`` counts the bytes of the body on the wire."""
        self.has_begun = True
        self._patience = Patience(self._clocks, at)
        if opened.header("content-encoding") not in ("", "identity"):
            self._received = received
        if opened.status is not None:
            self._stream.receive_head(opened.status, opened.headers, at)
            if self.recording is not None:
                self.recording.head(opened.status, opened.headers, at)

    def wait(self, at: float) -> float:
        """A read begins; when it has to end."""
        self.until = until = self._patience.wait(at)
        return until

    def receive(self, data: bytes | None, at: float, rang: bool) -> None:
        """The read gave bytes, or None: the body has ended."""
        if data is not None:
            self._receive_data(data, at)
            if not self.is_over and (rang or at >= self.until):
                self._stall(at)
        elif rang:  # the socket was shut down, and that looks like an end
            self._stall(at)
        else:
            self._end(self._stream.receive_eof(at), None, at)

    def fail(self, exc: BaseException, at: float, rang: bool) -> bool:
        """The read raised ``exc``. False if that is no failure of the transport, but has to be
        raised on."""
        if isinstance(exc, GeneratorExit) or self.is_over:
            # Whoever awaits the read is thrown away, and nothing can be awaited any more.
            return False
        if rang and not isinstance(exc, KeyboardInterrupt | SystemExit):
            self._stall(at)
            return True
        if not self._stream.end_announced:
            self._cause = exc
        failure = failure_of(exc)
        if failure.ending == "stalled" and at >= self.until:
            self._stall(at)  # the HTTP library was told of our clock
        else:
            self._fail(*failure, at)
        return is_of_transport(exc)

    def cancel(self, at: float) -> None:
        """Nobody reads on."""
        if not self.is_over:
            self.has_begun = True  # or it never will
            self._fail("cancelled", LEFT, at)

    def _receive_data(self, data: bytes, at: float) -> None:
        if self._received is not None and self._grows_too_much(len(data), self._received):
            most = self._options.limits.expansion
            self._fail("limit", f"a compressed body that grew more than {most} times", at)
            return
        events = self._feed(data, at)
        self.unread = iter(events)
        if self.recording is not None:
            self.recording.read(data, at)
        says_something = False
        for event in events:
            if event.__class__ in CONTENT:
                says_something = True
                break
        self._patience.arrived(at, says_something=says_something)
        if self._stream.end_announced:
            self._patience.end_announced()
        if events and isinstance(events[-1], StreamEnded):  # over a limit
            self._end([], events[-1].verdict.reason, at)

    def _feed(self, data: bytes, at: float) -> list[StreamEvent]:
        return self._stream.receive_data(data, at)

    def _grows_too_much(self, size: int, received: Callable[[], int | None]) -> bool:
        self._body += size
        if self._body <= HARMLESS:
            return False
        came = received()
        return came is not None and self._body > came * self._options.limits.expansion

    # The end ---------------------------------------------------------------------------------

    def _stall(self, at: float) -> None:
        self._fail("stalled", self._patience.reason(), at)

    def _fail(
        self, ending: Literal["cut", "stalled", "cancelled", "limit"], reason: str, at: float
    ) -> None:
        self._end(self._stream.receive_failure(ending, reason, at), reason, at)

    def _end(self, events: list[StreamEvent], failure: str | None, at: float) -> None:
        self.is_over = True
        self.unread = chain(self.unread, events)
        if self.recording is not None:
            self.recording.close(failure, at)
