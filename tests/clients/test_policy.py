"""What is asked next, as tables of scripted outcomes. No time passes, and nothing is chance."""

from __future__ import annotations

import json
from typing import Any, Literal, NamedTuple

import pytest
from msgspec import structs

from untorn import ChatStream, Completion
from untorn.clients.policy import (
    LONGEST_WAIT,
    REST,
    SHORT,
    Ask,
    Health,
    Result,
    Rules,
    judge,
    pause_before,
    policy,
    refuses_usage,
)
from untorn.options import Clocks

START = 1000.0


class Outcome(NamedTuple):
    """What a server did with one request."""

    completion: Completion
    said: bool = False
    called: bool = False
    takes: float = 1.0
    hopeless: bool = False


def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return b"data: %b\n\n" % json.dumps({"id": "c", "choices": [choice]}).encode()


def answered(body: bytes, *, status: int = 200, **headers: str) -> Completion:
    stream = ChatStream()
    kind = "text/event-stream" if status == 200 else "application/json"
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    stream.receive_head(status, {"Content-Type": kind, **names})
    stream.receive_data(body)
    stream.receive_eof()
    return stream.completion


def broken(body: bytes, ending: Literal["cut", "stalled", "cancelled", "limit"]) -> Completion:
    stream = ChatStream()
    if body:
        stream.receive_head(200, {"Content-Type": "text/event-stream"})
        stream.receive_data(body)
    stream.receive_failure(ending, "as the test wants")
    return stream.completion


def refused(status: int, code: str = "", message: str = "no", **headers: str) -> Outcome:
    error = {"message": message, **({"code": code} if code else {})}
    body = json.dumps({"error": error}).encode()
    return Outcome(answered(body, status=status, **headers))


def in_stream(**error: object) -> Completion:
    return answered(b"data: %b\n\n" % json.dumps({"error": error}).encode())


HALF = chunk({"content": "Half an"})
DONE = b"data: [DONE]\n\n"
WHOLE = Outcome(answered(HALF + chunk({}, "stop") + DONE), said=True)
UNMARKED = Outcome(answered(HALF + chunk({}, "stop")), said=True)
FILTERED = Outcome(answered(HALF + chunk({}, "content_filter") + DONE), said=True)
CUT = Outcome(broken(HALF, "cut"), said=True)
STALLED = Outcome(broken(HALF, "stalled"), said=True)
MALFORMED = Outcome(answered(HALF + b"data: {]\n\n" + chunk({}, "stop") + DONE), said=True)
NO_HEAD = Outcome(broken(b"", "cut"))
SILENT = Outcome(broken(b"", "stalled"))
RESET = Outcome(broken(b": hello\n\n", "cut"))
EMPTY = Outcome(answered(b""))
UNTRUSTED = Outcome(broken(b"", "cut"), hopeless=True)
HTML = Outcome(answered(b"<html><body>Sign in</body></html>"))
CALLED = Outcome(broken(HALF, "cut"), said=True, called=True)


def play(
    outcomes: list[Outcome],
    rules: Rules | None = None,
    health: Health | None = None,
    at: float = START,
) -> list[Ask]:
    """What is asked, if these are the outcomes; all of them have to be wanted."""
    asking = policy(rules or Rules(), health or Health(), at, lambda: 1.0)
    asks = [next(asking)]
    for number, outcome in enumerate(outcomes):
        at += asks[-1].wait + outcome.takes
        result = Result(outcome.completion, outcome.said, outcome.called, at, outcome.hopeless)
        try:
            asks.append(asking.send(result))
        except StopIteration:
            assert number + 1 == len(outcomes), "an outcome was not wanted"
            return asks
    raise AssertionError(f"one more was asked: {asks[-1]}")


TWO = Rules(targets=2)
THROTTLED = refused(429, retry_after="20")


@pytest.mark.parametrize(
    ("outcomes", "targets", "waits"),
    [
        pytest.param([THROTTLED, WHOLE], [0, 0], [0, 20], id="429 with Retry-After"),
        pytest.param([refused(429)] * 3 + [WHOLE], [0, 0, 0, 1], [0, 0.5, 1, 0], id="429 for ever"),
        pytest.param([refused(500), WHOLE], [0, 0], [0, 0.5], id="500 once"),
        pytest.param([refused(503)] * 3 + [WHOLE], [0, 0, 0, 1], [0, 0.5, 1, 0], id="503"),
        pytest.param([RESET, WHOLE], [0, 0], [0, 0.5], id="reset"),
        pytest.param([SILENT, WHOLE], [0, 1], [0, 0], id="silence"),
        pytest.param([WHOLE], [0], [0], id="slow first token"),
        pytest.param([CUT], [0], [0], id="cut mid-stream"),
        pytest.param([STALLED], [0], [0], id="stall"),
        pytest.param([MALFORMED], [0], [0], id="one malformed chunk"),
        pytest.param([UNMARKED], [0], [0], id="no [DONE]"),
        pytest.param(
            [refused(400, "context_length_exceeded"), WHOLE],
            [0, 1],
            [0, 0],
            id="context-length 400",
        ),
        pytest.param([FILTERED], [0], [0], id="content filter"),
        pytest.param([refused(400, "content_filter")], [0], [0], id="content filter, 400"),
        pytest.param(
            [refused(400, message="no prefill"), WHOLE], [0, 1], [0, 0], id="prefill rejected"
        ),
        pytest.param([refused(503), RESET, WHOLE], [0, 0, 0], [0, 0.5, 1], id="flapping"),
        pytest.param(
            [refused(400, message="unknown field stream_options"), WHOLE],
            [0, 0],
            [0, 0],
            id="usage refused",
        ),
        pytest.param([NO_HEAD] * 3 + [WHOLE], [0, 0, 0, 1], [0, 0.5, 1, 0], id="no connection"),
        pytest.param([UNTRUSTED, WHOLE], [0, 1], [0, 0], id="certificate refused"),
        pytest.param([HTML, WHOLE], [0, 1], [0, 0], id="page of a proxy"),
        pytest.param([EMPTY, WHOLE], [0, 0], [0, 0.5], id="empty stream"),
        pytest.param([refused(401), WHOLE], [0, 1], [0, 0], id="key refused"),
        pytest.param([refused(429, "insufficient_quota"), WHOLE], [0, 1], [0, 0], id="no quota"),
        pytest.param(
            [refused(429, retry_after="86400"), WHOLE], [0, 1], [0, 0], id="429 for a day"
        ),
        pytest.param([refused(503)] * 6, [0, 0, 0, 1, 1, 1], [0, 0.5, 1, 0, 0.5, 1], id="all"),
    ],
)
def test_with_one_fallback_target(
    outcomes: list[Outcome], targets: list[int], waits: list[float]
) -> None:
    asks = play(outcomes, TWO)
    assert [ask.target for ask in asks] == targets
    assert [ask.wait for ask in asks] == waits
    assert [ask.number for ask in asks] == [*range(1, len(asks) + 1)]


@pytest.mark.parametrize("outcome", [refused(429, retry_after="86400"), SILENT, UNTRUSTED, HTML])
def test_what_waiting_does_not_mend_is_told_at_once(outcome: Outcome) -> None:
    assert len(play([outcome])) == 1


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_a_status_that_may_pass_is_asked_again(status: int) -> None:
    assert judge(_result(refused(status))) == "again"


@pytest.mark.parametrize("status", [400, 404, 413, 422])
def test_a_target_that_refuses_the_request_need_not_rest(status: int) -> None:
    health = Health()
    play([refused(status), WHOLE], TWO, health)
    assert health.order(2, START) == [0, 1]


@pytest.mark.parametrize(
    ("error", "judged"),
    [
        ({"message": "m", "code": 503}, "again"),
        ({"message": "m", "code": "429"}, "again"),
        ({"message": "m", "type": "overloaded_error"}, "again"),
        ({"message": "m", "code": "Server_Error"}, "again"),
        ({"message": "m", "code": 400}, "unfit"),
        ({"message": "m", "code": "content_filter"}, "final"),
        ({"message": "m", "code": "insufficient_quota"}, "next"),
        ({"message": "m", "code": 40}, "next"),
        ({"message": "m"}, "next"),
    ],
)
def test_an_error_in_the_stream_counts_by_its_code(error: dict[str, Any], judged: str) -> None:
    assert judge(_result(Outcome(in_stream(**error)))) == judged


@pytest.mark.parametrize("outcome", [CUT, STALLED, MALFORMED, CALLED])
def test_nothing_is_asked_again_after_content(outcome: Outcome) -> None:
    assert len(play([outcome], TWO)) == 1


TORN = structs.replace(TWO, restart_torn=True)


@pytest.mark.parametrize(
    ("outcomes", "targets"),
    [
        ([CUT, WHOLE], [0, 0]),
        ([STALLED, WHOLE], [0, 1]),
        ([MALFORMED, CUT, CUT, WHOLE], [0, 0, 0, 1]),
        ([CALLED], [0]),
        ([FILTERED], [0]),
    ],
)
def test_with_restart_torn_it_is_unless_a_call_was_whole(
    outcomes: list[Outcome], targets: list[int]
) -> None:
    assert [ask.target for ask in play(outcomes, TORN)] == targets


def test_a_refusal_of_include_usage_is_remembered_and_is_no_retry() -> None:
    health = Health()
    refusal = refused(400, message="Unrecognized request argument: stream_options")
    rules = Rules(max_retries=0)
    assert [ask.include_usage for ask in play([refusal, WHOLE], rules, health)] == [True, False]
    assert [ask.include_usage for ask in play([WHOLE], rules, health)] == [False]


def test_a_refusal_of_something_else_is_not_about_the_usage() -> None:
    assert not refuses_usage(refused(400, "context_length_exceeded").completion)
    assert not refuses_usage(refused(500, message="stream_options").completion)
    assert not refuses_usage(SILENT.completion)


def test_what_has_said_something_did_not_refuse_the_usage() -> None:
    refusal = refused(400, message="stream_options")._replace(said=True)
    assert len(play([refusal], Rules())) == 1


def test_who_was_not_asked_for_usage_does_not_refuse_it() -> None:
    refusal = refused(400, message="stream_options")
    assert len(play([refusal], Rules(include_usage=False))) == 1


def test_a_target_that_failed_rests_and_is_asked_again_later() -> None:
    health = Health()
    play([SILENT, WHOLE], TWO, health)
    assert [ask.target for ask in play([WHOLE], TWO, health, START + 2)] == [1]
    assert [ask.target for ask in play([WHOLE], TWO, health, START + 2 + REST)] == [0]


def test_a_target_that_rests_is_asked_when_the_others_fail() -> None:
    health = Health()
    play([SILENT, WHOLE], TWO, health)
    assert [ask.target for ask in play([SILENT, WHOLE], TWO, health, START + 2)] == [1, 0]


def test_a_target_that_answered_rests_no_longer() -> None:
    health = Health()
    play([SILENT, WHOLE], TWO, health)
    play([SILENT, WHOLE], TWO, health, START + 2)
    assert [ask.target for ask in play([WHOLE], TWO, health, START + 4)] == [0]


def test_a_target_rests_as_long_as_it_said() -> None:
    health = Health()
    play([refused(429, retry_after="3600"), WHOLE], TWO, health)
    assert health.order(2, START + 3600) == [1, 0]
    assert health.order(2, START + 3602) == [0, 1]


def test_clocks_are_short_while_another_target_is_left() -> None:
    first, second = play([SILENT, WHOLE], TWO)
    assert (first.clocks.first_byte, first.clocks.idle) == (SHORT, SHORT)
    assert first.clocks_after == Clocks()
    assert second.clocks == Clocks()


def test_clocks_that_are_short_already_or_off() -> None:
    rules = structs.replace(TWO, clocks=Clocks(first_byte=5, idle=None))
    first, second = play([SILENT, WHOLE], rules)
    assert (first.clocks.first_byte, first.clocks.idle) == (5, SHORT)
    assert (second.clocks.first_byte, second.clocks.idle) == (5, None)


def test_the_total_is_that_of_all_requests_together() -> None:
    rules = Rules(clocks=Clocks(total=10))
    asks = play([RESET, RESET, WHOLE], rules)
    assert [ask.clocks.total for ask in asks] == [10, 8.5, 6.5]


@pytest.mark.parametrize(
    "outcomes",
    [
        [RESET._replace(takes=10)],
        [SILENT._replace(takes=10)],
    ],
)
def test_nothing_is_asked_after_the_total(outcomes: list[Outcome]) -> None:
    rules = structs.replace(TWO, clocks=Clocks(total=10))
    assert len(play(outcomes, rules)) == 1


def test_a_pause_that_is_longer_than_what_is_left_is_not_begun() -> None:
    rules = structs.replace(TWO, clocks=Clocks(total=10))
    asks = play([refused(503, retry_after="9"), WHOLE], rules)
    assert [(ask.target, ask.clocks.total) for ask in asks] == [(0, 10), (1, 9)]


def test_pauses_grow_and_are_jittered() -> None:
    completion = RESET.completion
    assert [pause_before(n, completion, lambda: 1.0) for n in range(6)] == [0.5, 1, 2, 4, 8, 8]
    assert pause_before(3, completion, lambda: 0.25) == 1.0
    assert pause_before(10**6, completion, lambda: 1.0) == 8


@pytest.mark.parametrize(
    ("header", "pause"), [("0", 0.5), ("60", LONGEST_WAIT), ("60.5", None), ("86400", None)]
)
def test_retry_after_is_honoured_up_to_a_minute(header: str, pause: float | None) -> None:
    completion = refused(503, retry_after=header).completion
    assert pause_before(0, completion, lambda: 1.0) == pause


def test_a_redirect_is_not_followed_nor_asked_again() -> None:
    assert judge(_result(Outcome(answered(b"", status=307)))) == "next"


def test_what_the_caller_cancelled_is_final() -> None:
    assert judge(_result(Outcome(broken(b"", "cancelled")))) == "final"


def test_a_finish_reason_that_tells_an_error_is_asked_again() -> None:
    assert judge(_result(Outcome(answered(chunk({}, "error") + DONE)))) == "again"


def _result(outcome: Outcome) -> Result:
    return Result(outcome.completion, outcome.said, outcome.called, START, outcome.hopeless)


def test_a_status_without_an_error_object_is_judged_by_itself() -> None:
    completion = refused(503).completion
    verdict = structs.replace(completion.verdict, error=None)
    result = _result(refused(503))
    result = result._replace(completion=structs.replace(completion, verdict=verdict))
    assert judge(result) == "again"
