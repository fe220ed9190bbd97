"""One request of a call, and its answer. No I/O, no clock."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Literal, NamedTuple

import msgspec
from msgspec import structs

from untorn.attempt import Attempt
from untorn.chat.completion import Choice, Completion
from untorn.chat.verdict import Outcome
from untorn.clients.hiding import TELLING, event_without, verdict_without
from untorn.clients.keys import Secret, secret_values, without_tracebacks
from untorn.clients.no_head import NoHead
from untorn.clients.policy import Ask, Health, Rules
from untorn.clients.requests import Endpoint
from untorn.events import StreamEvent
from untorn.options import Options
from untorn.patience import Patience
from untorn.reading import Reading
from untorn.recording import Path, Recording
from untorn.sources import Opened


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
        named = [(name, value.reveal()) for name, value in call.headers]
        self.secrets = self.endpoint.secrets.and_more(secret_values(named))
        self.no_head: NoHead | None = None
        self.status: int | None = None

    @property
    def cause(self) -> BaseException | None:
        """What the HTTP library raised, unless a secret stands in it. Without tracebacks: the
        variables in them hold the request with its key."""
        cause = self._cause
        if self.secrets.are_in(cause):
            return None
        without_tracebacks(cause)  # no longer chain is without a secret
        return cause

    @property
    def completion(self) -> Completion:
        """See Reading. What is said about the answer has no secrets in it."""
        completion = super().completion
        verdict = verdict_without(self.secrets, completion.verdict)
        return structs.replace(completion, verdict=verdict)

    def begin(self, opened: Opened, received: Callable[[], int | None], at: float) -> None:
        super().begin(opened, received, at)
        self.status = opened.status

    def fail_before_head(self, exc: BaseException, no_head: NoHead, at: float) -> None:
        """No response came."""
        self._cause = exc
        self.no_head = no_head
        self._fail(no_head.ending, no_head.reason, at)

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
            waited=self.ask.wait,
        )

    def _receive_data(self, data: bytes, at: float) -> None:
        super()._receive_data(data, at)
        self.unread = iter(self._without_secrets(self.unread))

    def _fail(
        self, ending: Literal["cut", "stalled", "cancelled", "limit"], reason: str, at: float
    ) -> None:
        super()._fail(ending, self.secrets.hide(reason), at)

    def _end(self, events: list[StreamEvent], failure: str | None, at: float) -> None:
        super()._end(self._without_secrets(events), failure, at)

    def _without_secrets(self, events: Iterable[StreamEvent]) -> list[StreamEvent]:
        return [
            event_without(self.secrets, event) if event.__class__ in TELLING else event
            for event in events
        ]


def says_something(choice: Choice) -> bool:
    """Whether a choice holds any content."""
    said = choice.message
    return bool(said.content or said.reasoning or said.refusal or said.tool_calls or said.audio)
