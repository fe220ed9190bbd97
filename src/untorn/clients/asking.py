"""One call of a client while it is answered: the requests, and the one answer that the caller
sees. No I/O, no clock.

To a Reader it is a Reading. It has not begun whenever a request is to be sent.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from itertools import chain
from math import inf

import msgspec
from msgspec import structs

from untorn.attempt import Attempt
from untorn.chat.completion import ERRORS, Completion
from untorn.clients.keys import Secrets, secret_values
from untorn.clients.no_head import no_head_of, stalled_before_head
from untorn.clients.policy import Ask, Result, policy
from untorn.clients.recording import KeylessRecording
from untorn.clients.requests import Request, request
from untorn.clients.tries import Call, Try
from untorn.errors import NoConnection
from untorn.events import Heartbeat, Restarted, StreamEnded, StreamEvent, ToolCallFinished
from untorn.failures import is_of_transport
from untorn.reading import Reading
from untorn.recording import Recording
from untorn.sources import Opened
from untorn.stream import CONTENT


class Asking(Reading):
    """The outcomes of requests and of reads come in; what the caller is told waits in ``unread``.

    ``next_request`` whenever it has not begun; then as for a Reading. Events of a request that
    failed before its first content are dropped, but for heartbeats, which are given at once.
    """

    def __init__(self, call: Call) -> None:
        super().__init__(call.options, call.rules.clocks, call.raise_on, None)
        self._call = call
        self._model = msgspec.json.decode(call.fields["model"], type=str)
        # Made at once, so that a file that cannot be made is told to whoever named it.
        self.recording = self._new_recording()
        self._policy: Generator[Ask, Result, None]
        self._ask: Ask | None = None
        self._try: Try | None = None
        self._attempts: list[Attempt] = []
        self._held: list[StreamEvent] = []
        self._said = False
        self._called = False

    @property
    def is_answered(self) -> bool:
        """Whether a response is there that does not tell a failure; or all is over."""
        if self.is_over:
            return True
        status = None if self._try is None or not self.has_begun else self._try.status
        return status is not None and status < 400

    @property
    def completion(self) -> Completion:
        """What there is so far, from the request that was made last."""
        if self._try is None:
            return super().completion
        if self._completion is not None:
            return self._completion
        attempts = [*self._attempts, self._try.attempt(self._model)]
        completion = structs.replace(self._try.completion, attempts=attempts)
        if self.is_over:
            self._completion = completion
        return completion

    def raise_for_end(self) -> None:
        completion, last = self.completion, self._try
        outcome = completion.verdict.outcome
        if outcome not in self._raise_on:
            return
        no_head = None if last is None else last.no_head
        error = ERRORS[outcome]
        if no_head is not None and not no_head.was_connected and outcome == "interrupted":
            error = NoConnection
        raise error(completion) from (None if last is None else last.cause)

    @property
    def secrets(self) -> Secrets:
        """Those of the request that was made last."""
        return Secrets(()) if self._try is None else self._try.secrets

    @property
    def attempts(self) -> list[Attempt]:
        """The requests before the one that was made last."""
        return self._attempts

    # What comes in ---------------------------------------------------------------------------

    def next_request(self, at: float) -> tuple[float, Request]:
        """Seconds to wait, and the request to send then."""
        call, ask = self._call, self._next_ask(at)
        if self._try is not None:
            self._attempts.append(self._try.attempt(self._model))
            self.recording = self._new_recording()  # of the answer that the caller gets
        self._try = Try(ask, call, self.recording)
        sent = request(
            self._try.endpoint,
            call.fields,
            call.headers,
            ask.clocks,
            include_usage=ask.include_usage,
        )
        return ask.wait, sent

    def _new_recording(self) -> Recording | None:
        call = self._call
        if call.record is None:
            return None
        # Of all targets: which one is asked is not known when the file is made.
        texts = [text for one in call.endpoints for text in one.secrets.texts]
        texts += secret_values((name, value.reveal()) for name, value in call.headers)
        return KeylessRecording(call.record, Secrets(texts))

    def wait_for_head(self, at: float) -> float:
        """A request is to be sent; when its head has to be there."""
        ask = self._next_ask(at)
        clocks, at = ask.clocks, at + ask.wait
        parts = (clocks.connect, clocks.first_byte)
        until = inf if None in parts else at + sum(part or 0.0 for part in parts)
        return min(until, inf if clocks.total is None else at + clocks.total)

    def _next_ask(self, at: float) -> Ask:
        if self._ask is None:
            self._policy = policy(self._call.rules, self._call.health, at, self._call.random)
            self._ask = next(self._policy)
        return self._ask

    def begin(self, opened: Opened, received: Callable[[], int | None], at: float) -> None:
        assert self._try is not None
        self.has_begun = True
        self._try.begin(opened, received, at)

    def wait(self, at: float) -> float:
        assert self._try is not None
        self.until = until = self._try.wait(at)
        return until

    def receive(self, data: bytes | None, at: float, rang: bool) -> None:
        assert self._try is not None
        self._try.receive(data, at, rang)
        self._take(at)

    def fail(self, exc: BaseException, at: float, rang: bool) -> bool:
        current = self._try
        if current is None or current.is_over:
            return False
        if current.has_begun:
            known = current.fail(exc, at, rang)
        elif rang and not isinstance(exc, KeyboardInterrupt | SystemExit):
            current.fail_before_head(exc, stalled_before_head(current.ask.clocks), at)
            known = True
        elif is_of_transport(exc):
            current.fail_before_head(exc, no_head_of(exc, current.ask.clocks), at)
            known = True
        else:
            known = current.fail(exc, at, rang=False)
        if known:
            self._take(at)
        elif current.is_over:
            self._end_with(list(current.unread))
        return known

    def cancel(self, at: float) -> None:
        if self.is_over:
            return
        if self._try is None:
            return super().cancel(at)
        self._try.cancel(at)
        self.is_over = True
        self.unread = chain(self.unread, self._held, self._try.unread)
        self._held = []

    # What goes out ---------------------------------------------------------------------------

    def _take(self, at: float) -> None:
        current = self._try
        assert current is not None
        if self._said and not current.is_over and not self._call.rules.restart_torn:
            self.unread = current.unread  # as for most reads
            return
        events = list(current.unread)
        if not self._said and any(event.__class__ in CONTENT for event in events):
            self._said = True
            current.content_came(at)
            events, self._held = [*self._held, *events], []
            if self.is_answered and not self._call.rules.restart_torn:
                # Nobody asks again, and a question may be much larger than its answer.
                self._call = self._call._replace(fields={})
        self._called = self._called or any(isinstance(one, ToolCallFinished) for one in events)
        if current.is_over:
            self._after_end(events, at)
        elif self._said:
            self.unread = iter(events)
        else:
            self._held += [event for event in events if not isinstance(event, Heartbeat)]
            self.unread = iter([event for event in events if isinstance(event, Heartbeat)])

    def _after_end(self, events: list[StreamEvent], at: float) -> None:
        current = self._try
        assert current is not None
        hopeless = current.no_head is not None and current.no_head.is_hopeless
        result = Result(current.completion, self._said, self._called, at, hopeless)
        try:
            self._ask = self._policy.send(result)
        except StopIteration:
            self._end_with(events)
            return
        told: list[StreamEvent] = []
        if self._said:
            told = [event for event in events if not isinstance(event, StreamEnded)]
            told.append(Restarted(self._ask.number, str(current.completion.verdict)))
        self.unread = iter(told)
        self._held = []
        self._said = self._called = self.has_begun = False

    def _end_with(self, events: list[StreamEvent]) -> None:
        self.is_over = True
        self.unread = iter([*self._held, *events])
        self._held = []
