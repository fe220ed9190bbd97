"""What comes out of odd content, audio and calls, from bytes to completion."""

from __future__ import annotations

import pytest

from tests.chat_helpers import DONE, call, chunk, event, finish, play
from untorn import ChatStream, Completion, Limits, Options, parse

IMAGE = {"type": "image_url"}


def completion_of(*reads: bytes) -> Completion:
    return play(reads)[1]


@pytest.mark.parametrize("value", [5, "text"])
def test_unknown_key_content_parts_does_no_harm(value: object) -> None:
    done = completion_of(chunk({"content_parts": value}), chunk({"content": [IMAGE]}), finish())
    assert done.choices[0].message.extra == {"content_parts": [value, IMAGE]}


def test_completion_that_was_taken_keeps_its_parts() -> None:
    stream = ChatStream()
    stream.receive_data(chunk({"content": [IMAGE]}))
    early = stream.completion
    stream.receive_data(chunk({"content": [IMAGE]}))
    assert early.choices[0].message.extra == {"content_parts": [IMAGE]}


def test_surrogate_pair_in_two_transcripts_is_joined() -> None:
    done = completion_of(
        chunk({"audio": {"transcript": "\ud83d"}}),
        chunk({"audio": {"transcript": "\ude00"}}),
        finish(),
        DONE,
    )
    audio = done.choices[0].message.audio
    assert audio is not None
    assert audio.transcript == "\U0001f600"


def test_transcript_that_is_null_is_none() -> None:
    audio = (
        completion_of(chunk({"audio": {"data": "AA==", "transcript": None}}))
        .choices[0]
        .message.audio
    )
    assert audio is not None
    assert audio.transcript is None


@pytest.mark.parametrize("thinking", [None, 7, [], [{"type": "ref"}]])
def test_thinking_part_without_text_is_no_reasoning(thinking: object) -> None:
    assert completion_of(chunk({"content": [{"thinking": thinking}]})).reasoning is None


def test_sentence_of_done_inside_a_call_is_a_sentence() -> None:
    done = completion_of(chunk(call(0, id="a", name="f", arguments="{")), DONE)
    detail = {one.code: one.detail for one in done.verdict.defects}["missing-finish-reason"]
    assert "with inside" not in detail


def test_whole_message_after_half_a_pair_brings_only_the_rest() -> None:
    message = {
        "choices": [{"index": 0, "message": {"content": "a\U0001f600"}, "finish_reason": "stop"}]
    }
    assert (
        completion_of(chunk({"content": "a\ud83d"}), event(message), DONE).content == "a\U0001f600"
    )


def test_type_custom_makes_a_call_custom_before_its_text_comes() -> None:
    first = {"tool_calls": [{"index": 0, "id": "a", "type": "custom"}]}
    then = {"tool_calls": [{"index": 0, "custom": {"name": "f", "input": "free"}}]}
    (one,) = completion_of(chunk(first), chunk(then), finish("tool_calls"), DONE).tool_calls
    assert (one.type, one.state) == ("custom", "whole")


def test_empty_object_is_arguments_of_a_function_call_too() -> None:
    (one,) = completion_of(
        chunk({"function_call": {"name": "f"}}),
        chunk({"function_call": {"arguments": {}}}),
        finish("function_call"),
        DONE,
    ).tool_calls
    assert one.arguments == "{}"


def test_halves_in_two_parts_of_one_content_are_joined() -> None:
    assert (
        completion_of(
            chunk({"content": [{"text": "\ud83d"}, {"text": "\ude00"}]}), finish()
        ).content
        == "\U0001f600"
    )


def test_transcript_torn_after_half_a_pair_ends_before_it() -> None:
    torn = completion_of(chunk({"audio": {"transcript": "a\ud83d"}}))
    audio = torn.choices[0].message.audio
    assert audio is not None
    assert audio.transcript == "a"
    assert "lone-surrogate" in [defect.code for defect in torn.verdict.defects]


def test_name_that_only_comes_again_passes_no_limit() -> None:
    again = call(0, id="a", name="f" * 600, arguments="{")
    done = completion_of(chunk(again), chunk(again))
    assert done.verdict.ending == "eof"


def test_name_in_too_many_pieces_passes_its_limit() -> None:
    pieces = [chunk(call(0, name="fg"[number % 2] * 2)) for number in range(9)]
    stream = ChatStream(Options(limits=Limits(name=8)))
    for piece in pieces:
        stream.receive_data(piece)
    reason = "more than 8 characters in the name of a tool call"
    assert stream.completion.verdict.reason == reason


def test_bare_line_that_began_a_stream_has_no_place_in_later_reads() -> None:
    body = b"\n\n{\n:\n\ndata\n"
    for cut in range(len(body)):
        assert parse([body[:cut], body[cut:]]) == parse(body)


def test_many_byte_order_marks_before_a_field_are_dropped_at_once() -> None:
    body = b"data: {}\n\n" + b"\xef\xbb\xbf" * 100_000 + b'data: {"choices":[]}\n\n'
    (found,) = [d for d in parse(body).verdict.defects if d.code == "bom-mid-stream"]
    assert (found.offset, found.count) == (10, 100_000)


def test_many_prefixes_in_one_line_are_dropped_at_once() -> None:
    said = b'{"choices":[{"index":0,"delta":{"content":"a"}}]}'
    completion = parse(b"data:" * 50_000 + b"data: " * 50_000 + said + b"\n\n" + DONE)
    assert completion.content == "a"


def test_halves_of_pairs_are_looked_for_once_in_an_array_of_chunks() -> None:
    one = b'{"choices":[{"index":0,"delta":{"content":"\\ud83dx"}}]}'
    completion = parse(b"data: [" + b",".join([one] * 5_000) + b"]\n\n")
    assert completion.content == "\N{REPLACEMENT CHARACTER}x" * 5_000
