"""Chunks to events and the completion: everything of one stream that is not of one choice."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.chat.shapes import choice, chunk
from untorn.chat.builder import CompletionBuilder, End
from untorn.chat.chunks import read_chunk
from untorn.chat.completion import Usage
from untorn.chat.payload import Note
from untorn.chat.verdict import Defect, Ending, ErrorObject, Verdict
from untorn.chat.wide import decode_wide
from untorn.events import (
    ChoiceFinished,
    DefectFound,
    ErrorReported,
    Heartbeat,
    Started,
    StreamEvent,
    TextDelta,
    ToolCallDelta,
    ToolCallFinished,
    UsageReported,
)
from untorn.head import Head
from untorn.options import Limits, Options
from untorn.sse.event_stream import Tail
from untorn.timing import Timing

SAYS = choice({"role": "assistant", "content": "Hi"})
STOP = choice(finish_reason="stop")
USAGE = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
OPEN_CALL = choice(
    {"role": "assistant", "tool_calls": [{"index": 0, "id": "a", "function": {"name": "f"}}]}
)
ARGUMENTS = choice({"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]})


def builder_of(*choices: dict[str, Any], **more: Any) -> CompletionBuilder:
    """A builder that got a chunk for each choice; ``more`` are Options."""
    builder = new_builder(**more)
    for one in choices:
        builder.receive_chunk(chunk(one))
    return builder


def new_builder(head: Head | None = None, **options: Any) -> CompletionBuilder:
    """A builder for which every item lies at byte 7."""
    return CompletionBuilder(Options(**options), head, lambda item: 7)


def end(
    ending: Ending = "eof",
    reason: str | None = None,
    *,
    tail: Tail | None = None,
    is_document: bool = False,
    received: int | None = 50,
) -> End:
    return End(ending, reason, tail, is_document, received)


def told(builder: CompletionBuilder) -> list[StreamEvent]:
    """The events since the last time."""
    events = list(builder.out)
    builder.out.clear()
    return events


def found(builder: CompletionBuilder) -> dict[str, str]:
    """The codes that are known so far, and their sentences."""
    return {defect.code: defect.detail for defect in builder.verdict(None).defects}


def after(builder: CompletionBuilder, last: End) -> dict[str, str]:
    """The same for what the end adds."""
    before = found(builder)
    builder.close(last)
    return {code: why for code, why in found(builder).items() if code not in before}


# Chunks ---------------------------------------------------------------------------------------


def test_first_chunk_with_a_choice_starts_the_completion() -> None:
    builder = new_builder()
    builder.receive_chunk(chunk(id="c1", model=""))
    assert told(builder) == []
    builder.receive_chunk(chunk(SAYS, id="", model="m"))
    assert told(builder) == [Started("c1", "m"), TextDelta(0, "Hi")]
    builder.receive_chunk(chunk(choice({"content": "!"}, 1)))
    assert told(builder) == [TextDelta(1, "!")]


def test_choices_are_built_by_index_whatever_order_they_came_in() -> None:
    builder = builder_of(choice({"content": "b"}, 5), choice({"content": "a"}, 0))
    builder.receive_chunk(chunk(choice({"content": "B"}, 5), choice({"content": "A"}, 0)))
    built = builder.completion(None, None).choices
    assert [(one.index, one.message.content) for one in built] == [(0, "aA"), (5, "bB")]


def test_first_names_stay_and_other_ones_are_told() -> None:
    builder = new_builder()
    said = {"created": 1, "system_fingerprint": "fp", "service_tier": "default"}
    builder.receive_chunk(chunk(SAYS, id="c1", model="m", **said))
    builder.receive_chunk(chunk(SAYS, id="c1", model="m"))
    builder.receive_chunk(chunk(SAYS, id="", model=""))
    assert found(builder) == {}
    other = {"created": 2, "system_fingerprint": "fp2", "service_tier": "flex"}
    builder.receive_chunk(chunk(SAYS, id="c2", model="n", **other))
    completion = builder.completion(None, None)
    assert (completion.id, completion.model, completion.created) == ("c1", "m", 1)
    assert (completion.system_fingerprint, completion.service_tier) == ("fp", "default")
    assert found(builder) == {
        "id-changed": "the completion got another id; the first stays",
        "model-changed": "the model got another name; the first stays",
    }


def test_names_that_are_empty_or_never_came_are_none() -> None:
    builder = new_builder()
    for _ in range(2):
        completion = builder.completion(None, None)
        assert (completion.id, completion.model) == (None, None)
        builder.receive_chunk(chunk(id="", model=""))


@pytest.mark.parametrize(
    ("names", "code"),
    [({"id": "c2", "model": "m"}, "id-changed"), ({"id": "c1", "model": "n"}, "model-changed")],
)
def test_name_that_changes_by_itself_is_told_though_all_else_is_known(
    names: dict[str, str], code: str
) -> None:
    builder = new_builder()
    said = {"created": 1, "system_fingerprint": "fp", "service_tier": "default"}
    builder.receive_chunk(chunk(SAYS, id="c1", model="m", **said))
    builder.receive_chunk(chunk(SAYS, **names))
    assert found(builder).keys() == {code}


def test_what_is_said_once_may_come_late() -> None:
    assert not new_builder().knows_all
    builder = builder_of(SAYS)
    assert not builder.knows_all
    builder.receive_chunk(chunk(created=1, system_fingerprint="fp"))
    assert not builder.knows_all
    builder.receive_chunk(chunk(service_tier="default"))
    assert builder.knows_all
    completion = builder.completion(None, None)
    assert (completion.created, completion.service_tier) == (1, "default")


def test_findings_of_a_chunk_and_of_its_choices_are_told_at_its_item() -> None:
    builder = builder_of(SAYS, STOP)
    told(builder)
    builder.item = b"{}"
    builder.receive_chunk(chunk(SAYS, {"delta": {}}))
    index_missing = Defect(
        "choice-index-missing", "warning", 7, 1, "a choice has no index; taken as 0"
    )
    after_finish = Defect("content-after-finish", "warning", 7, 1, "choice 0 went on after its end")
    assert told(builder) == [
        DefectFound(index_missing),
        TextDelta(0, "Hi"),
        DefectFound(after_finish),
    ]


def test_chunk_after_done_is_merged_and_told() -> None:
    builder = builder_of(SAYS)
    builder.receive_done(b"[DONE]")
    builder.receive_chunk(chunk(choice({"content": "!"})))
    assert builder.completion(None, None).content == "Hi!"
    assert found(builder) == {"data-after-done": "a chunk came after [DONE]"}


def test_unknown_keys_of_chunks_are_kept_the_last_value_counts() -> None:
    builder = new_builder()
    for value in (1, 2):
        builder.receive_chunk(chunk(v=value))
    builder.receive_chunk(chunk(w=3))
    assert builder.completion(None, None).extra == {"v": 2, "w": 3}
    assert new_builder().completion(None, None).extra == {}  # no other stream has them


def test_completion_that_was_taken_does_not_change() -> None:
    builder = builder_of(SAYS)
    builder.receive_chunk(chunk(v=1))
    early = builder.completion(None, None)
    builder.receive_chunk(chunk(SAYS, v=2, w=3, usage=USAGE))
    assert (early.content, early.extra, early.usage) == ("Hi", {"v": 1}, None)


def test_choices_that_were_touched_are_known_and_so_are_logprobs() -> None:
    builder = builder_of(SAYS)
    assert builder.touched == [builder.choices[0]]
    assert not builder.has_logprobs
    builder.receive_chunk(chunk(choice(logprobs={"content": []})))
    assert builder.has_logprobs
    builder.receive_chunk(chunk(SAYS))
    assert builder.has_logprobs


# What the fast way asks -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "first"),
    [
        ({"choices": [choice({"content": "b"})]}, False),
        ({"choices": [choice({"role": "assistant", "content": "b"})]}, False),
        ({"choices": [choice({"content": "b"}, 1)]}, True),
        ({"choices": [choice({"reasoning": "b"})]}, True),
        ({"choices": [choice({"content": "b"}), choice({"reasoning": "b"})]}, True),
        ({"choices": [choice({})]}, True),
        ({"choices": [choice({"content": "b"}, finish_reason="stop")]}, True),
        ({"choices": [choice({"content": "b"})], "usage": USAGE}, True),
        ({"choices": []}, True),
    ],
)
def test_chunk_is_the_first_of_its_kind_if_it_brings_what_its_choice_never_did(
    body: dict[str, Any], first: bool
) -> None:
    builder = builder_of(SAYS)
    assert builder.is_first_of_a_kind(read_chunk(body, is_document=False)) is first


def test_kind_is_no_first_again_because_another_came_after_it() -> None:
    builder = builder_of(SAYS, choice({"reasoning": "a"}))
    assert not builder.is_first_of_a_kind(chunk(choice({"content": "b"})))


def test_usage_is_the_first_of_its_kind_only_once() -> None:
    builder = builder_of(SAYS)
    usage = chunk(usage=USAGE)
    assert builder.is_first_of_a_kind(usage)
    assert not builder.is_first_of_a_kind(usage)


@pytest.mark.parametrize(
    ("said", "learns"),
    [
        (b'"created":1', True),
        (b'"system_fingerprint":"fp"', True),
        (b'"service_tier":"default"', True),
        (b'"id":"c1","model":"m"', False),
        (b'"created":null,"system_fingerprint":null,"service_tier":null', False),
    ],
)
def test_builder_learns_what_is_said_for_the_first_time(said: bytes, learns: bool) -> None:
    usual = decode_wide(b'{"choices":[],' + said + b"}")
    assert new_builder().would_learn(usual) is learns
    builder = new_builder()
    builder.receive_chunk(chunk(created=1, system_fingerprint="fp", service_tier="default"))
    assert not builder.would_learn(usual)


# [DONE], errors, notes, heartbeats ------------------------------------------------------------


def test_done_is_known_and_makes_everything_after_it_plain() -> None:
    builder = new_builder()
    assert (builder.done, builder.is_plain) == (False, False)
    builder.receive_done(b"[DONE]")
    assert (builder.done, builder.is_plain) == (True, True)
    assert found(builder) == {}


def test_done_in_another_spelling_or_again_is_told() -> None:
    builder = new_builder()
    builder.receive_done(b" [done]")
    builder.receive_done(b"[DONE]")
    assert found(builder) == {
        "done-variant": 'the end mark is not [DONE]: " [done]"',
        "duplicate-done": "[DONE] came again",
    }


def test_done_ends_a_choice_whose_audio_has_ended() -> None:
    builder = builder_of(choice({"audio": {"data": "AA", "expires_at": 9}}), choice({}, 1))
    told(builder)
    builder.receive_done(b"[DONE]")
    assert told(builder) == [ChoiceFinished(0, None)]
    assert [builder.choices[index].is_finished for index in (0, 1)] == [True, False]


def test_done_ends_every_choice_if_the_caller_says_so() -> None:
    builder = builder_of(SAYS, STOP, choice({}, 1), accept_done_without_finish_reason=True)
    told(builder)
    builder.receive_done(b"[DONE]")
    assert told(builder) == [ChoiceFinished(1, None)]
    assert builder.verdict(None).outcome == "complete"


def test_done_ends_a_choice_that_came_after_it_too() -> None:
    builder = builder_of(SAYS, accept_done_without_finish_reason=True)
    builder.receive_done(b"[DONE]")
    builder.receive_chunk(chunk(choice({"content": "late"}, 1)))
    assert not builder.choices[1].is_finished
    assert ChoiceFinished(1, None) in builder.close(end("done"))


def test_what_is_odd_about_calls_that_done_ends_is_told() -> None:
    builder = builder_of(OPEN_CALL, accept_done_without_finish_reason=True)
    builder.receive_chunk(
        chunk(choice({"tool_calls": [{"index": 0, "function": {"arguments": "\ud83d"}}]}))
    )
    builder.receive_done(b"[DONE]")
    assert found(builder) == {"lone-surrogate": "in call 0"}


def test_first_error_counts_with_the_status_if_that_was_an_error() -> None:
    builder = new_builder(Head(503))
    sent = ErrorObject("busy\ud83d", "1\ud83d", "\ude00", "p\ud83d", raw={"m": "\ud83d"})
    builder.receive_error(sent, canonical=True)
    builder.receive_error(ErrorObject("gone"), canonical=True)
    error = ErrorObject("busy\ufffd", "1\ufffd", "\ufffd", "p\ufffd", 503, {"m": "\ufffd"})
    assert told(builder) == [ErrorReported(error)]
    assert builder.error == builder.verdict(None).error == error
    assert found(builder) == {}


@pytest.mark.parametrize("head", [None, Head(200)])
def test_answer_may_be_complete_whether_a_head_came_or_not(head: Head | None) -> None:
    builder = new_builder(head)
    builder.receive_chunk(chunk(SAYS))
    builder.receive_chunk(chunk(STOP))
    assert builder.verdict(None).outcome == "complete"


@pytest.mark.parametrize("head", [None, Head(200)])
def test_error_in_a_stream_that_began_well_has_no_status(head: Head | None) -> None:
    builder = new_builder(head)
    builder.receive_error(ErrorObject("busy"), canonical=True)
    assert builder.error == ErrorObject("busy", status=None)
    assert builder.verdict(None).outcome == "failed"


def test_error_of_another_shape_is_told() -> None:
    builder = new_builder()
    builder.receive_error(ErrorObject("busy"), canonical=False)
    assert found(builder) == {"error-shape": 'the error is not {"error": {"message": ...}}'}


def test_heartbeat_is_told() -> None:
    builder = new_builder()
    builder.receive_heartbeat()
    assert told(builder) == [Heartbeat()]
    builder.receive_heartbeat()
    assert builder.heartbeats == 2


def test_note_is_told_with_its_count() -> None:
    builder = new_builder()
    builder.item = note = Note("stray-line", "a line is no field", 0, count=3)
    builder.receive_note(note)
    builder.receive_note(Note("stray-line", "another", 1))
    assert builder.verdict(None).defects == [
        Defect("stray-line", "warning", 7, 4, "a line is no field")
    ]
    assert told(builder) == [
        DefectFound(Defect("stray-line", "warning", 7, 1, "a line is no field"))
    ]


def test_html_page_is_a_failure_and_stays_one() -> None:
    builder = builder_of(SAYS, STOP)
    builder.receive_note(Note("html-body", "a page", 0))
    builder.receive_note(Note("stray-line", "a line", 0))
    assert builder.verdict(None).outcome == "failed"


def test_defect_has_been_found_once_it_was_told() -> None:
    builder = builder_of(SAYS)
    assert not builder.has_found("reasoning-duplicated")
    builder.receive_chunk(chunk(choice({"reasoning": "A", "reasoning_content": "A"})))
    assert builder.has_found("reasoning-duplicated")
    assert not builder.has_found("id-changed")


def test_defect_that_is_found_again_is_only_counted() -> None:
    builder = new_builder()
    builder.found("role-empty", "the role is an empty string")
    told(builder)
    builder.found_again("role-empty")
    assert told(builder) == []
    (defect,) = builder.verdict(None).defects
    assert defect.count == 2


def test_defect_is_told_once_with_its_first_place_and_counted_ever_after() -> None:
    builder = new_builder()
    builder.found("not-json", "text was ignored", b"h\xffi\n")
    builder.item = b"{x"
    builder.found("not-json", "text was ignored", b"x", count=2)
    assert len(told(builder)) == 1
    assert builder.verdict(None).defects == [
        Defect("not-json", "warning", None, 3, r'text was ignored: "h�i\n"')
    ]


# Lost events ----------------------------------------------------------------------------------


def test_lost_event_makes_the_calls_torn_that_were_open() -> None:
    builder = builder_of(OPEN_CALL)
    builder.found("bad-json", "an event is lost")
    builder.receive_chunk(chunk(ARGUMENTS, choice(finish_reason="tool_calls")))
    (call,) = builder.completion(None, None).tool_calls
    assert (call.arguments, call.state) == ("{}", "torn")
    assert not any(isinstance(event, ToolCallFinished) for event in told(builder))
    assert builder.verdict(None).outcome == "interrupted"


def test_lost_event_leaves_calls_alone_that_had_finished() -> None:
    builder = builder_of(OPEN_CALL, ARGUMENTS, choice(finish_reason="tool_calls"))
    builder.receive_note(Note("bad-json", "text with choices in it is lost", 0))
    assert [call.state for call in builder.completion(None, None).tool_calls] == ["whole"]
    assert builder.verdict(None).outcome == "interrupted"


def test_calls_that_are_open_when_they_are_distrusted_are_torn_though_nothing_is_lost() -> None:
    builder = builder_of(OPEN_CALL, ARGUMENTS)
    builder.distrust_calls()
    builder.receive_chunk(chunk(choice(finish_reason="tool_calls")))
    assert [call.state for call in builder.completion(None, None).tool_calls] == ["torn"]
    assert found(builder) == {}


# Usage (rule 13) ------------------------------------------------------------------------------


def test_usage_is_expected_once_one_was_as_odd_and_was_searched_for_repeated_keys() -> None:
    builder = new_builder()
    zero: dict[str, Any] = {"total_tokens": 0}
    first = chunk(usage=USAGE)
    builder.receive_chunk(first)
    builder.receive_chunk(first)
    assert not builder.expects_usage(USAGE)
    assert builder.is_first_of_a_kind(first)
    assert builder.expects_usage(USAGE)
    assert not builder.expects_usage(zero)
    builder.receive_chunk(chunk(usage=zero))
    assert builder.expects_usage(zero)


def test_last_usage_with_a_count_in_it_wins_and_nothing_is_summed() -> None:
    builder = new_builder()
    builder.receive_chunk(chunk(usage={"prompt_tokens": 1}))
    assert found(builder) == {}
    builder.receive_chunk(chunk(choice(usage=USAGE), usage={"total_tokens": 9, "cost": 0.5}))
    builder.receive_chunk(chunk(usage={"total_tokens": 0}))
    last = Usage(None, None, 9, {"cost": 0.5})
    assert builder.completion(None, None).usage == last
    assert [event for event in told(builder) if isinstance(event, UsageReported)] == [
        UsageReported(Usage(1, None, None)),
        UsageReported(Usage(1, 2, 3)),
        UsageReported(last),
    ]
    assert found(builder) == {
        "usage-in-choice": "usage is inside a choice",
        "usage-repeated": "usage came again; the last one counts",
        "usage-placeholder": "a usage without a count was ignored",
    }
    assert builder.verdict(None).usage_reported


def test_placeholder_is_no_usage() -> None:
    builder = new_builder()
    builder.receive_chunk(chunk(usage={"total_tokens": 0}))
    assert builder.completion(None, None).usage is None
    assert not builder.verdict(None).usage_reported


@pytest.mark.parametrize("count", [True, 2.0, "2", None])
def test_count_that_is_no_integer_is_none(count: Any) -> None:
    builder = new_builder()
    builder.receive_chunk(chunk(usage={"prompt_tokens": count, "total_tokens": 1}))
    assert builder.completion(None, None).usage == Usage(None, None, 1)


# Limits ---------------------------------------------------------------------------------------


def test_one_choice_too_many_is_over_the_limit_and_not_taken() -> None:
    builder = builder_of(SAYS, choice({}, 1), limits=Limits(choices=2))
    assert builder.over is None
    builder.receive_chunk(chunk(choice({}, 0), choice({}, 2)))
    assert builder.over == "more than 2 choices"
    assert sorted(builder.choices) == [0, 1]


def test_one_call_too_many_is_over_the_limit() -> None:
    entries = [{"index": n, "id": f"call_{n}", "function": {"name": "f"}} for n in range(3)]
    builder = builder_of(choice({"tool_calls": entries[:2]}, 4), limits=Limits(tool_calls=2))
    assert builder.over is None
    builder.receive_chunk(chunk(choice({"tool_calls": entries[2:]}, 4)))
    assert builder.over == "more than 2 tool calls in choice 4"


def test_one_character_too_many_is_over_the_limit_once_characters_count() -> None:
    builder = builder_of(SAYS, choice({"reasoning": "abc"}), limits=Limits(text=4))
    assert builder.over is None
    builder.counts = True
    builder.receive_chunk(chunk(choice({})))
    assert builder.over == "more than 4 characters in choice 0"
    exact = builder_of(SAYS, limits=Limits(text=2))
    exact.counts = True
    exact.receive_chunk(chunk(choice({})))
    assert exact.over is None


def test_nothing_of_a_chunk_is_taken_after_a_limit_was_passed_in_it() -> None:
    entries = [{"index": n, "id": f"call_{n}", "function": {"name": "f"}} for n in range(2)]
    builder = new_builder(limits=Limits(tool_calls=1))
    builder.receive_chunk(chunk(choice({"tool_calls": entries}), choice({}, 1), usage=USAGE, v=1))
    assert builder.over == "more than 1 tool calls in choice 0"
    completion = builder.completion(None, None)
    assert (len(completion.choices), completion.usage, completion.extra) == (1, None, {})


def test_snapshots_count_as_what_they_mean() -> None:
    builder = new_builder(limits=Limits(text=20))
    builder.counts = True
    for size in (3, 6, 9, 20):
        builder.receive_chunk(chunk(choice({"content": "x" * size})))
        assert builder.over is None
    assert builder.choices[0].length == 20


def test_values_that_are_kept_as_they_came_count_each_by_itself() -> None:
    details = [{"type": "a"}]  # of pieces that become one block, each key counts once
    delta = {"annotations": [1], "content": [{"type": "file"}], "reasoning_details": details}
    builder = new_builder(limits=Limits(extras=5))
    builder.receive_chunk(chunk(choice(delta)))
    builder.receive_chunk(chunk(choice(delta)))
    assert builder.over is None
    builder.receive_chunk(chunk(choice({"annotations": [1]})))
    assert builder.over == "more than 5 unknown keys and values"


def test_unknown_keys_of_calls_count_once_for_each_call() -> None:
    builder = new_builder(limits=Limits(extras=2))
    for index in (0, 0, 1, 1, 2):
        assert builder.over is None
        call = {"index": index, "function": {"name": "f"}, "extra_content": {"a": 1}}
        builder.receive_chunk(chunk(choice({"tool_calls": [call]})))
    assert builder.over == "more than 2 unknown keys and values"


def test_values_inside_of_what_is_kept_count_where_they_are_many() -> None:
    many: list[list[int]] = [[] for _ in range(9000)]
    for delta in ({"reasoning_details": [{"data": many}]}, {"annotations": [many]}, {"new": many}):
        builder = new_builder(limits=Limits(extras=900))
        data = msgspec.json.encode({"choices": [{"index": 0, "delta": delta}]})
        builder.item = data
        builder.receive_chunk(chunk(choice(delta)))
        assert builder.over == "more than 900 unknown keys and values"


def test_unknown_keys_of_a_choice_count_though_one_before_it_has_no_delta() -> None:
    builder = new_builder(limits=Limits(extras=1))
    builder.receive_chunk(chunk({"index": 0, "x": 1}, choice({"y": 1}, 1)))
    assert builder.over == "more than 1 unknown keys and values"


def test_what_many_choices_keep_under_one_key_counts_for_each() -> None:
    builder = new_builder(limits=Limits(extras=7000))
    many: list[list[int]] = [[] for _ in range(30_000)]
    for index in range(2):
        assert builder.over is None
        builder.receive_chunk(chunk({**choice({}, known=many), "index": index}))
    assert builder.over == "more than 7000 unknown keys and values"


def test_what_is_kept_of_chunks_is_known_to_be_theirs() -> None:
    builder = new_builder()
    builder.receive_chunk(chunk(v=[1]))
    assert builder.kept.covers("chunk", 0, "v", [2])


def test_large_value_that_comes_again_with_each_chunk_is_kept_once() -> None:
    # Perplexity's manner: all search results stand in each chunk.
    builder = new_builder(limits=Limits(extras=250))
    results = [{"title": f"Tide {number}", "url": "https://example.org/"} for number in range(100)]
    for _ in range(100):
        builder.receive_chunk(chunk(choice({"content": "a", "x": results}, y=results), z=results))
    assert builder.over is None
    builder.receive_chunk(chunk(choice({"new": results})))
    assert builder.over == "more than 250 unknown keys and values"


def test_unknown_keys_of_every_level_count_together_and_the_same_one_once() -> None:
    deltas = choice({"a": 1}, b=1), {"index": 1, "d": 1}
    fits, over = (new_builder(limits=Limits(extras=most)) for most in (4, 3))
    for builder in (fits, over, fits, over):
        builder.receive_chunk(chunk(*deltas, c=1))
    assert fits.over is None
    assert over.over == "more than 3 unknown keys and values"


# The end --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("choices", "done", "last", "code", "sentence"),
    [
        ([], False, end(), "empty-stream", "the body ended after 50 bytes and held no choice"),
        ([], True, end("done", received=None), "empty-stream", "the body ended and held no choice"),
        (
            [SAYS, STOP],
            False,
            end(),
            "missing-done",
            "the body ended after 50 bytes with no [DONE]; every choice had finished",
        ),
        (
            [SAYS],
            False,
            end(received=None),
            "unexpected-eof",
            "the body ended with no [DONE], choice 0 unfinished",
        ),
        (
            [SAYS, STOP, choice({"role": "assistant"}, 7), choice({"role": "assistant"}, 3)],
            False,
            end("cut"),
            "unexpected-eof",
            "the body ended after 50 bytes with no [DONE], choice 3 unfinished",
        ),
        (
            [OPEN_CALL, ARGUMENTS],
            False,
            end("torn"),
            "unexpected-eof",
            "the body ended after 50 bytes with no [DONE], inside tool call 0 of choice 0",
        ),
        (
            [SAYS],
            True,
            end("done"),
            "missing-finish-reason",
            "[DONE] came, choice 0 unfinished",
        ),
    ],
)
def test_end_that_is_odd_is_told_in_a_sentence(
    choices: list[dict[str, Any]], done: bool, last: End, code: str, sentence: str
) -> None:
    builder = builder_of(*choices)
    if done:
        builder.receive_done(b"[DONE]")
    assert after(builder, last) == {code: sentence}


@pytest.mark.parametrize(
    ("done", "last"),
    [(True, end("done")), (False, end("document", is_document=True)), (False, end("cut"))],
)
def test_end_of_a_choice_that_finished_may_be_nothing_odd(done: bool, last: End) -> None:
    builder = builder_of(SAYS, STOP)
    if done:
        builder.receive_done(b"[DONE]")
    assert after(builder, last) == {}
    assert builder.verdict(last).outcome == "complete"


def test_failure_tells_enough() -> None:
    builder = new_builder(Head(500))
    assert after(builder, end()) == {}
    assert builder.verdict(end()).outcome == "failed"


def test_close_tells_what_waits_and_what_can_only_then_be_said() -> None:
    builder = builder_of(choice({"content": "ha"}), choice({"content": "haha"}))
    builder.item = b"{}"
    role = Defect("role-missing", "info", None, 1, "choice 0 got no role; it is assistant's")
    why = "the body ended after 50 bytes with no [DONE], choice 0 unfinished"
    eof = Defect("unexpected-eof", "error", None, 1, why)
    assert builder.close(end()) == [TextDelta(0, "haha"), DefectFound(role), DefectFound(eof)]


def test_what_is_odd_at_the_end_is_told_as_often_as_it_is_there() -> None:
    builder = builder_of(choice({"role": "assistant", "content": "<think>a</think>"}), STOP)
    builder.close(end("cut"))
    (tags,) = builder.verdict(None).defects
    assert (tags.code, tags.count) == ("think-tags", 2)


def test_audio_that_ended_is_no_end_without_done() -> None:
    builder = builder_of(choice({"role": "assistant", "audio": {"expires_at": 9}}))
    assert after(builder, end()).keys() == {"unexpected-eof"}
    assert builder.verdict(end()).outcome == "interrupted"


@pytest.mark.parametrize(
    ("done", "over", "outcome"),
    [
        (False, None, "interrupted"),
        (True, None, "complete"),
        (True, "more than 2 choices", "interrupted"),
    ],
)
def test_bytes_left_unread_over_a_limit_are_missed_unless_they_come_after_done(
    done: bool, over: str | None, outcome: str
) -> None:
    builder = builder_of(SAYS, STOP)
    if done:
        builder.receive_done(b"[DONE]")
    builder.over = over
    last = end("limit", "a limit was passed")
    builder.close(last)
    assert builder.verdict(last).outcome == outcome


def test_choice_that_was_asked_for_and_never_came_is_told() -> None:
    builder = builder_of(
        SAYS, STOP, choice({"role": "assistant"}, 2, finish_reason="stop"), choices=4
    )
    builder.receive_done(b"[DONE]")
    assert after(builder, end("done")) == {
        "choice-missing": "choice 1 was asked for and never came"
    }
    (missing,) = builder.verdict(None).defects
    assert (missing.count, missing.severity) == (2, "error")
    assert builder.verdict(None).outcome == "interrupted"


def test_choice_that_nobody_asked_for_makes_up_for_none() -> None:
    builder = builder_of(SAYS, STOP, choice({"role": "assistant"}, 2), choices=2)
    assert after(builder, end())["choice-missing"] == "choice 1 was asked for and never came"


def test_choices_that_all_came_or_none_of_them_are_not_missing() -> None:
    builder = builder_of(SAYS, STOP, choices=1)
    assert after(builder, end()).keys() == {"missing-done"}
    assert after(new_builder(choices=2), end()).keys() == {"empty-stream"}


def test_without_a_number_no_choice_was_asked_for() -> None:
    builder = builder_of(choice({"role": "assistant"}, 3, finish_reason="stop"))
    assert after(builder, end()).keys() == {"missing-done"}


# What is left ---------------------------------------------------------------------------------


def test_verdict_of_an_open_stream_says_what_it_would_be_if_it_stopped_here() -> None:
    builder = new_builder()
    assert builder.verdict(None) == Verdict("interrupted", None, None, None, [], None, False)
    builder.receive_chunk(chunk(SAYS))
    assert builder.verdict(None).outcome == "interrupted"
    builder.receive_chunk(chunk(choice(finish_reason="length")))
    assert builder.verdict(None).outcome == "truncated"


def test_verdict_says_how_the_bytes_ended() -> None:
    tail = Tail(9, b"da", [b"da"])
    verdict = new_builder().verdict(end("cut", "connection reset", tail=tail))
    assert (verdict.ending, verdict.reason, verdict.tail) == ("cut", "connection reset", tail)


def test_completion_has_its_head_and_times() -> None:
    head = Head(200, "text/event-stream")
    timing = Timing(None, None, None, None, None, 1.0, 1, 0, 0)
    completion = new_builder(head).completion(end(), timing)
    assert (completion.head, completion.timing, completion.choices) == (head, timing, [])
    assert completion.verdict.ending == "eof"


def test_completion_can_be_looked_at_while_a_call_is_open() -> None:
    builder = builder_of(OPEN_CALL, ARGUMENTS)
    (call,) = builder.completion(None, None).tool_calls
    assert (call.name, call.arguments, call.state) == ("f", "{}", "torn")
    assert ToolCallDelta(0, 0, 0, "{}") in builder.out
