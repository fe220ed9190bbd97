"""The JSON texts of one stream."""

from __future__ import annotations

import pytest

from untorn.capture.redaction.chunks import Chunks
from untorn.capture.redaction.places import Payload
from untorn.options import Limits


def redacted(*texts: bytes) -> list[bytes]:
    """Texts that the core can read as JSON, redacted."""
    chunks = Chunks(Limits())
    outs = [bytearray(text) for text in texts]
    for text, out in zip(texts, outs, strict=True):
        assert chunks.receive(Payload(text, out, 0))
    chunks.finish()
    return list(map(bytes, outs))


@pytest.mark.parametrize(
    ("text", "is_whole"),
    [
        (b"{}", True),
        (b" [1]", True),
        (b"7", False),
        (b"null", False),
        (b'{"a', False),
        (b"", False),
    ],
)
def test_objects_and_arrays_are_whole_and_taken(text: bytes, is_whole: bool) -> None:
    chunks = Chunks(Limits())
    assert chunks.is_whole(text) is is_whole
    assert chunks.receive(Payload(text, bytearray(text), 0)) is is_whole


def test_what_is_too_deep_is_not_taken() -> None:
    text = b"[" * 300 + b"]" * 300
    assert not Chunks(Limits()).receive(Payload(text, bytearray(text), 0))


def test_choices_are_told_apart_by_their_index() -> None:
    assert redacted(
        b'{"choices": [{"index": 0, "delta": {"content": "an"}}, 7, {"index": 1, "delta": {}}]}',
        b'{"choices": [{"index": 1, "delta": {"content": "or"}}]}',
        b'{"choices": [{"index": "0", "delta": {"content": "or"}}]}',
        b'{"choices": [{"index": 1}], "usage": {}}',
    ) == [
        b'{"choices": [{"index": 0, "delta": {"content": "xx"}}, 1, {"index": 1, "delta": {}}]}',
        b'{"choices": [{"index": 1, "delta": {"content": "xx"}}]}',
        b'{"choices": [{"index": "0", "delta": {"content": "yx"}}]}',
        b'{"choices": [{"index": 1}], "usage": {}}',
    ]


def test_a_chunk_may_be_its_own_choice_or_have_none() -> None:
    assert redacted(
        b'{"delta": {"content": "an"}}',
        b'{"choices": null, "usage": {}}',
        b'[{"delta": {"content": "or"}}, 7, {"other": 1}]',
    ) == [
        b'{"delta": {"content": "xx"}}',
        b'{"choices": null, "usage": {}}',
        b'[{"delta": {"content": "yx"}}, 1, {"xxxxx": 1}]',
    ]


def test_of_a_repeated_key_the_one_that_counts_is_the_fragment() -> None:
    assert redacted(
        b'{"choices": [{"delta": {"content": "an", "content": null}}]}',
        b'{"choices": [{"delta": {"content": "or"}}]}',
    ) == [
        b'{"choices": [{"delta": {"content": "xx", "content": null}}]}',
        b'{"choices": [{"delta": {"content": "yx"}}]}',
    ]


def test_text_with_choices_in_it_keeps_that_word() -> None:
    text = b'Anna "choices" hi, "choices": "choices"'
    out = bytearray(text)
    assert Chunks(Limits()).blank(Payload(text, out, 0))
    assert out == b'Xxxx "choices" xx, "choices": "choices"'
