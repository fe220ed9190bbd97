"""Strategies: chunks as they stand on the wire, usual and odd, and whole streams of a vendor."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.chat.ways import (
    AGAIN,
    COUNTING,
    DONE,
    LEARNED,
    LOOK,
    LOOK_1,
    OTHER,
    START,
    THINK,
    chunk,
    text,
)
from untorn.chat.fast_way import FEW, MANY
from untorn.chat.payload import Item, KeepAlive, Note, Payload

# Chunks of any kind --------------------------------------------------------------------------

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


openings: st.SearchStrategy[list[Item]] = st.sampled_from(
    [
        [*LEARNED],
        [*START, *[of_vendor("1", '"y"', "null", "null", "", "null")] * FEW],
        [*START, *[of_vendor("{}", '"y"', "[]", "{}", "", '{"total_tokens":1}')] * FEW],
        [text("a"), text("b"), *[of_vendor("{}", '"y"', "[]", "1", "", "null")] * FEW],
        [text("a"), text("b"), *[COUNTING] * FEW],
        *([], [*START], [*START, *THINK, LOOK], [*THINK, *OTHER, LOOK, LOOK_1]),
        [*START, *[chunk('"x":1')] * (MANY - 1)],
        [*START, *[chunk("", more=',"x_y":{}')] * (MANY - 1)],
        [*THINK, AGAIN],
    ]
)

# Streams of a vendor -------------------------------------------------------------------------


def thinks(reasoning: str, *blocks: str, more: str = "") -> str:
    """Reasoning, and ``reasoning_details`` of these texts, inside of a delta."""
    details = ",".join(f'{{"type":"t","text":"{block}"{more}}}' for block in blocks)
    return f'"reasoning":{reasoning},"reasoning_details":[{details}]'


def calls(*fragments: str) -> str:
    """Fragments of calls, inside of a delta."""
    return f'"tool_calls":[{",".join(fragments)}]'


def fragment(index: int, function: str, more: str = "") -> str:
    return f'{{"index":{index}{more},"function":{{{function}}}}}'


BEGUN: list[Item] = [*START, *THINK, AGAIN, LOOK]
begins: st.SearchStrategy[list[Item]] = st.sampled_from(
    [
        *(BEGUN, [*BEGUN, chunk(thinks('"b"', "b"))], [*BEGUN, *OTHER, LOOK_1], [*START, LOOK]),
        *([], [text("a"), text("b"), chunk('"reasoning":"a"'), chunk('"reasoning":"b"')]),
    ]
)
usual_deltas = st.sampled_from(
    [
        *('"content":"b"', '"reasoning":"b"', '"reasoning":"b","reasoning_content":"b"'),
        *(thinks('"b"', "b"), calls(fragment(0, '"arguments":"1"')), '"content":"","role":null'),
    ]
)
odd_deltas = st.sampled_from(
    [
        *('"content":"b"', '"content":""', '"content":null', ""),
        *('"role":""', '"role":"","content":"c"', '"role":"","reasoning":"c"'),
        *('"role":"assistant"', '"role":"assistant","content":"c"', '"role":"tool","content":"c"'),
        *('"content":"ab"', '"content":"abc"', '"refusal":"no"', '"content":"error"'),
        *('"content":"b","reasoning_details":[]', '"content":"b","content":"c"'),
        *('"reasoning_content":"b"', '"reasoning":"b","content":"c"'),
        *('"reasoning":"b","reasoning_content":"c"', '"reasoning":"","reasoning_content":""'),
        *(thinks('"b","reasoning_content":"b"', "b"), thinks('"b"', "c")),
        *(thinks("null", "b"), thinks("null", "b", "c"), thinks('"bc"', "b", "c")),
        *(thinks('""', ""), thinks('"b"'), thinks('"b"', "b", more=',"format":"f"')),
        *(thinks('"b"', "b", more=f',"signature":{value}') for value in ("null", '"s"')),
        *(thinks('"b"', "b", more=more) for more in (',"index":1', ',"data":[1]', ',"data":"d"')),
        thinks('"b"', "b", more=',"error":{},"error":null'),
        calls(fragment(0, '"name":"look","arguments":"{"', ',"id":"x","type":"function"')),
        calls(fragment(1, '"name":"go","arguments":"["', ',"id":"y"')),
        calls(fragment(0, '"arguments":{}')),
        calls(fragment(1, '"arguments":"2"'), fragment(0, '"arguments":"1"')),
        *(calls('{"index":0}'), calls()),
    ]
)
ends = st.sampled_from(
    [
        *([""] * 40),
        *(',"finish_reason":null', ',"logprobs":{"content":[]}', ',"logprobs":{"content":[1]}'),
        *(
            ',"finish_reason":"stop"',
            ',"finish_reason":"tool_calls"',
            ',"finish_reason":""',
            ',"finish_reason":"null"',
        ),
        *(',"logprobs":null', ',"logprobs":{"error":{},"error":1}'),
    ]
)
tops = st.sampled_from(
    [
        *([""] * 30),
        *(',"id":"c1","model":"m"', ',"id":"c2"', ',"model":"n"', ',"created":1'),
        *(',"usage":null', ',"usage":{"total_tokens":1}', ',"usage":{"total_tokens":0}'),
        *(',"usage":{"total_tokens":2,"details":{"a":1}}', ',"created":"1"', ',"created":1.5'),
    ]
)
NAMES = ["x", "y", "provider", "code", "detail", "success", "status_code"] * 5 + [
    "message",
    "error",
]
"""Those that say of a failure what it is, where a chunk has no choices, are among them."""
KINDS = [
    *(['"a"', '"b"', '""', "null"], ["1", "0.5", "true", "null"], ["false"], ["null"]),
    *(['{"a":1}', "{}", '{"a":null}', "null"], ['["a",1]', "[1]", "[]"], ['"500"', '"error"']),
]
ODD_KINDS = [
    *(["7", '"a"', "{}"], ["{}", '{"a":{"b":[1,2]}}'], ["[]", "[1]", '["a",{"error":1}]']),
    *(['{"error":1,"error":2}'], ['{"usage":{"total_tokens":3}}'], [r'"\u00e9"', r'"\ud83d"']),
]
"""The values that a key may have in one stream. The first of them is mostly the one."""

Keys = dict[str, list[str]]


def some_keys(names: list[str]) -> st.SearchStrategy[Keys]:
    return st.dictionaries(
        st.sampled_from(names), st.sampled_from(KINDS * 4 + ODD_KINDS), max_size=3
    )


def pairs_of(level: Keys) -> st.SearchStrategy[str]:
    """The keys of a vendor at one level, mostly all of them; each with a comma before it."""
    each = [
        st.sampled_from([f',"{key}":{value}' for value in values * 3 + values[:1] * 12] + [""])
        for key, values in level.items()
    ]
    return st.tuples(*each).map("".join)


def mostly(usual: st.SearchStrategy[str], odd: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """What is usual six times of seven. (``one_of`` takes equal ones for one.)"""
    return st.sampled_from([usual] * 6 + [odd]).flatmap(lambda strategy: strategy)


def choices_of_vendor(of_choice: Keys, of_delta: Keys) -> st.SearchStrategy[str]:
    def choice(index: str, delta: str, of_delta: str, end: str, of_choice: str) -> str:
        inside = (delta + of_delta).removeprefix(",")
        return f'{{"index":{index},"delta":{{{inside}}}{end}{of_choice}}}'

    return st.builds(
        choice,
        st.sampled_from("0" * 9 + "1"),
        mostly(usual_deltas, odd_deltas),
        pairs_of(of_delta),
        ends,
        pairs_of(of_choice),
    )


def streams_with(of_chunk: Keys, of_choice: Keys, of_delta: Keys) -> st.SearchStrategy[list[Item]]:
    """Chunks of a vendor with these keys; the first of them comes until it is learned, or not."""
    choice = choices_of_vendor(of_choice, of_delta)
    lists = mostly(choice, st.lists(choice, max_size=3).map(",".join))
    lines = st.builds('{{"choices":[{}]{}{}}}'.format, lists, tops, pairs_of(of_chunk))
    payloads = lines.map(str.encode)
    return st.builds(
        lambda begin, first, times, rest: [*begin, *[first] * times, *rest],
        begins,
        usual_deltas.map(lambda delta: with_all(of_chunk, of_choice, of_delta, delta)),
        st.sampled_from([1, 2 * FEW, 2 * FEW, MANY]),
        st.lists(payloads, max_size=14),
    )


def with_all(of_chunk: Keys, of_choice: Keys, of_delta: Keys, delta: str) -> bytes:
    """A chunk with the first value of every key."""
    more = [
        "".join(f',"{key}":{values[0]}' for key, values in level.items())
        for level in (of_delta, of_choice, of_chunk)
    ]
    return chunk(delta + more[0], more[1], more[2])


streams = st.tuples(
    some_keys([*NAMES, "x_groq"]),
    some_keys([*NAMES, "usage", "text", "audio"]),
    some_keys([*NAMES, "usage"]),
).flatmap(lambda levels: streams_with(*levels))
"""Streams of a vendor: keys of its own at any level, beside whatever chunks may bring."""
