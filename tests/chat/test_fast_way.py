"""The fast way through the items: it takes what only adds, and means what the plain way means."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untorn.chat.builder import CompletionBuilder
from untorn.chat.completion import Completion
from untorn.chat.fast_way import FEW, MANY, NEAR, FastWay
from untorn.chat.learned import MOST_BYTES
from untorn.chat.payload import Item, KeepAlive, Note, Payload
from untorn.chat.payload_reader import PayloadReader
from untorn.chat.usual import VALUES
from untorn.chat.wide import WideChunk
from untorn.events import (
    LogprobsDelta,
    ReasoningDelta,
    StreamEvent,
    TextDelta,
    ToolCallDelta,
)
from untorn.options import Limits, Options

DONE = Payload(b"[DONE]", "event", 0)


class Watched(PayloadReader):
    """A reader that remembers what took the plain way."""

    def __init__(self, builder: CompletionBuilder, limits: Limits) -> None:
        super().__init__(builder, limits)
        self.plain: list[Item] = []

    def receive(self, item: Item, wide: WideChunk | None = None) -> None:
        self.plain.append(item)
        super().receive(item, wide)


class Ways:
    """A fast way, the reader behind it, and the builder behind both."""

    def __init__(self, limits: Limits = Limits()) -> None:
        self.builder = CompletionBuilder(Options(limits=limits), None, lambda _: None)
        self.reader = Watched(self.builder, limits)
        self.fast_way = FastWay(self.builder, self.reader, limits)

    def fast(self, items: Iterable[Item]) -> list[StreamEvent]:
        return self.fast_way.receive(list(items))

    def plain(self, items: Iterable[Item]) -> list[StreamEvent]:
        self.builder.out = []
        for item in items:
            self.reader.receive(item)
            if self.builder.over is not None:
                break
        return self.builder.out

    @property
    def completion(self) -> Completion:
        return self.builder.completion(None, None)


def chunk(delta: str, choice: str = "", more: str = "", index: int = 0) -> bytes:
    """The line of a usual event."""
    data = f'{{"choices":[{{"index":{index},"delta":{{{delta}}}{choice}}}]{more}}}'
    return data.encode()


def text(content: str = "a") -> bytes:
    return chunk(f'"content":"{content}"')


def call(function: str, index: int = 0, more: str = "") -> bytes:
    return chunk(f'"tool_calls":[{{"index":{index}{more},"function":{{{function}}}}}]')


# A text may be a snapshot until a second fragment does not begin with the first.
START = [chunk('"role":"assistant","content":"a"'), chunk('"content":"A"')]
THINK = [chunk('"role":"assistant","reasoning":"b"'), chunk('"reasoning":"B"')]
LOOK = call('"name":"look","arguments":"{"', more=',"id":"x"')
OTHER = [chunk('"role":"assistant","content":"a"', index=1), chunk('"content":"A"', index=1)]
LOOK_1 = call('"name":"look","arguments":"["', 1, ',"id":"y"')


def plain_items(*items: Item) -> list[Item]:
    """Those that took the plain way. Both ways say the same of all."""
    fast, plain = Ways(), Ways()
    assert fast.fast(items) == plain.plain(items)
    assert fast.completion == plain.completion
    return fast.reader.plain


# What is taken -------------------------------------------------------------------------------


def test_more_text_is_taken_once_it_is_no_snapshot() -> None:
    ways = Ways()
    assert ways.fast(START)[-2:] == [TextDelta(0, "a"), TextDelta(0, "A")]
    assert ways.fast([text("b"), text("c")]) == [TextDelta(0, "b"), TextDelta(0, "c")]
    assert ways.completion.content == "aAbc"
    assert ways.reader.plain == START


@pytest.mark.parametrize(
    "items",
    [
        [text("")],
        [chunk('"content":""')],
        [chunk('"content":"b","role":"assistant"')],
        [chunk('"role":"assistant"')],
        [chunk('"content":"b","reasoning":null,"tool_calls":[]')],
        [text("b"), text("ü"), text('\\"')],
        [Payload(text("b"), "event", 0)],
    ],
)
def test_what_only_adds_to_the_text_is_taken(items: list[Item]) -> None:
    assert plain_items(*START, *items) == START


@pytest.mark.parametrize("key", ["reasoning", "reasoning_content"])
def test_more_reasoning_is_taken_under_either_key(key: str) -> None:
    more = chunk(f'"{key}":"c"')
    assert plain_items(*THINK, more, more, chunk(f'"{key}":""'), more) == THINK
    ways = Ways()
    ways.fast(THINK)
    assert ways.fast([more, more]) == [ReasoningDelta(0, "c")] * 2


def test_text_and_reasoning_in_one_delta_are_taken_in_the_plain_order() -> None:
    both = chunk('"content":"c","reasoning":"d"')
    assert plain_items(*START, *THINK, both, both) == [*START, *THINK]


def test_changes_between_the_kinds_are_taken() -> None:
    before = [*START, *THINK, LOOK]
    more = [*START, *THINK, chunk('"reasoning_content":"d"'), text("e"), call('"arguments":"1"')]
    assert plain_items(*before, *more, *more) == before


def test_more_arguments_of_open_calls_are_taken() -> None:
    ways = Ways()
    ways.fast([LOOK, LOOK_1])
    both = chunk(
        '"tool_calls":[{"index":1,"function":{"arguments":"2"}},'
        '{"index":0,"type":"function","function":{"arguments":"1"}}]'
    )
    assert ways.fast([both]) == [ToolCallDelta(0, 1, 1, "2"), ToolCallDelta(0, 0, 0, "1")]
    assert ways.reader.plain == [LOOK, LOOK_1]
    quiet = [call('"arguments":""'), call(""), chunk('"tool_calls":[{"index":0}]')]
    assert plain_items(LOOK, LOOK_1, both, *quiet) == [LOOK, LOOK_1]


def test_every_choice_of_a_chunk_may_add() -> None:
    first, second = '{"index":1,"delta":{"content":"c"}}', '{"index":0,"delta":{"content":"d"}}'
    both = f'{{"choices":[{first},{second}]}}'.encode()
    assert plain_items(*START, *OTHER, both, both, text()) == [*START, *OTHER]


def test_names_of_the_stream_may_be_absent_or_the_same() -> None:
    named = chunk('"content":"c"', more=',"id":"c1","model":"m"')
    more = [text(), chunk('"content":"b"', more=',"id":"c1"'), named]
    empty = chunk('"content":"b"', more=',"id":"","model":""')
    assert plain_items(*START, named, *more, empty, *more) == [*START, named]


# What is not ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "item",
    [
        # It is not the shape of a chunk that adds.
        chunk('"content":"b","x":1'),
        chunk('"content":["b"]'),
        chunk(""),
        chunk('"content":null'),
        chunk('"tool_calls":[]'),
        b'{"choices":[]}',
        b"{}",
        b"{",
        # It says something for the first time.
        chunk('"reasoning":"b"'),
        chunk('"reasoning":""'),
        chunk('"content":"b"', index=1),
        LOOK,
        call('"arguments":"{"'),
        chunk('"content":"b"', ',"logprobs":{"content":[]}'),
        chunk('"content":"b"', more=',"id":"c1"'),
        chunk('"content":"b"', more=',"model":"m"'),
        chunk('"content":"b"', more=',"created":1'),
        chunk('"content":"b"', more=',"service_tier":"t"'),
        chunk('"content":"b"', more=',"system_fingerprint":"f"'),
        # It says something else than before.
        chunk('"content":"b","role":"tool"'),
        # It is of another type, though it is as empty.
        chunk('"content":[]'),
        chunk('"content":{}'),
        chunk('"content":"b"', ',"finish_reason":""'),
        chunk('"content":"b","annotations":[]'),
        # It is no payload of an event.
        Payload(text("b")[6:], "error event", 0),
        Payload(text("b")[6:], "line", 0),
        Note("stray-line", "a line was ignored", 0),
    ],
)
def test_everything_else_takes_the_plain_way(item: Item) -> None:
    assert plain_items(*START, item, text("c")) == [*START, item]


@pytest.mark.parametrize(
    "more",
    [
        '"content":"c","role":?',
        '"content":"c","tool_calls":[],"role":?',
        '"reasoning":"c","role":?',
        '"tool_calls":[{"index":0,"function":{"arguments":"c"}}],"role":?',
        '"content":"c","x":1,"role":?',
    ],
)
def test_first_role_of_a_choice_takes_the_plain_way_whenever_it_comes(more: str) -> None:
    before = [text("a"), text("b"), chunk('"reasoning":"a"'), chunk('"reasoning":"b"'), LOOK]
    without = chunk(more.replace("?", "null"))
    first = chunk(more.replace("?", '"assistant"'))
    learned = [without] * (2 * FEW - len(before)) if '"x"' in more else []
    read = plain_items(*before, *learned, without, without, first, first, without)
    assert read == [*before, *learned, first]


def test_role_that_one_choice_has_is_not_that_of_another() -> None:
    items = [*START, chunk('"content":"a"', index=1), chunk('"content":"b"', index=1)]
    first = chunk('"role":"assistant","content":"c"', index=1)
    more = [chunk('"role":"assistant","content":"c"'), chunk('"content":"d"', index=1)]
    assert plain_items(*items, *more, *more, first, first, *more) == [*items, first]


def test_first_role_beside_logprobs_takes_the_plain_way() -> None:
    before = [text("a"), text("b"), logprobs('{"content":[]}')]
    more = [text("c"), logprobs("null"), *[logprobs('{"content":[1]}')] * 2]
    first = chunk('"role":"assistant","content":"c"', ',"logprobs":null')
    assert plain_items(*before, *more, first, *more) == [*before, first]


def test_another_id_or_model_takes_the_plain_way() -> None:
    named = chunk('"content":"c"', more=',"id":"c1","model":"m"')
    for more in (',"id":"c2"', ',"model":"n"'):
        other = chunk('"content":"b"', more=more)
        assert plain_items(*START, named, other) == [*START, named, other]


def test_reasoning_under_two_keys_takes_the_plain_way() -> None:
    both = chunk('"reasoning":"c","reasoning_content":"c"')
    assert plain_items(*THINK, both) == [*THINK, both]


@pytest.mark.parametrize(
    "item",
    [
        call('"name":"look","arguments":"1"'),
        call('"arguments":"1"', more=',"id":"x"'),
        call('"arguments":"1"', more=',"id":""'),
        call('"arguments":"1"', 1),
    ],
)
def test_fragment_that_brings_more_than_arguments_takes_the_plain_way(item: bytes) -> None:
    assert plain_items(LOOK, item) == [LOOK, item]


def test_arguments_of_a_call_that_has_none_yet_take_the_plain_way() -> None:
    named = call('"name":"look"', more=',"id":"x"')
    first = call('"arguments":"{"')
    assert plain_items(named, first, call('"arguments":"}"')) == [named, first]


def test_index_below_zero_is_no_index_on_either_way() -> None:
    legacy = chunk('"function_call":{"name":"look","arguments":"{"}')
    below = call('"arguments":"}"', -1)
    assert plain_items(legacy, below) == [legacy, below]


@pytest.mark.parametrize("half", [chunk(r'"content":"\ud83d"'), chunk(r'"reasoning":"\ud83d"')])
def test_text_that_waits_for_half_a_pair_takes_the_plain_way(half: bytes) -> None:
    other = half.replace(b"ud83d", b"ude00")
    more = half.replace(rb"\ud83d", b"b")
    before = [*START, *THINK, half]
    assert plain_items(*before, more, more) == [*before, more]
    assert plain_items(*before, other, more) == [*before, other]


def test_arguments_that_wait_for_half_a_pair_take_the_plain_way() -> None:
    half = call(r'"arguments":"\ud83d"')
    more = call('"arguments":"b"')
    assert plain_items(LOOK, half, more, more) == [LOOK, half, more]


def test_text_that_turns_out_to_be_no_snapshot_takes_the_plain_way_once() -> None:
    growing = [chunk('"role":"assistant","content":"a"'), text("ab"), text("abc")]
    assert plain_items(*growing, text("x"), text("y")) == [growing[0], text("x")]


def test_further_snapshots_of_any_channel_are_taken() -> None:
    growing = [
        chunk('"role":"assistant","content":"a","reasoning":"b"'),
        *[chunk(f'"content":"a{"c" * size}","reasoning":"b{"d" * size}"') for size in range(30)],
    ]
    assert plain_items(*growing) == growing[:1]


def test_snapshots_that_are_none_may_pass_the_limit_of_a_text() -> None:
    # Each one of these is short, but if they are no snapshots, all of them are the text.
    fast, plain = Ways(Limits(text=40)), Ways(Limits(text=40))
    items = [START[0], *[text("a" * size) for size in range(1, 12)], text("b"), text("c")]
    assert fast.fast(items) == plain.plain(items)
    assert fast.builder.over == plain.builder.over == "more than 40 characters in choice 0"


def test_chunk_that_may_hold_too_many_values_takes_the_plain_way() -> None:
    long = text("b" * VALUES)
    choices = [b'{"index":0,"delta":{"content":"b"}}'] * (VALUES // 10)
    many = b'{"choices":[%s]}' % b",".join(choices)
    fast, plain = Ways(Limits(values=VALUES)), Ways(Limits(values=VALUES))
    items = [*START, text("b"), LOOK, long, many]
    assert fast.fast(items) == plain.plain(items)
    assert fast.reader.plain == [*START, LOOK, many]
    assert fast.builder.over == f"an event of more than {VALUES} values"


def test_chunk_with_more_than_the_limits_allow_takes_the_plain_way() -> None:
    ways = Ways(Limits(choices=1, tool_calls=1))
    ways.fast([*START, LOOK])
    more = '{"index":0,"delta":{"content":"b"}}'
    ways.fast([f'{{"choices":[{more},{more}]}}'.encode()])
    assert ways.builder.over == "more than 1 choices in one chunk"
    ways = Ways(Limits(choices=1, tool_calls=1))
    ways.fast([*START, LOOK])
    more = '{"index":0,"function":{"arguments":"1"}}'
    ways.fast([chunk(f'"tool_calls":[{more},{more}]')])
    assert ways.builder.over == "more than 1 tool calls in one delta"


def test_choice_that_has_finished_takes_the_plain_way() -> None:
    finish = chunk("", ',"finish_reason":"stop"')
    before = [*START, *OTHER, finish]
    assert plain_items(*before, text(), OTHER[0]) == [*before, text()]


def test_everything_takes_the_plain_way_after_the_end_mark() -> None:
    assert plain_items(*START, DONE, text(), text()) == [*START, DONE, text(), text()]


def test_everything_takes_the_plain_way_after_a_repeated_key() -> None:
    odd = chunk('"reasoning":"b","reasoning":null')
    assert plain_items(*START, odd, text(), text()) == [*START, odd, text(), text()]


def test_where_nothing_is_usual_only_some_items_are_tried() -> None:
    odd = [chunk('"content":["b"],"x":1')] * (2 * MANY - 3)
    assert plain_items(*START, *odd, text(), text("c")) == [*START, *odd]
    assert plain_items(*START, *odd[1:], text(), text("c")) == [*START, *odd[1:], text()]


# A vendor's keys -----------------------------------------------------------------------------

VENDOR = chunk(
    '"content":"b","x":"p","y":null', ',"seen":7,"audio":null', ',"provider":"P","z":0.5'
)
THINKS = chunk('"reasoning":"b","x":true', "", ',"provider":"P"')
LEARNED = [*START, *[VENDOR] * (FEW - len(START))]


def test_keys_of_a_vendor_are_learned() -> None:
    assert plain_items(*LEARNED, VENDOR, VENDOR, text("c"), VENDOR) == LEARNED
    learned = [*THINK, *[THINKS] * (FEW - len(THINK))]
    assert plain_items(*learned, THINKS, THINKS) == learned


def test_others_are_learned_after_many_once_something_was_learned() -> None:
    items = [*LEARNED, VENDOR, *[chunk('"content":"b","new":1')] * (MANY + 2)]
    assert plain_items(*items) == [*LEARNED, *items[-MANY - 2 : -2]]


def test_what_is_first_learned_from_may_be_any_of_the_first() -> None:
    items = [*START, *[chunk('"x":1')] * FEW, *[VENDOR] * (2 * FEW)]
    assert plain_items(*items) == items[: 2 * FEW]


NESTED = chunk('"content":"b","x":{"y":[1]}', ',"filter":{}', ',"p":[{"a":null}]')


def test_values_of_a_vendor_may_be_arrays_and_objects() -> None:
    learned = [*START, *[NESTED] * (FEW - len(START))]
    other = chunk('"content":"b","x":"s"', ',"filter":{}', ',"p":1')
    assert plain_items(*learned, NESTED, other, NESTED) == learned


def test_values_of_a_vendor_that_hold_more_than_before_are_counted_the_plain_way() -> None:
    learned = [*START, *[NESTED] * (FEW - len(START))]
    places = ('"filter":{"a":1}', '"p":[{"a":null},1]', '"x":{"y":[1,2]}')
    for more in places:
        key = more[:5]
        old = {'"filt': '"filter":{}', '"p":[': '"p":[{"a":null}]', '"x":{': '"x":{"y":[1]}'}[key]
        heavier = NESTED.replace(old.encode(), more.encode())
        assert plain_items(*learned, heavier, NESTED, heavier) == [*learned, heavier]


def test_values_of_a_vendor_that_are_too_deep_or_too_many_take_the_plain_way() -> None:
    learned = [*START, *[NESTED] * (FEW - len(START))]
    deep = NESTED.replace(b"null", b"[" * 256 + b"]" * 256)
    long = NESTED.replace(b"null", b"[" + b"0," * (MOST_BYTES // 2) + b"0]")
    payload = Payload(NESTED, "event", 0)
    assert plain_items(*learned, deep, long, payload) == [*learned, deep, long, payload]


COUNTING = chunk('"content":"b"', "", ',"usage":{"total_tokens":7}')
NOT_COUNTING = chunk('"content":"b"', "", ',"usage":{"total_tokens":0}')


def test_usage_in_every_chunk_is_learned() -> None:
    learned = [*START, *[COUNTING] * (FEW - len(START))]
    assert plain_items(*learned, COUNTING, text(), COUNTING) == learned
    ways = Ways()
    ways.fast(learned)
    assert ways.fast([COUNTING])[0] == TextDelta(0, "b")
    (found,) = [d for d in ways.completion.verdict.defects if d.code == "usage-repeated"]
    assert found.count == len([*learned[len(START) :], COUNTING]) - 1


def test_usage_that_is_odd_for_the_first_time_takes_the_plain_way() -> None:
    learned = [*START, *[COUNTING] * (FEW - len(START))]
    assert plain_items(*learned, NOT_COUNTING, COUNTING, NOT_COUNTING) == [*learned, NOT_COUNTING]


def test_usage_in_a_field_of_a_vendor_takes_the_plain_way() -> None:
    of_vendor = chunk('"content":"b"', "", ',"x_groq":{"usage":{"total_tokens":7}}')
    assert plain_items(*START, *[of_vendor] * 9) == [*START, *[of_vendor] * 9]


def test_text_of_the_completions_api_beside_a_delta_is_learned_and_not_read() -> None:
    both = chunk('"content":"b"', ',"text":"b"')
    learned = [*START, *[both] * (FEW - len(START))]
    assert plain_items(*learned, both, chunk('"content":"b"', ',"text":null')) == learned
    odd = chunk('"content":"b"', ',"text":7')
    assert plain_items(*learned, odd) == [*learned, odd]


@pytest.mark.parametrize(
    "odd",
    [
        chunk('"content":"b","new":1'),
        chunk('"content":"b","y":"first"'),
        chunk('"content":"b"', ',"other":1'),
        chunk('"content":"b","x":[]'),
        chunk('"content":"b"', "", ',"z":NaN'),
        chunk('"content":"b"', ',"audio":{}'),
        chunk('"content":"b","x":"\\ud83d"'),
        chunk('"content":"","x":"p"'),
        chunk('"content":"b","x":"p"', ',"finish_reason":"stop"'),
        chunk('"content":"b","x":"p"', index=1),
    ],
)
def test_what_is_not_as_it_was_learned_takes_the_plain_way(odd: bytes) -> None:
    assert plain_items(*LEARNED, odd) == [*LEARNED, odd]


def test_learned_chunk_of_another_choice_takes_the_plain_way() -> None:
    of_another = [chunk('"role":"assistant","content":"a"', index=1)]
    assert plain_items(*LEARNED, *of_another, VENDOR) == [*LEARNED, *of_another]
    finish = chunk("", ',"finish_reason":"stop"')
    assert plain_items(*LEARNED, finish, VENDOR) == [*LEARNED, finish, VENDOR]


def test_key_that_a_choice_has_not_had_takes_the_plain_way_once() -> None:
    of_1 = chunk('"content":"b","x":"p"', ',"seen":8', index=1)
    assert plain_items(*LEARNED, *OTHER, VENDOR, of_1, of_1)[-2:] == [OTHER[-1], of_1]


def test_fragments_without_arguments_are_taken() -> None:
    calls = [LOOK, call('"arguments":"1"'), call('"arguments":""'), call('"arguments":"2"')]
    assert plain_items(*START, *calls, call('"arguments":"3"', index=1)) == [
        *[*START, LOOK],
        call('"arguments":"3"', index=1),
    ]


@pytest.mark.parametrize("key", ['a\\"b', "a\\\\b", "a\\nb", "\\u0000", "é", "", "__class__"])
def test_whatever_the_keys_of_a_vendor_are_the_ways_agree(key: str) -> None:
    more = chunk(f'"content":"b","{key}":"p"', f',"{key}":7', f',"{key}":null')
    assert plain_items(*START, *[more] * (2 * MANY))[:FEW] == [*START, *[more] * (FEW - 2)]


def test_what_was_learned_is_kept_over_heartbeats() -> None:
    assert plain_items(*LEARNED, *[KeepAlive()] * 40, VENDOR) == LEARNED


@pytest.mark.parametrize("depth", range(1, 9))
def test_nothing_is_taken_that_is_too_deep(depth: int) -> None:
    fast, plain = Ways(Limits(depth=depth)), Ways(Limits(depth=depth))
    items = [*START, LOOK, *[call('"arguments":"1"')] * 3, text()]
    assert fast.fast(items) == plain.plain(items)


# Logprobs ------------------------------------------------------------------------------------


def logprobs(value: str | bytes) -> bytes:
    raw = value if isinstance(value, bytes) else value.encode()
    return chunk('"content":"b"', ',"logprobs":?').replace(b"?", raw)


def test_logprobs_are_taken_undecoded_once_there_were_any() -> None:
    first = logprobs('{"content":[]}')
    ways = Ways()
    ways.fast([*START, first])
    delta, said = ways.fast([logprobs('{"content": [1]}')])
    assert delta == TextDelta(0, "b")
    assert isinstance(said, LogprobsDelta)
    assert bytes(said.raw) == b'{"content": [1]}'
    assert ways.fast([text(), logprobs("null")]) == [TextDelta(0, "a"), TextDelta(0, "b")]
    assert ways.reader.plain == [*START, first]


@pytest.mark.parametrize("levels", [252, 253, 254, 300])
def test_logprobs_that_make_a_chunk_too_deep_take_the_plain_way(levels: int) -> None:
    deep = logprobs('{"content":' + "[" * (levels - 1) + "]" * (levels - 1) + "}")
    items = [*START, logprobs('{"content":[]}'), text(), deep, text()]
    read = plain_items(*items)
    assert (deep in read) == (levels > 253)


def test_logprobs_of_what_only_adds_are_taken_like_those_of_text() -> None:
    items = [*START, logprobs('{"content":[]}'), text(), logprobs("null"), logprobs('{"é":1}')]
    finish = chunk('"content":"b"', ',"finish_reason":"stop"')
    assert plain_items(*items, finish, items[-1]) == [*items[:3], finish, items[-1]]


def test_numbers_out_of_range_in_logprobs_are_seen_by_neither_way() -> None:
    items = [*START, logprobs('{"content":[]}'), text(), *[logprobs('{"content":[1e999]}')] * 2]
    assert plain_items(*items) == items[:3]
    ways = Ways()
    ways.fast([*START, logprobs('{"content":[NaN]}'), chunk('"content":"b"', "", ',"x":1e999')])
    (found,) = [d for d in ways.completion.verdict.defects if d.code == "json-nonfinite"]
    assert found.count == 2


@pytest.mark.parametrize(
    "value",
    ["[]", "1", '"x"', b'{"content":"\xff"}', '{"content":' + "[" * 256 + "]" * 256 + "}"],
)
def test_logprobs_that_are_not_plain_json_take_the_plain_way(value: str | bytes) -> None:
    first, odd = logprobs('{"content":[]}'), logprobs(value)
    ways = Ways()
    ways.fast([*START, first, odd, first, first, odd])
    assert ways.reader.plain == [*START, first, odd, odd]


# Limits --------------------------------------------------------------------------------------


def test_nothing_is_read_once_a_limit_was_passed() -> None:
    ways = Ways(Limits(choices=1))
    events = ways.fast([*START, OTHER[0], text("c")])
    assert ways.builder.over == "more than 1 choices"
    assert ways.completion.content == "aA"
    assert events[-1] == TextDelta(0, "A")


def test_count_says_how_many_characters_are_left_of_the_longest_choice() -> None:
    ways = Ways(Limits(text=NEAR + 10))
    assert ways.fast_way.count(4) == NEAR + 6
    ways.fast([*START, *OTHER, text("b")])
    assert ways.fast_way.count(3) == NEAR + 4
    ways.fast([text("e")])
    assert not ways.builder.counts
    assert ways.reader.plain == [*START, *OTHER]


def test_fast_way_is_closed_while_the_limit_could_be_passed() -> None:
    ways = Ways(Limits(text=10))
    ways.fast(START)
    assert ways.fast_way.count(10) == -2
    assert ways.builder.counts
    ways.fast([text("b" * 8), text("c"), text("d")])
    assert ways.reader.plain == [*START, text("b" * 8), text("c")]
    assert ways.builder.over == "more than 10 characters in choice 0"


def test_fast_way_opens_again_when_enough_is_left() -> None:
    ways = Ways(Limits(text=NEAR + 10))
    ways.fast(START)
    ways.fast_way.count(10)
    ways.fast_way.count(2)
    assert not ways.builder.counts
    assert ways.fast([text("b")]) == [TextDelta(0, "b")]
    assert ways.reader.plain == START


# Both ways mean the same ---------------------------------------------------------------------

strings = st.sampled_from(
    ["", "a", "ab", "abc", "x", '{"a":', "1}", "{}", r"\ud83d", r"\ude00", "ü", "<think>", r"\n"]
)


def pairs(**values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """The inside of an object: some of the keys, now and then one twice."""
    pair = st.one_of([value.map(f'"{key}":{{}}'.format) for key, value in values.items()])
    return st.lists(pair, max_size=3).map(",".join)


def in_braces(inside: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return inside.map("{{{}}}".format)


quoted = strings.map('"{}"'.format)
odd = st.sampled_from(["null", "0", "[]", "{}", '""', "true"])
indexes = st.sampled_from(["0", "0", "0", "1", "-1", '"1"', "null", "1.0"])
functions = in_braces(
    pairs(name=st.sampled_from(['"look"', '"lo"', '""', "null"]), arguments=quoted | odd)
)
fragments = in_braces(
    pairs(index=indexes, id=st.sampled_from(['"x"', '"y"', '""', "null"]), function=functions)
    | st.builds('"index":{},"function":{}'.format, indexes, functions)
)
deltas = in_braces(
    pairs(content=quoted)
    | pairs(reasoning=quoted, reasoning_content=quoted)
    | pairs(tool_calls=st.lists(fragments, max_size=2).map(", ".join).map("[{}]".format))
    | pairs(
        role=st.sampled_from(['"assistant"', '"tool"', '""', "null"]),
        content=quoted | odd,
        reasoning=quoted | odd,
        refusal=quoted | odd,
        function_call=functions,
        x=odd,
    )
)
after_a_delta = st.sampled_from(
    [
        *(',"finish_reason":null', ',"finish_reason":"stop"', ',"logprobs":null', ',"x":1'),
        *(',"logprobs":{"content":[NaN]}', ',"logprobs":{"content": [1]}'),
    ]
)
after_the_choices = st.sampled_from(
    [
        *("", "", "", ',"id":"c1"', ',"id":"c2"', ',"id":null', ',"model":"m"', ',"created":1'),
        *(',"system_fingerprint":"f"', ',"service_tier":"t"', ',"usage":{"total_tokens":1}'),
        *(',"object":"chat.completion.chunk"', ',"object":"x"', ',"error":"m"', ',"x":1'),
        *(',"usage":{"total_tokens":0}', ',"x":{"y":[1]}', ',"x_y":{"usage":{"total_tokens":2}}'),
    ]
)
choices = in_braces(
    st.builds('"index":{},"delta":{}'.format, st.sampled_from("001"), deltas)
    | st.builds('"index":{},"delta":{}{}'.format, indexes, deltas, after_a_delta)
)
chunks = in_braces(
    st.builds(
        '"choices":[{}]{}'.format,
        st.lists(choices, min_size=1, max_size=2).map(",".join),
        after_the_choices,
    )
)
lines = chunks.map(str.encode)
items: st.SearchStrategy[Item] = (
    lines
    | lines.map(lambda line: Payload(line, "event", 0))
    | st.sampled_from([DONE, KeepAlive(), Note("stray-line", "", 0), b'{"a":\xff}'])
)


values = st.sampled_from(
    [
        *("1", "-0.0", "1.0", "1e400", "NaN", "true", "null", '"a"', '""', "[]", "{}", "1" * 30),
        *('"\\ud83d"', '"\\ude00"', '"\\u0000"', '"é"', '"a\tb"', "1E5", "9007199254740993"),
        *('{"a":[1,{"b":null}]}', '{"a":1,"a":null}', '{"\\ud83d":["\\ude00"]}', "[1e400]"),
    ]
)


def of_vendor(
    x: str, y: str, seen: str, provider: str, more: str, usage: str, role: str = "null"
) -> bytes:
    delta = f'"content":"b","role":{role},"x":{x},"y":{y}{more}'
    return chunk(delta, f',"seen":{seen},"text":"t"', f',"usage":{usage},"provider":{provider}')


usages = st.sampled_from(
    ["null", "{}", '{"total_tokens":1}', '{"total_tokens":2,"x":[1]}', '{"total_tokens":0}', "7"]
)
vendors = st.builds(
    of_vendor,
    *(values, values, values, values),
    st.sampled_from(["", "", ',"x":2', ',"w":1']),
    usages,
    st.sampled_from(["null", "null", '"assistant"', '"tool"']),
)
lines |= vendors


def test_logprobs_under_a_repeated_key_are_looked_at_too() -> None:
    for hidden in (b'{"content":"\xd0"}', b'{"content":%b}' % (b"[" * 300 + b"]" * 300)):
        choices = b'"choices":[{"index":0,"delta":{"content":"b"},"logprobs":%b}]'
        repeated = b"{%b,%b}" % (choices % hidden, choices % b"{}")
        fast, plain = Ways(), Ways()
        given = [*START, b"{%b}" % (choices % b"{}"), repeated]
        assert fast.fast(given) == plain.plain(given)
        assert fast.completion == plain.completion
        assert fast.completion.verdict.defects


openings: st.SearchStrategy[list[Item]] = st.sampled_from(
    [
        [*LEARNED],
        [*START, *[of_vendor("1", '"y"', "null", "null", "", "null")] * FEW],
        [*START, *[of_vendor("{}", '"y"', "[]", "{}", "", '{"total_tokens":1}')] * FEW],
        [text("a"), text("b"), *[of_vendor("{}", '"y"', "[]", "1", "", "null")] * FEW],
        [text("a"), text("b"), *[COUNTING] * FEW],
        *([], [*START], [*START, *THINK, LOOK], [*THINK, *OTHER, LOOK, LOOK_1]),
        [*START, *([chunk('"x":1')] * (MANY - 1))],
    ]
)


@given(openings, st.lists(lines | items, max_size=12), st.lists(st.integers(0, 12), max_size=3))
def test_both_ways_give_the_same_events_and_the_same_completion(
    opening: list[Item], rest: list[Item], cuts: list[int]
) -> None:
    given = [*opening, *rest]
    fast, plain = Ways(), Ways()
    events: list[StreamEvent] = []
    start = 0
    for end in [*sorted(cuts), len(given)]:
        events += fast.fast(given[start:end])
        start = max(start, end)
    assert events == plain.plain(given)
    assert fast.completion == plain.completion


# Where more of the same would be put -------------------------------------------------------------


def parts_after(*items: Item) -> list[str] | None:
    """Where the text of the last one is put when it comes again."""
    ways = Ways()
    ways.fast(items)
    last = items[-1]
    assert isinstance(last, bytes)
    parts = ways.fast_way.parts_of(last)
    if parts is not None:
        before = len(parts)
        (event,) = ways.fast([last])
        assert isinstance(event, TextDelta | ReasoningDelta)
        assert parts[before:] == [event.text]
    return parts


def test_parts_are_where_the_text_grows_to_which_a_chunk_only_adds() -> None:
    assert parts_after(*START, text("b")) == ["a", "A", "b", "b"]
    more = chunk('"reasoning":"c"')
    assert parts_after(*START, *THINK, more, more) == ["b", "B", "c", "c", "c"]
    assert parts_after(*START, *OTHER, OTHER[1], OTHER[1]) == ["a", "A", "A", "A", "A"]
    named = chunk('"content":"c"', more=',"id":"c1","model":"m","created":1')
    assert parts_after(*START, *[named] * 3) == ["a", "A", "c", "c", "c", "c"]


@pytest.mark.parametrize(
    "items",
    [
        [START[0]],  # it may be a snapshot
        [*START, DONE, text("b")],
        [*START, chunk("", ',"finish_reason":"stop"'), text("b")],
        [*START, chunk('"reasoning":"b","reasoning":null'), text("b")],
        [text("a"), text("b"), text("c")],  # a role may come
        [*START, text("b"), chunk('"reasoning":"b"')],
        [*START, LOOK, call('"arguments":"1"')],
        [*START, logprobs('{"content":[]}'), logprobs('{"content":[]}')],
        [*LEARNED, VENDOR],
        [*START, chunk('"content":"b"', more=',"created":"x"')],
        [*START, b"{"],
    ],
)
def test_there_are_no_parts_where_a_chunk_may_do_more_than_add(items: list[Item]) -> None:
    assert parts_after(*items) is None


@pytest.mark.parametrize(
    "names", ['"id":"c2","model":"m"', '"id":"c1","model":"n"', '"id":"c1","model":"m","created":1']
)
def test_there_are_no_parts_for_a_chunk_with_other_names_or_more_of_them(names: str) -> None:
    ways = Ways()
    # So many, until a shape is expected again.
    ways.fast([*START, *[chunk('"content":"c"', more=',"id":"c1","model":"m"')] * 3])
    assert ways.fast_way.parts_of(chunk('"content":"b"', more=f",{names}")) is None


@given(openings, st.lists(lines | items, max_size=6), lines)
def test_chunk_for_which_there_are_parts_only_adds_its_text_to_them(
    opening: list[Item], rest: list[Item], last: bytes
) -> None:
    taken, plain = Ways(), Ways()
    given = [*opening, *rest, last]
    taken.fast(given)
    plain.plain([*given, last])
    parts = taken.fast_way.parts_of(last)
    if parts is not None:
        parts.append(taken.fast_way._shape.decode(last).choices[0].delta.text)
        assert taken.completion == plain.completion


# What only adds, and what does not -----------------------------------------------------------


def test_chunk_whose_time_is_no_integer_takes_the_plain_way() -> None:
    first, odd = (chunk('"content":"b"', more=f',"created":{when}') for when in ("1", "1.5"))
    assert plain_items(*START, first, first, odd) == [*START, first, odd]


def test_no_more_arguments_are_taken_as_more() -> None:
    items = [call(f'"arguments":"{text}"') for text in ("1", "2", "", "3")]
    assert plain_items(*START, LOOK, *items) == [*START, LOOK]


@pytest.mark.parametrize("arguments", ["null", "{}", "[]"])
def test_arguments_that_are_no_text_take_the_plain_way(arguments: str) -> None:
    odd = call(f'"arguments":{arguments}')
    assert plain_items(*START, LOOK, odd, odd) == [*START, LOOK, odd, odd]


@pytest.mark.parametrize("index", ["null", '"0"', "true"])
def test_index_that_is_no_integer_takes_the_plain_way(index: str) -> None:
    odd = text("b").replace(b'"index":0', f'"index":{index}'.encode())
    of_call = chunk(f'"tool_calls":[{{"index":{index},"function":{{"arguments":"}}"}}}}]')
    assert plain_items(*START, LOOK, odd, of_call) == [*START, LOOK, odd, of_call]


def test_call_of_a_choice_that_has_finished_takes_the_plain_way() -> None:
    finish, more = chunk("", ',"finish_reason":"tool_calls"'), call('"arguments":"}"')
    assert plain_items(*START, LOOK, more, finish, more) == [*START, LOOK, finish, more]
