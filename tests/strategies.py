"""Streams as Hypothesis makes them: usual and unusual chunks, framed well and badly, and damaged.

JSON is made as text, not encoded from values: repeated keys, NaN, half a surrogate pair and raw
control characters can't be had otherwise.
"""

from __future__ import annotations

import json
import re
from itertools import pairwise

from hypothesis import strategies as st

from tests.chat_helpers import corpus

Pairs = list[tuple[str, str]]
"""The keys of a JSON object, and their values as JSON."""


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def json_object(pairs: Pairs) -> str:
    return "{" + ",".join(f'"{key}":{value}' for key, value in pairs) + "}"


# Texts and values, as JSON -------------------------------------------------------------------

WORDS = ["", "a", "The tide", " comes in", "é", "…", "😀", "<think>", "[DONE]", '{"a":1}', "\u2028"]
ODD_TEXTS = [
    *(r'"\ud83d"', r'"\ude00!"', r'"hi \ud83d"', r'"\ude00"', r'"\ud83d\ude00"', r'"\u0000"'),
    *('"a\tb"', '"\x01"', '"\x7f"', r'"\/"', r'"\u00e9"', '"\ufeff"'),
]
GROWING = [quoted("The tide comes in twice a day, as it does"[:n]) for n in (3, 8, 14, 22, 30, 41)]
ODD_VALUES = [
    *("null", "true", "false", "0", "1", "-1", "1.5", "1e400", "9" * 20, "NaN", "-Infinity"),
    *('""', '"null"', '"x"', '"7"', "[]", "{}", "[null]", '{"a":[1,{"b":null}]}'),
]

odd_values = st.sampled_from(ODD_VALUES)
texts = st.sampled_from([quoted(word) for word in WORDS])
any_texts = texts | st.sampled_from(ODD_TEXTS + GROWING) | st.text(max_size=8).map(quoted)

ARGUMENTS = ["", "{}", '{"city":', '"Oslo"}', '{"city":"Oslo"}', "7", "[1,", "2]", '{"city":"', "é"]
arguments = st.sampled_from([quoted(text) for text in ARGUMENTS])


@st.composite
def objects(
    draw: st.DrawFn, usual: dict[str, st.SearchStrategy[str]], most: int, *, may_repeat: bool = True
) -> str:
    """An object with some of the usual keys, rarely with an odd value, a repeated key, or a key
    that nobody knows."""
    keys = draw(st.lists(st.sampled_from(sorted(usual)), max_size=most, unique=True))
    pairs = [(key, draw(usual[key])) for key in keys]
    oddity = draw(st.integers(0, 9))
    if oddity == 0:
        pairs.append(("x_vendor", draw(odd_values | any_texts)))
    if oddity == 1:
        pairs.append((draw(st.sampled_from(sorted(usual))), draw(odd_values)))
    if oddity == 2 and pairs and may_repeat:
        key = draw(st.sampled_from(pairs))[0]
        pairs.append((key, draw(usual[key] | odd_values)))
    return json_object(pairs)


def listed(items: st.SearchStrategy[str], most: int = 2) -> st.SearchStrategy[str]:
    return st.lists(items, max_size=most).map(lambda chosen: "[" + ",".join(chosen) + "]")


# Chunks, as JSON -----------------------------------------------------------------------------

functions = objects(
    {"name": st.sampled_from(['"look_up"', '"send"', '""', "null"]), "arguments": arguments}, 2
)
fragments = objects(
    {
        "index": st.sampled_from(["0", "0", "1", '"1"', "null"]),
        "id": st.sampled_from(['"call_1"', '"call_2"', '""', "null"]),
        "type": st.just('"function"'),
        "function": functions,
        "custom": st.just('{"name":"run","input":"ls"}'),
    },
    4,
)
logprobs = st.sampled_from(
    [
        '{"content":[{"token":"a","logprob":-0.5,"bytes":[97],"top_logprobs":[]}]}',
        '{"content":[{"token":"a","logprob":NaN}],"refusal":null}',
        r'{"content":[{"token":"\ud83d"}]}',
        *("null", "{}", "[]", '"x"', '{"a":1,"a":2}'),
    ]
)
usages = st.sampled_from(
    [
        '{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}',
        '{"prompt_tokens":3,"completion_tokens":9,"total_tokens":12,"cost":0.1}',
        '{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}',
        *("null", "{}", '{"prompt_tokens":"3"}'),
    ]
)
finish_reasons = st.sampled_from(
    ["null", "null", '"stop"', '"tool_calls"', '"length"', '"content_filter"', '"END"', '""', '"?"']
)
details = st.sampled_from(
    [
        '[{"type":"reasoning.text","text":"why"}]',
        '[{"type":"reasoning.encrypted","data":"eA=="}]',
        '[{"type":"reasoning.text","text":" not","signature":"s"}]',
    ]
)
contents = any_texts | st.sampled_from(
    ["null", '[{"type":"text","text":"part"}]', '[{"type":"thinking","thinking":"hm"}]']
)
deltas = objects(
    {
        "role": st.sampled_from(['"assistant"', '"assistant"', "null", '""', '"tool"']),
        "content": contents,
        "reasoning": any_texts | st.just("null"),
        "reasoning_content": any_texts | st.just("null"),
        "reasoning_details": details,
        "refusal": any_texts | st.just("null"),
        "tool_calls": listed(fragments) | fragments,
        "function_call": functions | st.just("null"),
        "audio": st.sampled_from(['{"id":"a","data":"eA==","transcript":"x"}', '{"expires_at":9}']),
    },
    4,
)
indexes = st.sampled_from(["0", "0", "0", "1", "2", '"1"', "null"])
choices = objects(
    {
        "index": indexes,
        "delta": deltas | st.just("null"),
        "message": deltas,
        "finish_reason": finish_reasons,
        "logprobs": logprobs,
        "text": any_texts,
        "usage": usages,
        "error": st.sampled_from(["null", '{"message":"lost"}']),
    },
    4,
)
unusual_chunks = objects(
    {
        "id": st.sampled_from(['"c1"', '"c2"', '""', "null"]),
        "object": st.sampled_from(['"chat.completion.chunk"', '"chat.completion"', '"x"', '""']),
        "created": st.sampled_from(["1700000000", "1.7e9", '"now"', "null"]),
        "model": st.sampled_from(['"m"', '"m2"', "null"]),
        "system_fingerprint": st.sampled_from(['"f"', '"f2"', "null"]),
        "service_tier": st.sampled_from(['"default"', "null"]),
        "choices": listed(choices, 3) | st.just("null"),
        "delta": deltas,
        "usage": usages,
        "obfuscation": st.just('"pad"'),
        "x_groq": st.just('{"usage":{"prompt_tokens":1,"total_tokens":1}}'),
    },
    7,
)

more_arguments = arguments.map(
    lambda text: f'{{"tool_calls":[{{"index":0,"function":{{"arguments":{text}}}}}]}}'
)
usual_deltas = st.one_of(
    any_texts.map(lambda text: json_object([("content", text)])),
    any_texts.map(lambda text: json_object([("role", '"assistant"'), ("content", text)])),
    any_texts.map(lambda text: json_object([("reasoning_content", text)])),
    any_texts.map(lambda text: json_object([("reasoning", text), ("content", '""')])),
    more_arguments,
    st.just('{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"look_up"}}]}'),
    deltas,
)


@st.composite
def usual_chunks(draw: st.DrawFn) -> str:
    """Most chunks of a stream: one choice, whose delta brings one thing more."""
    choice = [("index", draw(indexes)), ("delta", draw(usual_deltas))]
    if draw(st.booleans()):
        choice.append(("finish_reason", draw(st.just("null") | finish_reasons)))
    if draw(st.integers(0, 3)) == 0:
        choice.append(("logprobs", draw(logprobs)))
    known = [("id", '"c1"'), ("object", '"chat.completion.chunk"'), ("model", '"m"')]
    known += draw(st.sampled_from([[], *COMPANIONS]))
    return json_object([*known, ("choices", f"[{json_object(choice)}]")])


COMPANIONS: list[Pairs] = [
    [("created", "1700000000"), ("system_fingerprint", '"f"'), ("service_tier", '"default"')],
    [("system_fingerprint", '"f2"'), ("obfuscation", '"pad"')],
    [("service_tier", "null"), ("usage", "null")],
    [("created", "1.5")],
    [("usage", '{"prompt_tokens":3}')],
]


other_payloads = st.sampled_from(
    [
        *("[DONE]", "[done]", "DONE", '"[DONE]"', "", "null", "{}", '{"type":"ping"}', ": ping"),
        *('{"error":{"message":"no","code":429}}', '{"error":"no"}', '{"detail":"no"}', "plain"),
        *('{"choices":[', '"choices" lost', "[]", "[1]", "{", "}", '{"a":1}', "[[[]]]"),
        '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}',
    ]
)
payloads = st.one_of(usual_chunks(), usual_chunks(), usual_chunks(), unusual_chunks, other_payloads)

# Bodies --------------------------------------------------------------------------------------

USUAL_FRAME = (b"data: ", b"\n\n")
ODD_FRAMES = [
    *((b"data:", b"\n\n"), (b"data: ", b"\r\n\r\n"), (b"data: ", b"\r\r"), (b"data: ", b"\n")),
    *((b"", b"\n"), (b"", b"\n\n"), (b"data: data: ", b"\n\n"), (b"event: error\ndata: ", b"\n\n")),
    *((b"event: x\nid: 1\ndata: ", b"\n\n"), (b": hm\n\ndata: ", b"\n\n"), (b"error: ", b"\n\n")),
    *((b"\xef\xbb\xbfdata: ", b"\n\n"), (b"data:\ndata: ", b"\n\n"), (b"stray\ndata: ", b"\n\n")),
    *((b"retry: 5\ndata: ", b"\n\n"), (b"data: \xff", b"\n\n"), (b"<html>\n", b"\n")),
]
frames = st.sampled_from([*[USUAL_FRAME] * 99, *ODD_FRAMES])


@st.composite
def events(draw: st.DrawFn) -> bytes:
    """A payload in its frame."""
    before, after = draw(frames)
    payload: str = draw(payloads)
    return before + payload.encode() + after


bodies = st.lists(events(), max_size=8).map(b"".join)
"""Bodies that look like a stream, more or less."""

PIECES = [
    *(
        b"\n",
        b"\r",
        b"\n\n",
        b"\r\n",
        b"data: ",
        b"data:",
        b": x\n",
        b"\xef\xbb\xbf",
        b"\xff",
        b"\0",
    ),
    *(
        b"\xf0\x9f",
        b'"',
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b"\\",
        b"\\ud83d",
        b"data: [DONE]\n\n",
        b"7",
    ),
    *(b"event: error\n", b"error: ", b"<html>", b"\x1f\x8b", b"NaN", b"null", b'"choices"'),
]


@st.composite
def damaged_bodies(draw: st.DrawFn) -> bytes:
    """A body of the corpus in which bytes were lost, repeated, put in, or came from another."""
    small = [case.body for case in corpus() if len(case.body) < 4096]
    body = draw(st.sampled_from(small))
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(body)))
        end = min(len(body), start + draw(st.integers(0, 40)))
        match draw(st.sampled_from(["lose", "repeat", "put in", "mix"])):
            case "lose":
                body = body[:start] + body[end:]
            case "repeat":
                body = body[:end] + body[start:]
            case "put in":
                body = body[:start] + draw(st.sampled_from(PIECES)) + body[start:]
            case _:
                other = draw(st.sampled_from(small))
                body = body[:start] + other[len(other) // 2 :]
    return body


@st.composite
def reads(draw: st.DrawFn, source: st.SearchStrategy[bytes]) -> list[bytes]:
    """A body in reads: cut anywhere, empty ones among them, or after events and anywhere."""
    body = draw(source)
    inner = draw(st.lists(st.integers(0, len(body)), max_size=8))
    if draw(st.booleans()):
        inner = inner[:2] + [blank.end() for blank in re.finditer(rb"\n\n", body)]
    places = [0, *sorted(inner), len(body)]
    return [body[start:end] for start, end in pairwise(places)]
