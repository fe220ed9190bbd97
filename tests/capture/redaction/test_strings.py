"""Strings of JSON that are no fragments, and of text that is no JSON."""

from __future__ import annotations

import pytest

from untorn.capture.redaction.json_tree import tree_of
from untorn.capture.redaction.places import Payload
from untorn.capture.redaction.strings import Strings


@pytest.mark.parametrize(
    ("data", "redacted"),
    [
        ('{"content": "stop", "model": "m"}', '{"content": "xxxx", "model": "x"}'),
        ('{"finish_reason": "stop", "role": "user"}', '{"finish_reason": "stop", "role": "user"}'),
        ('{"id": "a1", "x": {"id": "a2"}}', '{"id": "x0", "x": {"id": "x1"}}'),
        ('{"secret": {"index": 7, "n": 42}}', '{"xxxxxx": {"index": 7, "x": 11}}'),
        ('{"object": "chat.completion.done"}', '{"object": "chat.completion.xxxx"}'),
        ('{"object": "chat.completion"}', '{"object": "chat.completion"}'),
        ('{"tokens": [1, 42], "total_tokens": 42}', '{"xxxxxx": [1, 11], "total_tokens": 42}'),
        ('[true, null, "a", ["b"], -4.2]', '[true, null, "x", ["x"], -1.1]'),
        ('{"code": 429, "a": {"code": "Anna"}}', '{"code": 429, "x": {"code": "Xxxx"}}'),
    ],
)
def test_keys_and_values_stay_only_as_vocabulary(data: str, redacted: str) -> None:
    out = bytearray(data, "utf-8")
    Strings().redact(tree_of(data.encode()), Payload(data.encode(), out, 0))
    assert out.decode() == redacted


@pytest.mark.parametrize(
    ("data", "redacted"),
    [
        (b"Anna says hi", b"Xxxx xxxx xx"),
        (b'{"role": "user", "secret": "user", "a', b'{"role": "user", "xxxxxx": "xxxx", "x'),
        (b'{"role" "user"}', b'{"xxxx" "xxxx"}'),
        (
            b'{"index": 7, "n": 42, "total_tokens": 42, 9',
            b'{"index": 7, "x": 11, "total_tokens": 42, 1',
        ),
        (b"{'role': 'user', a: True, b: true}", b"{'xxxx': 'xxxx', x: Xxxx, x: true}"),
        (b'"a \\" b" c "d\\', b'"x \\" x" x "x\\'),
        (b'"a\\u0042\\n', b'"x\\u0058\\n'),
        (b'[DONE" "[DONE]" Done "undone', b'[DONE" "[DONE]" Done "xxxxxx'),
        (b'"[DONE]" "[DONE', b'"[DONE]" "[DONE'),
        ("Žižkov caf".encode() + b"\xe9", "øxøxxx xxx".encode() + b"\xe9"),
        (b"", b""),
    ],
)
def test_a_text_that_is_no_json_keeps_its_shape(data: bytes, redacted: bytes) -> None:
    assert Strings().blank(data) == redacted
