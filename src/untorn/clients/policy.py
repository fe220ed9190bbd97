"""What to ask next: retries, fallback, ``restart_torn``, and ``include_usage`` refused.

One generator, written once for both colours. It yields what to ask, and is sent what came of it;
where it ends, that is what the caller gets. No I/O, no clock, no chance: times are handed in, and
so is the source of randomness.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from math import inf
from typing import Literal, NamedTuple

from msgspec import Struct, structs

from untorn.chat.completion import Completion
from untorn.chat.verdict import ErrorObject
from untorn.options import Clocks

SHORT = 30.0
"""Seconds that ``first_byte`` and ``idle`` have at most while another target is left."""
REST = 30.0
"""Seconds for which a target that failed is asked only after all others."""
LONGEST_WAIT = 60.0
"""Seconds of Retry-After that are waited. Above, nobody would wait who knew."""
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 8.0

AGAIN = frozenset({408, 409, 425, 429})
"""Statuses, besides 5xx, that may be gone a moment later."""
UNFIT = frozenset({400, 404, 405, 413, 414, 415, 422})
"""Statuses by which a target refuses this request, and perhaps no other."""
AGAIN_NAMES = frozenset(
    "overloaded overloaded_error rate_limit_exceeded rate_limit_error rate_limit_reached_error "
    "too_many_requests server_error internal_error internal_server_error internalservererror "
    "service_unavailable serviceunavailable service_unavailable_error server_overloaded "
    "unavailable timeout timeout_error engine_overloaded_error".split()
)
"""Codes and types of errors in a stream that mean one of these statuses."""
QUOTA = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
"""A 429 that no waiting ends."""
FILTERED = frozenset({"content_filter", "content_policy_violation", "responsibleaipolicyviolation"})
"""The request was refused for what it says; to ask somebody else would be to evade that."""


class Rules(Struct, frozen=True, kw_only=True):
    """What the caller chose."""

    targets: int = 1
    """How many there are."""
    max_retries: int = 2
    """How often each target is asked again."""
    restart_torn: bool = False
    """Whether to ask again when content had come already."""
    include_usage: bool = True
    """Whether to ask for the usage."""
    clocks: Clocks = Clocks()


class Health:
    """What a client remembers of its targets from one call to the next."""

    def __init__(self) -> None:
        self._rests_until: dict[int, float] = {}
        self.refuses_usage: set[int] = set()
        """Targets that answered 400 because they were asked for the usage."""

    def order(self, targets: int, at: float) -> list[int]:
        """In which order to ask: those that rest come last."""
        return sorted(range(targets), key=lambda one: self._rests_until.get(one, -inf) > at)

    def rest(self, target: int, until: float) -> None:
        """It failed."""
        self._rests_until[target] = until

    def answered(self, target: int) -> None:
        """It did not fail."""
        self._rests_until.pop(target, None)


class Ask(NamedTuple):
    """One request to make."""

    target: int
    number: int
    """Counted from 1."""
    wait: float
    """Seconds to wait before."""
    include_usage: bool
    clocks: Clocks
    """Until the first content; see ``clocks_after``."""
    clocks_after: Clocks
    """From the first content on: nobody else will be asked."""


class Result(NamedTuple):
    """What came of a request."""

    completion: Completion
    said: bool
    """Whether content was delivered to the caller."""
    called: bool
    """Whether a whole call was: it may have been run."""
    at: float
    """When it was over, in seconds."""
    hopeless: bool = False
    """Whether asking again cannot help, such as with a certificate that is not trusted."""


Judgement = Literal["final", "again", "next", "unfit"]


def policy(
    rules: Rules, health: Health, at: float, random: Callable[[], float]
) -> Generator[Ask, Result, None]:
    """Yields what to ask; is sent what came of it. ``random`` gives numbers from 0 to 1."""
    until = inf if rules.clocks.total is None else at + rules.clocks.total
    left = health.order(rules.targets, at)
    number, wait = 1, 0.0
    while left:
        target = left[0]
        tries = 0
        while True:
            usage = rules.include_usage and target not in health.refuses_usage
            ask = _ask(rules, target, number, wait, usage, until - at - wait, len(left) > 1)
            result = yield ask
            number, wait, at = number + 1, 0.0, result.at
            if usage and not result.said and refuses_usage(result.completion):
                health.refuses_usage.add(target)
                continue
            judged = judge(result, restart_torn=rules.restart_torn)
            if judged == "final":
                health.answered(target)
                return
            pause = pause_before(tries, result.completion, random)
            if judged != "again" or tries >= rules.max_retries:
                break
            if pause is None or at + pause >= until:
                break
            tries, wait = tries + 1, pause
        if judged != "unfit":
            health.rest(target, at + max(REST, _retry_after(result.completion) or 0.0))
        if at >= until:
            return
        left.pop(0)


def _ask(
    rules: Rules, target: int, number: int, wait: float, usage: bool, left: float, others: bool
) -> Ask:
    clocks = structs.replace(rules.clocks, total=None if left == inf else left)
    short = clocks
    if others:
        short = structs.replace(
            clocks, first_byte=_at_most(clocks.first_byte), idle=_at_most(clocks.idle)
        )
    return Ask(target, number, wait, usage, short, clocks)


def _at_most(seconds: float | None) -> float:
    return SHORT if seconds is None else min(seconds, SHORT)


def judge(result: Result, *, restart_torn: bool = False) -> Judgement:
    """What to do after a result: give it to the caller, ask this target again, or the next one.

    ``unfit`` is ``next`` for a target that only refused this request, and need not rest.
    """
    completion = result.completion
    verdict, head = completion.verdict, completion.head
    if verdict.outcome not in ("interrupted", "failed") or verdict.ending == "cancelled":
        return "final"
    if result.said and (result.called or not restart_torn):
        return "final"
    status = None if head is None else head.status
    if status is not None and status >= 400:
        return _judge_status(status, verdict.error)
    if verdict.ending in ("stalled", "limit") or result.hopeless:
        return "next"
    if status is not None and 300 <= status < 400:
        return "next"
    if verdict.error is not None:
        return _judge_error(verdict.error)
    return "next" if any(one.code == "html-body" for one in verdict.defects) else "again"


def _judge_status(status: int, error: ErrorObject | None) -> Judgement:
    names = _names(error)
    if names & FILTERED:
        return "final"
    if status in UNFIT:
        return "unfit"
    if (status in AGAIN or status >= 500) and not names & QUOTA:
        return "again"
    return "next"


def _judge_error(error: ErrorObject) -> Judgement:
    """An error under a good status, in the stream or in place of it."""
    names = _names(error)
    codes = {int(name) for name in names if len(name) == 3 and name.isdecimal()}
    codes = {code for code in codes if code >= 400}
    if codes or names & (FILTERED | QUOTA):
        return _judge_status(min(codes, default=403), error)
    return "again" if names & AGAIN_NAMES else "next"


def _names(error: ErrorObject | None) -> set[str]:
    if error is None:
        return set()
    return {name.lower() for name in (error.code, error.type) if name}


def refuses_usage(completion: Completion) -> bool:
    """Whether a request was refused because it asked for the usage."""
    head, error = completion.head, completion.verdict.error
    if head is None or head.status not in (400, 422) or error is None:
        return False
    said = f"{error.message} {error.param} {error.raw}"
    return "stream_options" in said or "include_usage" in said


def pause_before(tries: int, completion: Completion, random: Callable[[], float]) -> float | None:
    """Seconds to wait before asking the same target again; None: nobody would wait that long.

    Exponential with full jitter, but no less than what the server asked for.
    """
    asked = _retry_after(completion) or 0.0
    if asked > LONGEST_WAIT:
        return None
    pause = min(FIRST_PAUSE * 2.0 ** min(tries, 16), LONGEST_PAUSE)
    return max(asked, pause * random())


def _retry_after(completion: Completion) -> float | None:
    return None if completion.head is None else completion.head.retry_after
