"""Texts in fragments."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untorn.capture.redaction.places import Literal
from untorn.capture.redaction.texts import GrowingText, unlike, with_tags


class Written:
    """One text of one choice, and the fragments that were taken for it."""

    def __init__(self, *, may_be_cumulative: bool = True) -> None:
        self._text = GrowingText(may_be_cumulative=may_be_cumulative)
        self._outs: list[list[bytearray]] = []

    def add(self, *sources: str, whole: bool = False) -> None:
        raws = [json.dumps(source)[1:-1].encode() for source in sources]
        outs = [bytearray(raw) for raw in raws]
        literals = [Literal(raw, out, 0) for raw, out in zip(raws, outs, strict=True)]
        self._text.add([[literal] for literal in literals], whole=whole)
        self._outs.append(outs)

    def finish(self) -> list[list[str]]:
        self._text.finish()
        return [[json.loads(b'"%s"' % bytes(out)) for out in outs] for outs in self._outs]


def shapes_of(*fragments: str, may_be_cumulative: bool = True) -> list[str]:
    written = Written(may_be_cumulative=may_be_cumulative)
    for fragment in fragments:
        written.add(fragment)
    return [shape for (shape,) in written.finish()]


@pytest.mark.parametrize(
    ("fragments", "shapes"),
    [
        (["Anna", " says", " hi"], ["Xxxx", " xxxx", " xx"]),
        (["", "Anna", "", " hi"], ["", "Xxxx", "", " xx"]),
        # Snapshots, so far.
        (["An", "Anna", "Anna says"], ["Xx", "Xxxx", "Xxxx xxxx"]),
        # None, though they have one shape.
        (["an", "or"], ["xx", "yx"]),
        (["an", "anna", "orna", "orna is"], ["xx", "xxxx", "yxxx", "xxxx xx"]),
        (["東", "京都"], ["字", "文字"]),
        (["12", "13", "12"], ["00", "01", "00"]),
    ],
)
def test_fragments_begin_with_each_other_exactly_where_they_did(
    fragments: list[str], shapes: list[str]
) -> None:
    assert shapes_of(*fragments) == shapes


def test_texts_that_are_never_snapshots_need_no_telling_apart() -> None:
    assert shapes_of("an", "or", may_be_cumulative=False) == ["xx", "xx"]


@pytest.mark.parametrize(
    ("fragments", "shapes"),
    [
        (["<think>Anna</think>"], ["<think>Xxxx</think>"]),
        (["<th", "ink>Anna</", "think>"], ["<th", "ink>Xxxx</", "think>"]),
        (["a<", "t", "h", "i", "n", "k", ">", "b"], ["x<", "t", "h", "i", "n", "k", ">", "x"]),
        (["<thin", "ner"], ["<thin", "xxx"]),
        (["<thinner", "k>"], ["<xxxxxxx", "x>"]),
        (["a <b", "<think", "ing>"], ["x <x", "<think", "xxx>"]),
        # The third begins with the second, which ends within the tag.
        (["a", "ab</thi", "ab</think>"], ["x", "xx</thi", "xx</think>"]),
    ],
)
def test_think_tags_stay_also_where_fragments_cut_them(
    fragments: list[str], shapes: list[str]
) -> None:
    assert shapes_of(*fragments) == shapes


SNAPSHOTS = ["The", "The tide", "The tide comes", "The tide comes in twice"]


def test_a_whole_message_begins_with_what_came() -> None:
    written = Written()
    for fragment in ("an", "or"):
        written.add(fragment)
    written.add("anor!", whole=True)
    assert written.finish() == [["xx"], ["yx"], ["xxyx!"]]


def test_a_whole_message_that_is_another_does_not_begin_so() -> None:
    written = Written()
    written.add("an")
    written.add("orna", whole=True)
    written.add("o", whole=True)
    assert written.finish() == [["xx"], ["yxxx"], ["x"]]


def test_half_a_pair_that_waits_is_no_part_of_the_text_before_a_message() -> None:
    written = Written()
    written.add("a\ud83d")
    written.add("or", whole=True)
    assert written.finish() == [["x\ud83d"], ["yx"]]


def test_a_whole_message_may_repeat_all_and_bring_nothing() -> None:
    written = Written()
    written.add("an", whole=True)
    written.add("an", whole=True)
    assert written.finish() == [["xx"], ["xx"]]


def test_a_whole_message_begins_with_the_last_snapshot() -> None:
    written = Written()
    for fragment in SNAPSHOTS:
        written.add(fragment)
    written.add(f"{SNAPSHOTS[-1]} a day", whole=True)
    written.add("The", whole=True)
    shapes = written.finish()
    assert shapes[-2] == ["Xxx xxxx xxxxx xx xxxxx x xxx"]
    assert shapes[-1] == ["Xxx"]


def test_one_text_under_several_keys_has_one_shape() -> None:
    written = Written()
    written.add("an", "an", "")
    written.add("on", "is", "on")
    assert written.finish() == [["xx", "xx", ""], ["yx", "xx", "yx"]]


def test_different_texts_of_one_delta_stay_different() -> None:
    written = Written()
    written.add("an", "is", "it", "or")
    (shapes,) = written.finish()
    assert len(set(shapes)) == 4


def test_there_are_not_enough_halves_of_pairs_to_tell_them_all_apart() -> None:
    written = Written()
    written.add("\ud83d", "\ud83e", "\ud83f")
    assert written.finish() == [["\ud83d", "\ud83e", "\ud83d"]]


def test_unlike_changes_what_begins_alike_and_nothing_else() -> None:
    assert unlike("xx", "an", "ao", "xx") == "xy"
    assert unlike("xx", "an", "a!", "x!") == "xx"
    assert unlike("xx", "an", "", "") == "xx"
    assert unlike("xx", "an", "an", "xx") == "xx"


def test_the_begin_of_a_tag_stays_at_the_end_only() -> None:
    assert with_tags("a <th b </thin") == "x <xx x </thin"


@given(st.lists(st.sampled_from(["a", "ab", "abc", "b", "ba", " a", "", "é", "字"]), max_size=6))
def test_prefixes_are_those_of_the_texts_until_one_is_none(fragments: list[str]) -> None:
    said = list(filter(None, fragments))
    shapes = list(filter(None, shapes_of(*fragments)))
    for number in range(1, len(said)):
        begins = said[number].startswith(said[number - 1])
        assert shapes[number].startswith(shapes[number - 1]) == begins
        if not begins:
            break
