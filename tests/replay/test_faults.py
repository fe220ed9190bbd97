"""Faults are reads → reads: what arrives, in which pieces, and when."""

from __future__ import annotations

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untorn import parse, sse
from untorn.capture import Read
from untorn.replay import faults
from untorn.replay.streams import TEXT, contents, stream

READS = [Read(1.0, b"data: a\n\n"), Read(2.0, b"data: b\n"), Read(4.0, b"\ndata: [DONE]\n\n")]
BODY = b"data: a\n\ndata: b\n\ndata: [DONE]\n\n"

some_reads = st.lists(
    st.builds(Read, st.sampled_from([0.0, 0.5, 1.0]), st.binary(min_size=1, max_size=9)), max_size=9
)


def edges(reads: list[Read]) -> list[tuple[float, bytes]]:
    return [(read.interval, read.data) for read in reads]


# Where it stops -------------------------------------------------------------------------------


def test_a_cut_leaves_the_bytes_before_it_in_their_reads() -> None:
    assert edges(faults.cut(READS, at=12)) == [(1.0, b"data: a\n\n"), (2.0, b"dat")]


def test_a_cut_between_two_reads_leaves_no_empty_one() -> None:
    assert edges(faults.cut(READS, at=9)) == [(1.0, b"data: a\n\n")]


def test_a_cut_may_be_counted_from_the_end_or_in_percent() -> None:
    assert faults.body(faults.cut(READS, at=-2)) == BODY[:-2]
    assert faults.body(faults.cut(READS, percent=50)) == BODY[: len(BODY) // 2]
    assert faults.cut(READS, percent=100) == READS
    assert faults.cut(READS, percent=0) == []


@pytest.mark.parametrize("at", [len(BODY) + 1, -len(BODY) - 1])
def test_a_cut_outside_the_body_is_an_error(at: int) -> None:
    with pytest.raises(ValueError, match="not in the body, which has 32"):
        faults.cut(READS, at=at)


@pytest.mark.parametrize("place", [{}, {"at": 1, "percent": 1.0}])
def test_a_cut_has_one_place(place: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"either at= \(a byte\) or percent="):
        faults.cut(READS, **place)  # type: ignore[arg-type]


def test_a_cut_inside_something_keeps_so_many_bytes_of_it() -> None:
    assert faults.body(faults.cut_in(READS, b"[DONE]", keep=3)) == BODY[:-8] + b"[DO"


def test_what_is_not_there_cannot_be_cut() -> None:
    with pytest.raises(ValueError, match="does not hold b'usage'"):
        faults.cut_in(READS, b"usage")


@given(some_reads, st.data())
def test_a_cut_gives_a_beginning_and_moves_no_edge(reads: list[Read], data: st.DataObject) -> None:
    length = len(faults.body(reads))
    at = data.draw(st.integers(0, length))
    left = faults.cut(reads, at=at)
    assert faults.body(left) == faults.body(reads)[:at]
    assert left[:-1] == reads[: len(left)][:-1]


# In which pieces, and when --------------------------------------------------------------------


def test_merged_reads_come_when_the_last_one_came() -> None:
    assert faults.merge(READS) == [Read(7.0, BODY)]
    assert faults.merge([]) == []


@pytest.mark.parametrize("size", [1, 7, 32, 100])
def test_slices_have_their_size_and_lose_nothing(size: int) -> None:
    sliced = faults.slices(READS, size, interval=0.5)
    assert faults.body(sliced) == BODY
    assert {len(read.data) for read in sliced[:-1]} <= {size}
    assert {read.interval for read in sliced} == {0.5}


def test_slices_of_nothing_are_an_error() -> None:
    with pytest.raises(ValueError, match="reads of 0 bytes"):
        faults.slices(READS, 0)


def test_a_delay_is_added_to_each_interval() -> None:
    assert [read.interval for read in faults.delay(READS, 0.5)] == [1.5, 2.5, 4.5]


# What is wrong in it --------------------------------------------------------------------------


def test_one_byte_is_garbled_and_nothing_else() -> None:
    garbled = faults.garble(READS, 9)
    assert edges(garbled)[1] == (2.0, bytes([ord("d") ^ 0xFF]) + b"ata: b\n")
    assert [garbled[0], garbled[2]] == [READS[0], READS[2]]


def test_a_byte_may_be_garbled_to_a_certain_one_from_the_end() -> None:
    assert faults.body(faults.garble(READS, -3, to=ord("}"))) == BODY[:-3] + b"}\n\n"


@pytest.mark.parametrize("at", [len(BODY), -len(BODY) - 1])
def test_no_byte_outside_the_body_is_garbled(at: int) -> None:
    with pytest.raises(ValueError, match="not in the body"):
        faults.garble(READS, at)


def test_a_replacement_may_reach_over_reads() -> None:
    replaced = faults.replace(READS, b"b\n\ndata", b"c\n\ntada")
    assert edges(replaced)[1:] == [(2.0, b"data: c\n\ntada"), (4.0, b": [DONE]\n\n")]


def test_done_is_dropped_with_its_blank_line() -> None:
    assert edges(faults.drop_done(READS)) == [*edges(READS)[:2], (4.0, b"\n")]


def test_done_comes_twice_in_the_read_it_was_in() -> None:
    assert faults.double_done(READS)[2].data == b"\ndata: [DONE]\n\ndata: [DONE]\n\n"


@pytest.mark.parametrize("fault", [faults.drop_done, faults.double_done])
def test_a_body_without_done_has_none_to_damage(fault: type[object]) -> None:
    with pytest.raises(ValueError, match=r"no \[DONE\]"):
        fault(READS[:2])  # type: ignore[call-arg]


def test_an_event_comes_twice_though_its_end_was_in_another_read() -> None:
    doubled = faults.double_event(READS, 1)
    assert [event.data for event in sse.EventStream().receive_data(faults.body(doubled))] == [
        "a",
        "b",
        "b",
        "[DONE]",
    ]
    assert doubled[:2] == READS[:2]


@pytest.mark.parametrize("end", [b"\r", b"\r\n"])
def test_events_are_found_whatever_ends_their_lines(end: bytes) -> None:
    doubled = faults.double_event(faults.with_line_ends(READS, end), 0)
    assert faults.body(doubled) == BODY.replace(b"data: a\n\n", b"data: a\n\n" * 2).replace(
        b"\n", end
    )


@pytest.mark.parametrize("number", [3, -1])
def test_an_event_that_is_not_there_cannot_come_twice(number: int) -> None:
    with pytest.raises(ValueError, match="not in the body, which has 3"):
        faults.double_event(READS, number)


def test_heartbeats_come_before_events_and_never_inside_one() -> None:
    beaten = faults.heartbeats(READS, interval=0.5)
    assert edges(beaten) == [
        (1.0, faults.COMMENT),
        (0.5, b"data: a\n\n"),
        (2.0, faults.COMMENT),
        (0.5, b"data: b\n"),
        (4.0, b"\ndata: [DONE]\n\n"),
    ]


# Other bytes for the same ---------------------------------------------------------------------


def test_a_bom_comes_with_the_first_read() -> None:
    assert faults.with_bom(READS)[0] == Read(1.0, b"\xef\xbb\xbfdata: a\n\n")


def test_each_compressed_read_can_be_decompressed_at_once() -> None:
    gzip = zlib.decompressobj(wbits=31)
    compressed = faults.compress(READS)
    assert [gzip.decompress(read.data) for read in compressed[:-1]] == [r.data for r in READS]
    gzip.decompress(compressed[-1].data)
    assert gzip.eof
    assert [read.interval for read in compressed] == [1.0, 2.0, 4.0, 0.0]


def test_faults_can_follow_each_other() -> None:
    reads = stream(contents())
    damaged = faults.slices(faults.with_line_ends(faults.heartbeats(reads), b"\r\n"), 5)
    completion = parse(read.data for read in damaged)
    assert (completion.content, completion.verdict.outcome) == (TEXT, "complete")


def test_no_fault_changes_what_it_was_given() -> None:
    before = edges(READS)
    faults.garble(READS, 0)
    faults.cut(READS, at=1)
    faults.double_done(READS)
    assert edges(READS) == before
