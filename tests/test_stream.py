"""ChatStream: which events come of a body, in which order, and what they hold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from tests.chat_helpers import DONE, chunk, event, finish, of, play
from untorn import (
    AudioDelta,
    ChatStream,
    ChoiceFinished,
    DefectFound,
    ErrorObject,
    ErrorReported,
    Heartbeat,
    LogprobsDelta,
    ReasoningDelta,
    RefusalDelta,
    Started,
    StreamEnded,
    StreamEvent,
    TextDelta,
    Usage,
    UsageReported,
)
from untorn.options import Limits, Options

ROLE = chunk({"role": "assistant", "content": ""})


def told(events: Iterable[StreamEvent]) -> list[StreamEvent]:
    """All events but those of defects and of the end."""
    return [event for event in events if not isinstance(event, DefectFound | StreamEnded)]


def codes(events: Iterable[StreamEvent]) -> list[str]:
    return [found.defect.code for found in of(DefectFound, events)]


# The usual -----------------------------------------------------------------------------------


def test_text_is_told_in_deltas_between_its_begin_and_its_end() -> None:
    body = [ROLE, chunk({"content": "Hel"}), chunk({"content": "lo"}), finish(), DONE]
    events, completion = play(body)
    assert events == [
        Started("c1", "m"),
        TextDelta(0, "Hel"),
        TextDelta(0, "lo"),
        ChoiceFinished(0, "stop"),
        StreamEnded(completion.verdict),
    ]
    verdict = completion.verdict
    assert (verdict.outcome, verdict.ending, verdict.defects) == ("complete", "done", [])


def test_large_reads_of_usual_events_tell_the_same_however_they_are_cut() -> None:
    words = [chunk({"content": f"{number} "}) for number in range(200)]
    odd = [b": hi\n\n", chunk({"content": "x", "new": 1}), chunk({"content": "\r\n"})]
    events = [ROLE, *words, *odd, *words, finish(), DONE]
    whole, body = play(events), b"".join(events)
    for size in (2048, 2999, 5000, len(body)):
        assert play(body[start : start + size] for start in range(0, len(body), size)) == whole


def test_large_read_of_usual_events_may_pass_a_limit() -> None:
    words = [chunk({"content": f"{number} "}) for number in range(200)]
    events = [ROLE, *words, chunk({"content": "x"}, index=1), *words]
    options = Options(limits=Limits(choices=1))
    whole = play(events, ChatStream(options))
    assert whole[1].verdict.reason == "more than 1 choices"
    reads = [ROLE, b"".join(events[1:])]
    assert play(reads, ChatStream(options)) == whole


def test_each_event_comes_with_the_read_that_completes_it() -> None:
    stream = ChatStream()
    assert stream.receive_data(ROLE) == [Started("c1", "m")]
    data = chunk({"content": "Hi"})
    assert stream.receive_data(data[:-1]) == []
    assert stream.receive_data(data[-1:]) == [TextDelta(0, "Hi")]
    assert stream.receive_data(b"") == []
    assert stream.receive_data(finish()) == [ChoiceFinished(0, "stop")]
    assert stream.receive_data(DONE) == []
    assert stream.receive_eof() == [StreamEnded(stream.completion.verdict)]


def test_started_comes_with_the_first_chunk_that_has_a_choice() -> None:
    stream = ChatStream()
    filters = {"id": "", "model": "", "choices": [], "prompt_filter_results": [{"index": 0}]}
    assert stream.receive_data(event(filters)) == []
    assert stream.receive_data(ROLE) == [Started("c1", "m")]
    assert Started not in map(type, stream.receive_data(chunk({"content": "a"}, index=1)))


def test_started_knows_no_id_and_no_model_where_none_came() -> None:
    events, _ = play([event({"choices": [{"index": 0, "delta": {"content": "a"}}]})])
    assert events[0] == Started(None, None)


def test_reasoning_comes_before_the_content_of_the_same_delta() -> None:
    events, completion = play([chunk({"content": "So", "reasoning_content": "Hm"}), finish()])
    assert told(events)[1:3] == [ReasoningDelta(0, "Hm"), TextDelta(0, "So")]
    assert (completion.reasoning, completion.content) == ("Hm", "So")


@pytest.mark.parametrize(
    "delta",
    [
        {"reasoning": "Hm"},
        {"reasoning_content": "Hm"},
        {"reasoning": "Hm", "reasoning_content": "Hm"},
        {"reasoning_details": [{"type": "reasoning.text", "text": "Hm"}]},
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]}]},
    ],
    ids=lambda delta: "+".join(delta),
)
def test_reasoning_is_told_once_under_whichever_key_it_comes(delta: dict[str, Any]) -> None:
    events, completion = play([chunk(delta), finish()])
    assert of(ReasoningDelta, events) == [ReasoningDelta(0, "Hm")]
    assert completion.reasoning == "Hm"


def test_refusal_is_told_in_deltas_of_its_own() -> None:
    events, completion = play([chunk({"refusal": "I "}), chunk({"refusal": "can't."}), finish()])
    assert of(RefusalDelta, events) == [RefusalDelta(0, "I "), RefusalDelta(0, "can't.")]
    assert completion.choices[0].message.refusal == "I can't."
    assert completion.content is None


def test_audio_is_told_with_its_transcript_and_joined() -> None:
    body = [
        chunk({"audio": {"id": "a1", "transcript": "Hel"}}),
        chunk({"audio": {"data": "eA=="}}),
        chunk({"audio": {"transcript": "lo", "data": "eQ=="}}),
        chunk({"audio": {"expires_at": 99}}),
        DONE,
    ]
    events, completion = play(body)
    assert of(AudioDelta, events) == [
        AudioDelta(0, "", "Hel"),
        AudioDelta(0, "eA==", ""),
        AudioDelta(0, "eQ==", "lo"),
    ]
    audio = completion.choices[0].message.audio
    assert audio is not None
    assert (audio.id, audio.data, audio.transcript, audio.expires_at) == (
        *("a1", "eA==eQ==", "Hello"),
        99,
    )


def test_done_ends_a_choice_whose_audio_brought_its_end_mark() -> None:
    body = [chunk({"audio": {"id": "a1", "data": "eA=="}}), chunk({"audio": {"expires_at": 9}})]
    assert play(body)[1].verdict.outcome == "interrupted"
    events, completion = play([*body, DONE])
    assert of(ChoiceFinished, events) == [ChoiceFinished(0, None)]
    assert (completion.verdict.outcome, completion.finish_reason) == ("complete", None)


def test_logprobs_are_told_as_sent_and_joined_at_the_end() -> None:
    first, second = {"token": "a", "logprob": -0.5}, {"token": "b", "logprob": -1.0}
    body = [
        chunk({"content": "a"}, logprobs={"content": [first], "refusal": None}),
        chunk({"content": "b"}, logprobs={"content": [second], "refusal": None}),
        chunk({}, finish_reason="stop", logprobs=None),
    ]
    events, completion = play(body)
    assert [one.logprobs["content"] for one in of(LogprobsDelta, events)] == [[first], [second]]
    assert completion.choices[0].logprobs == {"content": [first, second], "refusal": None}


def test_choices_are_told_by_index_and_finish_each_on_its_own() -> None:
    body = [
        *(chunk({"content": "B"}, index=1), chunk({"content": "A"}), finish(index=1)),
        *(chunk({"content": "a"}), finish("length"), DONE),
    ]
    events, completion = play(body)
    assert told(events) == [
        Started("c1", "m"),
        TextDelta(1, "B"),
        TextDelta(0, "A"),
        ChoiceFinished(1, "stop"),
        TextDelta(0, "a"),
        ChoiceFinished(0, "length"),
    ]
    assert [(one.index, one.message.content) for one in completion.choices] == [(0, "Aa"), (1, "B")]
    assert completion.verdict.outcome == "truncated"


def test_usage_is_told_each_time_and_the_last_one_counts() -> None:
    sent = [
        {"prompt_tokens": 3, "completion_tokens": n, "total_tokens": 3 + n, "cost": n / 8}
        for n in (1, 2)
    ]
    events, completion = play([event({"choices": [], "usage": usage}) for usage in sent])
    last = Usage(3, 2, 5, {"cost": 0.25})
    first = Usage(3, 1, 4, {"cost": 0.125})
    assert of(UsageReported, events) == [UsageReported(first), UsageReported(last)]
    assert completion.usage == last
    assert completion.verdict.usage_reported


def test_error_inside_a_200_is_told_and_what_came_before_is_kept() -> None:
    error = {"message": "overloaded", "type": "server_error", "code": 503, "param": "n"}
    events, completion = play([ROLE, chunk({"content": "Hel"}), event({"error": error})])
    reported = ErrorObject("overloaded", "503", "server_error", "n", None, error)
    assert of(ErrorReported, events) == [ErrorReported(reported)]
    assert completion.verdict.error == reported
    assert (completion.verdict.outcome, completion.content) == ("failed", "Hel")
    assert codes(events) == []


def test_only_the_first_error_is_told() -> None:
    events, completion = play([event({"error": {"message": text}}) for text in ("one", "two")])
    assert [one.error.message for one in of(ErrorReported, events)] == ["one"]
    assert completion.verdict.error == ErrorObject("one", raw={"message": "one"})


@pytest.mark.parametrize("data", [b": still here\n", b":\n", b"data:\n\n", b"data: null\n\n"])
def test_signs_of_life_are_heartbeats(data: bytes) -> None:
    events, completion = play([ROLE, data, finish(), DONE])
    assert of(Heartbeat, events) == [Heartbeat()]
    assert completion.verdict.outcome == "complete"


def test_defect_is_told_at_its_first_place_and_counted() -> None:
    body = [ROLE, b"data: ping\n\n", b"data: ping\n\n", finish(), DONE]
    events, completion = play(body)
    (found,) = of(DefectFound, events)
    assert (found.defect.code, found.defect.offset, found.defect.count) == (
        "not-json",
        len(ROLE),
        1,
    )
    (defect,) = completion.verdict.defects
    assert (defect.code, defect.offset, defect.count) == ("not-json", len(ROLE), 2)


def test_completion_is_there_while_the_stream_is_open() -> None:
    stream = ChatStream()
    assert stream.completion.choices == []
    for size, data in enumerate([ROLE, chunk({"content": "a"}), chunk({"content": "a"})]):
        stream.receive_data(data)
        completion = stream.completion
        assert completion.content == "a" * size
        assert (completion.verdict.outcome, completion.verdict.ending) == ("interrupted", None)
    stream.receive_data(finish())
    assert (stream.completion.verdict.outcome, stream.completion.verdict.ending) == (
        *("complete", None),
    )


# What is kept --------------------------------------------------------------------------------


def test_unknown_keys_are_kept_at_the_levels_where_they_came() -> None:
    def extra(chunk: Any, choice: Any, delta: Any) -> bytes:
        odd = {"index": 0, "delta": {"content": "a", "d": delta, "s": "x"}, "c": choice}
        return event({"choices": [odd], "k": chunk, "obfuscation": "pad"})

    _, completion = play([extra(1, 2, 3), extra(None, [4], {"five": 5}), extra(6, None, None)])
    choice = completion.choices[0]
    assert completion.extra == {"k": 6}
    assert choice.extra == {"c": [4]}
    assert choice.message.extra == {"d": {"five": 5}, "s": "xxx"}


def test_reasoning_details_of_one_type_are_merged_up_to_their_signature() -> None:
    blocks = [
        {"type": "reasoning.text", "text": "Let me ", "index": 0},
        {"type": "reasoning.text", "text": "see.", "signature": "sig", "index": 0},
        {"type": "reasoning.text", "text": "Next.", "index": 0},
        {"type": "reasoning.encrypted", "data": "eA==", "index": 1},
        {"type": "reasoning.encrypted", "data": "eQ==", "index": 1},
    ]
    _, completion = play([chunk({"reasoning_details": [block]}) for block in blocks])
    message = completion.choices[0].message
    assert message.reasoning_details == [
        {"type": "reasoning.text", "text": "Let me see.", "signature": "sig", "index": 0},
        *blocks[2:],
    ]
    assert message.reasoning == "Let me see.Next."


def test_names_of_the_completion_are_the_first_that_came() -> None:
    choices = [{"index": 0, "delta": {"content": "a"}}]
    named = {"id": "c1", "model": "m", "created": 7, "system_fingerprint": "f", "service_tier": "a"}
    other = {"id": "c2", "model": "n", "created": 8, "system_fingerprint": "g", "service_tier": "b"}
    events, completion = play([event({**one, "choices": choices}) for one in (named, other)])
    assert (completion.id, completion.model, completion.created) == ("c1", "m", 7)
    assert (completion.system_fingerprint, completion.service_tier) == ("f", "a")
    assert codes(events)[:2] == ["id-changed", "model-changed"]


def test_annotations_are_kept_in_order() -> None:
    notes = [{"type": "url_citation", "url": f"https://example.org/{n}"} for n in range(3)]
    body = [chunk({"annotations": notes[:2]}), chunk({"annotations": notes[2:]}), finish()]
    assert play(body)[1].choices[0].message.annotations == notes
