"""One choice while it grows: deltas in, events out, a Choice at any time."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from tests.chat.shapes import choice, codes, read_choice
from untorn.chat.choice import ChoiceBuilder, Kind, kinds_of
from untorn.chat.chunks import Finding
from untorn.chat.completion import Audio, Choice, Message, ToolCall, TornToolCall
from untorn.chat.finish_reasons import Meaning
from untorn.chat.verdict import DefectLog
from untorn.events import (
    AudioDelta,
    ChoiceFinished,
    LogprobsDelta,
    ReasoningDelta,
    RefusalDelta,
    Revised,
    StreamEvent,
    TextDelta,
    ToolCallDelta,
    ToolCallFinished,
    ToolCallStarted,
)
from untorn.options import Limits, Options

TIDE = ["The tide", "The tide comes", "The tide comes in", "The tide comes in at noon"]
CALL = {"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}}


class Builder:
    """Choice 1 while it grows, and what it told."""

    def __init__(self, options: Options = Options()) -> None:
        self._told: list[StreamEvent] = []
        self.findings: list[Finding] = []
        self.log = DefectLog()
        self.choice = ChoiceBuilder(1, options, self.log, self._told.append)

    def told(self) -> list[StreamEvent]:
        """The events since the last time."""
        events = list(self._told)
        self._told.clear()
        return events

    def receive(self, **delta: Any) -> list[StreamEvent]:
        """Take a delta of these keys."""
        self.choice.receive(read_choice(choice(delta)), self.findings)
        return self.told()

    def receive_message(self, **message: Any) -> list[StreamEvent]:
        """Take a whole message in place of a delta."""
        self.choice.receive(read_choice({"index": 1, "message": message}), self.findings)
        return self.told()

    def finish(self, reason: str = "stop", **delta: Any) -> list[StreamEvent]:
        """Take a delta and a finish reason."""
        self.choice.receive(read_choice(choice(delta, finish_reason=reason)), self.findings)
        return self.told()

    def close(self, *, done: bool = False) -> list[StreamEvent]:
        self.choice.close(self.findings, done=done)
        return self.told()

    @property
    def message(self) -> Message:
        return self.choice.build().message


def builder_of(*deltas: dict[str, Any]) -> Builder:
    builder = Builder()
    for delta in deltas:
        builder.receive(**delta)
    return builder


# What it says ---------------------------------------------------------------------------------


def test_choice_without_anything_says_nothing() -> None:
    assert Builder().choice.build() == Choice(
        index=1,
        message=Message(
            role="assistant",
            content=None,
            reasoning=None,
            reasoning_details=[],
            refusal=None,
            tool_calls=[],
            audio=None,
            annotations=[],
            extra={},
        ),
        finish_reason=None,
        raw_logprobs=[],
        extra={},
    )
    assert Builder().choice.seen == 0


def test_texts_of_a_delta_are_told_reasoning_first_and_joined_each_by_itself() -> None:
    builder = Builder()
    assert builder.receive(content="A", reasoning="B", refusal="C") == [
        ReasoningDelta(1, "B"),
        TextDelta(1, "A"),
        RefusalDelta(1, "C"),
    ]
    builder.receive(content="x", reasoning="y", refusal="z")
    message = builder.message
    assert (message.content, message.reasoning, message.refusal) == ("Ax", "By", "Cz")


def test_text_is_an_increment_unless_it_is_said_to_be_whole() -> None:
    builder = Builder()
    for text in ("Hi", "Hi there"):
        builder.choice.say("content", text, builder.findings)
    assert builder.message.content == "HiHi there"


def test_empty_text_is_a_text_and_no_event() -> None:
    builder = Builder()
    assert builder.receive(content="", reasoning="", refusal="") == []
    message = builder.message
    assert (message.content, message.reasoning, message.refusal) == ("", "", "")


def test_first_role_stays_and_is_assistant_where_none_came() -> None:
    assert builder_of({"role": "tool"}, {"role": "user"}).message.role == "tool"
    assert builder_of({"role": ""}, {"role": "tool"}).message.role == "tool"
    assert builder_of({"content": "Hi"}).message.role == "assistant"


def test_whole_message_that_begins_with_the_text_so_far_brings_only_the_rest() -> None:
    builder = builder_of({"content": "Hi "}, {"content": "Ho"})
    assert builder.receive_message(content="Hi Ho!", refusal="No") == [
        TextDelta(1, "!"),
        RefusalDelta(1, "No"),
    ]
    assert builder.message.content == "Hi Ho!"
    assert builder.receive_message(reasoning="Why", refusal="No, no") == [
        ReasoningDelta(1, "Why"),
        RefusalDelta(1, ", no"),
    ]
    assert builder.receive_message(reasoning="Why not") == [ReasoningDelta(1, " not")]


@pytest.mark.parametrize(("key", "event"), [("content", TextDelta), ("reasoning", ReasoningDelta)])
def test_snapshots_are_told_as_what_is_new_in_them(
    key: str, event: type[TextDelta | ReasoningDelta]
) -> None:
    builder = Builder()
    told = [builder.receive(**{key: text}) for text in TIDE]
    assert told == [[event(1, "The tide")], [], [], [event(1, " comes in at noon")]]
    assert getattr(builder.message, key) == TIDE[-1]
    assert codes(builder.choice.odd_at_the_end()) == ["role-missing", "content-cumulative"]


@pytest.mark.parametrize("key", ["content", "reasoning"])
def test_text_that_turns_out_otherwise_is_revised(key: Literal["content", "reasoning"]) -> None:
    builder = Builder()
    for text in TIDE:
        builder.receive(**{key: text})
    assert builder.receive(**{key: "!"}) == [Revised(1, key, "".join(TIDE) + "!")]


def test_refusal_is_never_taken_for_snapshots() -> None:
    builder = builder_of(*({"refusal": text} for text in TIDE))
    assert builder.message.refusal == "".join(TIDE)


@pytest.mark.parametrize("key", ["content", "reasoning", "refusal"])
def test_surrogate_pair_in_two_deltas_is_joined_and_told_where(key: str) -> None:
    builder = builder_of({key: "\ud83d"}, {key: "\ude00"})
    assert getattr(builder.message, key) == "\U0001f600"
    assert builder.findings == [Finding("surrogate-split", f"in the {key} of choice 1")]


def test_fragments_of_tool_calls_are_told() -> None:
    assert Builder().receive(tool_calls=[CALL]) == [
        ToolCallStarted(1, call=0, index=0, id="a", name="f"),
        ToolCallDelta(1, call=0, index=0, arguments="{}"),
    ]


def test_calls_of_a_whole_message_need_no_index() -> None:
    builder = Builder()
    builder.receive_message(tool_calls=[CALL, CALL | {"id": "b"}])
    assert [call.id for call in builder.message.tool_calls] == ["a", "b"]
    assert builder.findings == []


# What it carries ------------------------------------------------------------------------------


def test_audio_is_joined_and_its_last_piece_brings_its_end_mark() -> None:
    builder = Builder()
    assert builder.receive(audio={"id": "a1", "data": "AA", "transcript": "Hi"}) == [
        AudioDelta(1, "AA", "Hi")
    ]
    assert builder.receive(audio={"data": "BB"}) == [AudioDelta(1, "BB", "")]
    assert not builder.choice.audio_ended
    assert builder.receive(audio={"transcript": "!"}) == [AudioDelta(1, "", "!")]
    assert builder.receive(audio={"expires_at": 9, "transcript": ""}) == []
    assert builder.choice.audio_ended
    builder.receive(audio={"data": ""})
    assert builder.choice.audio_ended
    assert builder.message.audio == Audio("a1", "AABB", "Hi!", 9)


def test_transcript_is_never_taken_for_snapshots() -> None:
    builder = builder_of(*({"audio": {"transcript": text}} for text in TIDE))
    assert builder.message.audio == Audio(None, "", "".join(TIDE), None)


def test_half_a_pair_of_a_transcript_is_told_at_its_end() -> None:
    builder = Builder()
    assert builder.receive(audio={"transcript": "Hi\ud83d"}) == [AudioDelta(1, "", "Hi")]
    assert builder.close(done=True) == [AudioDelta(1, "", "\ufffd")]
    assert [finding.code for finding in builder.findings] == ["lone-surrogate"]


@pytest.mark.parametrize(
    ("audio", "built"),
    [
        ({}, Audio(None, "", None, None)),
        ({"data": 7, "id": 7, "expires_at": "soon"}, Audio(None, "", None, None)),
        ({"transcript": "Hi"}, Audio(None, "", "Hi", None)),
    ],
)
def test_audio_has_what_came_in_its_shape(audio: dict[str, Any], built: Audio) -> None:
    assert builder_of({"audio": audio}).message.audio == built


def test_logprobs_are_told_and_kept_undecoded() -> None:
    builder = Builder()
    builder.choice.receive(read_choice(choice(logprobs={"a": 1})), builder.findings)
    assert builder.told() == [LogprobsDelta(1, Raw(b'{"a":1}'))]
    builder.choice.receive_logprobs(b'{"a": 2}')
    assert builder.choice.build().raw_logprobs == [b'{"a":1}', b'{"a": 2}']


def test_annotations_and_blocks_of_reasoning_are_collected() -> None:
    block = {"type": "reasoning.text", "text": "Hm"}
    builder = builder_of(
        {"annotations": [1], "reasoning_details": [block]},
        {"annotations": [2], "reasoning_details": [block]},
    )
    assert builder.message.annotations == [1, 2]
    assert builder.message.reasoning_details == [{"type": "reasoning.text", "text": "HmHm"}]


def test_one_piece_of_the_open_block_joins_it_and_no_other_blocks_do() -> None:
    piece = {"type": "reasoning.text", "text": "Hm"}
    builder = Builder()
    assert not builder.choice.joins_details([piece])
    builder.choice.receive_details([piece])
    assert builder.choice.joins_details([piece])
    for others in ([], [piece, piece], [{**piece, "id": "x"}], [{"type": "other", "text": "Hm"}]):
        assert not builder.choice.joins_details(others)
    kept = builder.choice.kept_details
    builder.choice.receive_details([piece])
    assert builder.choice.kept_details == kept
    assert builder.message.reasoning_details == [{"type": "reasoning.text", "text": "HmHm"}]


def test_unknown_keys_of_deltas_grow_and_of_the_choice_are_replaced() -> None:
    builder = Builder()
    for value in ("a", "b"):
        builder.choice.receive(read_choice(choice({"note": value, "n": [value]}, v=value)), [])
    builder.choice.receive(read_choice(choice(w="c")), [])
    built = builder.choice.build()
    assert built.message.extra == {"note": "ab", "n": ["b"]}
    assert built.extra == {"v": "b", "w": "c"}


def test_parts_of_content_of_other_types_are_collected() -> None:
    one, two = {"type": "image_url"}, {"type": "file"}
    builder = builder_of({"content": [one]}, {"content": [two, "Hi"]})
    assert (builder.message.content, builder.message.extra) == (
        "Hi",
        {"content_parts": [one, two]},
    )


def test_parts_of_content_stand_beside_what_a_vendor_sent_under_their_key() -> None:
    part = {"type": "file"}
    builder = builder_of({"content": [part], "content_parts": "theirs"})
    assert builder.message.extra == {"content_parts": ["theirs", part]}


@pytest.mark.parametrize(
    ("wire", "kinds"),
    [
        (choice(), 0),
        ({"delta": None}, 0),
        (choice(finish_reason="stop"), Kind.FINISH),
        ({"delta": None, "finish_reason": "stop"}, Kind.FINISH),
        (choice({"role": "assistant"}), Kind.ROLE),
        (choice({"content": ""}), Kind.CONTENT),
        (choice({"reasoning": ""}), Kind.REASONING),
        (choice({"tool_calls": [{}]}), Kind.TOOL_CALLS),
        (choice({"refusal": "No", "v": 1}), 0),
        (choice({"role": "tool", "content": "Hi"}), Kind.ROLE | Kind.CONTENT),
        (
            choice({"role": "tool", "reasoning": "", "tool_calls": [{}]}, finish_reason="stop"),
            Kind.ROLE | Kind.REASONING | Kind.TOOL_CALLS | Kind.FINISH,
        ),
    ],
)
def test_kinds_are_what_a_choice_of_a_chunk_brings(wire: dict[str, Any], kinds: int) -> None:
    assert kinds_of(read_choice(wire)) == kinds


# Its end --------------------------------------------------------------------------------------


def test_finish_reason_ends_a_choice_after_what_its_chunk_brings() -> None:
    builder = builder_of({"tool_calls": [CALL]})
    assert not builder.choice.is_finished
    assert builder.finish("tool_calls", content="Hi") == [
        TextDelta(1, "Hi"),
        ToolCallFinished(1, call=0, index=0, tool_call=ToolCall(0, "a", "function", "f", "{}")),
        ChoiceFinished(1, "tool_calls"),
    ]
    assert builder.choice.is_finished
    assert builder.findings == []


def test_choice_of_a_chunk_without_a_delta_may_finish_too() -> None:
    builder = builder_of({"content": "Hi"})
    builder.choice.receive(read_choice({"delta": None, "finish_reason": "stop"}), builder.findings)
    assert builder.told() == [ChoiceFinished(1, "stop")]
    assert builder.message.content == "Hi"


def test_what_waits_is_told_before_the_end() -> None:
    builder = builder_of({"content": "ha"}, {"content": "haha", "reasoning": "\ud83d"})
    builder.receive(refusal="\ud83d", tool_calls=[CALL | {"function": {"name": "f"}}])
    assert builder.finish() == [
        ReasoningDelta(1, "\ufffd"),
        TextDelta(1, "haha"),
        RefusalDelta(1, "\ufffd"),
        ToolCallStarted(1, call=0, index=0, id="a", name="f"),
        ToolCallFinished(1, call=0, index=0, tool_call=ToolCall(0, "a", "function", "f", "")),
        ChoiceFinished(1, "stop"),
    ]
    assert builder.findings == [
        Finding("lone-surrogate", "in the reasoning of choice 1"),
        Finding("lone-surrogate", "in the refusal of choice 1"),
    ]


@pytest.mark.parametrize(
    ("reason", "meaning", "found"),
    [
        ("stop", Meaning.NORMAL, []),
        ("tool_calls", Meaning.CALLS, []),
        ("length", Meaning.LIMIT, []),
        ("content_filter", Meaning.FILTER, []),
        ("STOP", Meaning.NORMAL, [Finding("finish-reason-nonstandard", "it is 'STOP'")]),
        ("abort", Meaning.GAVE_UP, [Finding("finish-reason-nonstandard", "it is 'abort'")]),
        (
            "done",
            Meaning.UNKNOWN,
            [Finding("finish-reason-unknown", "nobody knows what 'done' means")],
        ),
    ],
)
def test_finish_reason_means_something_and_stays_as_sent(
    reason: str, meaning: Meaning, found: list[Finding]
) -> None:
    builder = Builder()
    assert builder.finish(reason) == [ChoiceFinished(1, reason)]
    assert (builder.choice.finish_reason, builder.choice.meaning) == (reason, meaning)
    assert builder.findings == found


def test_caller_may_know_what_a_reason_means() -> None:
    builder = Builder(Options(normal_finish_reasons=frozenset({"Done"})))
    builder.finish("DONE")
    assert builder.choice.meaning is Meaning.NORMAL
    assert codes(builder.findings) == ["finish-reason-nonstandard"]


def test_long_finish_reason_is_cut_in_sentences_only() -> None:
    known = Builder(Options(normal_finish_reasons=frozenset({"x" * 100})))
    known.finish("x" * 100)
    assert known.findings == [Finding("finish-reason-nonstandard", f"it is '{'x' * 60}'")]
    builder = Builder()
    builder.finish("x" * 100)
    builder.finish("y" * 100)
    assert builder.choice.finish_reason == "x" * 100
    assert builder.findings == [
        Finding("finish-reason-unknown", f"nobody knows what '{'x' * 60}' means"),
        Finding("finish-reason-unknown", f"nobody knows what '{'y' * 60}' means"),
        Finding("finish-reason-changed", f"choice 1 got '{'y' * 60}' as well"),
    ]


@pytest.mark.parametrize(
    ("reasons", "stays", "found"),
    [
        (["stop", "stop"], "stop", ["finish-reason-repeated"]),
        (["stop", "length"], "length", ["finish-reason-changed"]),
        (["length", "stop"], "length", ["finish-reason-changed"]),
        (["stop", "tool_calls"], "tool_calls", ["finish-reason-changed"]),
        (["tool_calls", "function_call"], "tool_calls", ["finish-reason-changed"]),
        (["length", "content_filter"], "content_filter", ["finish-reason-changed"]),
        (["what", "stop"], "stop", ["finish-reason-unknown", "finish-reason-changed"]),
    ],
)
def test_of_several_reasons_the_telling_one_stays_and_the_others_are_told(
    reasons: list[str], stays: str, found: list[str]
) -> None:
    builder = Builder()
    events = [event for reason in reasons for event in builder.finish(reason)]
    revised = [] if stays == reasons[0] else [Revised(1, "finish_reason", stays)]
    assert events == [ChoiceFinished(1, reasons[0]), *revised]
    assert builder.choice.build().finish_reason == stays
    assert codes(builder.findings) == found


@given(
    st.permutations(["what", "stop", "tool_calls", "length", "content_filter", "abort", "error"])
)
def test_telling_reason_is_the_same_in_any_order(reasons: list[str]) -> None:
    builder = Builder()
    for reason in reasons:
        builder.finish(reason)
    assert builder.choice.finish_reason == "error"


def test_reason_that_lost_against_another_may_be_repeated_too() -> None:
    builder = Builder()
    for reason in ("tool_calls", "stop", "stop", "tool_calls"):
        builder.finish(reason)
    assert builder.choice.finish_reason == "tool_calls"
    assert codes(builder.findings) == [
        "finish-reason-changed",
        "finish-reason-repeated",
        "finish-reason-repeated",
    ]


@pytest.mark.parametrize(
    "delta",
    [
        {"content": "a"},
        {"reasoning": "a"},
        {"refusal": "a"},
        {"audio": {"data": "AA"}},
        {"audio": {"transcript": "a"}},
        {"content": "a", "audio": {}},
        {"tool_calls": [{"id": "a"}]},
        {"tool_calls": [{"function": {"name": "f"}}]},
        {"tool_calls": [{"function": {"arguments": "{"}}]},
    ],
)
def test_message_after_the_end_is_taken_and_told(delta: dict[str, Any]) -> None:
    builder = Builder()
    builder.finish()
    builder.receive(**delta)
    assert builder.findings[0] == Finding("content-after-finish", "choice 1 went on after its end")
    assert builder.message != Builder().message


@pytest.mark.parametrize(
    "delta",
    [
        {},
        {"role": "assistant", "content": ""},
        {"audio": {"expires_at": 9}},
        {"tool_calls": [{"index": 0, "function": {"arguments": ""}}]},
        {"v": 1},
    ],
)
def test_delta_after_the_end_that_says_nothing_is_no_defect(delta: dict[str, Any]) -> None:
    builder = Builder()
    builder.finish()
    builder.receive(**delta)
    assert "content-after-finish" not in codes(builder.findings)


def test_done_may_stand_for_the_finish_reason() -> None:
    builder = builder_of({"tool_calls": [CALL]})
    builder.choice.accept_done(builder.findings)
    assert builder.told() == [
        ToolCallFinished(1, call=0, index=0, tool_call=ToolCall(0, "a", "function", "f", "{}")),
        ChoiceFinished(1, None),
    ]
    assert builder.choice.is_finished
    assert builder.choice.build().finish_reason is None


@pytest.mark.parametrize(
    ("reason", "state"),
    [
        ("stop", "whole"),
        ("length", "whole"),
        ("content_filter", "torn"),
        ("abort", "torn"),
        ("error", "torn"),
        ("what", "torn"),
    ],
)
def test_calls_may_be_run_only_after_a_normal_end_or_if_closed_before_a_limit(
    reason: str, state: str
) -> None:
    builder = builder_of({"tool_calls": [CALL]})
    builder.finish(reason)
    assert [call.state for call in builder.message.tool_calls] == [state]


def test_call_is_torn_if_an_event_was_lost_before_its_end() -> None:
    builder = builder_of({"tool_calls": [CALL]})
    builder.log.add("bad-json", None, "an event is lost")
    assert builder.finish("tool_calls") == [ChoiceFinished(1, "tool_calls")]
    assert [call.state for call in builder.message.tool_calls] == ["torn"]


def test_call_that_had_finished_is_whole_whatever_is_lost_after_it() -> None:
    builder = builder_of({"tool_calls": [CALL]})
    builder.finish("tool_calls")
    builder.log.add("bad-json", None, "an event is lost")
    assert builder.close() == []
    assert [call.state for call in builder.message.tool_calls] == ["whole"]


def test_whole_arguments_in_a_choice_that_never_finished_are_torn() -> None:
    builder = builder_of({"tool_calls": [CALL]})
    assert builder.close() == []
    assert builder.message.tool_calls == [TornToolCall(0, "a", "function", "f", "{}", "torn")]


def test_close_tells_what_waits_and_what_came_after_the_end() -> None:
    builder = builder_of({"content": "ha"}, {"content": "haha"})
    assert builder.close() == [TextDelta(1, "haha")]
    finished = Builder()
    finished.finish()
    finished.receive(tool_calls=[CALL])
    assert finished.close() == [
        ToolCallFinished(1, call=0, index=0, tool_call=ToolCall(0, "a", "function", "f", "{}"))
    ]


@pytest.mark.parametrize(("done", "text"), [(False, "a"), (True, "a\ufffd")])
def test_half_a_pair_at_the_end_is_told_unless_its_partner_may_have_been_on_its_way(
    done: bool, text: str
) -> None:
    builder = builder_of({"refusal": "a\ud83d"})
    assert builder.close(done=done) == ([RefusalDelta(1, "\ufffd")] if done else [])
    assert builder.message.refusal == text
    assert codes(builder.findings) == ["lone-surrogate"]


def test_half_a_pair_after_the_end_of_a_choice_waits_for_nothing() -> None:
    builder = Builder()
    builder.finish()
    builder.receive(content="a\ud83d")
    assert builder.close() == [TextDelta(1, "\ufffd")]


def test_reason_after_done_stood_for_it_is_no_second_end_and_counts() -> None:
    builder = builder_of({"tool_calls": [CALL]})
    builder.choice.accept_done(builder.findings)
    builder.told()
    assert builder.finish("content_filter") == [Revised(1, "finish_reason", "content_filter")]
    assert builder.findings == []
    assert [call.state for call in builder.message.tool_calls] == ["torn"]


# What is odd at the end -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("deltas", "finding"),
    [
        (
            [{"role": "", "content": "Hi"}],
            Finding("role-missing", "choice 1 got no role; it is assistant's"),
        ),
        (
            [{"role": "assistant", "reasoning": text} for text in TIDE],
            Finding("content-cumulative", "choice 1 got snapshots of its text"),
        ),
        (
            [{"role": "assistant", "content": "<think>Hm"}],
            Finding("think-tags", "the content of choice 1 holds think tags"),
        ),
        (
            [{"role": "assistant", "tool_calls": [CALL | {"id": None}]}],
            Finding("tool-id-missing", "call 0 has no id"),
        ),
    ],
)
def test_what_can_only_be_told_at_the_end_is_told_in_a_sentence(
    deltas: list[dict[str, Any]], finding: Finding
) -> None:
    assert builder_of(*deltas).choice.odd_at_the_end() == [finding]


def test_every_think_tag_counts_also_one_in_two_deltas() -> None:
    builder = builder_of({"content": "<thi"}, {"content": "nk>Hm</think>"})
    _, tags = builder.choice.odd_at_the_end()
    assert (tags.code, tags.times) == ("think-tags", 2)
    assert builder.message.content == "<think>Hm</think>"


@pytest.mark.parametrize(
    ("reason", "found"),
    [("stop", True), ("STOP", True), ("tool_calls", False), ("end_turn", False)],
)
def test_stop_although_there_are_calls_is_told(reason: str, found: bool) -> None:
    builder = builder_of({"role": "assistant", "tool_calls": [CALL]})
    builder.finish(reason)
    mismatch = [Finding("finish-reason-mismatch", "choice 1 has calls to run")]
    assert builder.choice.odd_at_the_end() == (mismatch if found else [])


def test_stop_without_calls_is_fine() -> None:
    builder = builder_of({"role": "assistant"})
    builder.finish("stop")
    assert builder.choice.odd_at_the_end() == []


def test_audio_that_ended_a_choice_is_told() -> None:
    builder = builder_of({"role": "assistant", "audio": {"expires_at": 9}})
    assert builder.choice.odd_at_the_end() == []
    builder.choice.accept_done([])
    assert builder.choice.odd_at_the_end() == [
        Finding("audio-end", "choice 1 ended with its audio")
    ]


def test_audio_of_a_choice_that_has_a_reason_is_no_audio_end() -> None:
    builder = builder_of({"role": "assistant", "audio": {"expires_at": 9}})
    builder.choice.accept_done([])
    builder.finish("stop")
    assert builder.choice.odd_at_the_end() == []


def test_done_that_stands_for_a_reason_by_the_wish_of_the_caller_is_no_audio_end() -> None:
    builder = builder_of({"role": "assistant"})
    builder.choice.accept_done([])
    assert builder.choice.odd_at_the_end() == []


# How long it is -------------------------------------------------------------------------------


def test_characters_are_counted_over_all_texts_arguments_and_audio() -> None:
    builder = builder_of(
        {"content": "abc", "reasoning": "de", "refusal": "f"},
        {"tool_calls": [CALL], "audio": {"data": "AAAA", "transcript": "Hi"}},
        {"tool_calls": [{"index": 0, "function": {"arguments": " "}}], "audio": {"data": "AA"}},
    )
    assert builder.choice.length == builder.choice.count() == 18  # the name of the call too


@pytest.mark.parametrize(
    ("limits", "deltas", "over"),
    [
        (Limits(tool_calls=1), [{"tool_calls": [CALL]}], None),
        (
            Limits(tool_calls=1),
            [{"tool_calls": [CALL, CALL | {"index": 1}]}],
            "more than 1 tool calls in choice 1",
        ),
        (Limits(text=65), [{"content": text} for text in [*TIDE, "!"]], None),
        (
            Limits(text=64),
            [{"content": text} for text in [*TIDE, "!"]],
            "more than 64 characters in choice 1",
        ),
        (
            Limits(text=64),
            [{"reasoning": text} for text in [*TIDE, "!"]],
            "more than 64 characters in choice 1",
        ),
        (
            Limits(name=1),
            [
                {"tool_calls": [CALL]},
                {"tool_calls": [{"index": 0, "id": "a", "function": {"name": "g"}}]},
            ],
            "more than 1 characters in the name of a tool call",
        ),
        (
            Limits(text=64, name=1),
            [
                *({"content": text, "tool_calls": [CALL]} for text in TIDE),
                {"content": "!", "tool_calls": [CALL | {"function": {"name": "g"}}]},
            ],
            "more than 64 characters in choice 1",
        ),
    ],
)
def test_limit_that_was_passed_is_told_in_a_sentence(
    limits: Limits, deltas: list[dict[str, Any]], over: str | None
) -> None:
    builder = Builder(Options(limits=limits))
    for delta in deltas:
        builder.receive(**delta)
    assert builder.choice.over == over


def test_count_is_exact_where_the_sum_of_fragments_is_not() -> None:
    builder = builder_of(*({"content": text} for text in TIDE))
    assert builder.choice.length == sum(map(len, TIDE))
    assert builder.choice.count() == builder.choice.length == len(TIDE[-1])
    assert Builder().choice.count() == 0


def test_what_is_kept_in_blocks_and_beside_calls_is_counted() -> None:
    builder = Builder()
    builder.receive(reasoning_details=[{"type": "a", "data": 1}], tool_calls=[{**CALL, "x": 1}])
    assert builder.choice.kept_inside == 3
    builder.receive(reasoning_details=[{"type": "b", "data": 1}])
    assert builder.choice.kept_inside == 5
