"""ChatStream: reads that begin or end where no event does, and what is held between them."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

from tests.chat_helpers import DONE, chunk, event, finish, of, play
from untorn import ChatStream, Defect, StreamEnded, TextDelta, parse
from untorn.options import KIB, MIB, Limits, Options
from untorn.usual_read import ENOUGH

GZIP = b"\x1f\x8b"
HELLO = chunk({"role": "assistant", "content": "Hello"})
MANY = b"".join(chunk({"content": f"{number} "}) for number in range(40))
ODD = {
    "a name that ends like data": b"d" + chunk({"content": "x"}),
    "text that looks like an event": chunk({"content": "data: {x"}),
    "data in two lines": b'data: {"choices":\ndata: [{"index":0,"delta":\n'
    b'data: {"content":"x"}}]}\n\n',
    "data in two lines, ended by CR": b'data: {"choices":[{"index":0,"delta":\r'
    b'data: {"content":"x"}}]}\n\n',
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD.keys())
def test_read_that_looks_like_an_event_is_read_as_what_it_continues(odd: bytes) -> None:
    assert len(MANY) > ENOUGH
    body = HELLO + MANY + odd + MANY + finish() + DONE
    begin, end = len(HELLO + MANY), len(HELLO + MANY + odd)
    events = play([HELLO, MANY, odd, MANY, finish(), DONE])
    # A read of many events may end inside of the odd one, or two small ones have it.
    for cut in range(begin, end):
        for places in ([0, len(HELLO), cut, end], [0, begin, cut, end]):
            reads = [body[start:stop] for start, stop in pairwise([*places, len(body)])]
            assert play(reads) == events
        large = [body[len(HELLO) : cut], body[cut : -len(DONE)]]
        assert play([HELLO, *large, DONE]) == events


def test_last_event_is_told_though_no_blank_line_ends_it() -> None:
    events, completion = play([HELLO, chunk({"content": "!"})[:-2]])
    assert of(TextDelta, events) == [TextDelta(0, "Hello"), TextDelta(0, "!")]
    assert events[-1] == StreamEnded(completion.verdict)


def test_what_a_chunk_brings_before_it_passes_a_limit_is_told() -> None:
    first = {"choices": [{"index": index, "delta": {"content": "a"}} for index in (0, 1)]}
    last = {"choices": [{"index": index, "delta": {"content": "b"}} for index in (0, 2)]}
    options = Options(limits=Limits(choices=2))
    expected = [TextDelta(0, "a"), TextDelta(1, "a"), TextDelta(0, "b")]
    events, _ = play([event(first), event(last)], ChatStream(options))
    assert of(TextDelta, events) == expected
    stream = ChatStream(options)
    events = [*stream.receive_payload(first), *stream.receive_payload(last)]
    assert of(TextDelta, events) == expected
    assert isinstance(events[-1], StreamEnded)


def test_of_two_limits_that_one_read_passes_the_first_is_told() -> None:
    read = chunk({"content": "a"}, 1) + b": " + b"x" * 300
    _, completion = play([HELLO, read], ChatStream(Options(limits=Limits(choices=1, line=200))))
    assert completion.verdict.reason == "more than 1 choices"


def test_over_a_limit_of_the_answer_there_is_no_tail() -> None:
    for read in (chunk({"content": "a"}, 1), chunk({"content": "a"}, 1)[:-1]):
        stream = ChatStream(Options(limits=Limits(choices=1)))
        _, completion = play([HELLO, read + b'data: {"a'], stream)
        assert completion.verdict.reason == "more than 1 choices"
        assert completion.verdict.tail is None


def test_limit_of_the_transport_is_told_though_the_end_passes_another() -> None:
    stream = ChatStream(Options(limits=Limits(values=150)))
    stream.receive_data(HELLO + b"data: [" + b"[]," * 100)
    stream.receive_failure("limit", "the body grew too much")
    assert stream.completion.verdict.reason == "the body grew too much"


# Compressed bodies ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reads", [[GZIP], [GZIP[:1], GZIP[1:]], [GZIP + b"\x08", b"junk\n", HELLO], [b"", GZIP, HELLO]]
)
def test_nothing_of_a_compressed_body_is_read_and_that_is_all_there_is_to_tell(
    reads: list[bytes],
) -> None:
    detail = "the body begins like gzip; the HTTP layer has to decompress it"
    completion = parse(reads)
    assert completion.verdict.defects == [Defect("compressed-body", "error", 0, 1, detail)]
    assert (completion.choices, completion.verdict.outcome) == ([], "interrupted")


def test_first_byte_of_gzip_alone_is_a_body_of_one_byte() -> None:
    verdict = parse(GZIP[:1]).verdict
    assert "after 1 bytes" in str(verdict)


def test_read_of_one_byte_does_not_wait_for_another() -> None:
    stream = ChatStream()
    assert stream.receive_data(b"\n") == []
    assert [found.code for found in stream.completion.verdict.defects] == []
    stream = ChatStream(Options(limits=Limits(line=0)))
    assert stream.receive_data(b"d") != []


# Documents ------------------------------------------------------------------------------------


def test_document_whose_choice_has_not_finished_has_no_end_to_miss() -> None:
    body = {"object": "chat.completion", "choices": [{"index": 0, "message": {"content": "a"}}]}
    completion = parse(json.dumps(body).encode(), content_type="application/json")
    codes = [defect.code for defect in completion.verdict.defects]
    assert "unexpected-eof" not in codes
    assert completion.verdict.ending == "document"


# When texts are counted -----------------------------------------------------------------------


def reason_of(body: bytes, text: int) -> tuple[str | None, int]:
    """The limit that a body passes in reads of 64 KiB, and how long its content is then."""
    stream = ChatStream(Options(limits=Limits(text=text)))
    reads = (body[start : start + 64 * KIB] for start in range(0, len(body), 64 * KIB))
    _, completion = play(reads, stream)
    return completion.verdict.reason, len(completion.content or "")


def test_text_passes_its_limit_with_the_chunk_that_does_however_rarely_it_is_counted() -> None:
    size = 64 * KIB
    body = HELLO + chunk({"content": "x" * size}) * 130
    reason, length = reason_of(body, 6 * MIB)
    assert reason == "more than 6291456 characters in choice 0"
    assert 6 * MIB < length <= 6 * MIB + size


@pytest.mark.parametrize("between", [b"", b"\ndata: "])
def test_text_counts_also_while_its_event_is_not_whole(between: bytes) -> None:
    delta: dict[str, Any] = {"content": "x" * (3 * MIB), "reasoning": "y" * (5 * MIB // 2)}
    body = HELLO + chunk(delta).replace(b',"reasoning"', b"," + between + b'"reasoning"')
    reason, _ = reason_of(body + finish() + DONE, 5 * MIB)
    assert reason == "more than 5242880 characters in choice 0"
