"""Whether an event is as one before it was, but for its text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.clients.repairs import chunk
from tests.strategies import quoted
from untorn.clients.likeness import Likeness, likeness_of

PLAIN = b'data: {"id":"c1","choices":[{"delta":{"content":"a"}}]}\n\n'
PADDED = b'data: {"choices":[{"delta":{"content":"a"}}],"obfuscation":"x7Q","n":1}\n\n'


def like(event: bytes) -> Likeness:
    found = likeness_of(event)
    assert found is not None
    return found


def padded(text: str, padding: str) -> bytes:
    return PADDED.replace(b'"a"', f'"{text}"'.encode()).replace(b"x7Q", padding.encode())


# What an event has around its text ---------------------------------------------------------------


@pytest.mark.parametrize("key", [b"content", b"reasoning", b"reasoning_content"])
@pytest.mark.parametrize("between", [b":", b": ", b" : ", b"\t:  "])
def test_text_stands_between_what_is_before_and_what_is_after(key: bytes, between: bytes) -> None:
    event = PLAIN.replace(b'"content":', b'"' + key + b'"' + between)
    before, _, after = event.partition(b'a"}')
    assert likeness_of(event) == (before, b'"}' + after, b"")


def test_obfuscation_stands_between_what_is_after_and_the_end() -> None:
    for event in (PADDED, PADDED.replace(b'n":', b'n" : '), padded('\\"', ""), padded("", '\\"')):
        before, after, end = like(event)
        assert before == b'data: {"choices":[{"delta":{"content":"'
        assert after.endswith(b'"obfuscation":"' if b'n" : ' not in event else b'"obfuscation" : "')
        assert end.startswith(b'","n"')


def test_event_without_a_text_is_like_nothing() -> None:
    assert likeness_of(b"data: [DONE]\n\n") is None
    assert likeness_of(chunk({"content": None})) is None
    assert likeness_of(chunk({"content": ["a"]})) is None
    assert likeness_of(chunk({"refusal": "a"})) is None


@pytest.mark.parametrize(
    "more",
    [
        *('"content":"b"', '"content" :"b"', '"content":\t"b"', '"reasoning": "b"'),
        *('"reasoning_content":""', r'"c\u006fntent":"b"', r'"x":"\u0061"'),
    ],
)
def test_event_that_may_have_another_text_is_like_nothing(more: str) -> None:
    for event in (PLAIN, PADDED):
        assert likeness_of(event.replace(b'"a"', f'"a",{more}'.encode())) is None
        assert likeness_of(event.replace(b'"content"', f'{more},"content"'.encode())) is None


def test_escapes_in_the_text_and_others_than_of_characters_do_not_matter() -> None:
    around = like(PLAIN)
    assert likeness_of(PLAIN.replace(b'"a"', b'"\\u0061\\"\\\\"')) == around
    assert likeness_of(PLAIN.replace(b"c1", b"c\\/1")) is not None


# Like events -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "text"),
    [
        *(("b", "b"), (" more words, and: {}[]", " more words, and: {}[]"), ("é…😀", "é…😀")),
        *(('\\"', '"'), ('a\\"b\\"', 'a"b"'), ("\\\\n", "\\n"), ("\\n\\t\\/", "\n\t/")),
        *(("\x7f\u2028\ufeff\xa0", "\x7f\u2028\ufeff\xa0"), ('{\\"a\\":[1]}', '{"a":[1]}')),
    ],
)
def test_text_of_a_like_event_is_what_its_json_says(written: str, text: str) -> None:
    event = PLAIN.replace(b'"a"', f'"{written}"'.encode())
    assert like(PLAIN).text_of(event) == text
    for padding in ("x", "y8R", "Z" * 90):
        assert like(PADDED).text_of(padded(written, padding)) == text


@given(st.text(), st.from_regex(r"\A[0-9A-Za-z]+\Z"))
def test_any_text_is_read_as_json_or_not_at_all(text: str, padding: str) -> None:
    written = quoted(text)[1:-1]
    try:
        event = padded(written, padding)
    except UnicodeEncodeError:
        return
    assert like(PADDED).text_of(event) in ((text,) if text and "\\u" not in written else (None,))


@pytest.mark.parametrize(
    "text",
    [
        *(b"", b"\\u0061", b"\\ud83d", b"\\\\u0061", b"\\x", b"a\\", b"a\\\\", b'a\\\\"b', b"a\tb"),
        *(b"\x00", b"a\nb", b"a\rb", b"\xff", b"\xed\xa0\xbd", b"\xc3", b'a"b', b'a","x":"b'),
    ],
)
def test_text_that_needs_a_closer_look_or_is_none_makes_an_event_unlike(text: bytes) -> None:
    for event in (PLAIN, PADDED):
        assert like(event).text_of(event.replace(b'"a"', b'"' + text + b'"')) is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        *((b"choices", b"choicez"), (b"}}]", b"}} ]"), (b"\n\n", b"\n"), (b"\n\n", b"\r\n\r\n")),
        *((b"\n\n", b"\n\n\n"), (b"\n\n", b"\n\n" + PLAIN), (b"data: ", b""), (b'"a"', b"null")),
        *((b"data: ", b"data:"), (b'a"', b"a"), (b'"}', b'","refusal":"b"}')),
    ],
)
def test_event_with_anything_else_around_its_text_is_unlike(old: bytes, new: bytes) -> None:
    for event in (PLAIN, PADDED):
        assert like(event).text_of(event.replace(old, new, 1)) is None


@pytest.mark.parametrize("event", [PLAIN, PADDED, padded('\\"', "x")])
def test_no_other_part_of_a_like_event_is_a_like_event(event: bytes) -> None:
    around = like(event)
    for at in range(len(event)):
        assert around.text_of(event[:at]) is None
        assert at == 0 or around.text_of(event[at:]) is None


@pytest.mark.parametrize("padding", ["", "a-b", "a b", "é", 'a\\"b', 'a","obfuscation":"b', "a\\n"])
def test_obfuscation_of_other_than_letters_and_digits_makes_an_event_unlike(padding: str) -> None:
    assert like(PADDED).text_of(padded("a", padding)) is None
