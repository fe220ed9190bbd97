"""Lines to payloads, as providers really frame them (corpus rules 1 to 6)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import cuttings, two_way_cuts
from untorn.chat.framing import Framing
from untorn.chat.json_text import NOTHING, value_of
from untorn.chat.payload import Item, KeepAlive, Note, Payload
from untorn.head import EVENT_STREAM, Head
from untorn.options import Limits
from untorn.sse import EventStream, LineSplitter, Tail

STREAM = Head(200, EVENT_STREAM)
JSON = Head(200, "application/json")
FAILED = Head(500, "text/plain")

CHUNK = b'{"choices":[{"index":0,"delta":{"content":"a"}}]}'
COMPLETION = b'{"object":"chat.completion","choices":[{"index":0,"message":{"content":"a"}}]}'
EVENT = b"data: " + CHUNK + b"\n\n"
DONE = b"data: [DONE]\n\n"

Told = list[Any]
"""Items in short, with offsets: (kind, data, offset), (code, offset), or "keep-alive"."""


class Body:
    """What framing makes of a body."""

    def __init__(self, reads: Iterable[bytes], head: Head | None, limits: Limits) -> None:
        self.told: Told = []
        self.notes: list[Note] = []
        self._splitter = LineSplitter(limits.line)
        self._framing = Framing(head, limits, self._splitter)
        for data in reads:
            if lines := self._splitter.receive_data(data):
                self._take(self._framing.receive_lines(lines))
            if self._splitter.exceeded or self._framing.over is not None:
                self._take(self._framing.stop())
                break
        else:
            self._take(self._framing.receive_eof(self._splitter.receive_eof()))
        self.tail = self._framing.tail
        self.is_document = self._framing.is_document
        self.over = self._framing.over

    def _take(self, items: Iterable[Item]) -> None:
        for item in items:
            offset = self._framing.offset_of(item)
            if isinstance(item, bytes):
                self.told.append(("event", item, offset))
            elif isinstance(item, Payload):
                self.told.append((item.kind, item.data, offset))
            elif isinstance(item, Note):
                self.notes.append(item)
                self.told.append((item.code, offset))
            else:
                assert offset is None
                self.told.append("keep-alive")

    def seen(self) -> tuple[object, ...]:
        """Everything, to be compared."""
        notes = [(note.code, note.detail, note.count) for note in self.notes]
        return self.told, notes, self.tail, self.is_document, self.over


def framed(body: bytes, head: Head | None = STREAM, limits: Limits = Limits()) -> Body:
    """The same for every way of cutting the body into reads."""
    whole = Body([body], head, limits)
    for reads in (*cuttings(body), *two_way_cuts(body)):
        assert Body(reads, head, limits).seen() == whole.seen(), reads
    return whole


def codes(body: Body) -> list[str]:
    return [note.code for note in body.notes]


# Events (rule 2) -----------------------------------------------------------------------------


def test_event_ends_at_a_blank_line() -> None:
    body = framed(EVENT + b"id: 1\nevent: x\nretry: 5\ndata: [1,\ndata: 2]\n\n" + DONE)
    assert body.told == [
        ("event", CHUNK, 0),
        ("event", b"[1,\n2]", len(EVENT) + 24),
        ("event", b"[DONE]", len(EVENT) + 24 + 20),
    ]
    assert body.tail is None
    assert not body.is_document


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_line_ends_and_a_leading_byte_order_mark_are_no_defects(end: bytes) -> None:
    body = framed(b"\xef\xbb\xbf" + (EVENT + b"data:{}\n\n" + DONE).replace(b"\n", end))
    assert [told[:2] for told in body.told] == [
        ("event", CHUNK),
        ("event", b"{}"),
        ("event", b"[DONE]"),
    ]
    assert body.told[0][2] == 3


def test_blank_lines_without_data_are_nothing() -> None:
    assert framed(b"\n\nid: 1\n\n: hi\n\n").told == ["keep-alive"]


def test_usual_event_that_framing_did_not_give_ends_where_the_splitter_stands() -> None:
    splitter = LineSplitter()
    framing = Framing(STREAM, Limits(), splitter)
    *_, last = framing.receive_lines(splitter.receive_data(EVENT + EVENT))
    assert framing.offset_of(last) == len(EVENT)
    framing.forget_read()
    splitter.start += len(EVENT)
    assert framing.offset_of(bytes(bytearray(CHUNK))) == 2 * len(EVENT)


def test_usual_event_after_the_first_is_given_as_its_payload() -> None:
    splitter = LineSplitter()
    framing = Framing(STREAM, Limits(), splitter)
    first, second = framing.receive_lines(splitter.receive_data(EVENT + EVENT))
    assert first == Payload(CHUNK, "event", 0)
    assert second == CHUNK


NO_SPACE = b"data:" + CHUNK + b"\n\n"


def test_usual_event_may_be_without_a_space() -> None:
    splitter = LineSplitter()
    framing = Framing(STREAM, Limits(), splitter)
    first, *others = framing.receive_lines(splitter.receive_data(NO_SPACE * 3))
    assert first == Payload(CHUNK, "event", 0)
    assert others == [CHUNK, CHUNK]
    assert [framing.offset_of(item) for item in others] == [len(NO_SPACE), 2 * len(NO_SPACE)]
    assert framing.receive_lines(splitter.receive_data(NO_SPACE * 2)) == [CHUNK] * 2


def test_usual_events_with_and_without_a_space_may_take_turns() -> None:
    splitter = LineSplitter()
    framing = Framing(STREAM, Limits(), splitter)
    items = framing.receive_lines(splitter.receive_data(EVENT * 2 + NO_SPACE * 2 + EVENT * 2))
    assert [isinstance(item, bytes) for item in items] == [False, *[True] * 5]
    assert framing.receive_lines(splitter.receive_data(NO_SPACE)) == [CHUNK]


def test_change_of_the_space_means_nothing_wherever_it_is() -> None:
    spaces = [EVENT, NO_SPACE, NO_SPACE, EVENT, EVENT, DONE, NO_SPACE]
    body = framed(b"".join(spaces))
    offsets = [len(b"".join(spaces[:number])) for number in range(len(spaces))]
    assert body.told == [
        ("event", b"[DONE]" if said is DONE else CHUNK, offset)
        for said, offset in zip(spaces, offsets, strict=True)
    ]
    assert body.notes == []


@pytest.mark.parametrize("first", [EVENT, NO_SPACE])
@pytest.mark.parametrize("line", [b"data: {\n", b"data:{\n"])
def test_usual_line_that_the_next_read_goes_on_is_read_the_plain_way(
    first: bytes, line: bytes
) -> None:
    for rest in (b"data: }\n\n", b"data:}\n\n"):
        body = framed(first * 2 + line + rest + first * 2)
        assert [told[1] for told in body.told] == [CHUNK, CHUNK, b"{\n}", CHUNK, CHUNK]
        assert body.notes == []


def test_usual_event_is_no_shortcut_where_the_line_limit_is_above_that_of_events() -> None:
    splitter = LineSplitter()
    framing = Framing(STREAM, Limits(event=1000), splitter)
    items = framing.receive_lines(splitter.receive_data(EVENT + EVENT))
    assert items == [Payload(CHUNK, "event", 0), Payload(CHUNK, "event", 2)]


def test_usual_line_that_another_follows_is_read_the_plain_way() -> None:
    body = framed(EVENT + b'data: {"choices":\ndata: []}\n\n' + EVENT)
    assert body.told[1] == ("event", b'{"choices":\n[]}', len(EVENT))
    assert body.notes == []


def test_usual_line_that_another_usual_line_follows_is_read_the_plain_way_too() -> None:
    body = framed(EVENT + b'data: {"a":\ndata: {}}\n\n' + EVENT)
    assert body.told[1] == ("event", b'{"a":\n{}}', len(EVENT))
    reads = [EVENT, EVENT + b'data: {"a":\ndata: 1}\n', b"\n"]
    assert Body(reads, STREAM, Limits()).told[1:] == [
        ("event", CHUNK, len(EVENT)),
        ("event", b'{"a":\n1}', 2 * len(EVENT)),
    ]


def test_stream_without_blank_lines_is_delivered_as_it_comes() -> None:
    line = b"data: " + CHUNK + b"\n"
    size = len(line)
    assert framed(EVENT + line + line + DONE).told == [
        ("event", CHUNK, 0),
        ("no-blank-line", size + 1 + size),
        ("event", CHUNK, size + 1),
        ("no-blank-line", size + 1 + 2 * size),
        ("event", CHUNK, size + 1 + size),
        ("event", b"[DONE]", size + 1 + 2 * size),
    ]


def test_event_named_error_is_told_apart_and_its_name_lasts_one_event() -> None:
    body = framed(b"event: error\ndata: {}\n\ndata: {}\n\nevent: error\n\ndata: {}\n\n")
    assert [told[:2] for told in body.told] == [
        ("error event", b"{}"),
        ("event", b"{}"),
        ("event", b"{}"),
    ]


def test_usual_line_in_an_event_named_error_belongs_to_it() -> None:
    assert framed(EVENT + b"event: error\n" + EVENT).told[1][:2] == ("error event", CHUNK)


def test_later_event_field_takes_the_place_of_an_earlier_one() -> None:
    body = framed(b"event: error\nevent: message\ndata: {}\n\n")
    assert body.told == [("event", b"{}", 28)]


def test_comment_is_a_sign_of_life_and_ends_nothing() -> None:
    body = framed(b": hi\ndata: {\n:\ndata: }\n\n" + EVENT + b": hi\n\n")
    assert body.told == ["keep-alive", "keep-alive", ("event", b"{\n}", 5), *body.told[3:]]
    assert body.told[3:] == [("event", CHUNK, 24), "keep-alive"]


def test_second_prefix_is_dropped() -> None:
    body = framed(EVENT + b"data: data: {}\n\n")
    assert body.told[1:] == [("double-data-prefix", len(EVENT)), ("event", b"{}", len(EVENT))]


# Lines that are no SSE field (rule 3) --------------------------------------------------------


def test_byte_order_mark_at_the_start_of_a_later_line_is_dropped() -> None:
    body = framed(b"id: 1\n\xef\xbb\xbf\xef\xbb\xbfdata: {}\n\xef\xbb\xbf\n" + EVENT)
    assert body.told == [
        ("bom-mid-stream", 6),
        ("bom-mid-stream", 21),
        ("event", b"{}", 6),
        ("event", CHUNK, 25),
    ]
    assert body.notes[0].detail == "a byte order mark before a field was dropped"
    assert [note.count for note in body.notes] == [2, 1]


@pytest.mark.parametrize("line", [b"hello", b"Data: {}", b" data: {}", b"foo: bar", b"error: bar"])
def test_line_that_is_nothing_known_is_ignored(line: bytes) -> None:
    body = framed(EVENT + line + b"\n" + EVENT)
    assert body.told[1] == ("stray-line", len(EVENT))
    assert body.told[2][:2] == ("event", CHUNK)
    assert body.notes[0].detail == f'a line was ignored: "{line.decode()}"'


def test_ignored_line_does_not_end_the_event_around_it() -> None:
    body = framed(b"data: {\nhello\ndata: }\n\n")
    assert body.told == [("stray-line", 8), ("event", b"{\n}", 0)]


def test_ignored_line_with_choices_in_it_is_a_lost_event() -> None:
    body = framed(EVENT + b'ata: {"choices":[]}\n\n')
    assert body.told[1] == ("bad-json", len(EVENT))
    assert body.notes[0].detail == (r'a line with choices in it is lost: "ata: {"choices":[]}"')


@pytest.mark.parametrize("value", [b'{"message":"m"}', b'"busy"'])
def test_field_named_error_is_an_error(value: bytes) -> None:
    body = framed(EVENT + b"error: " + value + b"\n\n" + EVENT)
    size = len(EVENT)
    assert body.told[1:3] == [("error-field", size), ("error field", value, size)]
    assert body.told[3][:2] == ("event", CHUNK)
    assert body.notes[0].detail == f'an error came as a field: "{value.decode()}"'


@pytest.mark.parametrize("value", [b"busy", b"{}", b'""', b"5", b"null", b'["m"]', b""])
def test_field_named_error_without_an_error_in_it_is_ignored(value: bytes) -> None:
    assert codes(framed(EVENT + b"error: " + value + b"\n\n")) == ["stray-line"]


# HTML ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("tag", [b"<html>", b"<HTML lang=en>", b"<!DOCTYPE html>", b"<?xml ?>"])
def test_html_page_in_place_of_a_stream_is_one_document(tag: bytes) -> None:
    body = framed(b"\n" + tag + b"\n<p>data: {}\n\ndata: {}\n\n", Head(200, "text/html"))
    assert body.told == [("html-body", 1)]
    assert body.notes[0].detail == "an HTML page came"
    assert body.is_document


def test_html_page_inside_a_stream_cuts_the_event_before_it() -> None:
    body = framed(b'data: {"choices"\n<html>\n}\n\n' + EVENT)
    assert body.told == [("truncated-event", 0), ("html-body", 17)]
    assert body.tail == Tail(0, b'data: {"choices"', [b'data: {"choices"'])
    assert not body.is_document


def test_html_page_after_a_whole_event_leaves_it_whole() -> None:
    body = framed(EVENT + b"data: {}\n<html>")
    assert body.told[1:] == [
        ("no-final-blank-line", len(EVENT)),
        ("event", b"{}", len(EVENT)),
        ("html-body", len(EVENT) + 9),
    ]
    assert body.tail is None


def test_html_page_after_bare_lines_is_no_document() -> None:
    assert not framed(CHUNK + b"\n<html>\n").is_document


@pytest.mark.parametrize("line", [b"<p>", b"<htm", b" <html>", b"<"])
def test_other_tags_are_stray_lines(line: bytes) -> None:
    assert codes(framed(EVENT + line + b"\n\n")) == ["stray-line"]


# Bare lines and documents (rule 6) -----------------------------------------------------------


def test_bare_line_in_a_stream_lacks_its_prefix() -> None:
    body = framed(EVENT + CHUNK + b"\n\n" + EVENT)
    size = len(EVENT)
    assert body.told[1:3] == [("missing-data-prefix", size), ("event", CHUNK, size)]
    assert body.notes[0].detail == "a JSON line stands without data:"


def test_whole_bare_line_is_read_at_once_and_ends_the_event_before_it() -> None:
    body = framed(b"data: {\n" + CHUNK + b"\n")
    assert body.told == [
        ("no-blank-line", 8),
        ("event", b"{", 0),
        ("missing-data-prefix", 8),
        ("event", CHUNK, 8),
    ]


def test_bare_line_that_is_not_whole_is_data_of_its_event() -> None:
    body = framed(b"data: [1,\n[2],\ndata: 3]\n\n")
    assert body.told == [("missing-data-prefix", 10), ("event", b"[1,\n[2],\n3]", 0)]


def test_bare_line_in_an_event_named_error_has_its_name() -> None:
    assert framed(b"event: error\n" + CHUNK + b"\n\n").told[-1] == ("error event", CHUNK, 13)


def test_body_of_bare_lines_is_ndjson() -> None:
    body = framed(CHUNK + b"\n\n" + CHUNK + b"\n", JSON)
    assert body.told == [
        ("line", CHUNK, 0),
        ("event", CHUNK, len(CHUNK) + 2),
        ("ndjson-framing", 0),
    ]
    assert body.notes[0].count == 2
    assert not body.is_document


def test_bare_lines_before_the_first_sse_line_lack_their_prefix() -> None:
    body = framed(CHUNK + b"\n" + CHUNK + b"\n" + EVENT)
    size = len(CHUNK) + 1
    assert body.told == [
        ("line", CHUNK, 0),
        ("event", CHUNK, size),
        ("missing-data-prefix", 0),
        ("event", CHUNK, 2 * size),
    ]
    assert body.notes[0].count == 2


def test_bare_lines_with_stray_ones_are_no_ndjson() -> None:
    body = framed(CHUNK + b"\nhello\n")
    assert codes(body) == ["stray-line", "missing-data-prefix"]
    assert codes(framed(b"hello\n" + CHUNK + b"\n")) == ["stray-line", "missing-data-prefix"]
    body = framed(CHUNK + b'\nerror: "busy"\n')
    assert codes(body) == ["error-field", "missing-data-prefix"]


@pytest.mark.parametrize(
    "document", [COMPLETION, b'{\n"error": "m"\n}', b"\n\n [\n\n1]\n", b"[" + CHUNK + b"]"]
)
def test_one_json_document_is_the_whole_body(document: bytes) -> None:
    body = framed(document, JSON)
    kind, data, offset = body.told[0]
    assert (kind, data, offset) == ("line", document.strip(b"\n"), document.find(data))
    code = "json-array-body" if CHUNK in document else "not-streamed"
    assert body.told[1:] == [(code, offset)]
    assert body.is_document
    assert body.tail is None


def test_document_may_begin_after_lines_of_white_space() -> None:
    assert framed(b" \n\t\n[\n1]", JSON).told == [("line", b"[\n1]", 4), ("not-streamed", 4)]


def test_chunk_of_several_lines_is_a_document_and_of_one_ndjson() -> None:
    assert codes(framed(CHUNK, JSON)) == ["ndjson-framing"]
    assert codes(framed(CHUNK.replace(b",", b",\n"), JSON)) == ["not-streamed"]


def test_document_that_sse_lines_follow_is_an_event_without_its_prefix() -> None:
    body = framed(b"{\n\n}\n" + EVENT)
    assert body.told == [
        ("line", b"{\n\n}", 0),
        ("missing-data-prefix", 0),
        ("event", CHUNK, 5),
    ]


def test_held_lines_that_are_no_document_are_read_as_lines() -> None:
    body = framed(b'{"a":\n' + CHUNK + b"\n\n[1,\nhello\n2]\n" + EVENT)
    size = 6 + len(CHUNK) + 2
    assert body.told == [
        ("no-blank-line", 6),
        ("event", b'{"a":', 0),
        ("event", CHUNK, 6),
        ("stray-line", size + 4),
        ("stray-line", size + 10),
        ("missing-data-prefix", 0),
        ("no-blank-line", size + 13),
        ("event", b"[1,", size),
        ("event", CHUNK, size + 13),
    ]


def test_document_that_an_html_page_follows_is_no_document() -> None:
    body = framed(b"[\n1]\n<html>\n")
    assert body.told == [("line", b"[\n1]", 0), ("html-body", 5), *body.told[2:]]
    assert not body.is_document


def test_held_body_with_a_whole_line_in_it_is_read_as_lines() -> None:
    body = framed(b"{\n" + CHUNK + b"\n")
    assert body.told[:3] == [("no-blank-line", 2), ("event", b"{", 0), ("event", CHUNK, 2)]
    assert not body.is_document


def test_held_body_that_breaks_off_is_cut() -> None:
    body = framed(b'{"choices":\n[{"index"', JSON)
    assert body.told == [("truncated-event", 0)]
    assert body.notes[0].detail == (r'21 bytes of an event were cut: "{"choices":\n[{"index""')
    assert body.tail == Tail(0, b'{"choices":\n[{"index"', [b'{"choices":', b'[{"index"'])


@pytest.mark.parametrize("begin", [b"[", b" ["])
def test_array_of_lines_that_is_no_json_is_not_read_as_lines(begin: bytes) -> None:
    body = framed(begin + b"\n" + CHUNK + b"\n" + CHUNK + b"\n]")
    assert body.told == [("truncated-event", 0)]


@pytest.mark.parametrize("document", [b' {"a":1}', b" [1]"])
def test_document_may_begin_after_white_space_in_its_line(document: bytes) -> None:
    assert framed(document, JSON).told == [("line", document, 0), ("not-streamed", 0)]


def test_held_body_that_ends_but_is_no_json_is_an_event_of_its_own() -> None:
    assert framed(b"{\n1\n\n", JSON).told == [("event", b"{\n1\n", 0)]


# Content types -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "content_type", "detail"),
    [
        (
            EVENT,
            "application/json",
            "the body is an event stream, the header says application/json",
        ),
        (EVENT, "text/plain; x=y", "the body is an event stream, the header says text/plain"),
        (b": hi\n", "text/html", "the body is an event stream, the header says text/html"),
        (
            COMPLETION,
            EVENT_STREAM,
            "the body is a JSON document, the header says text/event-stream",
        ),
        (CHUNK, EVENT_STREAM, "the body is NDJSON, the header says text/event-stream"),
    ],
)
def test_header_that_does_not_describe_the_body_is_told(
    body: bytes, content_type: str, detail: str
) -> None:
    notes = framed(body, Head(200, content_type)).notes
    assert [note.detail for note in notes if note.code == "content-type-mismatch"] == [detail]


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (EVENT, EVENT_STREAM),
        (EVENT, "Text/Event-Stream; charset=utf-8"),
        (EVENT, None),
        (EVENT, ""),
        (COMPLETION, "application/json"),
        (COMPLETION, None),
        (CHUNK, "application/x-ndjson"),
        (CHUNK + b"\nhello\n", EVENT_STREAM),
        (b"hello\n", "text/html"),
        (b"", "text/html"),
    ],
)
def test_header_that_does_is_not(body: bytes, content_type: str | None) -> None:
    assert "content-type-mismatch" not in codes(framed(body, Head(200, content_type)))


def test_without_a_head_nothing_can_mismatch() -> None:
    assert framed(EVENT, None).told == [("event", CHUNK, 0)]
    assert codes(framed(COMPLETION, None)) == ["not-streamed"]


# The text of an error (rule 7) ---------------------------------------------------------------


@pytest.mark.parametrize("text", [b"too busy", b"\n too\n\nbusy\n", b"error: busy", b"[busy\n<a>"])
def test_text_that_comes_with_an_error_status_is_its_message(text: bytes) -> None:
    body = framed(text, FAILED)
    (told,) = body.told
    assert told[:2] == ("text", text.removeprefix(b"\n").removesuffix(b"\n"))
    assert body.is_document


def test_json_that_comes_with_an_error_status_is_a_document() -> None:
    body = framed(b'{\n"error": "m"}', FAILED)
    assert body.told == [("line", b'{\n"error": "m"}', 0)]
    assert body.is_document


def test_json_that_breaks_off_with_an_error_status_is_its_text() -> None:
    assert framed(b'{\n"error": "m', FAILED).told == [("text", b'{\n"error": "m', 0)]


@pytest.mark.parametrize(
    ("rest", "told"),
    [
        (b"data: {}\n\n", ("event", b"{}", 5)),
        (CHUNK + b"\n", ("event", CHUNK, 5)),
        (b"<html>\n", ("html-body", 5)),
        (b'error: "m"\n', ("error field", b'"m"', 5)),
    ],
)
def test_text_before_a_line_that_is_known_is_no_message(rest: bytes, told: object) -> None:
    body = framed(b"oh\n\n\n" + rest, Head(500))
    assert body.told[0] == ("stray-line", 0)
    assert told in body.told


def test_bracketed_text_after_text_is_text() -> None:
    assert framed(b"oh\n[1] no\n", FAILED).told == [("text", b"oh\n[1] no", 0)]


# The end of the body -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rest",
    [b"", b" \t", b":", b": hi", b"id", b"id: 7", b"event: error", b"retry: 5", b"id: 7\nevent"],
)
def test_end_cuts_nothing_that_says_nothing(rest: bytes) -> None:
    body = framed(EVENT + rest)
    assert body.tail is None
    assert codes(body) == []
    assert codes(framed(rest)) == []


def test_comment_without_its_line_end_is_no_sign_of_life() -> None:
    assert framed(EVENT + b": hi").told == framed(EVENT).told


@pytest.mark.parametrize(
    "rest", [b"da", b"data", b"data: ", b"plain", b"i", b"error: {", b"\xe6\x97"]
)
def test_end_cuts_any_other_rest(rest: bytes) -> None:
    for before in (EVENT, b""):
        body = framed(before + rest)
        assert body.tail == Tail(len(before), rest, [rest])
        assert body.told[-1] == ("truncated-event", len(before))


def test_end_cuts_all_lines_of_its_event() -> None:
    body = framed(EVENT + b"data: {\ndata: 1")
    assert body.tail == Tail(len(EVENT), b"data: {\ndata: 1", [b"data: {", b"data: 1"])
    assert body.notes[0].detail == r'15 bytes of an event were cut: "data: {\ndata: 1"'


def test_one_byte_is_one_byte() -> None:
    assert framed(b"d").notes[0].detail == '1 byte of an event were cut: "d"'


@pytest.mark.parametrize("rest", [b"data: {}", b"data: {}\n", b"data: {\ndata: }"])
def test_whole_last_event_is_used_without_its_blank_line(rest: bytes) -> None:
    body = framed(EVENT + rest)
    offset = len(EVENT)
    assert ("no-final-blank-line", offset) in body.told
    assert body.told[-1] == ("event", rest.replace(b"data: ", b"").strip(), offset)
    assert body.tail is None


def test_prefix_of_data_alone_at_the_end_is_cut_though_the_event_before_it_is_whole() -> None:
    body = framed(b"data: {}\ndata:")
    assert body.told == [
        ("no-final-blank-line", 0),
        ("event", b"{}", 0),
        ("truncated-event", len(b"data: {}\n")),
    ]


def test_bare_array_at_the_end_of_a_stream_is_used() -> None:
    size = len(EVENT)
    told = framed(EVENT + b"[1]").told[1:]
    assert told == [("missing-data-prefix", size), ("event", b"[1]", size)]


def test_whole_last_line_is_used_whatever_it_is() -> None:
    assert framed(EVENT + b'error: "m"').told[-1] == ("error field", b'"m"', len(EVENT))
    assert framed(EVENT + b"<html>").told[-1] == ("html-body", len(EVENT))
    assert framed(EVENT + CHUNK).told[-1] == ("event", CHUNK, len(EVENT))
    assert framed(EVENT + b"\xef\xbb\xbfdata: {}").told[-1] == ("event", b"{}", len(EVENT))


def test_usual_line_that_waits_is_used_at_the_end() -> None:
    body = framed(EVENT + EVENT.rstrip() + b"\n")
    assert body.told[1:] == [("no-final-blank-line", len(EVENT)), ("event", CHUNK, len(EVENT))]


def test_first_line_may_be_the_last() -> None:
    body = framed(b"data: ", Head(200, "text/plain"))
    assert body.told == [("content-type-mismatch", 0), ("truncated-event", 0)]
    assert framed(b": hi", Head(200, "text/plain")).told == [("content-type-mismatch", 0)]


def test_rest_of_an_html_page_is_ignored() -> None:
    assert framed(b"<html>\ndata: {").told == [("html-body", 0), *framed(b"<html>").told[1:]]
    assert framed(b"<html>\ndata: {").tail is None


def test_empty_body_is_nothing() -> None:
    body = framed(b"")
    assert (body.told, body.tail, body.is_document) == ([], None, False)


# Between events ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "between"),
    [
        (b"", False),
        (b"\n", False),
        (EVENT, True),
        (EVENT + b": hi\n", True),
        (EVENT + b"id: 1\n", True),
        (EVENT + b"event: error\n", False),
        (EVENT + EVENT[:-1], False),
        (EVENT + b"data: 1\n", False),
        (CHUNK + b"\n", False),
        (EVENT + b"<html>\n", False),
    ],
)
def test_after_a_blank_line_the_next_line_may_be_that_of_a_usual_event(
    body: bytes, between: bool
) -> None:
    splitter = LineSplitter()
    framing = Framing(STREAM, Limits(), splitter)
    framing.receive_lines(splitter.receive_data(body))
    assert framing.is_between_events is between


def test_usual_events_that_somebody_else_has_found_are_where_their_lines_are() -> None:
    splitter = LineSplitter()
    framing = Framing(STREAM, Limits(), splitter)
    framing.receive_lines(splitter.receive_data(EVENT))
    first, second = CHUNK, b"{}"
    splitter.let_split(lambda _, data: ([first, second], b""), EVENT + b"data: {}\n\n")
    framing.pass_by([first, second])
    assert framing.offset_of(first) == len(EVENT)
    assert framing.offset_of(second) == 2 * len(EVENT)


@pytest.mark.parametrize(
    ("body", "pending"),
    [
        (EVENT, 0),
        (EVENT + EVENT[:-1], len(EVENT) - 2),
        (EVENT + b"data: 1\ndata: 2\n: hi\nid: 1\n", len(b"data: 1\ndata: 2\n")),
        (b"{\n1\n", len(b"{\n1\n")),
    ],
)
def test_pending_is_what_was_not_given_out_yet(body: bytes, pending: int) -> None:
    splitter = LineSplitter()
    framing = Framing(STREAM, Limits(), splitter)
    framing.receive_lines(splitter.receive_data(body))
    assert framing.pending == pending


# Limits --------------------------------------------------------------------------------------


def test_event_and_document_may_be_as_long_as_the_limit_each_line_with_its_end() -> None:
    lines = b"data: {\ndata: }\n"
    limits = Limits(line=len(lines), event=len(lines))
    assert framed(lines + b"\n", limits=limits).over is None
    document = b'{"a":\n1}\n'
    limits = Limits(line=len(document), event=len(document), lines=2)
    assert framed(document + b" ", JSON, limits).over is None


def test_event_over_the_limit_is_cut() -> None:
    body = framed(b"data: 1\ndata: 2\ndata: 3\n\n" + EVENT, limits=Limits(event=20))
    assert body.over == "an event of more than 20 bytes"
    assert body.told == [("truncated-event", 0)]
    assert body.tail == Tail(0, b"data: 1\ndata: 2\ndata: 3", [b"data: 1", b"data: 2", b"data: 3"])


def test_document_over_the_limit_is_cut() -> None:
    body = framed(b"{\n1\n2\n3\n4\n" + EVENT, JSON, Limits(event=7))
    assert body.over == "a document of more than 7 bytes"
    assert body.tail == Tail(0, b"{\n1\n2\n3", [b"{", b"1", b"2", b"3"])


def test_blank_lines_of_a_document_count_too() -> None:
    assert framed(b"{\n\n\n\n\n", JSON, Limits(event=3)).over == "a document of more than 3 bytes"


def test_event_and_document_have_no_more_lines_than_the_limit() -> None:
    few = Limits(lines=3)
    assert framed(b"data: 1\n" * 3 + b"\n", STREAM, few).over is None
    assert framed(b"data: 1\n" * 4, STREAM, few).over == "an event of more than 3 lines"
    assert framed(b"{\n" * 4, JSON, few).over == "a document of more than 3 lines"


def test_line_over_the_limit_is_cut_with_the_lines_of_its_event() -> None:
    body = framed(EVENT + b"data: 1\ndata: " + b"2" * 70, limits=Limits(line=60))
    assert body.told[-1] == ("truncated-event", len(EVENT))
    assert body.tail is not None
    assert body.tail.lines == [b"data: 1", b"data: " + b"2" * 54]


def test_line_over_the_limit_by_itself_is_cut_where_it_begins() -> None:
    body = framed(EVENT + b": " + b"x" * 300, limits=Limits(line=200))
    assert body.told[1:] == [("truncated-event", len(EVENT))]


def test_usual_line_that_waits_is_cut_with_the_line_over_the_limit() -> None:
    body = framed(EVENT + EVENT.rstrip() + b"\ndata: " + b"2" * 70, limits=Limits(line=60))
    assert body.tail is not None
    assert body.tail.offset == len(EVENT)
    assert body.tail.lines == [EVENT.rstrip(), b"data: " + b"2" * 54]


def test_nothing_is_cut_where_nothing_is_open() -> None:
    splitter = LineSplitter()
    framing = Framing(STREAM, Limits(), splitter)
    framing.receive_lines(splitter.receive_data(EVENT))
    assert framing.stop() == []
    assert framing.tail is None


# Places --------------------------------------------------------------------------------------


def test_payload_that_came_otherwise_has_no_offset() -> None:
    framing = Framing(STREAM, Limits(), LineSplitter())
    assert framing.offset_of(Payload(b"{}", "event", None)) is None
    assert framing.offset_of(KeepAlive()) is None


def test_offset_of_a_usual_event_is_its_own_while_another_one_waits() -> None:
    size = len(EVENT)
    body = framed(EVENT * 4)
    assert [told[2] for told in body.told] == [0, size, 2 * size, 3 * size]
    stream = EVENT * 3
    for end in range(2 * size, 3 * size + 1):
        reads = [stream[: 2 * size - 1], stream[2 * size - 1 : end], stream[end:]]
        assert Body(reads, STREAM, Limits()).seen() == Body([stream], STREAM, Limits()).seen()


def test_no_lines_give_no_items() -> None:
    assert Framing(STREAM, Limits(), LineSplitter()).receive_lines([]) == []


# Where framing reports no defect, its payloads are the data of EventStream's events ----------

pieces = st.sampled_from(
    [
        *(
            b"data: ",
            b"data:",
            b"data",
            b"data:{",
            b"data: {",
            NO_SPACE,
            b"{",
            b"}",
            b"[1]",
            b"[DONE]",
            b"x",
            b"\xff",
            CHUNK,
            EVENT,
        ),
        *(b"\n", b"\n\n", b"\r\n", b"\r", b": hi", b"id: 1", b"event: x", b"event: error"),
        b"\xef\xbb\xbf",
    ]
)
bodies = st.lists(pieces, max_size=20).map(b"".join)


def begins_bare(data: bytes) -> bool:
    return data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith((b"{", b"["))


@given(bodies.filter(lambda data: not begins_bare(data)))
def test_payloads_without_a_defect_are_the_data_of_events(data: bytes) -> None:
    """Of events that hold JSON; other data is read line by line, and its defect comes later."""
    body = Body([data], STREAM, Limits())
    events = [event.data for event in EventStream().receive_data(data)]
    if body.notes or any(
        value_of(said.encode(), Limits(depth=8)) is NOTHING for said in events if "\n" in said
    ):
        return
    payloads = [told[1] for told in body.told if told != "keep-alive"]
    assert [payload.decode("utf-8", "replace") for payload in payloads] == events


payloads = st.sampled_from([b"{}", b'{"a":1}', CHUNK, b'{"a":\xff}', b"[DONE]", b"[1]", b"{"])
lines_between = st.sampled_from([b"", b"", b"", b"", b": hi\n", b"\n", b":\n\n", b"id: 1\n"])
ends = st.sampled_from([b"\n", b"\r", b"\r\n"])


@given(
    st.lists(
        st.tuples(payloads, st.sampled_from([b"data: ", b"data:"]), lines_between), max_size=8
    ),
    ends,
    st.lists(st.integers(0, 300), max_size=6),
)
def test_payloads_are_the_same_for_every_mixture_of_spaces_comments_and_blank_lines(
    events: list[tuple[bytes, bytes, bytes]], end: bytes, cuts: list[int]
) -> None:
    data = b"".join(
        before.replace(b"\n", end) + name + payload + end + end for payload, name, before in events
    )
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    reads = [data[start:stop] for start, stop in pairwise(places)]
    body = Body(reads, STREAM, Limits())
    told = [one for one in body.told if one != "keep-alive"]
    assert [payload for _, payload, _ in told] == [payload for payload, _, _ in events]
    assert [data[at:].startswith(b"data:") for _, _, at in told] == [True] * len(events)
    assert body.notes == []
    assert body.told.count("keep-alive") == sum(b":" in before[:1] for _, _, before in events)


limits = st.sampled_from([Limits(), Limits(line=20, event=40), Limits(event=20)])


@given(
    bodies,
    st.lists(st.integers(0, 200), max_size=4),
    st.sampled_from([STREAM, JSON, FAILED]),
    limits,
)
def test_cuts_mean_nothing(data: bytes, cuts: list[int], head: Head, limits: Limits) -> None:
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    reads = [data[start:end] for start, end in pairwise(places)]
    assert Body(reads, head, limits).seen() == Body([data], head, limits).seen()


def test_last_event_or_document_with_too_many_values_passes_a_limit() -> None:
    few = Limits(values=20)
    event = framed(EVENT + b"data: [[],[],[],\ndata: [],[],[],[],[]]", limits=few)
    assert event.over == "an event of more than 20 values"
    assert event.tail is not None
    document = framed(b'{"a":\n[[],[],[],\n[],[],[],[],[]]}', limits=few)
    assert document.over == "a document of more than 20 values"
    assert document.tail is not None


def test_document_has_no_more_lines_or_bytes_than_the_limits() -> None:
    body = b"[\n" + b"1,\n" * 20 + b"1]"
    assert framed(body, limits=Limits(lines=9)).over == "a document of more than 9 lines"
    assert framed(body, limits=Limits(event=30)).over == "a document of more than 30 bytes"


def test_event_has_no_more_lines_than_the_limit() -> None:
    body = b"data: [\n" + b"data: 1,\n" * 20
    assert framed(body, limits=Limits(lines=9)).over == "an event of more than 9 lines"
