"""What must be the same whatever way it takes: fast or plain, in whichever reads, and back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, NoReturn

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.chat_helpers import Told, by_event, call, chunk, finish, play, texts_of
from tests.conversations import USAGE, Conversation, Style, conversations, styles
from tests.strategies import bodies, damaged_bodies, reads
from untorn import ChatStream, Revised, StreamEvent, ToolCallFinished, parse, stream
from untorn.chat import fast_way
from untorn.chat.framing import Framing
from untorn.chat.payload import KeepAlive, Note
from untorn.chat.payload_reader import PayloadReader
from untorn.options import Limits, Options
from untorn.sse import EventStream
from untorn.sse.lines import LineSplitter

some = settings(max_examples=200)

any_bodies = bodies | damaged_bodies()
limits = st.builds(
    Limits,
    line=st.sampled_from([40, 90, 1000]),
    event=st.sampled_from([40, 90, 1000]),
    body=st.sampled_from([10, 300, 1000]),
    text=st.sampled_from([0, 3, 20, 1000]),
    choices=st.sampled_from([1, 2, 9]),
    tool_calls=st.sampled_from([1, 2, 9]),
    extras=st.sampled_from([0, 1, 9]),
    depth=st.sampled_from([3, 4, 9]),
)


# The fast way and the plain way --------------------------------------------------------------


def refuse(*_data: Any) -> NoReturn:
    raise msgspec.DecodeError


@contextmanager
def no_fast_way() -> Iterator[None]:
    """No payload is usual, and no line and no read either: all is read the plain way."""
    with pytest.MonkeyPatch.context() as patch:
        for name in DECODERS:
            patch.setattr(fast_way, name, refuse)
        patch.setattr(fast_way.FastWay, "_decode_any", refuse)
        patch.setattr(Framing, "_find_rest", lambda framing: None)
        yield


@contextmanager
def short_reads_as_if_long() -> Iterator[None]:
    """A read of any size may be split at once, if it has nothing but usual events in it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stream, "ENOUGH", 0)
        yield


DECODERS = [name for name in vars(fast_way) if name.startswith("decode_")]


@some
@given(any_bodies)
@example(chunk({"content": ""}) + chunk({"content": "a"}) * 2 + finish())
def test_fast_way_and_plain_way_are_one(body: bytes) -> None:
    with no_fast_way():
        plain = play([body])
    assert play([body]) == plain
    assert play(by_event(body)) == plain


@some
@given(reads(any_bodies), limits)
@example([chunk({"content": "a"}), chunk({"content": "b"}), chunk({"new": 1}) * 2], Limits())
def test_reads_of_usual_events_are_split_at_once_as_they_are_line_by_line(
    parts: list[bytes], limits: Limits
) -> None:
    options = Options(limits=limits)
    by_line = play(parts, ChatStream(options))
    with short_reads_as_if_long():
        assert play(parts, ChatStream(options)) == by_line


@pytest.mark.parametrize("is_fast", [True, False])
def test_fast_way_is_what_is_switched_off(is_fast: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the two ways that are compared would be the same."""
    body = chunk({"role": "assistant", "content": "a"}) + chunk({"content": "b"}) * 9
    read: list[object] = []
    receive = PayloadReader.receive

    def noting(reader: PayloadReader, item: Any, wide: Any) -> None:
        read.append(item)
        receive(reader, item, wide)

    monkeypatch.setattr(PayloadReader, "receive", noting)
    with nullcontext() if is_fast else no_fast_way():
        play(by_event(body))
    # The second fragment tells that the first was no snapshot; then there is nothing to look at.
    assert len(read) == (2 if is_fast else 10)


# Framing and the standard --------------------------------------------------------------------

BROKEN = {"bad-json", "not-json"}
"""Data that is no JSON: if it came in several lines, it was read line by line."""


def framed(body: bytes) -> tuple[list[str], list[str]]:
    """The data of all payloads, and the codes of the defects that framing reports."""
    splitter = LineSplitter()
    framing = Framing(None, Limits(), splitter)
    items = framing.receive_lines(splitter.receive_data(body))
    items = [*items, *framing.receive_eof(splitter.receive_eof())]
    data = [
        item if isinstance(item, bytes) else item.data
        for item in items
        if not isinstance(item, Note | KeepAlive)
    ]
    codes = [item.code for item in items if isinstance(item, Note)]
    return [one.decode("utf-8", "replace") for one in data], codes


@some
@given(any_bodies)
@example(b"data:\ndata: [DONE]\n\n")
def test_payloads_are_the_data_of_the_standards_events_where_framing_reports_no_defect(
    body: bytes,
) -> None:
    payloads, codes = framed(body)
    _, completion = play([body])
    if not codes and BROKEN.isdisjoint(defect.code for defect in completion.verdict.defects):
        assert payloads == [event.data for event in EventStream().receive_data(body)]


# Reads ---------------------------------------------------------------------------------------


@some
@given(reads(st.binary(max_size=60) | any_bodies), st.sampled_from([200, 500]))
@example([b'data: {"choices":[],"usage":{"total_tokens":1,"cost":1e400}}'], 200)
def test_any_bytes_in_any_reads_give_the_completion_of_the_whole(
    parts: list[bytes], status: int
) -> None:
    whole = parse(b"".join(parts), status=status)
    assert parse(parts, status=status) == whole
    assert str(whole).isprintable()
    json.dumps([whole.to_dict(), whole.to_openai()], allow_nan=False)


@some
@given(reads(any_bodies), limits)
@example([b"data: " + b"x" * 60, b"\n"], Limits(line=40))
@example([b"data: " + b"x" * 60 + b"\n", b"data: y"], Limits(event=40))
@example([b"data: " + b"x" * 60 + b"\n", b"y" * 99], Limits(event=40, line=80))
@example([chunk({"content": "abcd"}), chunk({"content": "efgh"})], Limits(text=3))
def test_limits_are_passed_at_the_same_byte_whatever_the_reads(
    parts: list[bytes], limits: Limits
) -> None:
    options = Options(limits=limits)
    whole = play([b"".join(parts)], ChatStream(options))
    assert play(parts, ChatStream(options)) == whole


@some
@given(reads(any_bodies))
@example([chunk(call(name="f", arguments="{}")), chunk(call(arguments='{"a":1}'))])
def test_events_tell_what_the_completion_holds_whatever_the_reads(parts: list[bytes]) -> None:
    events, completion = play(parts)
    assert events == play([b"".join(parts)])[0]
    told = Told().take(events)
    for choice in completion.choices:
        assert told.texts_of(choice.index) == texts_of(choice)


@some
@given(reads(any_bodies))
def test_look_at_the_completion_changes_nothing(parts: list[bytes]) -> None:
    one = ChatStream()
    events: list[StreamEvent] = []
    for data in parts:
        events += one.receive_data(data)
        assert one.completion == one.completion
    events += one.receive_eof()
    assert (events, one.completion) == play(parts)


# A conversation and back ---------------------------------------------------------------------


@some
@given(conversations(), styles)
def test_conversation_is_read_back_as_it_was_said(conversation: Conversation, style: Style) -> None:
    events, completion = play([style.stream(conversation)])
    reports = [choice.to_dict() for choice in completion.choices]
    assert reports == [answer.report() for answer in conversation.answers]
    assert completion.usage is not None
    assert completion.usage.to_dict() == USAGE
    reasons = {answer.finish_reason for answer in conversation.answers}
    filtered, truncated = "content_filter" in reasons, "length" in reasons
    outcome = "filtered" if filtered else "truncated" if truncated else "complete"
    assert completion.verdict.outcome == outcome
    assert {defect.code for defect in completion.verdict.defects} <= {"think-tags"}
    assert not any(isinstance(event, Revised) for event in events)


@some
@given(conversations(), styles)
def test_every_call_of_a_conversation_may_be_run_once(
    conversation: Conversation, style: Style
) -> None:
    events, completion = play([style.stream(conversation)])
    finished = [event for event in events if isinstance(event, ToolCallFinished)]
    for choice in completion.choices:
        told = [event.tool_call for event in finished if event.choice == choice.index]
        assert told == choice.message.tool_calls
        sent = [json.loads("".join(call)) for call in conversation.answers[choice.index].calls]
        assert [call.parsed() for call in told] == sent
