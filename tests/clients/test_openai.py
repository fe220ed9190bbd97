"""The openai SDK gets whole answers, or an exception."""

from __future__ import annotations

import asyncio
from typing import Any

import openai
import pytest

from tests.clients.sdk import COLOURS, MESSAGES, ask, async_sdk, sync_sdk, untorn_of
from untorn import IncompleteAnswer, NotWhole
from untorn.capture import Read
from untorn.options import Clocks
from untorn.replay import faults
from untorn.replay.reply import Reply
from untorn.replay.scenario import Scenario
from untorn.replay.scenarios import SCENARIOS
from untorn.replay.scenarios.making import (
    ANSWER,
    CALL,
    CHOICES,
    GZIP,
    HALF,
    HALF_CALL,
    HALF_TEXT,
    OVERLOADED,
    fin,
    stall,
    whole,
)
from untorn.replay.streams import (
    ARGUMENTS,
    DONE,
    ROLE,
    TEXT,
    TOOL,
    USAGE,
    call,
    chunk,
    stream,
)
from untorn.testing import ReplayServer

each_colour = pytest.mark.parametrize("colour", COLOURS)
WHOLE = ("complete", "truncated", "filtered")
SOON = 0.3

ANSWERED = [
    one
    for one in SCENARIOS.values()
    if one.answered and one.reply.status == 200 and not one.options.limits.line < 2**20
]


# Every scenario ----------------------------------------------------------------------------------


@each_colour
@pytest.mark.parametrize("scenario", ANSWERED, ids=lambda scenario: str(scenario.name))
def test_every_answer_comes_whole_or_raises(
    colour: str, scenario: Scenario, stream_server: ReplayServer
) -> None:
    clocks = Clocks(**{scenario.clock: SOON}) if scenario.clock else Clocks()
    heard = ask(colour, stream_server.url(scenario), clocks=clocks)
    expected = scenario.expected
    if expected.outcome in WHOLE:
        assert heard.error is None
        assert heard.text == (expected.text or "")
        assert heard.calls == [
            (one.name, one.arguments) for one in expected.calls if one.state == "whole"
        ]
    else:
        assert heard.error is not None
        assert heard.calls == []
        assert (expected.text or "").startswith(heard.text)
    assert heard.completion is not None
    assert heard.completion.verdict.outcome == expected.outcome


# What raises -------------------------------------------------------------------------------------


@each_colour
@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (fin(HALF), "closed before the end of the body"),
        (whole(HALF), "no [DONE], choice 0 unfinished"),
        (whole((*HALF, DONE)), "[DONE] came, choice 0 unfinished"),
        (stall(HALF), "clock idle"),
        (whole(HALF_CALL), "inside tool call 0 of choice 0"),
    ],
)
def test_what_is_torn_raises_and_says_what_is_missing(
    colour: str, reply: Reply, why: str, stream_server: ReplayServer
) -> None:
    heard = ask(colour, stream_server.url(reply), clocks=Clocks(idle=SOON))
    assert type(heard.error) is openai.APIConnectionError
    assert why in str(heard.error)
    cause = heard.error.__cause__
    assert isinstance(cause, IncompleteAnswer)
    assert cause.completion == heard.completion
    assert heard.calls == []
    if reply.reads != HALF_CALL:
        assert cause.completion.content == heard.text == HALF_TEXT


@each_colour
def test_error_inside_a_200_is_the_sdks_own(colour: str, stream_server: ReplayServer) -> None:
    heard = ask(colour, stream_server.url(whole((*HALF, OVERLOADED))))
    assert type(heard.error) is openai.APIError
    assert heard.error.message == "the model is overloaded"
    assert heard.error.code == "overloaded"
    assert heard.text == HALF_TEXT


@each_colour
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("status-401", openai.AuthenticationError),
        ("status-429", openai.RateLimitError),
        ("status-500-torn", openai.InternalServerError),
        ("status-500-stall", openai.InternalServerError),
    ],
)
def test_error_status_is_the_sdks_own_error_however_its_body_ends(
    colour: str, name: str, kind: type[openai.APIStatusError], stream_server: ReplayServer
) -> None:
    heard = ask(colour, stream_server.url(name), clocks=Clocks(first_byte=SOON))
    assert type(heard.error) is kind
    assert heard.completion is not None
    assert heard.completion.verdict.outcome == "failed"
    assert heard.error.response.content == SCENARIOS[name].reply.body


@each_colour
def test_arguments_that_are_no_json_raise(colour: str, stream_server: ReplayServer) -> None:
    reply = whole(stream(call(fragments=["{oops"]), "tool_calls"))
    heard = ask(colour, stream_server.url(reply))
    assert isinstance(heard.error, openai.APIConnectionError)
    assert isinstance(heard.error.__cause__, NotWhole)
    assert "measure({oops)" in str(heard.error)
    assert heard.calls == []


@each_colour
def test_truncated_answer_keeps_its_reason_and_has_no_torn_call(
    colour: str, stream_server: ReplayServer
) -> None:
    reply = whole((*HALF_CALL, chunk({}, "length"), DONE))
    heard = ask(colour, stream_server.url(reply))
    assert heard.error is None
    assert heard.finish_reasons == ["length"]
    assert heard.calls == []


# What arrives ------------------------------------------------------------------------------------


@each_colour
def test_call_arrives_once_and_whole(colour: str, stream_server: ReplayServer) -> None:
    heard = ask(colour, stream_server.url("tool-call"))
    assert heard.calls == [(TOOL, ARGUMENTS)]
    assert heard.finish_reasons == ["tool_calls"]


@each_colour
def test_choices_arrive_apart(colour: str, stream_server: ReplayServer) -> None:
    reply = whole((*CHOICES, chunk({}, "stop", index=1), DONE))
    heard = ask(colour, stream_server.url(reply), n=2)
    assert heard.error is None
    assert {choice.index for one in heard.chunks for choice in one.choices} == {0, 1}
    assert ask(colour, stream_server.url(reply), n=3).error is not None


@each_colour
def test_usage_arrives_as_it_was_asked_for(colour: str, stream_server: ReplayServer) -> None:
    url = stream_server.url("text")
    asked = ask(colour, url, stream_options={"include_usage": True})
    assert not asked.chunks[-1].choices
    not_asked = ask(colour, url)
    assert all(one.choices for one in not_asked.chunks)
    for heard in (asked, not_asked):
        usages = [one.usage for one in heard.chunks if one.usage]
        assert [one.total_tokens for one in usages] == [USAGE["total_tokens"]]


@each_colour
@pytest.mark.parametrize(
    "reads",
    [
        faults.with_line_ends(ANSWER, b"\r\n"),
        faults.slices(ANSWER, 7),
        faults.with_bom(ANSWER),
        faults.heartbeats(ANSWER),
        faults.heartbeats(ANSWER, data=b"data: {}\n\n"),
    ],
)
def test_text_arrives_however_it_is_framed(
    colour: str, reads: list[Read], stream_server: ReplayServer
) -> None:
    heard = ask(colour, stream_server.url(whole(reads)))
    assert (heard.text, heard.error) == (TEXT, None)


@each_colour
def test_compressed_body_arrives(colour: str, stream_server: ReplayServer) -> None:
    heard = ask(colour, stream_server.url(whole(faults.compress(ANSWER), headers=GZIP)))
    assert (heard.text, heard.error) == (TEXT, None)


def helper_of(client: Any) -> Any:
    """``.stream()``, which was in beta for long."""
    completions = client.chat.completions
    return (
        completions.stream
        if hasattr(completions, "stream")
        else client.beta.chat.completions.stream
    )


def test_stream_helper_gives_the_final_completion(stream_server: ReplayServer) -> None:
    with (
        sync_sdk(stream_server.url(whole(CALL))) as client,
        helper_of(client)(model="m", messages=MESSAGES) as stream,
    ):
        final = stream.get_final_completion()
        assert untorn_of(client).of(stream).finish_reason == "tool_calls"
    (tool_call,) = final.choices[0].message.tool_calls
    assert (tool_call.function.name, tool_call.function.arguments) == (TOOL, ARGUMENTS)
    assert final.usage.total_tokens == USAGE["total_tokens"]


def test_async_stream_helper_raises_for_what_is_torn(stream_server: ReplayServer) -> None:
    async def main() -> None:
        async with (
            async_sdk(stream_server.url(whole(HALF_CALL))) as client,
            helper_of(client)(model="m", messages=MESSAGES) as stream,
        ):
            await stream.get_final_completion()

    with pytest.raises(openai.APIConnectionError, match="inside tool call 0"):
        asyncio.run(main())


def test_events_leave_in_the_reads_in_which_they_come(stream_server: ReplayServer) -> None:
    with sync_sdk(stream_server.url(stall((ROLE, chunk({"content": "a"}))))) as client:
        stream = client.chat.completions.create(model="m", messages=MESSAGES, stream=True)
        got = [next(stream).choices[0].delta.content for _ in range(2)]
        assert got == ["", "a"]
        assert untorn_of(client).of(stream).content == "a"
        stream.close()
    assert untorn_of(client).last.verdict.ending == "cancelled"
