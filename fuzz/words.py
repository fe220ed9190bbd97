"""What odd streams are made of: values, texts, keys, lines and payloads that readers stumble on."""

from __future__ import annotations

from fuzz.json_tree import Literal

TEXTS = [
    *("", "a", "ab", "The tide", " comes in", "é", "…", "\u2028", "a\u0300", "\u202ereversed"),
    *(
        "😀",
        "<think>",
        "</think>",
        "[DONE]",
        "data: x",
        "null",
        '{"a":1}',
        "\x00",
        "\x1b[2J",
        "\x7f",
    ),
    *("\r\n", "\n\n", "\ufeff", "\ufffd", "\ud83d", "\ude00", "x\ud83d", "\ude00y", "\ud83d\ude00"),
]
SNAPSHOTS = [
    "The tide comes in twice a day, 😀 and goes out again, as it does"[:size]
    for size in (3, 8, 14, 22, 30, 31, 32, 41, 63)
]
RAW_STRINGS = [
    *(r'"\ud83d"', r'"\ude00!"', r'"hi \ud83d"', r'"\ude00"', r'"\ud83d\ude00"', r'"\u0000"'),
    *(r'"\ud83d\ud83d"', r'"\/"', r'"\u00e9"', r'"\uFFFE"', '"a\tb"', '"\x01"', '"\x7f"', '"\x9b"'),
]
VALUES = [
    *("null", "true", "false", "0", "1", "-1", "1.5", "-0", "1e3", "1e400", "-1E-9", "9" * 20),
    *("NaN", "Infinity", "-Infinity", '""', '"null"', '"x"', '"7"', '" "', "[]", "{}", "[null]"),
    *("[[]]", "[{}]", '{"a":[1,{"b":null}]}', '{"a":1,"a":2}', '{"text":"t"}', '["a","b"]'),
    *('{"message":"lost"}', '[{"type":"text","text":"part"}]', "tru", "01", "+1", ".5", "9" * 4301),
]
ODD_VALUES = [Literal(text) for text in (*VALUES, *RAW_STRINGS)]

INDEXES = [Literal(text) for text in ("0", "0", "1", "1", "2", "7", '"1"', "null", '"x"')]
INDEXES += [Literal(text) for text in ("-1", "1.0", "true", '"007"', '"٣"', "[]", "9" * 20)]
FINISH_REASONS = [
    *("stop", "stop", "tool_calls", "length", "content_filter", "function_call", "STOP", "eos"),
    *(
        "end_turn",
        "tool_use",
        "max_tokens",
        "Length",
        "safety",
        "abort",
        "error",
        "weird",
        "",
        "null",
    ),
]
ARGUMENTS = [
    *(
        "",
        "{}",
        "{",
        "}",
        '{"a":',
        "1}",
        '{"a":1}',
        '{"a": 1}',
        '{"a":1,"b"',
        '{"a":1,"b":2}',
        "[1",
    ),
    *("]", "1", "2", '"x"', '"{}"', '"{\\"a\\":1}"', " ", "\n", "true", "null", "NaN", '{"a":NaN}'),
    *(
        '{"a":1,"a":2}',
        '{"a":"\ud83d',
        '\ude00"}',
        '"\\ud83d"',
        "é",
        '{"a":"\t"}',
        "{}{}",
        '{"a":tru}',
    ),
]
IDS = ["call_1", "call_1", "call_2", "call_3", "", None]
NAMES = ["look_up", "look_up", "send", "", None]

KEYS = (
    "id object created model choices index delta message finish_reason logprobs text role content"
    " reasoning reasoning_content reasoning_details refusal tool_calls function_call function name"
    " arguments custom input type audio data transcript expires_at annotations usage prompt_tokens"
    " completion_tokens total_tokens x_groq error code status status_code detail details msg"
    " error_message error_type success base_resp status_msg param system_fingerprint service_tier"
    " obfuscation token logprob summary thinking x_vendor"
).split()

PAYLOADS = [
    *("[DONE]", "[DONE]", "[DONE]", "[done]", "DONE", '"[DONE]"', " [DONE] ", "[ DONE ]", "'done'"),
    *("", " ", "null", "{}", '{"type":"ping"}', ": ping", "ping", "plain text", '"choices" lost'),
    *('{"error":{"message":"no","code":429}}', '{"error":"no"}', '{"error":null}', '{"error":{}}'),
    *('{"detail":"no"}', '{"message":"no","code":500}', '{"object":"error","message":"no"}'),
    *(
        '{"message":"fine","code":0}',
        '{"success":false,"msg":"no"}',
        '{"error":true,"message":"no"}',
    ),
    *('{"base_resp":{"status_code":7,"status_msg":"no"}}', '{"choices":[{"error":{"code":5}}]}'),
    *(
        '{"choices":[',
        "{",
        "}",
        "[",
        "[]",
        "[1]",
        "[null]",
        "[[[]]]",
        "{}{}",
        '{"a":1}',
        '{"a":1}x',
    ),
    *('{"choices":[]}', '{"choices":null}', '{"choices":{}}', '{"choices":[{}]}', '{"usage":{}}'),
    *('{"choices":[{"text":"a"}]}', '{"delta":{"content":"a"}}', '{"message":{"content":"a"}}'),
    *('{"object":"chat.completion","choices":[{"message":{"content":"whole"}}]}', "[[DONE]]"),
    *('[{"choices":[{"delta":{"content":"a"}}]},{"error":"no"}]', '[{"delta":{"content":"a"}}]'),
]
FIELDS = [
    b"data: a",
    b"data:b",
    b"data",
    b"event: c",
    b"event",
    b"id: 1",
    b"id",
    b"retry: 5",
    b": d",
]
LINES = [
    *(b"", b" ", b":", b": ping", b"data", b"data:", b"data: ", b"event: error", b"event: message"),
    *(b"event:", b"event", b"id: 7", b"id: \0", b"id", b"retry: 5", b"retry: x", b"da", b"dat: {}"),
    *(b"stray", b"stray: \xff", b"<html>", b"<!DOCTYPE html>", b"<?xml?>", b"<p>", b"error: no"),
    *(b'error: {"message":"no"}', b'error: "no"', b"error:", b"error: null", b"error: {", b"{}"),
    *(
        b'x "choices"',
        b"[DONE]",
        b"DONE",
        b"{",
        b"}",
        b"[",
        b"]",
        b'{"error":"no"}',
        b"[1,2]",
        b",",
    ),
    *(
        b"\xef\xbb\xbf",
        b"\xef\xbb\xbfdata: {}",
        b"\xef\xbb",
        b"data: data: {}",
        b" data: {}",
        b"data :",
    ),
    *(b"HTTP/1.1 200 OK", b"Content-Type: text/event-stream", b"DATA: {}", b"\x1f\x8b\x08"),
]
PIECES = [
    *(
        b"\n",
        b"\r",
        b"\n\n",
        b"\r\n",
        b"\r\r",
        b"\n\r",
        b"data: ",
        b"data:",
        b": x\n",
        b"\xef\xbb\xbf",
    ),
    *(
        b"\xff",
        b"\0",
        b"\xf0\x9f",
        b"\x98\x80",
        b"\xed\xa0\xbd",
        b"\xc0\x80",
        b'"',
        b"{",
        b"}",
        b"[",
    ),
    *(
        b"]",
        b",",
        b":",
        b"\\",
        b"\\ud83d",
        b"\\ude00",
        b"\\u0000",
        b"data: [DONE]\n\n",
        b"event: error\n",
    ),
    *(
        b"error: ",
        b"<html>",
        b"\x1f\x8b",
        b"NaN",
        b"null",
        b'"choices"',
        b"\x85",
        b"\xe2\x80\xa8",
        b" ",
    ),
]
ENDS = [b"\n", b"\r\n", b"\r"]
