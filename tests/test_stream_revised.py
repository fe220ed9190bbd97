"""ChatStream: text that waits until it is clear what it is, and what is revised."""

from __future__ import annotations

from collections.abc import Iterable

from tests.chat_helpers import DONE, chunk, event, finish, of, play
from untorn import (
    ChatStream,
    ChoiceFinished,
    DefectFound,
    Revised,
    StreamEvent,
    TextDelta,
)

ROLE = chunk({"role": "assistant", "content": ""})


def codes(events: Iterable[StreamEvent]) -> list[str]:
    return [found.defect.code for found in of(DefectFound, events)]


def contents(fragments: Iterable[str]) -> list[bytes]:
    return [ROLE, *(chunk({"content": fragment}) for fragment in fragments)]


def texts(events: Iterable[StreamEvent]) -> list[str]:
    return [delta.text for delta in of(TextDelta, events)]


TIDE = "The tide comes in twice a day."


def test_snapshots_are_delivered_as_what_is_new_in_them() -> None:
    snapshots = [TIDE[:3], TIDE[:8], TIDE[:14], TIDE[:22], TIDE]
    events, completion = play([*contents(snapshots), finish(), DONE])
    assert texts(events) == [TIDE[:3], TIDE[3:22], TIDE[22:]]
    assert of(Revised, events) == []
    assert completion.content == TIDE
    assert codes(events) == ["content-cumulative"]


def test_fragments_that_only_look_like_snapshots_wait_until_one_does_not() -> None:
    events, completion = play([*contents(["ha", "haha", "hahaha", "!"]), finish(), DONE])
    assert texts(events) == ["ha", "hahahahaha!"]
    assert completion.content == "hahahahahaha!"


def test_at_most_three_fragments_wait() -> None:
    stream = ChatStream()
    told = [texts(stream.receive_data(data)) for data in contents(["a"] * 6)]
    assert told == [[], ["a"], [], [], [], ["aaaa"], ["a"]]


def test_fragments_that_wait_are_delivered_when_the_choice_finishes() -> None:
    stream = ChatStream()
    told = [stream.receive_data(data) for data in (*contents(["a", "aa"]), finish())]
    assert told[2] == []
    assert told[3] == [TextDelta(0, "aa"), ChoiceFinished(0, "stop")]


def test_snapshots_that_are_recognised_late_revise_the_text() -> None:
    snapshots = [TIDE[:n] for n in (1, 2, 3, 4, 5, 22)]
    events, completion = play([*contents(snapshots), chunk({"content": TIDE}), finish(), DONE])
    assert of(Revised, events) == [Revised(0, "content", TIDE[:22])]
    assert texts(events)[-1] == TIDE[22:]
    assert completion.content == TIDE


def test_what_turns_out_to_be_no_snapshots_revises_the_text() -> None:
    snapshots = [TIDE[:3], TIDE[:8], TIDE[:14], TIDE[:22]]
    events, completion = play([*contents(snapshots), chunk({"content": "no"}), finish(), DONE])
    plain = "".join(snapshots) + "no"
    assert of(Revised, events) == [Revised(0, "content", plain)]
    assert completion.content == plain


def test_whole_message_at_the_end_brings_only_what_is_new() -> None:
    whole = {"choices": [{"index": 0, "message": {"content": "Hello"}, "finish_reason": "stop"}]}
    events, completion = play([*contents(["He", "l"]), event(whole), DONE])
    assert texts(events) == ["He", "l", "lo"]
    assert completion.content == "Hello"


def test_telling_finish_reason_revises_the_one_before() -> None:
    events, completion = play([ROLE, finish("stop"), finish("length"), finish("stop"), DONE])
    assert of(ChoiceFinished, events) == [ChoiceFinished(0, "stop")]
    assert of(Revised, events) == [Revised(0, "finish_reason", "length")]
    assert (completion.finish_reason, completion.verdict.outcome) == ("length", "truncated")


def surrogates(*halves: str) -> list[bytes]:
    return [ROLE] + [chunk({"content": "?"}).replace(b"?", half.encode()) for half in halves]


def test_half_a_surrogate_pair_waits_for_the_other() -> None:
    stream = ChatStream()
    told = [texts(stream.receive_data(data)) for data in surrogates(r"a\ud83d", r"\ude00b")]
    assert told == [[], ["a"], ["😀b"]]
    assert stream.completion.content == "a😀b"


def test_half_a_surrogate_pair_alone_becomes_a_replacement_character() -> None:
    events, completion = play([*surrogates(r"a\ud83d", "b", r"\ude00", r"\ud83d"), finish(), DONE])
    assert texts(events) == ["a", "\ufffdb", "\ufffd", "\ufffd"]
    assert completion.content == "a\ufffdb\ufffd\ufffd"
    assert completion.verdict.outcome == "complete"


def test_half_a_surrogate_pair_is_not_delivered_where_the_other_was_perhaps_on_its_way() -> None:
    events, completion = play(surrogates(r"a\ud83d"))
    assert texts(events) == ["a"]
    assert completion.content == "a"
