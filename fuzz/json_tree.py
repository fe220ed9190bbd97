"""JSON as a tree in which everything can be said that JSON text can say.

An object is a list of pairs, so that a key can stand there twice, and a Literal is text as it
stands: NaN, a number out of range, half a surrogate pair, a string with a raw control character.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple


class Object(list[tuple[str, Any]]):
    """An object: keys and values."""


class Literal(str):
    """A value as the text that stands for it."""

    __slots__ = ()


class Style(NamedTuple):
    """How JSON is written."""

    ensure_ascii: bool = False
    comma: str = ","
    colon: str = ":"


COMPACT = Style()


class Slot(NamedTuple):
    """A place in a tree where a value stands."""

    parent: Object | list[Any]
    position: int

    @property
    def key(self) -> str | None:
        """The value's key; None in an array."""
        parent = self.parent
        return parent[self.position][0] if isinstance(parent, Object) else None

    @property
    def value(self) -> Any:
        entry = self.parent[self.position]
        return entry[1] if isinstance(self.parent, Object) else entry

    def put(self, value: Any) -> None:
        """Put another value there."""
        parent = self.parent
        if isinstance(parent, Object):
            parent[self.position] = (parent[self.position][0], value)
        else:
            parent[self.position] = value


def parse(text: str) -> Any:
    """The tree of a text; raises ValueError or RecursionError where it has none."""
    return _decoder.decode(text)


_decoder = json.JSONDecoder(object_pairs_hook=Object, parse_constant=Literal, strict=False)


def tree_of(value: Any) -> Any:
    """The tree of plain values."""
    if isinstance(value, dict):
        return Object((key, tree_of(item)) for key, item in value.items())
    return [tree_of(item) for item in value] if isinstance(value, list) else value


def dump(tree: Any, style: Style = COMPACT) -> str:
    """The text of a tree."""
    if isinstance(tree, Literal):
        return str(tree)
    if isinstance(tree, str):
        return json.dumps(tree, ensure_ascii=style.ensure_ascii)
    if isinstance(tree, Object):
        pairs = (f"{json.dumps(key)}{style.colon}{dump(item, style)}" for key, item in tree)
        return "{" + style.comma.join(pairs) + "}"
    if isinstance(tree, list):
        return "[" + style.comma.join(dump(item, style) for item in tree) + "]"
    return json.dumps(tree)


def slots(tree: Any) -> list[Slot]:
    """Every place of a tree where a value stands, from above to below."""
    return list(_slots(tree))


def _slots(tree: Any) -> Iterator[Slot]:
    if isinstance(tree, list):
        for position, entry in enumerate(tree):
            yield Slot(tree, position)
            yield from _slots(entry[1] if isinstance(tree, Object) else entry)


def slots_named(tree: Any, *keys: str) -> list[Slot]:
    """The places of values under one of these keys."""
    return [slot for slot in _slots(tree) if slot.key in keys]


def get(tree: Any, key: str) -> Any:
    """The first value under a key of an object; None if there is none."""
    if not isinstance(tree, Object):
        return None
    return next((item for name, item in tree if name == key), None)
