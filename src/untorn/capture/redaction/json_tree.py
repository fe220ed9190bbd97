"""JSON text → a tree that knows where everything stands in it."""

from __future__ import annotations

import re

from msgspec import Struct

from untorn.capture.redaction.literals import read_literal

_TOKEN = re.compile(
    rb'(?P<text>"(?:[^"\\]|\\.)*")|(?P<number>-?[0-9][-+.0-9eE]*)|(?P<word>-?[A-Za-z]+)'
    rb"|(?P<begin>[{\[])|(?P<end>[}\]])",
    re.DOTALL,
)


class Text(Struct, gc=False):
    """A string: where it is, without its quotes."""

    start: int
    end: int

    def says(self, text: str, data: bytes) -> bool:
        """Whether it is ``text``."""
        raw = data[self.start : self.end]
        return raw == text.encode() or (b"\\" in raw and read_literal(raw) == text)


class Number(Struct, gc=False):
    """A number."""

    start: int
    end: int


class Word(Struct, gc=False):
    """``true``, ``false`` or ``null``; NaN and the infinities count as null (corpus rule 14)."""

    is_null: bool


class Array(Struct):
    """A list."""

    items: list[Node]


class Object(Struct):
    """An object; a key may come twice."""

    pairs: list[tuple[Text, Node]]

    def get(self, key: str, data: bytes) -> Node | None:
        """The last value of ``key`` that is not null; None without one."""
        found = None
        for name, value in self.pairs:
            if not (isinstance(value, Word) and value.is_null) and name.says(key, data):
                found = value
        return found

    def has(self, key: str, data: bytes) -> bool:
        """Whether it has ``key``."""
        return any(name.says(key, data) for name, _ in self.pairs)


Node = Text | Number | Word | Array | Object


def tree_of(data: bytes) -> Node:
    """The tree of ``data``, which the core can read as JSON (chat.json_text)."""
    root = Array([])
    opened: list[Array | Object] = [root]
    keys: list[Text] = []  # of objects that are open, those whose value has not come
    awaits_key = False
    for token in _TOKEN.finditer(data):
        start, end = token.span()
        if token.lastgroup == "end":
            opened.pop()
            awaits_key = isinstance(opened[-1], Object)
            continue
        if awaits_key:
            keys.append(Text(start + 1, end - 1))
            awaits_key = False
            continue
        node = _node(token.lastgroup, data, start, end)
        into = opened[-1]
        if isinstance(into, Object):
            into.pairs.append((keys.pop(), node))
        else:
            into.items.append(node)
        if isinstance(node, Array | Object):
            opened.append(node)
        awaits_key = isinstance(opened[-1], Object)
    return root.items[0]


def _node(kind: str | None, data: bytes, start: int, end: int) -> Node:
    match kind:
        case "text":
            return Text(start + 1, end - 1)
        case "number":
            return Number(start, end)
        case "word":
            return Word(data[start : start + 1] not in (b"t", b"f"))
        case _:
            return Object([]) if data[start : start + 1] == b"{" else Array([])
