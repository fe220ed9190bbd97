"""What a redaction keeps, for every stream there is; and that it keeps no word."""

from __future__ import annotations

import gzip
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.capture.redaction.outlines import capture_of, outline
from tests.chat_helpers import Case, by_event, call, captures, chunk, corpus, event, finish
from tests.strategies import bodies, damaged_bodies
from untorn.capture import Capture, Close, Marker, Read, redact

CASES = corpus() + captures()

each_case = pytest.mark.parametrize("case", CASES, ids=str)


def of(case: Case, reads: list[bytes]) -> Capture:
    return capture_of(reads, case.status, case.content_type)


@each_case
def test_every_known_stream_gives_the_same_events_and_the_same_verdict(case: Case) -> None:
    capture = of(case, [case.body])
    assert outline(redact(capture)) == outline(capture)


@each_case
def test_every_known_stream_keeps_its_reads(case: Case) -> None:
    whole = redact(of(case, [case.body])).body
    for reads in (by_event(case.body), [case.body[at : at + 7] for at in range(0, len(whole), 7)]):
        redacted = redact(of(case, reads))
        assert [len(one.data) for one in redacted.reads] == list(map(len, reads))
        assert redacted.body == whole


@each_case
def test_what_is_redacted_stays_as_it_is(case: Case) -> None:
    once = redact(of(case, [case.body]))
    assert outline(redact(once)) == outline(once)


def has_halves(body: bytes) -> bool:
    """Whether halves of surrogate pairs meet whole messages: there the core joins what is two
    characters here."""
    return b'"message"' in body and re.search(rb"\\u[dD][89a-fA-F]", body) is not None


@given(bodies.filter(lambda body: not has_halves(body)))
def test_any_stream_gives_the_same_events_and_the_same_verdict(body: bytes) -> None:
    capture = capture_of([body], 200, "text/event-stream")
    assert outline(redact(capture)) == outline(capture)


def test_unknown_keys_of_a_call_keep_their_sizes() -> None:
    call = {"index": 0, "id": "call_1", "function": {"name": "f", "arguments": "{}"}}
    delta = {"tool_calls": [{**call, "x_vendor": {"secret_key": "some words"}}]}
    capture = capture_of([chunk(delta), finish("tool_calls")], 200, "text/event-stream")
    assert outline(redact(capture)) == outline(capture)
    assert "extra" in str(outline(capture))


@given(damaged_bodies().filter(lambda body: not has_halves(body)))
def test_any_damaged_stream_gives_the_same_events_and_the_same_verdict(body: bytes) -> None:
    capture = capture_of([body])
    assert outline(redact(capture)) == outline(capture)


@given(st.lists(st.binary(min_size=1, max_size=20), max_size=5))
def test_any_bytes_keep_their_lengths_and_lines(reads: list[bytes]) -> None:
    redacted = redact(capture_of(reads))
    assert [len(one.data) for one in redacted.reads] == list(map(len, reads))
    body = b"".join(reads)
    if not body.startswith(b"\x1f\x8b"):
        assert re.findall(rb"[\r\n]", redacted.body) == re.findall(rb"[\r\n]", body)


def test_times_status_and_the_kind_of_each_event_stay() -> None:
    capture = Capture(
        status=503,
        events=[Read(0.5, b"Sorry"), Marker(0.25, "At Anna's"), Close(0.125, "reset by Anna")],
        head_interval=2.0,
        started=5.0,
    )
    assert redact(capture) == Capture(
        status=503,
        events=[Read(0.5, b"Xxxxx"), Marker(0.25, "Xx Xxxx'x"), Close(0.125, "xxxxx xx Xxxx")],
        head_interval=2.0,
        started=5.0,
    )
    assert redact(Capture(events=[Close(0.0)])) == Capture(events=[Close(0.0)])


# Not one word -----------------------------------------------------------------------------------

WORD, OTHER, NUMBER, SIGN = "Marzipan", "Žižkov", "4929123456781234", "🦘"
SAID = f"{WORD} {OTHER} {NUMBER} {SIGN}"
ESCAPED = json.dumps(SAID)[1:-1]
URL = f"https://{WORD}.example/{NUMBER}?q={OTHER}"
CARGO = json.dumps({WORD: SAID, "name": [SAID, int(NUMBER), {OTHER: 4929.123456}]})
THING = {WORD: SAID, "deeper": [{OTHER: SAID, "id": SAID}, int(NUMBER), [SAID]], "url": URL}


def spelt(text: str) -> str:
    """Every character as an escape."""
    return "".join(f"\\u{ord(char):04x}" for char in text)


def raw(body: str) -> bytes:
    return body.encode()


def in_chunk(**more: Any) -> bytes:
    return event({"object": "chat.completion.chunk", "choices": [], **more})


SAYING = {
    "content": chunk({"content": SAID}) + chunk({"content": f"{SAID}, {SAID}"}),
    "content in halves": chunk({"content": WORD[:4]}) + chunk({"content": WORD[4:]}),
    "content, snapshots": b"".join(chunk({"content": SAID[:size]}) for size in (3, 9, 17, 24, 30)),
    "content, escaped": raw(
        f'data: {{"choices":[{{"delta":{{"content":"{spelt(SAID[:-1])}"}}}}]}}\n\n'
    ),
    "content of words that mean something": chunk({"content": f"stop {WORD} [DONE]"}),
    "content parts": chunk(
        {"content": [{"type": "text", "text": SAID}, {"type": WORD, WORD: SAID}]}
    ),
    "thinking": chunk({"content": [{"type": "thinking", "thinking": [{"text": SAID}]}]}),
    "reasoning": chunk({"reasoning": SAID, "reasoning_content": SAID}),
    "reasoning details": chunk({"reasoning_details": [{"text": SAID, "signature": SAID, WORD: 1}]}),
    "refusal": chunk({"refusal": SAID}),
    "role": chunk({"role": WORD}),
    "audio": chunk({"audio": {"id": SAID, "data": WORD, "transcript": SAID}}),
    "annotations": chunk({"annotations": [{"type": "url_citation", "url_citation": {"url": URL}}]}),
    "tool name": chunk(call(0, id=SAID, name=WORD, arguments="")),
    "tool name in pieces": chunk(call(0, name=WORD[:4])) + chunk(call(0, name=WORD[4:])),
    "arguments": chunk(call(0, id="c", name="f", arguments=CARGO)),
    "arguments in pieces": b"".join(chunk(call(0, name="f", arguments=piece)) for piece in CARGO),
    "arguments torn": chunk(call(0, name="f", arguments=CARGO[:-9])),
    "arguments in JSON in JSON": chunk(call(0, name="f", arguments=json.dumps(CARGO))),
    "arguments as an object": chunk(call(0, name="f", arguments=THING)),
    "arguments that are no JSON": chunk(call(0, name="f", arguments=f"{WORD}({SAID}) = {SAID}")),
    "arguments that repeat": chunk(call(0, name="f", arguments=CARGO)) * 2,
    "custom input": chunk({"tool_calls": [{"custom": {"name": WORD, "input": SAID}}]}),
    "function call": chunk({"function_call": {"name": WORD, "arguments": CARGO}}),
    "message": event({"choices": [{"message": {"content": SAID}}]}),
    "delta beside a message": event({"choices": [{"delta": {}, "message": {"content": SAID}}]}),
    "text": event({"choices": [{"text": SAID}]}),
    "finish reason": finish(WORD) + chunk({}, native_finish_reason=SAID, stop_reason=SAID),
    "logprobs": chunk(
        {}, logprobs={"content": [{"token": SAID, "top_logprobs": [{"token": WORD}]}]}
    ),
    "names": in_chunk(id=SAID, model=WORD, system_fingerprint=SAID, service_tier=WORD, object=WORD),
    "a kind of chunk": in_chunk(object=f"chat.completion.{WORD}"),
    "extras": event({"choices": [{"delta": THING, **THING}], **THING, "x_groq": THING}),
    "extras of a call": chunk({"tool_calls": [{"function": {"name": WORD}, **THING}]}),
    "usage": in_chunk(usage={"prompt_tokens": 1, WORD: SAID, "tokens": [int(NUMBER)]}),
    "obfuscation": in_chunk(obfuscation=WORD),
    "error": event({"error": {"message": SAID, "type": WORD, "code": WORD, "param": SAID}}),
    "error of text": event({"error": SAID}),
    "error in a choice": chunk({}, error={"message": SAID, "code": int(NUMBER)}),
    "error event": raw(f"event: error\ndata: {SAID}\n\n"),
    "error event of lines": raw(f'event: error\ndata: {{"{WORD}":\ndata: "{SAID}"\n\n'),
    "error field": raw(f"error: {json.dumps({WORD: SAID})}\n\nerror: {SAID}\n\n"),
    "other errors": event({"detail": [{"loc": SAID}]}) + event({"base_resp": {"status_msg": SAID}}),
    "responses api": event({"type": "response.output_text.delta", "delta": SAID, "item_id": SAID}),
    "comment": raw(f": {SAID}\n\n:{SAID}\n\n"),
    "other fields": raw(
        f"event: {WORD}\nid: {SAID}\nretry: {WORD}\nretry: 7{WORD}\n{WORD}: {SAID}\n"
    ),
    "stray line": raw(f"{SAID}\n{WORD}\n"),
    "line with choices": raw(f'{WORD} "choices" {SAID}\n\ndata: {WORD} "choices" {SAID}\n\n'),
    "plain data": raw(f"data: {SAID}\n\ndata: 'choices': '{SAID}'\n\n"),
    "bad json": raw(f'data: {{"{WORD}": "{SAID}", {WORD}: \'{SAID}\', "a": tru{WORD}}}\n\n'),
    "bad escapes": raw(f'data: {{"a": "\\{SAID} \\u12{SAID} \\x{WORD}"}}\n\n'),
    "quotes in quotes": raw(f'data: {{"content": "{SAID} "{WORD}" {SAID}"}}\n\n'),
    "array": raw(f"data: {json.dumps([THING, SAID, int(NUMBER)])}\n\n"),
    "json over lines": raw(
        "data: " + json.dumps(THING, indent=1).replace("\n", "\ndata: ") + "\n\n"
    ),
    "several prefixes": raw(f"data: data: data: {json.dumps(THING)}\n\n"),
    "lines without prefix": raw(f"{json.dumps(THING)}\n{json.dumps(THING)}\n"),
    "document": json.dumps(THING, indent=2).encode(),
    "document with a mark": b"\xef\xbb\xbf" + json.dumps(THING).encode(),
    "document, torn": json.dumps(THING, indent=2, ensure_ascii=False).encode()[:-40],
    "html": raw(f"<!DOCTYPE html>\n<html lang={WORD}>\n<!-- {SAID} -->\n<p>{SAID}</p></html>\n"),
    "html in one line": raw(f"<html><p>{SAID}</p></html>"),
    "xml": raw(f'<?xml version="1.0"?><Error>{SAID}</Error>'),
    "torn": chunk({"content": SAID})[:-30],
    "torn in a word": raw(f'data: {{"choices":[{{"delta":{{"content":"{SAID}{WORD[:6]}'),
    "torn in a field": raw(f"{WORD}"),
    "latin-1": f'data: {{"a": "{WORD} caf\xe9"}}\n\n: {WORD}\n\n'.encode("latin-1"),
    "utf-16": f"data: {WORD}\n\n".encode("utf-16"),
    "compressed": gzip.compress(SAID.encode()),
    "hardly compressed": gzip.compress(SAID.encode(), 0),
}

SPELLINGS = [
    WORD.lower().encode(),
    WORD.encode("utf-16-le"),
    spelt(WORD).encode(),
    OTHER.encode(),
    json.dumps(OTHER)[1:-1].encode(),
    json.dumps(json.dumps(OTHER))[3:-3].encode(),
    NUMBER.encode(),
    SIGN.encode(),
    json.dumps(SIGN)[1:-1].encode(),
]


@pytest.mark.parametrize("name", SAYING)
def test_not_one_word_stays(name: str) -> None:
    body = SAYING[name]
    for stream in (body, body[:-3], body.replace(b"\n", b"\r\n"), body + body):
        capture = capture_of([stream], 200, "text/event-stream")
        redacted = redact(capture)
        for spelling in SPELLINGS:
            assert spelling not in redacted.body.lower()
            assert spelling not in redacted.body
        for half in (WORD[:4], WORD[4:]):
            assert half.lower().encode() not in redacted.body.lower()
        assert outline(redacted) == outline(capture)


def words_of(text: str) -> frozenset[str]:
    return frozenset(text.split())


ALLOWED = words_of(
    # Lines and JSON.
    "data event error retry null true false infinity nan done html doctype xml think"
    # Chunks, and what is in them.
    " object index role content refusal reasoning details tool calls function call audio"
    " annotations message delta finish reason logprobs usage text created model system fingerprint"
    " service tier choices obfuscation type status code msg detail arguments base resp bytes custom"
    " expires input logprob name param success summary thinking token tokens top transcript groq"
    " prompt completion total accepted rejected prediction cache cached creation read image output"
    " miss hit citations end start filter filtered results format native provider severity"
    " signature stop title url citation param"
    # Their values.
    " assistant developer model system tool user chat chunk list response file document ping turn"
    " encrypted end eos sequence calls use length max window exceeded context length safety"
    " sensitive insufficient resource abort network complete completed failed progress incomplete"
    " queued open ok"
    # Errors by which a client decides whether to ask again.
    " api authentication auth bad request badrequesterror billing gateway quota internal server"
    " invalid key found not overloaded permission rate limit requests unavailable timeout upstream"
)


@each_case
def test_of_every_known_stream_only_words_of_the_protocol_stay(case: Case) -> None:
    redacted = redact(of(case, [case.body])).body
    text = re.sub(rb"\\u[0-9a-fA-F]{4}|\\.", b" ", redacted).decode("utf-8", "replace")
    words = {word.lower() for word in re.findall("[A-Za-z]{3,}", text)}
    assert {word for word in words if not set(word) <= set("xyzwvu")} - ALLOWED - {
        "thi",
        "ink",
    } == set()
