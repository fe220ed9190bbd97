"""Events as the last one but for their text: what is passed on unread is as if it had been read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.chat_helpers import by_event
from tests.clients.repairs import (
    ASKED,
    ASKED_FOR_USAGE,
    DONE,
    ROLE,
    STOP,
    Ending,
    chunk,
    end,
    event,
)
from tests.strategies import bodies
from untorn import Completion, Limits, Options
from untorn.clients.asked import Asked
from untorn.clients.repair import Like, Repair
from untorn.events import StreamEvent
from untorn.head import EVENT_STREAM
from untorn.options import Clocks
from untorn.sources import Opened

ENOUGH = 20
"""More than the stopwatch counts at once."""


class Counting(Repair):
    """A Repair that counts the events that it took for like ones."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.passed_by = 0
        self._last: Like | None = None

    def receive(self, data: bytes | None, at: float, rang: bool) -> None:
        super().receive(data, at, rang)
        self.passed_by += self._like is not None and self._like is self._last
        self._last = self._like


class ReadingAll(Counting):
    """One that reads all of them."""

    def _like_of(self, event: bytes, payload: bytes, events: list[StreamEvent]) -> Like | None:
        return None


class Came(NamedTuple):
    """What came of a body."""

    sent: list[bytes]
    """After each read, and after the end."""
    failure: tuple[str, type[BaseException]] | None
    completions: list[Completion]
    """The last one; or, where it was asked for after each read, all."""


class How(NamedTuple):
    """How a body is read."""

    options: Options = Options()
    asked: Asked = ASKED
    headers: Sequence[tuple[str, str]] = (("content-type", EVENT_STREAM),)
    clocks: Clocks = Clocks()
    waits: Sequence[float] = (0.25,)
    """Seconds before each read, over and over."""
    ending: Ending = "eof"


USUAL = How()


def came_of(repair: Counting, reads: Iterable[bytes], how: How, *, asking: bool) -> Came:
    at = 5.0
    repair.begin(Opened(200, list(how.headers)), lambda: None, at)
    sent: list[bytes] = []
    completions: list[Completion] = []
    for number, data in enumerate(filter(None, reads)):
        if repair.is_over:
            break
        repair.wait(at)
        at += how.waits[number % len(how.waits)]
        repair.receive(data, at, False)
        sent.append(repair.take())
        if asking:
            completions.append(repair.completion)
    if not repair.is_over:
        repair.wait(at)
        end(repair, how.ending, at)
    failure = repair.failure
    said = None if failure is None else (failure.why, type(failure.cause))
    return Came([*sent, repair.take()], said, [*completions, repair.completion])


def passed_by(reads: Iterable[bytes], how: How = USUAL) -> int:
    """How many of the reads were taken for like ones. All is as if none had been."""
    reads = list(reads)
    given = (how.asked, how.options, how.clocks)
    repair, asked = Counting(*given), Counting(*given)
    plain = came_of(ReadingAll(*given), reads, how, asking=True)
    assert came_of(asked, reads, how, asking=True) == plain
    assert came_of(repair, reads, how, asking=False) == plain._replace(
        completions=plain.completions[-1:]
    )
    assert asked.passed_by == repair.passed_by
    return repair.passed_by


# Streams -----------------------------------------------------------------------------------------

ABOUT = '"id":"c1","object":"chat.completion.chunk","created":17,"model":"m"'
COMPACT = f'{{{ABOUT},"choices":[{{"index":0,"delta":{{"content":"?"}},"finish_reason":null}}]'
SHAPES = {
    "content": COMPACT + "}",
    "obfuscation": COMPACT + ',"obfuscation":"aZ9"}',
    "obfuscation first": '{"obfuscation":"aZ9",' + COMPACT[1:] + "}",
    "reasoning_content": COMPACT.replace("content", "reasoning_content") + "}",
    "reasoning": COMPACT.replace("content", "reasoning") + ',"service_tier":null}',
    "role": COMPACT.replace('"content"', '"role":"assistant","content"') + ',"usage":null}',
    "spaces": json.dumps(json.loads(COMPACT + ',"obfuscation":"aZ9"}')),
    "more spaces": COMPACT.replace(":", "\t: ") + ' , "obfuscation" :  "aZ9"}',
    "no logprobs": COMPACT.replace('"finish', '"logprobs":null,"finish') + "}",
    "a vendor's": COMPACT + ',"x":1}',
    "escapes": COMPACT.replace('"m"', r'"a\/m"') + "}",
    "escaped key": COMPACT.replace('"index"', r'"\u0069ndex"') + "}",
}


def stream_of(shape: str, texts: Iterable[str]) -> list[bytes]:
    """Events of this shape; the texts as they stand in JSON."""
    first = json.loads(shape)
    first["choices"][0]["delta"] = {"role": "assistant", "content": ""}
    return [
        f"data: {one}\n\n".encode("utf-8", "surrogatepass")
        for one in (json.dumps(first), *(shape.replace("?", text, 1) for text in texts))
    ]


WORDS = [f" word {number}" for number in range(ENOUGH)]


@pytest.mark.parametrize(
    "shape",
    sorted(SHAPES.keys() - {"a vendor's", "escaped key", "obfuscation first"}),
)
def test_like_events_are_not_read(shape: str) -> None:
    reads = [*stream_of(SHAPES[shape], WORDS), STOP, DONE]
    assert passed_by(reads) >= ENOUGH - 3  # any of the first two may be a snapshot


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

all_at_once = st.sampled_from(list(SHAPES.values()))
limits = st.sampled_from([{}, {}, {}, {"line": 400}, {"event": 300}, {"body": 2500}, {"text": 40}])
more_limits = st.sampled_from([{}, {}, {"depth": 6}, {"values": 100}, {"choices": 1}])
hows = st.builds(
    How,
    st.builds(lambda one, other: Options(limits=Limits(**one, **other)), limits, more_limits),
    st.sampled_from([ASKED, ASKED, ASKED_FOR_USAGE, Asked(stream=True, n=2)]),
    st.sampled_from(
        [
            [("content-type", EVENT_STREAM)],
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
    reads = stream_of(draw(all_at_once), texts)
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


@given(st.lists(bodies, min_size=1, max_size=3), st.integers(1, 3), hows)
def test_any_body_is_read_alike(several: list[bytes], times: int, how: How) -> None:
    reads = [read for body in several for read in by_event(body)]
    passed_by([one for read in reads for one in [read] * times], how)
