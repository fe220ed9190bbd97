"""What a client sends, gives back, and leaves, over real sockets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.clients.colours import MESSAGES, WAYS, ask
from tests.clients.situations import refusal
from untorn import (
    Completion,
    Heartbeat,
    StreamEnded,
    StreamInterrupted,
    TextDelta,
    capture,
)
from untorn.capture import Read
from untorn.clients import Client
from untorn.errors import NoConnection
from untorn.events import Restarted
from untorn.options import Clocks, Target
from untorn.replay import streams
from untorn.replay.reply import Reply
from untorn.testing import ReplayServer

each_way = pytest.mark.parametrize("way", WAYS)
KEY = "canary-0123456789"


def bodies(server: ReplayServer) -> list[dict[str, Any]]:
    return [json.loads(request.body) for request in server.log.requests]


# What is sent ------------------------------------------------------------------------------------


@each_way
def test_fields_go_into_the_body_as_they_are(way: str, stream_server: ReplayServer) -> None:
    call = {
        "temperature": 0.5,
        "tools": [{"type": "function", "function": {"name": "f", "parameters": {}}}],
        "vendor_field": {"nested": None},
        "extra_body": {"record": "a name of ours"},
        "headers": {"X-Call": "2"},
    }
    (answer,) = ask(way, call, base_url=stream_server.url("text"), headers={"X-Client": "1"})
    (body,) = bodies(stream_server)
    assert body == {
        "model": "m",
        "messages": MESSAGES,
        "stream": True,
        "stream_options": {"include_usage": True},
        "temperature": 0.5,
        "tools": call["tools"],
        "vendor_field": {"nested": None},
        "record": "a name of ours",
    }
    (request,) = stream_server.log.requests
    assert request.header("accept-encoding") == "identity"
    assert request.header("content-type") == "application/json"
    assert request.header("x-client") == "1"
    assert answer.completion.usage is not None


@each_way
def test_the_path_and_the_query_are_those_of_the_url(way: str, stream_server: ReplayServer) -> None:
    url = f"{stream_server.url('text')}/openai/deployments/d/?api-version=2024-10-21"
    ask(way, base_url=url, headers={"api-key": KEY})
    (request,) = stream_server.log.requests
    assert request.path.endswith("/openai/deployments/d/chat/completions?api-version=2024-10-21")
    assert request.header("api-key") is not None
    assert request.header("authorization") is None


@each_way
def test_choices_that_were_asked_for_and_never_came_are_a_defect(
    way: str, stream_server: ReplayServer
) -> None:
    (answer,) = ask(way, {"n": 2}, base_url=stream_server.url("text"))
    assert "choice-missing" in {defect.code for defect in answer.completion.verdict.defects}


def test_messages_are_taken_as_they_are_at_the_call(stream_server: ReplayServer) -> None:
    messages = [{"role": "user", "content": "before"}]
    with Client(stream_server.url("text")) as client:
        stream = client.chat(model="m", messages=messages)
        messages[0]["content"] = "after"
        stream.result()
    assert bodies(stream_server)[0]["messages"][0]["content"] == "before"


def test_nothing_is_sent_before_somebody_reads(stream_server: ReplayServer) -> None:
    with Client(stream_server.url("text")) as client:
        stream = client.chat(model="m", messages=[])
        assert stream.completion.attempts == []
        stream.close()
        assert stream.completion.verdict.ending == "cancelled"
    assert stream_server.log.connections == []


@each_way
def test_a_connection_is_used_again(way: str, stream_server: ReplayServer) -> None:
    ask(way, {}, {}, {}, base_url=stream_server.url("text"))
    assert len(stream_server.log.exchanges) == 3
    assert len(stream_server.log.connections) == 1


@each_way
def test_a_proxy_is_asked(way: str, stream_server: ReplayServer) -> None:
    stream_server.play("text")
    proxy = stream_server.base_url.removesuffix("/v1")
    ask(way, base_url="http://api.example/v1", proxy=proxy, max_retries=0)
    assert stream_server.log.requests[0].path == "http://api.example/v1/chat/completions"


def test_http2_is_asked_for_where_it_can_be_spoken(stream_server: ReplayServer) -> None:
    with Client(stream_server.url("text"), http2=True) as client:
        assert client.chat(model="m", messages=[]).result().content == streams.TEXT


@each_way
def test_what_comes_is_recorded(way: str, stream_server: ReplayServer, tmp_path: Path) -> None:
    path = tmp_path / "answer.untorn"
    url = stream_server.url(refusal(500, "no", "x"), "text")
    ask(way, {"record": path}, base_url=url, api_key=KEY)
    recorded = capture.loads(path.read_bytes())
    assert recorded.status == 200
    assert recorded.body.endswith(b"data: [DONE]\n\n")
    assert KEY.encode() not in path.read_bytes()


def test_a_recording_that_cannot_be_made_is_told_at_the_call(
    stream_server: ReplayServer, tmp_path: Path
) -> None:
    with Client(stream_server.url("text")) as client, pytest.raises(FileNotFoundError):
        client.chat(model="m", messages=[], record=tmp_path / "none" / "answer")


# What the caller sees ----------------------------------------------------------------------------


@each_way
def test_with_raise_on_it_is_told_by_the_events(way: str, stream_server: ReplayServer) -> None:
    (answer,) = ask(way, {"raise_on": ()}, base_url=stream_server.url("status-401"))
    assert answer.was_entered
    assert isinstance(answer.events[-1], StreamEnded)
    assert answer.error is None


@each_way
def test_a_long_retry_after_is_told_at_once(way: str, stream_server: ReplayServer) -> None:
    url = stream_server.url(refusal(429, "tomorrow", "rate_limit_exceeded", retry_after="86400"))
    (answer,) = ask(way, base_url=url)
    assert len(answer.completion.attempts) == 1
    assert answer.completion.head is not None
    assert answer.completion.head.retry_after == 86400


@each_way
@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://127.0.0.1:1", "refused"),
        ("http://untorn.invalid", "not known"),
    ],
)
def test_who_cannot_be_reached_is_no_connection(way: str, url: str, why: str) -> None:
    (answer,) = ask(way, base_url=url, max_retries=1)
    assert isinstance(answer.error, NoConnection)
    assert why in str(answer.error)
    assert [attempt.status for attempt in answer.completion.attempts] == [None, None]
    assert answer.error.__cause__ is not None


@each_way
def test_tls_that_fails_is_no_connection(way: str, stream_server: ReplayServer) -> None:
    url = stream_server.base_url.replace("http:", "https:")
    (answer,) = ask(way, base_url=url, max_retries=0)
    assert isinstance(answer.error, NoConnection)
    assert "TLS failed" in str(answer.error)


@each_way
def test_the_next_target_is_asked_when_the_first_cannot_be_reached(
    way: str, stream_server: ReplayServer
) -> None:
    other = Target(base_url=stream_server.url("text"), model="theirs")
    (answer,) = ask(way, base_url="http://127.0.0.1:1", targets=[other], max_retries=0)
    assert answer.completion.content == streams.TEXT
    assert [attempt.model for attempt in answer.completion.attempts] == ["m", "theirs"]
    assert bodies(stream_server)[0]["model"] == "theirs"


@each_way
def test_a_target_that_failed_is_left_alone_for_a_while(
    way: str, stream_server: ReplayServer
) -> None:
    other = Target(base_url=stream_server.url("text"))
    first, second = ask(way, {}, {}, base_url="http://127.0.0.1:1", targets=[other], max_retries=0)
    assert len(first.completion.attempts) == 2
    assert len(second.completion.attempts) == 1


@each_way
def test_a_refusal_of_include_usage_is_remembered(way: str, stream_server: ReplayServer) -> None:
    refused = refusal(400, "unknown field: stream_options", "unknown")
    ask(way, {}, {}, base_url=stream_server.url(refused, "text"), max_retries=0)
    assert ["stream_options" in body for body in bodies(stream_server)] == [True, False, False]


@each_way
def test_heartbeats_of_a_request_that_fails_are_seen_and_nothing_else(
    way: str, stream_server: ReplayServer
) -> None:
    fails = Reply(reads=(Read(0.0, b": one\n\n"), streams.ROLE), end="fin", pause=0.05)
    (answer,) = ask(way, base_url=stream_server.url(fails, "text"))
    kinds = [type(event) for event in answer.events]
    assert kinds[0] is Heartbeat
    assert kinds.count(StreamEnded) == 1
    assert [event.type for event in answer.events].count("started") == 1


@each_way
def test_with_restart_torn_all_begins_anew(way: str, stream_server: ReplayServer) -> None:
    (answer,) = ask(way, base_url=stream_server.url("fin-mid-text", "text"), restart_torn=True)
    at = next(n for n, event in enumerate(answer.events) if isinstance(event, Restarted))
    told = [
        "".join(event.text for event in part if isinstance(event, TextDelta))
        for part in (answer.events[:at], answer.events[at:])
    ]
    assert told[1] == streams.TEXT == answer.completion.content
    assert told[0]
    assert streams.TEXT.startswith(told[0])
    assert [attempt.said for attempt in answer.completion.attempts] == [True, True]
    restarted = answer.events[at]
    assert isinstance(restarted, Restarted)
    assert restarted.attempt == 2
    assert "interrupted" in restarted.reason
    assert sum(isinstance(event, StreamEnded) for event in answer.events) == 1


@each_way
def test_without_it_nothing_is_asked_again_after_content(
    way: str, stream_server: ReplayServer
) -> None:
    (answer,) = ask(way, base_url=stream_server.url("fin-mid-text", "text"))
    assert isinstance(answer.error, StreamInterrupted)
    assert len(stream_server.log.exchanges) == 1


@each_way
def test_after_the_total_nothing_is_asked(way: str, stream_server: ReplayServer) -> None:
    clocks = Clocks(total=0.3)
    (answer,) = ask(way, base_url=stream_server.url("stall-before-head"), clocks=clocks)
    assert answer.completion.verdict.ending == "stalled"
    assert "clock total" in (answer.completion.verdict.reason or "")
    assert len(answer.completion.attempts) == 1


@each_way
def test_a_redirect_is_not_followed(way: str, stream_server: ReplayServer) -> None:
    other = stream_server.url("text")
    moved = Reply(status=307, headers=(("Location", f"{other}/chat/completions"),))
    (answer,) = ask(way, base_url=stream_server.url(moved), api_key=KEY)
    assert isinstance(answer.error, StreamInterrupted)
    assert len(stream_server.log.exchanges) == 1


# Mistakes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("choices", "why"),
    [
        ({"base_url": "localhost:8000"}, "base_url"),
        ({"api_key": "two\nlines"}, "Authorization"),
        ({"headers": {"a b": "c"}}, "name of a header"),
        ({"headers": {"a": "ä"}}, "header a"),
        ({"backend": "curl"}, "backend"),
        ({"raise_on": "failed"}, "raise_on"),
        ({"raise_on": {"torn"}}, "raise_on"),
        ({"backend": "urllib3", "http2": True}, "http2"),
    ],
)
def test_a_wrong_choice_is_told_at_once(choices: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Client(**{"base_url": "http://127.0.0.1:1", **choices})


def test_a_wrong_call_is_told_at_once() -> None:
    with Client("http://127.0.0.1:1") as client:
        with pytest.raises(ValueError, match="stream"):
            client.chat(model="m", messages=[], stream=False)
        with pytest.raises(TypeError, match="object cannot be sent as JSON"):
            client.chat(model="m", messages=[], tools=object())
        with pytest.raises(ValueError, match="raise_on"):
            client.chat(model="m", messages=[], raise_on={"torn"})  # type: ignore[arg-type]


def test_two_colours_see_the_same(stream_server: ReplayServer) -> None:
    seen: list[tuple[list[str], Completion]] = []
    for way in WAYS:
        url = stream_server.url(refusal(500, "no", "x"), "reasoning")
        (answer,) = ask(way, base_url=url)
        seen.append(([event.type for event in answer.events], answer.completion))
    for kinds, completion in seen[1:]:
        assert kinds == seen[0][0]
        assert completion.choices == seen[0][1].choices


def test_a_client_shows_where_it_asks() -> None:
    with Client("http://127.0.0.1:1", targets=[Target(base_url="http://127.0.0.1:2/v2")]) as client:
        shown = "http://127.0.0.1:1/v1/chat/completions, http://127.0.0.1:2/v2/chat/completions"
        assert repr(client) == f"Client({shown})"


def test_clocks_can_be_those_of_one_call(stream_server: ReplayServer) -> None:
    with Client(stream_server.url("stall-mid-text")) as client:
        stream = client.chat(model="m", messages=[], clocks=Clocks(idle=0.1), raise_on=())
        assert "0.1 seconds" in (stream.result().verdict.reason or "")


def test_openai_without_a_key_is_told_before_anything_is_sent() -> None:
    with pytest.raises(ValueError, match="OPENAI_API_KEY"):
        Client()
