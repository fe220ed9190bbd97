"""One call of a client while it is answered: the requests, and the one answer that the caller
sees. No I/O, no clock.

To a Reader it is a Reading. It has not begun whenever a request is to be sent.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Mapping
from itertools import chain
from math import inf
from typing import NamedTuple

import msgspec
from msgspec import structs

from untorn.attempt import Attempt
from untorn.chat.completion import ERRORS, Choice, Completion
from untorn.chat.verdict import Outcome
from untorn.clients.keys import Secret, Secrets
from untorn.clients.no_head import NoHead, no_head_of, stalled_before_head
from untorn.clients.policy import Ask, Health, Result, Rules, policy
from untorn.clients.requests import Endpoint, Request, request
from untorn.errors import NoConnection
from untorn.events import Heartbeat, Restarted, StreamEnded, StreamEvent, ToolCallFinished
from untorn.failures import chain_of, is_of_transport
from untorn.options import Options
from untorn.patience import Patience
from untorn.reading import Reading
from untorn.recording import Path, Recording
from untorn.sources import Opened
from untorn.stream import CONTENT


class Call(NamedTuple):
    """What the caller asked for."""

    endpoints: list[Endpoint]
    """In order."""
    fields: Mapping[str, msgspec.Raw]
    """The body's fields."""
    headers: list[tuple[str, Secret]]
    """Headers of this call alone."""
    rules: Rules
    health: Health
    options: Options
    raise_on: Collection[Outcome]
    record: Path | None
    random: Callable[[], float]


class Try(Reading):
    """One request and its answer."""

    def __init__(self, ask: Ask, call: Call, recording: Recording | None) -> None:
        super().__init__(call.options, ask.clocks, call.raise_on, recording)
        self.ask = ask
        self.endpoint = call.endpoints[ask.target]
        self.secrets = self.endpoint.secrets.and_more(value for _, value in call.headers)
        self.no_head: NoHead | None = None
        self.status: int | None = None

    @property
    def cause(self) -> BaseException | None:
        """What the HTTP library raised, unless a secret stands in it. Without tracebacks: the
        variables in them hold the request with its key."""
        cause = self._cause
        if self.secrets.are_in(cause):
            return None
        for one in chain_of(cause):  # no longer one is without a secret
            one.__traceback__ = None
        return cause

    def begin(self, opened: Opened, received: Callable[[], int | None], at: float) -> None:
        super().begin(opened, received, at)
        self.status = opened.status

    def fail_before_head(self, exc: BaseException, no_head: NoHead, at: float) -> None:
        """No response came."""
        self._cause = exc
        self.no_head = no_head._replace(reason=self.secrets.hide(no_head.reason))
        self._fail(no_head.ending, self.no_head.reason, at)

    def content_came(self, at: float) -> None:
        """Nobody else will be asked: from here on the caller's own clocks hold."""
        if self.ask.clocks is not self.ask.clocks_after and not self._stream.end_announced:
            self._clocks = self.ask.clocks_after
            self._patience = Patience(self._clocks, at)
            self._patience.arrived(at, says_something=True)

    def attempt(self, model: str) -> Attempt:
        """What came of it, in short."""
        completion = self.completion
        verdict, head, usage = completion.verdict, completion.head, completion.usage
        return Attempt(
            target=self.endpoint.address.shown,
            model=self.endpoint.model or model,
            status=None if head is None else head.status,
            outcome=verdict.outcome,
            ending=verdict.ending,
            why=str(verdict),
            said=any(says_something(choice) for choice in completion.choices),
            request_id=None if head is None else head.request_id,
            usage=None if usage is None else usage.to_dict(),
        )


def says_something(choice: Choice) -> bool:
    """Whether a choice holds any content."""
    said = choice.message
    return bool(said.content or said.reasoning or said.refusal or said.tool_calls or said.audio)


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
        self.recording = None if call.record is None else Recording(call.record)
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

    # What comes in ---------------------------------------------------------------------------

    def next_request(self, at: float) -> tuple[float, Request]:
        """Seconds to wait, and the request to send then."""
        call, ask = self._call, self._next_ask(at)
        if self._try is not None:
            self._attempts.append(self._try.attempt(self._model))
            if call.record is not None:
                self.recording = Recording(call.record)  # of the answer that the caller gets
        self._try = Try(ask, call, self.recording)
        sent = request(
            self._try.endpoint,
            call.fields,
            call.headers,
            ask.clocks,
            include_usage=ask.include_usage,
        )
        return ask.wait, sent

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
        return self._try.wait(at)

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
