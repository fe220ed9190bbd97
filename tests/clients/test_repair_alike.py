"""Events as the last one but for their text: what is passed on unread is as if it had been read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.chat_helpers import by_event
from tests.clients.alike import (
    ENOUGH,
    SHAPES,
    USUAL,
    WORDS,
    Counting,
    How,
    came_of,
    passed_by,
    stream_of,
)
from tests.clients.repairs import ASKED, ASKED_FOR_USAGE, DONE, ROLE, STOP, Ending, chunk, event
from tests.strategies import bodies
from untorn import Limits, Options
from untorn.chat.fast_way import NEAR
from untorn.clients.asked import Asked
from untorn.head import EVENT_STREAM
from untorn.options import MIB, Clocks

MOST = ENOUGH - 4
"""As many are taken for like ones: not those from which it is learned what to expect."""


@pytest.mark.parametrize(
    "shape",
    sorted(SHAPES.keys() - {"a vendor's", "escaped key", "obfuscation first"}),
)
def test_like_events_are_not_read(shape: str) -> None:
    reads = [*stream_of(SHAPES[shape], WORDS), STOP, DONE]
    assert passed_by(reads) >= MOST  # any of the first may be a snapshot


@pytest.mark.parametrize("shape", ["a vendor's", "escaped key", "obfuscation first"])
def test_others_are_read(shape: str) -> None:
    texts = stream_of(SHAPES[shape], WORDS)
    if shape == "obfuscation first":
        texts = [one.replace(b"aZ9", b"a%d" % number) for number, one in enumerate(texts)]
    assert passed_by([*texts, STOP, DONE]) == 0


# What broke it -----------------------------------------------------------------------------------


def test_read_that_ends_where_the_obfuscation_begins_is_no_whole_event() -> None:
    reads = stream_of(SHAPES["obfuscation"], WORDS)
    torn = reads[9]
    end = torn.index(b"aZ9")
    for at in range(end - 2, len(torn)):
        cut = [*reads[:9], torn[:at], torn[at:], *reads[10:], STOP, DONE]
        passed_by(cut)
        repair = Counting(ASKED, Options(), Clocks())
        assert came_of(repair, cut, USUAL, asking=False).sent[9] == b""


@pytest.mark.parametrize(
    "again",
    [
        *('"content" :"q"', '"content":\t"q"', '"content":  "q"', r'"c\u006fntent":"q"'),
        *(r'"\u0063ontent":"q"', '"content"\t\t:\t\t"q"'),
    ],
)
def test_text_that_stands_there_twice_is_the_last_one_however_its_key_is_written(
    again: str,
) -> None:
    shape = SHAPES["content"].replace('"?"', f'"?",{again}')
    reads = [*stream_of(SHAPES["content"], ["a", "b"]), *stream_of(shape, WORDS)[1:]]
    assert passed_by([*reads, STOP, DONE]) == 0


def test_text_of_more_digits_than_python_reads_as_a_number_is_written_anew() -> None:
    texts = [*WORDS, "9" * 4300, "9" * 4301, "b", "c"]
    reads = [*stream_of(SHAPES["spaces"], texts), STOP, DONE]
    passed_by(reads)
    repair = Counting(ASKED, Options(), Clocks())
    sent = came_of(repair, reads, USUAL, asking=False).sent
    assert [at for at, read in enumerate(reads[:-1]) if sent[at] != read] == [ENOUGH + 2]


# What it must not pass over ----------------------------------------------------------------------

LIKE = stream_of(SHAPES["content"], WORDS)


@pytest.mark.parametrize(
    "limits",
    [
        {"line": len(LIKE[9]) - 2},  # without the line ends
        {"line": len(LIKE[9]) + 1},
        {"event": len(LIKE[9])},
        {"body": sum(map(len, LIKE[:9])) + 1},
        {"body": sum(map(len, LIKE[:9]))},
        {"text": 90},
        {"text": NEAR + 90},
    ],
)
def test_limit_is_kept_by_like_events_too(limits: dict[str, int]) -> None:
    how = How(Options(limits=Limits(**limits)))
    for text in (" longer", "a" * 60, "a" * NEAR):
        passed_by([*LIKE, *stream_of(SHAPES["content"], [text])[1:], *LIKE[1:]], how)


def test_texts_are_counted_and_folded_however_many_are_not_read() -> None:
    long = stream_of(SHAPES["content"], ["abc"[number % 3] * 50_000 for number in range(100)])
    for most in (3 * MIB, 64 * MIB):
        assert passed_by([*long, STOP, DONE], How(Options(limits=Limits(text=most)))) > ENOUGH


@pytest.mark.parametrize(
    "next_one",
    [
        *(
            LIKE[9][:-1],
            LIKE[9][:-1] + b"\r\n",
            LIKE[9].replace(b"\n", b"\r"),
            b"\n",
            b": ping\n\n",
        ),
        *(LIKE[9].replace(b"c1", b"c2"), LIKE[9].replace(b":0", b":1"), b"data: x\n\n", b"\xff"),
        *(STOP, DONE, chunk({"reasoning": "hm"}), chunk({"content": ""}), b"<html>\n"),
        *(
            event({"choices": [], "usage": {"total_tokens": 2}}),
            event({"error": {"message": "no"}}),
        ),
        chunk({"tool_calls": [{"index": 0, "id": "x", "function": {"name": "f"}}]}),
    ],
)
def test_whatever_comes_after_like_events_means_what_it_means_after_others(next_one: bytes) -> None:
    for rest in ([], LIKE[2:], [*LIKE[2:], STOP, DONE]):
        assert passed_by([*LIKE, next_one, *rest]) >= MOST


@pytest.mark.parametrize("ending", ["eof", "cut", "stalled", "cancelled"])
def test_end_of_any_kind_after_like_events_is_what_it_is_after_others(ending: Ending) -> None:
    assert passed_by(LIKE, How(ending=ending)) >= MOST


def test_clock_that_runs_out_in_a_read_with_a_like_event_ends_the_answer() -> None:
    how = How(clocks=Clocks(idle=1.0), waits=[0.5] * 9 + [1.5])
    assert 0 < passed_by([*LIKE, STOP, DONE], how) < 9


def test_clock_that_rang_in_a_read_with_a_like_event_ends_the_answer() -> None:
    assert 0 < passed_by([*LIKE, STOP, DONE], How(rings_at=9)) < 9


def test_clock_of_the_end_runs_on_while_like_events_come_after_an_error() -> None:
    reads = [*LIKE, event({"error": {"message": "no"}}), *LIKE[1:], *LIKE[1:]]
    how = How(clocks=Clocks(after_end=1.0), waits=[0.125])
    assert 0 < passed_by(reads, how) - passed_by(LIKE, how) < 9


def test_compressed_body_that_grows_too_much_is_stopped_in_like_events_too() -> None:
    long = stream_of(SHAPES["content"], ["a" * 50_000, "b" * 50_000] * 15)
    headers = [("content-type", EVENT_STREAM), ("content-encoding", "gzip")]
    assert passed_by([*long, STOP, DONE], How(headers=headers, received=12_000)) == 0


# Anything ----------------------------------------------------------------------------------------

TEXTS = [
    *("a", " b", "é", "…", "😀", "12", "[DONE]", "<think>", "</think>", "data: x", "\\n", "\\\\"),
    *(
        '\\"',
        'a\\"',
        'a\\\\\\"b',
        "\\\\n",
        "\\u00e9",
        "\\ud83d",
        "\\ude00",
        "\\/",
        "\u2028",
        "\x7f",
    ),
    *("\x85", "\ufeff", "", "\\x", "\\", "a\tb", "\x00", "\ud83d", "9" * 5000, "a" * 300),
    *('a","x":"b', 'a\\\\"b', 'x","content":"y', 'x","content":"', '{\\"a\\":1}', "a b"),
]
EDITS: list[tuple[bytes, bytes]] = [
    *((b'"c1"', b'"c2"'), (b'"m"', b'"n"'), (b'"c1"', b"null"), (b'"index":0', b'"index":1')),
    *((b":17", b":18"), (b":17", b": 17"), (b"null", b'"stop"'), (b"null", b'"length"')),
    *((b'"delta":{', b'"delta":{"role":"tool",'), (b'"content"', b'"reasoning"')),
    *((b'"content"', b'"c\\u006fntent"'), (b'"content"', b'"refusal"'), (b"[{", b"[ {")),
    *((b'"content"', b'"content":"q","content"'), (b'"content"', b'"content":null,"content"')),
    *((b'"},', b'","content":"q"},'), (b'"},', b'","content" :"q"},')),
    *((b'"},', b'","c\\u006fntent":"q"},'), (b'"},', b'","reasoning":"q"},')),
    *((b'"},', b'","reasoning":""},'), (b'"},', b'"},"x":1,'), (b'"},', b'","content":null},')),
    *((b'"aZ9"', b'""'), (b'"aZ9"', b'"a9Bc7"'), (b'"aZ9"', b'"a-b"'), (b'"aZ9"', b'"\xc3\xa9"')),
    *((b'"aZ9"', b'"a\\"b"'), (b'"aZ9"', b'"a","obfuscation":"b"'), (b'"aZ9"', b"null")),
    *((b'"aZ9"', b'"a\xff"'), (b'"aZ9"', b'"a","x":"b"'), (b'"aZ9"', b'"a\rb"')),
    *((b"\n\n", b"\r\n\r\n"), (b"\n\n", b"\n"), (b"\n\n", b"\r\r"), (b"\n\n", b"\n\r\n")),
    *((b"\n\n", b"\n\n\n"), (b"\n\n", b"\n\n: hm\n\n"), (b"\n\n", b"\n\n" + DONE), (b"\n\n", b"")),
    *((b"data: ", b"data:"), (b"data: ", b"data:  "), (b"data: ", b"id: 1\ndata: ")),
    *((b"data: ", b"\xef\xbb\xbfdata: "), (b"data: ", b"data: data: "), (b"data: {", b"{")),
    *((b"data: ", b"event: error\ndata: "), (b'"model"', b'"model":"n","model"'), (b"}", b"")),
    *((b'"', b""), (b"c1", b"\xff"), (b'"object"', b'"error":{"message":"no"},"object"')),
    *((b'"object"', b'"usage":{"total_tokens":3},"object"'), (b'"object"', b'"objec\\u0074"')),
    *((b'{"id"', b'{"id":"c1","id"'), (b"chat.completion.chunk", b"chat.completion")),
]
BETWEEN = [
    *(ROLE, STOP, DONE, b": ping\n\n", b"\n", b"data:\n\n", b"data: [DONE", b"<html>\n"),
    *(chunk({"content": ""}), chunk({"role": "assistant", "content": "b"}, index=1)),
    *(chunk({"content": "c"}, index=1), chunk({"reasoning": "hm"}), chunk({"refusal": "no"})),
    *(chunk({"tool_calls": [{"index": 0, "id": "x", "function": {"name": "f"}}]}),),
    *(event({"choices": [], "usage": {"total_tokens": 2}}), event({"error": {"message": "no"}})),
    *(event({"id": "c1", "choices": [{"index": 0, "delta": {"content": "z"}}]}),),
]

shapes = st.sampled_from([*[SHAPES["content"], SHAPES["obfuscation"]] * 3, *SHAPES.values()])
LIMITS: list[dict[str, int]] = [
    *([{}] * 8),
    *({"line": 400}, {"event": 300}, {"body": 2500}, {"text": NEAR + 40}, {"text": 40}),
    *({"depth": 6}, {"values": 100}, {"values": 300}, {"choices": 1}),
]
hows = st.builds(
    How,
    st.sampled_from(LIMITS).map(lambda limits: Options(limits=Limits(**limits))),
    st.sampled_from([ASKED, ASKED, ASKED_FOR_USAGE, Asked(stream=True, n=2)]),
    st.sampled_from(
        [
            *[[("content-type", EVENT_STREAM)]] * 5,
            [],
            [("content-type", "application/json")],
            [("content-type", EVENT_STREAM), ("content-encoding", "gzip")],
        ]
    ),
    st.sampled_from([Clocks(), Clocks(idle=2.0, content_idle=3.0, after_end=1.0)]),
    st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.5]), min_size=1, max_size=3),
    st.sampled_from(["eof", "eof", "cut", "stalled", "cancelled"]),
)


@st.composite
def nearly_alike(draw: st.DrawFn) -> list[bytes]:
    """Reads of a usual stream, event by event, in which some are not as the others."""
    usual = st.sampled_from([*WORDS, *("a", "b", "c")])
    texts = draw(st.lists(usual | st.sampled_from(TEXTS), min_size=4, max_size=24))
    reads = stream_of(draw(shapes), texts)
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(1, len(reads) - 1))
        match draw(st.sampled_from(["edit", "edit", "edit", "between", "cut", "join", "repeat"])):
            case "edit":
                old, new = draw(st.sampled_from(EDITS))
                for at in range(place, draw(st.sampled_from([place + 1, place + 3]))):
                    reads[at : at + 1] = [one.replace(old, new, 1) for one in reads[at : at + 1]]
            case "between":
                reads.insert(place, draw(st.sampled_from(BETWEEN)))
            case "cut":
                read = reads[place]
                ends = [0, *[at + 1 for at, byte in enumerate(read) if byte == ord('"')]]
                at = draw(st.integers(0, len(read)) | st.sampled_from(ends))
                reads[place : place + 1] = [read[:at], read[at:]]
            case "join":
                reads[place - 1 : place + 1] = [b"".join(reads[place - 1 : place + 1])]
            case _:
                reads[place:place] = [reads[place]] * draw(st.sampled_from([1, ENOUGH]))
    return [*reads, *draw(st.sampled_from([[], [STOP, DONE], [STOP], [DONE]]))]


@given(nearly_alike(), hows)
def test_what_is_passed_on_unread_is_as_if_it_had_been_read(reads: list[bytes], how: How) -> None:
    passed_by(reads, how)


@given(st.lists(bodies, min_size=1, max_size=3), hows)
def test_any_body_amid_like_events_is_as_if_all_had_been_read(
    several: list[bytes], how: How
) -> None:
    passed_by(
        [*LIKE[:5], *(read for body in several for read in [*by_event(body), *LIKE[1:5]])], how
    )
