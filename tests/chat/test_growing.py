"""What a further chunk may only add: it is taken, and means what it means the plain way."""

from __future__ import annotations

import pytest

from tests.chat.ways import (
    AGAIN,
    LOOK,
    LOOK_1,
    OTHER,
    START,
    THINK,
    Ways,
    call,
    chunk,
    logprobs,
    plain_items,
    text,
)
from untorn.chat.builder import CompletionBuilder
from untorn.chat.fast_way import FEW
from untorn.chat.growing import Growing, may_be_kept
from untorn.chat.payload import Item, Payload
from untorn.chat.wide import decode_wide_with_logprobs
from untorn.events import LogprobsDelta, ReasoningDelta, TextDelta, ToolCallDelta
from untorn.options import Limits

# Text, reasoning, arguments ------------------------------------------------------------------


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


def test_first_role_of_one_choice_is_not_that_of_another_which_has_none_either() -> None:
    texts = [chunk(f'"content":"{letter}"', index=index) for letter in "aA" for index in (0, 1)]
    roles = [chunk('"role":"assistant","content":"b"', index=index) for index in (0, 1)]
    assert plain_items(*texts, *roles, *roles) == [*texts, *roles]


@pytest.mark.parametrize(
    ("before", "key"), [(START, "reasoning"), (THINK, "content"), (THINK, "reasoning_content")]
)
def test_first_empty_text_of_a_kind_takes_the_plain_way(before: list[Item], key: str) -> None:
    empty = chunk(f'"{key}":""')
    kinds = [empty] if key != "reasoning_content" else []
    assert plain_items(*before, empty, empty) == [*before, *kinds]


def test_role_that_one_choice_has_is_not_that_of_another() -> None:
    items = [*START, chunk('"content":"a"', index=1), chunk('"content":"b"', index=1)]
    first = chunk('"role":"assistant","content":"c"', index=1)
    more = [chunk('"role":"assistant","content":"c"'), chunk('"content":"d"', index=1)]
    assert plain_items(*items, *more, *more, first, first, *more) == [*items, first]


def test_reasoning_under_two_keys_takes_the_plain_way_for_the_first_time() -> None:
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


def test_choice_that_has_finished_takes_the_plain_way() -> None:
    finish = chunk("", ',"finish_reason":"stop"')
    before = [*START, *OTHER, finish]
    assert plain_items(*before, text(), OTHER[0]) == [*before, text()]


def test_fragments_without_arguments_are_taken() -> None:
    calls = [LOOK, call('"arguments":"1"'), call('"arguments":""'), call('"arguments":"2"')]
    assert plain_items(*START, *calls, call('"arguments":"3"', index=1)) == [
        *[*START, LOOK],
        call('"arguments":"3"', index=1),
    ]


def test_logprobs_of_what_only_adds_are_taken_like_those_of_text() -> None:
    items = [*START, logprobs('{"content":[]}'), text(), logprobs("null"), logprobs('{"é":1}')]
    finish = chunk('"content":"b"', ',"finish_reason":"stop"')
    assert plain_items(*items, finish, items[-1]) == [*items[:3], finish, items[-1]]


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


# Reasoning that is said again ----------------------------------------------------------------


def thought(text: str, details: str = "", more: str = "") -> bytes:
    """Reasoning, and ``reasoning_details`` with these blocks."""
    blocks = f',"reasoning_details":[{details}]' if details else ""
    return chunk(f'"reasoning":"{text}"{more}{blocks}')


def block(text: str, more: str = "") -> str:
    return f'{{"type":"t","text":"{text}"{more}}}'


FIRST = thought("b", block("b"))
"""As OpenRouter sends it (2025): each delta says its reasoning twice."""
TWICE = [*THINK, FIRST]


def test_reasoning_under_two_keys_is_taken_once_it_was_noted() -> None:
    more = thought("d", more=',"reasoning_content":"d"')
    assert plain_items(*THINK, AGAIN, more, more) == [*THINK, AGAIN]
    ways = Ways()
    ways.fast([*THINK, AGAIN])
    assert ways.fast([more, more]) == [ReasoningDelta(0, "d")] * 2
    (found,) = [d for d in ways.completion.verdict.defects if d.code == "reasoning-duplicated"]
    assert found.count == 3


def test_piece_of_a_block_that_says_the_reasoning_again_is_taken() -> None:
    more, quiet = thought("d", block("d")), thought("", block(""))
    all_three = thought("d", block("d"), ',"reasoning_content":"d"')
    assert plain_items(*TWICE, more, quiet, all_three, more) == TWICE
    ways = Ways()
    ways.fast([*TWICE, more])
    assert ways.fast([quiet, more]) == [ReasoningDelta(0, "d")]
    (kept,) = ways.completion.choices[0].message.reasoning_details
    assert kept == {"type": "t", "text": "bdd"}
    (found,) = [d for d in ways.completion.verdict.defects if d.code == "reasoning-duplicated"]
    assert found.count == 3


def test_last_piece_of_a_block_is_taken_if_its_keys_have_come() -> None:
    signed = [thought("b", block("b", f',"signature":{value}')) for value in ("null", '"s"')]
    assert plain_items(*THINK, *signed) == [*THINK, signed[0]]
    assert plain_items(*THINK, *signed, signed[0]) == [*THINK, signed[0], signed[0]]


@pytest.mark.parametrize(
    "item",
    [
        thought("d", block("e")),  # it says something else
        thought("d", f"{block('d')},{block('')}"),
        thought("d", block("d", ',"format":"f"')),
        thought("d", block("d", ',"index":1')),
        thought("d", '{"type":"t","text":"d","text":"d","more":[]}'),
        thought("d", '"d"'),
        thought("d", "{}"),
        thought("d", more=',"reasoning_content":"e"'),
        thought("d", more=',"reasoning_content":""'),
        chunk(f'"content":"d","reasoning_details":[{block("d")}]'),
    ],
)
def test_reasoning_that_is_not_said_again_takes_the_plain_way(item: bytes) -> None:
    assert plain_items(*START, *TWICE, item) == [*START, *TWICE, item]


def test_reasoning_is_said_again_for_the_first_time_on_the_plain_way() -> None:
    first = [*THINK, chunk(f'"reasoning_details":[{block("b")}]')]
    assert plain_items(*first, FIRST, FIRST) == [*first, FIRST]
    assert plain_items(*THINK, thought("", more=',"reasoning_content":""'))[len(THINK) :]


def test_no_details_are_nothing() -> None:
    none = [chunk(f'"{key}":"b","reasoning_details":[]') for key in ("content", "reasoning")]
    assert plain_items(*START, *THINK, *none, *none) == [*START, *THINK]


def test_details_of_each_choice_go_on_in_their_own_blocks() -> None:
    of_1 = [item.replace(b'"index":0', b'"index":1') for item in TWICE]
    both = [thought("d", block("d")), FIRST.replace(b'"index":0', b'"index":1')]
    assert plain_items(*TWICE, *of_1, *both, *both) == [*TWICE, *of_1]


def test_snapshots_may_be_said_again() -> None:
    first = chunk('"role":"assistant","reasoning":"a","reasoning_content":"a"')
    longer = [thought("a" * size, more=f',"reasoning_content":"{"a" * size}"') for size in (2, 3)]
    assert plain_items(first, *longer, thought("b"), thought("c")) == [first, thought("b")]


@pytest.mark.parametrize("most", range(9, 12))
def test_snapshots_of_one_choice_twice_in_a_chunk_take_the_plain_way(most: int) -> None:
    """The second would be none after the first, and might pass the limit of a text."""
    twice = b'{"choices":[%s]}' % b",".join(
        b'{"index":0,"delta":{"content":"%s"}}' % text for text in (b"abX", b"abY")
    )
    items = [chunk('"role":"assistant","content":"a"'), text("ab"), text("ab"), twice, text("z")]
    fast, plain = Ways(Limits(text=most)), Ways(Limits(text=most))
    assert fast.fast(items) == plain.plain(items)
    assert fast.completion == plain.completion
    assert twice in fast.reader.plain


def test_blocks_that_one_choice_ends_twice_in_a_chunk_are_counted() -> None:
    first, last = (
        thought("b", block("b", f',"signature":{value}')).decode() for value in ("null", '"s"')
    )
    one = last.removeprefix('{"choices":[').removesuffix("]}")
    many = f'{{"choices":[{",".join([one] * 6)}]}}'.encode()
    few = Limits(extras=10)
    fast, plain = Ways(few), Ways(few)
    items = [*THINK, first.encode(), many, thought("c")]
    assert fast.fast(items) == plain.plain(items)
    assert fast.builder.over == "more than 10 unknown keys and values"


# What is odd about it ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("odd", "code"),
    [
        (chunk('"content":"b"', ',"finish_reason":""'), "finish-reason-empty"),
        (chunk('"content":"b"', ',"finish_reason":"null"'), "finish-reason-empty"),
        (chunk('"content":"b","role":""'), "role-empty"),
        (chunk('"reasoning":"b","role":""'), "role-empty"),
    ],
)
def test_what_is_odd_about_a_choice_is_only_counted_once_it_was_noted(
    odd: bytes, code: str
) -> None:
    assert plain_items(*START, *THINK, odd, odd, text("c"), odd) == [*START, *THINK, odd]
    ways = Ways()
    ways.fast([*START, *THINK, odd])
    assert len(ways.fast([odd, odd])) == 2
    (found,) = [defect for defect in ways.completion.verdict.defects if defect.code == code]
    assert found.count == 3


def test_empty_role_alone_takes_the_plain_way() -> None:
    """As any delta that brings nothing."""
    odd, quiet = chunk('"content":"b","role":""'), chunk('"role":""')
    assert plain_items(*START, odd, odd, quiet) == [*START, odd, quiet]


# The choices, by themselves ------------------------------------------------------------------


def growing_after(*items: Item) -> tuple[Growing, CompletionBuilder]:
    """What may grow once these have taken the plain way."""
    ways = Ways()
    ways.plain(items)
    growing = Growing(ways.builder, Limits())
    for choice in ways.builder.choices.values():
        growing.prepare(choice)
    ways.builder.out = []
    return growing, ways.builder


def only_adds(growing: Growing, data: bytes) -> bool:
    (choice,) = decode_wide_with_logprobs(data).choices
    return growing.only_adds(choice)


def test_choice_may_grow_in_what_it_has_begun() -> None:
    growing, builder = growing_after(*START, LOOK, *OTHER, THINK[0].replace(b":0,", b":2,"))
    assert growing.texts == {0: ["a", "A"], 1: ["a", "A"]}
    assert growing.reasonings == {}  # it may be a snapshot
    assert growing.calls == {0: builder.choices[0].calls}
    assert growing.roleless == frozenset()


def test_choice_that_has_finished_or_changed_grows_no_more() -> None:
    growing, builder = growing_after(*START, *THINK, LOOK, text("a").replace(b":0,", b":3,"))
    assert growing.roleless == {3}
    builder.counts = True
    for choice in builder.choices.values():
        growing.prepare(choice)
    assert (growing.texts, growing.reasonings, growing.calls) == ({}, {}, {})
    assert growing.roleless == frozenset()


def test_nothing_grows_once_it_was_cleared() -> None:
    growing, _ = growing_after(*START, *THINK, LOOK)
    growing.clear()
    assert (growing.texts, growing.reasonings, growing.calls) == ({}, {}, {})


def test_streams_share_what_nobody_has() -> None:
    growing, _ = growing_after(*START, LOOK)
    assert growing.calls.keys() == {0}
    assert growing_after()[0].calls == {}
    growing, _ = growing_after(*START)
    assert growing.reasonings is growing_after()[0].reasonings
    assert growing.calls is growing_after()[0].calls


@pytest.mark.parametrize("delta", ['"refusal":"b"', '"audio":{}', '"annotations":[]'])
def test_rare_deltas_do_more_than_add(delta: str) -> None:
    growing, _ = growing_after(*START)
    assert only_adds(growing, text("b"))
    assert not only_adds(growing, chunk(f'"content":"b",{delta}'))


@pytest.mark.parametrize(
    "item",
    [
        chunk('"content":["b"]'),
        chunk('"content":"b","role":"tool"'),
        chunk('"role":null,"tool_calls":[]'),
        chunk(f'"tool_calls":[{",".join(["{}"] * (Limits().tool_calls + 1))}]'),
        chunk('"content":"b"', index=7),
        chunk('"content":"b"', ',"finish_reason":"stop"'),
    ],
)
def test_whatever_brings_more_than_before_does_more_than_add(item: bytes) -> None:
    growing, _ = growing_after(*START, *THINK, LOOK)
    assert not only_adds(growing, item)


def test_what_only_adds_is_added_with_its_events() -> None:
    growing, builder = growing_after(*START, *THINK, LOOK)
    data = chunk(
        '"content":"c","reasoning":"d","tool_calls":[{"index":0,"function":{"arguments":"1"}}]',
        ',"logprobs":{"content":[]}',
    )
    (choice,) = decode_wide_with_logprobs(data).choices
    assert growing.only_adds(choice)
    growing.add(choice)
    assert [type(event) for event in builder.out] == [
        *(ReasoningDelta, TextDelta, ToolCallDelta, LogprobsDelta),
    ]
    message = builder.completion(None, None).choices[0].message
    assert (message.content, message.reasoning) == ("aAc", "bBd")
    assert message.tool_calls[0].arguments == "{1"


@pytest.mark.parametrize(
    ("logprobs", "kept"),
    [(b"null", True), (b'{"content":[]}', True), (b"[]", False), (b"1", False)],
)
def test_logprobs_may_be_an_object_or_null(logprobs: bytes, kept: bool) -> None:
    assert may_be_kept(logprobs) is kept
    growing, _ = growing_after(*START)
    data = chunk('"content":"b"', ',"logprobs":?').replace(b"?", logprobs)
    assert only_adds(growing, data) is kept
