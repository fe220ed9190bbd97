"""One request: what comes of it, and what is not seen of it."""

from __future__ import annotations

from msgspec import structs

from untorn import Completion, ErrorReported, StreamEnded
from untorn.clients.addresses import address_of
from untorn.clients.keys import HIDDEN
from untorn.clients.no_head import NoHead
from untorn.clients.policy import Ask, Health, Rules
from untorn.clients.requests import endpoint, hidden, snapshot
from untorn.clients.tries import Call, Try
from untorn.options import Clocks, Options
from untorn.replay import streams
from untorn.sources import Opened

KEY = "canary-0123456789"
OF_CALL = "canary-of-the-call"
HEAD = [("Content-Type", "text/event-stream"), ("X-Request-Id", "req-1")]
SHORT, LONG = Clocks(idle=1), Clocks(idle=100)
READS = [read.data for read in streams.stream(streams.contents(["It ", "holds."]))]


def one_try() -> Try:
    call = Call(
        endpoints=[endpoint(address_of("http://one.example"), KEY, {})],
        fields=snapshot({"model": "m", "messages": []}),
        headers=hidden({"X-Call": OF_CALL, "User-Agent": "test-agent-1"}),
        rules=Rules(),
        health=Health(),
        options=Options(),
        raise_on=(),
        record=None,
        random=lambda: 0.0,
    )
    return Try(Ask(0, 1, 2.5, True, SHORT, LONG), call, None)


def begun() -> Try:
    one = one_try()
    one.begin(Opened(200, HEAD), lambda: None, 0.0)
    return one


def give(one: Try, data: bytes | None, at: float = 0.0) -> list[object]:
    one.wait(at)
    one.receive(data, at, rang=False)
    return list(one.unread)


def test_an_attempt_tells_the_request_in_short() -> None:
    one = begun()
    for data in [*READS, None]:
        give(one, data)
    attempt = one.attempt("m")
    assert attempt.target == "http://one.example/v1/chat/completions"
    assert (attempt.model, attempt.status, attempt.outcome) == ("m", 200, "complete")
    assert (attempt.request_id, attempt.said, attempt.waited) == ("req-1", True, 2.5)


def test_an_attempt_that_nobody_answered() -> None:
    one = one_try()
    one.fail_before_head(
        ConnectionRefusedError("no"), NoHead("cut", f"refused, {OF_CALL}", False), 1.0
    )
    attempt = one.attempt("m")
    assert (attempt.status, attempt.request_id, attempt.usage) == (None, None, None)
    assert attempt.why.startswith(f"interrupted: refused, {HIDDEN}")
    assert not attempt.said
    assert isinstance(one.cause, ConnectionRefusedError)


def test_a_cause_with_a_secret_is_kept_back() -> None:
    one = one_try()
    one.fail_before_head(ValueError(f"bad {KEY}"), NoHead("cut", "no", False), 1.0)
    assert one.cause is None


def test_a_cause_is_without_the_variables_that_hold_the_request() -> None:
    one = one_try()
    try:
        raise ConnectionResetError("no")
    except ConnectionResetError as exc:
        one.fail_before_head(exc, NoHead("cut", "no", False), 1.0)
    assert one.cause is not None
    assert one.cause.__traceback__ is None


def test_secrets_are_the_key_and_headers_of_the_call_but_public_ones() -> None:
    hide = one_try().secrets.hide
    assert hide(f"{KEY} {OF_CALL} test-agent-1") == f"{HIDDEN} {HIDDEN} test-agent-1"


def test_what_the_server_repeats_is_hidden_and_what_the_model_says_is_not() -> None:
    one = begun()
    give(one, READS[0])
    give(one, streams.chunk({"content": KEY}).data)
    events = give(one, b"data: " + streams.error(f"key {KEY}", "c", "t") + b"\n\n")
    (reported,) = [event for event in events if isinstance(event, ErrorReported)]
    assert reported.error.message == f"key {HIDDEN}"
    (ended,) = [event for event in give(one, None) if isinstance(event, StreamEnded)]
    assert KEY not in repr(ended)
    completion: Completion = one.completion
    assert KEY not in repr(structs.replace(completion, choices=[]))
    assert completion.content == KEY


def test_a_failing_read_is_told_without_secrets() -> None:
    one = begun()
    one.wait(0.0)
    assert one.fail(OSError(f"odd {KEY}"), 1.0, rang=False)
    assert one.completion.verdict.reason == f"the connection failed: OSError: odd {HIDDEN}"


def test_from_the_first_content_on_the_callers_own_clocks_hold() -> None:
    one = begun()
    give(one, READS[0])
    assert one.wait(0.0) == 1.0
    one.content_came(0.0)
    assert one.wait(0.0) == 100.0


def test_after_the_end_the_clocks_stay() -> None:
    one = begun()
    for data in READS:
        give(one, data)
    one.content_came(0.0)
    assert one.wait(0.0) == SHORT.after_end
