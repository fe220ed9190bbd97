"""What a call says of its requests, with times that are handed in and no network."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from weakref import ref

import pytest
from msgspec import Raw, structs

from untorn.capture import loads
from untorn.clients.addresses import address_of
from untorn.clients.asking import Asking
from untorn.clients.policy import Health, Rules
from untorn.clients.requests import endpoint, hidden, snapshot
from untorn.clients.tries import Call
from untorn.errors import NoConnection, StreamInterrupted
from untorn.events import Heartbeat, Restarted, StreamEnded, TextDelta
from untorn.options import Clocks, Options
from untorn.replay import streams
from untorn.sources import Opened

OK = Opened(200, [("Content-Type", "text/event-stream")])
EVENTS = [read.data for read in streams.stream(streams.contents(["It ", "holds."]))]
ROLE, FIRST, SECOND, *END = EVENTS
KEY = "canary-0123456789"


FIELDS = snapshot({"model": "m", "messages": []})


class Fields(dict[str, Raw]):
    """Fields of which can be seen whether anybody holds them."""


def asking(record: Path | None = None, fields: Mapping[str, Raw] = FIELDS, **rules: Any) -> Asking:
    targets = [endpoint(address_of(f"http://{name}.example"), KEY, {}) for name in ("one", "two")]
    call = Call(
        endpoints=targets,
        fields=fields,
        headers=hidden({"X-Call": "canary-of-the-call"}),
        rules=structs.replace(Rules(targets=2), **rules),
        health=Health(),
        options=Options(),
        raise_on={"interrupted", "failed"},
        record=record,
        random=lambda: 1.0,
    )
    return Asking(call)


def begin(one: Asking, at: float) -> float:
    """Send the next request, which is answered at once; the pause before it."""
    wait, _ = one.next_request(at)
    one.begin(OK, lambda: None, at + wait)
    return wait


def give(one: Asking, data: bytes | None, at: float) -> list[object]:
    """A read."""
    one.wait(at)
    one.receive(data, at, rang=False)
    return list(one.unread)


def test_a_model_that_is_silent_for_long_is_not_cut() -> None:
    one = asking()
    begin(one, 0.0)
    give(one, ROLE, 1.0)
    one.wait(1.0)
    assert one.wait(1.0) == 31.0  # another target is left
    give(one, FIRST, 29.0)
    assert one.wait(29.0) == 149.0  # and now it is not asked any more
    assert [event for event in give(one, SECOND, 129.0) if isinstance(event, TextDelta)]
    assert not one.is_over


def test_with_one_target_a_hundred_silent_seconds_are_nothing() -> None:
    one = asking(targets=1)
    begin(one, 0.0)
    assert one.wait(0.0) == 120.0
    give(one, ROLE, 100.0)
    for event in (FIRST, SECOND, *END):
        give(one, event, 201.0)
    give(one, None, 201.0)
    assert one.completion.verdict.outcome == "complete"


def test_heartbeats_for_ever_end_by_content_idle() -> None:
    one = asking(targets=1, clocks=Clocks(content_idle=300))
    begin(one, 0.0)
    at, told = 0.0, 0
    while at < 300:
        one.wait(at)
        at += 10
        one.receive(b": ping\n\n", at, rang=False)
        told += sum(isinstance(event, Heartbeat) for event in one.unread)
    assert told == 30
    assert one.is_over
    assert "content_idle" in (one.completion.verdict.reason or "")


def test_nothing_of_a_request_that_failed_is_told_but_heartbeats() -> None:
    one = asking()
    begin(one, 0.0)
    assert give(one, ROLE, 1.0) == []
    assert [type(event) for event in give(one, b": ping\n\n", 2.0)] == [Heartbeat]
    one.wait(2.0)
    assert one.fail(ConnectionResetError(), 3.0, rang=False)
    assert list(one.unread) == []
    assert not one.has_begun
    assert [attempt.outcome for attempt in one.completion.attempts] == ["interrupted"]
    assert begin(one, 3.0) == 0.5
    told = [give(one, event, 4.0) for event in (ROLE, FIRST)]
    assert told[0] == []
    assert [getattr(event, "type", None) for event in told[1]] == ["started", "text_delta"]
    assert [attempt.said for attempt in one.completion.attempts] == [False, True]


def test_with_restart_torn_what_came_is_void() -> None:
    one = asking(restart_torn=True)
    begin(one, 0.0)
    for event in (ROLE, FIRST):
        give(one, event, 1.0)
    one.wait(1.0)
    one.fail(ConnectionResetError(), 2.0, rang=False)
    (restarted,) = [event for event in one.unread if isinstance(event, Restarted)]
    assert restarted.attempt == 2
    begin(one, 2.0)
    for event in (ROLE, FIRST, SECOND, *END):
        give(one, event, 3.0)
    (ended,) = [event for event in give(one, None, 4.0) if isinstance(event, StreamEnded)]
    assert ended.verdict.outcome == "complete"
    assert one.completion.content == "It holds."


@pytest.mark.parametrize("begun", [False, True])
def test_who_leaves_gets_what_was_held(begun: bool) -> None:
    one = asking()
    if begun:
        begin(one, 0.0)
        give(one, ROLE, 1.0)
    one.cancel(2.0)
    one.cancel(2.0)
    kinds = [event.type for event in one.unread]
    assert kinds[-1] == "stream_ended"
    assert kinds.count("started") == begun
    assert one.completion.verdict.ending == "cancelled"


def test_a_mistake_of_the_program_is_raised_on() -> None:
    one = asking()
    one.next_request(0.0)
    assert not one.fail(ZeroDivisionError(), 1.0, rang=False)
    assert one.is_over
    assert not one.fail(ZeroDivisionError(), 1.0, rang=False)


def test_when_a_head_has_to_be_there() -> None:
    assert asking(targets=1).wait_for_head(5.0) == 135.0
    assert asking(targets=1, clocks=Clocks(total=7)).wait_for_head(5.0) == 12.0
    assert asking(targets=1, clocks=Clocks(connect=None)).wait_for_head(5.0) == float("inf")


def test_no_connection_is_an_interruption_whose_cause_holds_no_key() -> None:
    one = asking(max_retries=0, targets=1)
    one.next_request(0.0)
    one.fail(ConnectionRefusedError(f"no {KEY}"), 1.0, rang=False)
    with pytest.raises(NoConnection) as caught:
        one.raise_for_end()
    assert isinstance(caught.value, StreamInterrupted)
    assert caught.value.__cause__ is None


def test_secrets_are_those_of_the_target_and_of_the_call() -> None:
    one = asking()
    assert one.secrets.hide(KEY) == KEY  # nothing was sent
    one.next_request(0.0)
    assert one.secrets.hide(f"{KEY} canary-of-the-call") == "[hidden] [hidden]"


def test_before_anything_is_asked_there_is_nothing() -> None:
    one = asking()
    assert one.completion.attempts == one.attempts == []
    assert not one.is_answered
    assert not one.fail(ConnectionResetError(), 1.0, rang=False)


def test_it_is_answered_by_a_good_head_or_by_the_end() -> None:
    one = asking()
    one.next_request(0.0)
    assert not one.is_answered
    one.begin(Opened(503, []), lambda: None, 0.0)
    assert not one.is_answered
    one = asking()
    begin(one, 0.0)
    assert one.is_answered
    one.cancel(1.0)
    assert one.is_answered


def test_what_was_asked_is_kept_no_longer_than_it_may_be_asked_again() -> None:
    held = {}
    for restart_torn in (False, True):
        fields = Fields(FIELDS)
        held[restart_torn] = ref(fields)
        one = asking(fields=fields, restart_torn=restart_torn)
        del fields
        begin(one, 0.0)
        give(one, ROLE, 1.0)
        assert held[restart_torn]() is not None
        give(one, FIRST, 2.0)
        assert (held[restart_torn]() is not None) is restart_torn
        assert one.completion.attempts[0].model == "m"


def test_what_was_asked_is_kept_where_a_bad_status_brings_content() -> None:
    fields = Fields(FIELDS)
    held = ref(fields)
    one = asking(fields=fields)
    del fields
    one.next_request(0.0)
    one.begin(OK._replace(status=400), lambda: None, 0.0)
    give(one, ROLE + FIRST, 1.0)
    assert held() is not None


def test_what_came_can_be_asked_for_while_it_comes_and_is_kept_at_the_end() -> None:
    one = asking()
    begin(one, 0.0)
    for event in (ROLE, FIRST):
        give(one, event, 1.0)
    assert one.completion.content == "It "
    for data in (SECOND, *END, None):
        give(one, data, 2.0)
    assert one.completion is one.completion
    assert one.completion.content == "It holds."
    one.raise_for_end()


def test_who_leaves_before_anything_is_asked_is_told_so() -> None:
    one = asking()
    one.cancel(1.0)
    with pytest.raises(StreamInterrupted):
        one.raise_for_end()


def test_an_alarm_before_the_head_is_the_clock_for_it() -> None:
    one = asking(max_retries=0, targets=1)
    one.next_request(0.0)
    assert one.fail(ConnectionResetError(), 120.0, rang=True)
    assert one.completion.verdict.reason == "no byte came within 120 seconds (clock first_byte)"


def test_an_answer_is_recorded_and_one_that_is_void_is_not(tmp_path: Path) -> None:
    path = tmp_path / "answer"
    one = asking(path)
    begin(one, 0.0)
    give(one, ROLE, 1.0)
    one.wait(1.0)
    one.fail(ConnectionResetError(), 2.0, rang=False)
    begin(one, 2.0)
    for data in (ROLE, streams.chunk({"content": KEY}).data, *END, None):
        give(one, data, 3.0)
    body = loads(path.read_bytes()).body
    assert body == ROLE + streams.chunk({"content": "[hidden]"}).data + b"".join(END)
    assert one.completion.content == KEY


def test_a_tool_call_that_was_given_out_is_remembered() -> None:
    one = asking(restart_torn=True)
    begin(one, 0.0)
    call = {"index": 0, "id": "c", "function": {"name": "f", "arguments": "{}"}}
    give(one, streams.chunk({"tool_calls": [call]}).data, 1.0)
    give(one, streams.chunk({}, "tool_calls").data, 1.0)
    one.wait(1.0)
    one.fail(ConnectionResetError(), 2.0, rang=False)
    assert one.is_over
    assert len(one.completion.attempts) == 1


def test_a_generator_that_is_thrown_away_is_no_failure() -> None:
    one = asking()
    one.next_request(0.0)
    assert not one.fail(GeneratorExit(), 1.0, rang=False)
    assert not one.is_over
