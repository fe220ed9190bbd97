"""Any JSON text: keys and values that are no vocabulary get their shapes, each by itself."""

from __future__ import annotations

import re

from untorn.capture.redaction.json_tree import Array, Node, Number, Object, Text
from untorn.capture.redaction.literals import read_literal, write_literal
from untorn.capture.redaction.numbers import NUMBER, shape_of_number
from untorn.capture.redaction.places import Payload
from untorn.capture.redaction.shapes import Names, shape_of
from untorn.capture.redaction.vocabulary import (
    CHAT_COMPLETION,
    KEYS,
    TAKEN,
    is_counted,
    is_identity,
    is_kept,
)

_TOKEN = re.compile(
    rb'(?P<text>"(?:[^"\\]|\\.)*(?:"|\\?\Z))|(?P<number>'
    + NUMBER.pattern.encode()
    + rb")|(?P<word>[A-Za-z]+)|(?P<other>[\x80-\xff]+)",
    re.DOTALL,
)
_COLON = re.compile(rb"[ \t\r\n]*:")
_WORDS = frozenset({b"true", b"false", b"null", b"NaN", b"Infinity"})
_DONE = re.compile(rb"[\s\[\]'\"]*done[\s\[\]'\"]*", re.IGNORECASE)
"""The end mark, in any letter case, and pieces of it."""


class Strings:
    """What stands for the strings of one stream, but for fragments of texts and arguments."""

    def __init__(self) -> None:
        self.names = Names(TAKEN)

    def redact(self, node: Node, payload: Payload, key: str = "") -> None:
        """Replace what stands under ``key``, in place."""
        match node:
            case Text():
                literal = payload.literal(node)
                literal.write(self._value(key, literal.text))
            case Number(start):
                number = payload.number(node)
                payload.write(start, self._number(key, number).encode())
            case Array(items):
                for item in items:
                    self.redact(item, payload)
            case Object(pairs):
                for name, value in pairs:
                    literal = payload.literal(name)
                    text = literal.text
                    literal.write(self._key(text))
                    self.redact(value, payload, text)
            case _:
                pass

    def blank(self, data: bytes) -> bytes:
        """What stands for ``data``, which is no JSON but may have parts of it."""
        written: list[bytes] = []
        key, at = "", 0
        for token in _TOKEN.finditer(data):
            between = data[at : token.start()]
            # A value stands right behind its key, but for a colon.
            key = key if between.strip() == b":" else ""
            written.append(between)
            at = token.end()
            if token.lastgroup == "text":
                is_key = _COLON.match(data, at) is not None
                text, shape = self._string(token[0], None if is_key else key)
                written.append(shape)
                key = text if is_key else ""
            else:
                written.append(self._bare(token, key))
                key = ""
        return b"".join([*written, data[at:]])

    def _string(self, token: bytes, key: str | None) -> tuple[str, bytes]:
        """What a string said, and what stands for it; without a key it is one itself."""
        end = len(token) - (len(token) > 1 and token[-1:] == b'"')
        text = read_literal(token[1:end])
        if _DONE.fullmatch(token):
            return text, token
        shape = self._key(text) if key is None else self._value(key, text)
        return text, b'"' + write_literal(token[1:end], shape) + token[end:]

    def _bare(self, token: re.Match[bytes], key: str) -> bytes:
        data = token[0]
        if token.lastgroup == "number":
            return self._number(key, data.decode("ascii")).encode()
        if data in _WORDS or _DONE.fullmatch(data):
            return data
        return shape_of(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")

    def _key(self, text: str) -> str:
        return text if text in KEYS else self.names.of(text)

    def _value(self, key: str, text: str) -> str:
        """What stands for a string under ``key``."""
        if is_kept(key, text):
            return text
        if key == "object" and text.startswith(CHAT_COMPLETION):
            return CHAT_COMPLETION + shape_of(text[len(CHAT_COMPLETION) :])
        return self.names.of(text) if is_identity(key) else shape_of(text)

    def _number(self, key: str, number: str) -> str:
        return number if is_counted(key, number) else shape_of_number(number)
