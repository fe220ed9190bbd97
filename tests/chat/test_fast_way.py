"""The fast way through the items: it takes what only adds, and means what the plain way means."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.chat.ways import (
    AGAIN,
    COUNTING,
    DONE,
    LEARNED,
    LOOK,
    NESTED,
    NOT_COUNTING,
    OTHER,
    START,
    THINK,
    THINKS,
    VENDOR,
    Ways,
    call,
    chunk,
    logprobs,
    plain_items,
    text,
)
from tests.chat.wire_chunks import items, lines, openings, streams
from untorn.chat.builder import End
from untorn.chat.fast_way import FEW, MANY, NEAR
from untorn.chat.learned import MOST_BYTES
from untorn.chat.payload import Item, KeepAlive, Note, Payload
from untorn.chat.usual import DEPTH, VALUES
from untorn.events import LogprobsDelta, ReasoningDelta, StreamEvent, TextDelta
from untorn.options import Limits

# What is taken -------------------------------------------------------------------------------


def test_more_text_is_taken_once_it_is_no_snapshot() -> None:
    ways = Ways()
    assert ways.fast(START)[-2:] == [TextDelta(0, "a"), TextDelta(0, "A")]
    assert ways.fast([text("b"), text("c")]) == [TextDelta(0, "b"), TextDelta(0, "c")]
    assert ways.completion.content == "aAbc"
    assert ways.reader.plain == START


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


def test_first_role_beside_logprobs_takes_the_plain_way() -> None:
    before = [text("a"), text("b"), logprobs('{"content":[]}')]
    more = [text("c"), logprobs("null"), *[logprobs('{"content":[1]}')] * 2]
    first = chunk('"role":"assistant","content":"c"', ',"logprobs":null')
    assert plain_items(*before, *more, first, *more) == [*before, first]


ROLELESS: list[Item] = [text("a"), text("b")]
MORE = call('"arguments":"1"')
MORE_OF_1 = call('"arguments":"1"', 1)
WITH_ROLE = chunk('"role":"assistant","tool_calls":[{"index":0,"function":{"arguments":"1"}}]')
VENDOR_WITH_ROLE = chunk('"role":"assistant","content":"b","x":"p"', ',"seen":7')
LOGPROBS = logprobs('{"content":[]}')


@pytest.mark.parametrize(
    ("usual", "more", "plain"),
    [
        (ROLELESS, [text(""), text("c")], []),
        (ROLELESS, [OTHER[0]], [OTHER[0]]),
        ([*ROLELESS, text("c")], [*[START[0]] * 3], [START[0]]),
        ([*ROLELESS, *[VENDOR] * FEW], [VENDOR, *[VENDOR_WITH_ROLE] * 2], [VENDOR_WITH_ROLE]),
        (THINK, [chunk('"reasoning_content":"c"')] * 3, []),
        ([*START, LOOK, MORE, MORE], [call('"arguments":""'), MORE], []),
        ([*START, LOOK, MORE, MORE], [WITH_ROLE, MORE], []),
        ([*ROLELESS, LOOK, MORE, MORE], [WITH_ROLE, WITH_ROLE], [WITH_ROLE]),
        ([*START, LOOK, MORE, MORE], [MORE_OF_1], [MORE_OF_1]),
        ([*START, *[LOGPROBS] * 3], [logprobs("null"), text(""), text("c")], []),
        ([*START, *[LOGPROBS] * 3], [OTHER[0]], [OTHER[0]]),
        ([*START, *[LOGPROBS] * 3, *THINK[1:]], [THINK[1], text("c"), THINK[1], THINK[1]], []),
    ],
)
def test_chunk_that_looks_as_expected_may_bring_more_or_less(
    usual: list[Item], more: list[Item], plain: list[Item]
) -> None:
    assert plain_items(*usual, *more) == [*plain_items(*usual), *plain]


TWICE = b'{"choices":[%s,%s]}'
A = '{"index":0,"delta":{"content":"b"}}'
WITH_X = '{"index":0,"delta":{"content":"b","x":"p"}}'


@pytest.mark.parametrize(
    "items",
    [
        # A role that comes late, after the shape that is expected has changed.
        *[
            [*before, *[chunk(f'"{key}":"c"')] * more, chunk(f'"role":"assistant","{key}":"d"')]
            for more in (1, 2, 5)
            for key in ("content", "reasoning", "reasoning_content")
            for before in [
                [
                    *[chunk(f'"content":"{letter}"') for letter in "aA"],
                    *[chunk(f'"reasoning":"{letter}"') for letter in "bB"],
                    chunk('"reasoning":"c"'),
                    chunk('"content":"c"'),
                ]
            ]
        ],
        # A role of one choice, and a later one of another.
        [
            *[chunk(f'"content":"{letter}"', index=index) for letter in "aA" for index in (0, 1)],
            chunk('"role":"assistant","content":"b"'),
            *[chunk('"content":"c"', index=1)] * 3,
            chunk('"role":"assistant","content":"d"', index=1),
        ],
        # Two entries of one choice.
        [*START, TWICE % (A.encode(), A.replace('"b"}', '"c"},"finish_reason":"stop"').encode())],
        [*START, TWICE % (A.replace("}}", '},"finish_reason":"stop"}').encode(), A.encode())],
        [*START, TWICE % (A.encode(), A.encode())],
        # The call of the fragment before, told by nothing but its place.
        [
            *[*START, LOOK, call('"name":"f","arguments":"["', 1, ',"id":"y"'), *[MORE] * 6],
            chunk('"tool_calls":[{"function":{"arguments":"2"}}]'),
        ],
        # Half a pair that waits in arguments.
        [*START, LOOK, MORE, MORE, call('"arguments":"\\ud83d"'), MORE, MORE],
        # Beside a vendor's keys: two choices, and a text that is empty.
        [
            *LEARNED,
            VENDOR,
            TWICE[:-1] % (WITH_X.encode(), WITH_X.replace("0", "1").encode()) + b"}",
        ],
        [*LEARNED, VENDOR, VENDOR.replace(b'"content":"b"', b'"content":""'), VENDOR],
    ],
)
def test_both_ways_mean_the_same_where_what_comes_is_not_what_was_expected(
    items: list[Item],
) -> None:
    fast, plain = Ways(), Ways()
    assert fast.fast(items) == plain.plain(items)
    end = End("eof", None, None, is_document=False, received=None)
    assert fast.builder.close(end) == plain.builder.close(end)
    assert fast.completion == plain.completion


@pytest.mark.parametrize("limits", [Limits(depth=DEPTH - 1), Limits(values=VALUES - 1)])
def test_limits_below_what_the_shapes_bound_make_everything_plain(limits: Limits) -> None:
    assert Ways(limits).builder.is_plain


def test_another_id_or_model_takes_the_plain_way() -> None:
    named = chunk('"content":"c"', more=',"id":"c1","model":"m"')
    for more in (',"id":"c2"', ',"model":"n"'):
        other = chunk('"content":"b"', more=more)
        assert plain_items(*START, named, other) == [*START, named, other]


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


def test_everything_takes_the_plain_way_after_the_end_mark() -> None:
    assert plain_items(*START, DONE, text(), text()) == [*START, DONE, text(), text()]


def test_everything_takes_the_plain_way_after_a_repeated_key() -> None:
    odd = chunk('"reasoning":"b","reasoning":null')
    assert plain_items(*START, odd, text(), text()) == [*START, odd, text(), text()]


def test_where_nothing_is_usual_only_some_items_are_tried() -> None:
    odd = [chunk('"content":["b"]', more=',"x_y":{}')] * (2 * MANY - 3)
    assert plain_items(*START, *odd, text(), text("c")) == [*START, *odd]
    assert plain_items(*START, *odd[1:], text(), text("c")) == [*START, *odd[1:], text()]


# What is odd, as before ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("odd", "code"),
    [
        (',"id":"c2","model":"m"', "id-changed"),
        (',"id":"c1","model":"n"', "model-changed"),
        (',"id":"c1","model":"m","created":"1"', "created-invalid"),
    ],
)
def test_what_is_odd_beside_the_choices_is_only_counted_once_it_was_noted(
    odd: str, code: str
) -> None:
    named = chunk('"content":"c"', more=',"id":"c1","model":"m"')
    other = chunk('"content":"b"', more=odd)
    items = [*START, named, other, named, other, other, text("c"), other]
    assert plain_items(*items) == [*START, named, other]
    ways = Ways()
    ways.fast(items)
    (found,) = [defect for defect in ways.completion.verdict.defects if defect.code == code]
    assert found.count == 4


@pytest.mark.parametrize(
    "odd",
    [chunk('"content":"b"', ',"finish_reason":""'), chunk('"content":"b","role":""')],
)
def test_no_usual_shape_is_expected_after_a_choice_that_is_odd_as_before(odd: bytes) -> None:
    ways = Ways()
    ways.fast([*START, odd, text(), odd])
    assert ways.fast_way._shape.decode(odd).choices[0].delta.content == "b"
    assert plain_items(*START, odd, text(), odd, odd, text("c")) == [*START, odd]


# A vendor's keys -----------------------------------------------------------------------------


def test_keys_of_a_vendor_are_learned() -> None:
    assert plain_items(*LEARNED, VENDOR, VENDOR, text("c"), VENDOR) == LEARNED
    learned = [*THINK, *[THINKS] * (FEW - len(THINK))]
    assert plain_items(*learned, THINKS, THINKS) == learned


def test_whatever_only_adds_is_taken_beside_learned_keys() -> None:
    """Also what comes for the first time is decoded with them, before it takes the plain way."""
    of_vendor = ',"seen":7', ',"provider":"P"'
    think, again, more = (
        chunk(f'{delta},"x":"p"', *of_vendor)
        for delta in (
            '"reasoning":"c"',
            '"reasoning":"c","reasoning_content":"c"',
            '"tool_calls":[{"index":0,"function":{"arguments":"1"}}]',
        )
    )
    before = [*LEARNED, *THINK, LOOK, AGAIN]
    assert plain_items(*before, think, again, more, VENDOR, more, again, think) == before
    finish = chunk('"x":"p"', ',"finish_reason":"stop","seen":7', ',"provider":"P"')
    ways = Ways()
    ways.fast([*before, finish])
    assert ways.completion.choices[0].message.extra == {"x": "ppp"}
    assert ways.completion.finish_reason == "stop"


def test_usage_beside_more_arguments_is_taken() -> None:
    learned = [*START, *[COUNTING] * (FEW - len(START)), LOOK]
    more = chunk(
        '"tool_calls":[{"index":0,"function":{"arguments":"1"}}]',
        more=',"usage":{"total_tokens":8}',
    )
    assert plain_items(*learned, more, more) == learned
    ways = Ways()
    ways.fast([*learned, more])
    usage = ways.completion.usage
    assert usage is not None
    assert usage.total_tokens == 8


@pytest.mark.parametrize(
    "failure",
    ['"message":"no","code":"500"', '"detail":"no"', '"success":false,"message":"no"'],
)
def test_keys_of_a_vendor_say_that_something_failed_where_there_are_no_choices(
    failure: str,
) -> None:
    beside = chunk('"content":"b"', more=f",{failure}")
    learned = [*START, *[beside] * (2 * FEW)]
    alone = f'{{"choices":[],{failure}}}'.encode()
    assert plain_items(*learned, alone)[-1:] == [alone]
    ways = Ways()
    ways.fast([*learned, alone])
    assert ways.completion.verdict.error is not None


def test_others_are_learned_after_many_once_something_was_learned() -> None:
    items = [*LEARNED, VENDOR, *[chunk('"content":"b","new":1')] * (MANY + 2)]
    assert plain_items(*items) == [*LEARNED, *items[-MANY - 2 : -2]]


def test_what_is_first_learned_from_may_be_any_of_the_first() -> None:
    of_none = [chunk("", more=',"x_y":{}')] * FEW  # there may be a usage in it
    items = [*START, *of_none, *[VENDOR] * (2 * FEW)]
    assert plain_items(*items) == items[: 2 * FEW]


def test_chunk_without_text_is_learned_from_too() -> None:
    quiet, learned = chunk('"x":1'), [*START, *[chunk('"x":1')] * (FEW - len(START))]
    more = chunk('"content":"b","x":2')
    # An empty delta may hide what a repeated key says.
    assert plain_items(*learned, more, quiet, more) == [*learned, quiet]


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
    objects = NESTED.replace(b"null", b'{"":' * 256 + b"0" + b"}" * 256)
    long = NESTED.replace(b"null", b"[" + b"0," * (MOST_BYTES // 2) + b"0]")
    odd = [deep, objects, long]
    assert plain_items(*learned, *odd, NESTED) == [*learned, *odd]
    for one in odd:
        assert plain_items(*learned, NESTED, one, NESTED) == [*learned, one]


def test_value_of_a_vendor_is_weighed_though_a_text_comes_before_it() -> None:
    usual = chunk('"content":"b","x":"p","y":[]')
    heavier = usual.replace(b"[]", b"[1]")
    learned = [*START, *[usual] * (FEW - len(START))]
    assert plain_items(*learned, usual, heavier, usual) == [*learned, heavier]


def test_array_of_a_vendor_that_a_choice_has_not_had_takes_the_plain_way() -> None:
    usual = chunk('"content":"b","y":[]')
    learned = [*START, *[usual] * (FEW - len(START))]
    first = usual.replace(b'"index":0', b'"index":1')
    assert plain_items(*OTHER, *learned, usual, first, first).count(first) == 1


def test_payload_of_an_odd_event_is_taken_if_it_only_adds() -> None:
    learned = [*START, *[NESTED] * (FEW - len(START))]
    odd = [Payload(NESTED, "event", 0), Payload(text("b"), "event", 0)]
    assert plain_items(*learned, *odd, NESTED, *LEARNED[-1:]) == [*learned, *LEARNED[-1:]]


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
        chunk('"x":"p"'),
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


ERROR_TWICE = chunk('"content":"b","content":"c"', ',"error":null', ',"error":null')


@pytest.mark.parametrize(
    ("usual", "odd"),
    [
        (chunk('"content":"b"', ',"error":null', ',"error":null'), ERROR_TWICE),
        (text(), chunk('"content":"error","content":"b"', more=',"obfuscation":"error"')),
        (NESTED, NESTED.replace(b'{"a":null}', b'{"error":1,"error":2}')),
        (logprobs('{"content":[]}'), logprobs('{"error":1,"error":2}')),
    ],
)
def test_word_error_alone_makes_no_difference(usual: bytes, odd: bytes) -> None:
    assert odd not in plain_items(*START, *[usual] * FEW, odd)


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


def test_logprobs_under_a_repeated_key_are_looked_at_too() -> None:
    for hidden in (b'{"content":"\xd0"}', b'{"content":%b}' % (b"[" * 300 + b"]" * 300)):
        choices = b'"choices":[{"index":0,"delta":{"content":"b"},"logprobs":%b}]'
        repeated = b"{%b,%b}" % (choices % hidden, choices % b"{}")
        fast, plain = Ways(), Ways()
        given = [*START, b"{%b}" % (choices % b"{}"), repeated]
        assert fast.fast(given) == plain.plain(given)
        assert fast.completion == plain.completion
        assert fast.completion.verdict.defects


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


few = st.sampled_from([Limits()] * 4 + [Limits(choices=1, tool_calls=1), Limits(extras=6)])


@given(streams, few)
def test_both_ways_are_one_for_the_keys_of_a_vendor(given: list[Item], limits: Limits) -> None:
    fast, plain = Ways(limits), Ways(limits)
    assert fast.fast(given) == plain.plain(given)
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
