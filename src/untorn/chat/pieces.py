"""Values that grow piece by piece: strings joined, everything else replaced.

Pieces are kept in lists and joined once, so that ten thousand of them cost ten thousand steps.
"""

from __future__ import annotations

from typing import Any

from untorn.chat.json_scan import weight_of
from untorn.chat.quirks.surrogate_split import whole_text

MANY = 64

NO_VALUES: dict[str, Any] = {}
NO_ITEMS: list[Any] = []
"""Stand for what nothing has come of. Nobody adds to them: streams share them, and make their own
with the first that comes."""


class Pieces:
    """The pieces of one string. Many small ones weigh little once they are one."""

    __slots__ = ("_large", "_small")

    def __init__(self) -> None:
        self._large: list[str] = []
        self._small: list[str] = []

    def append(self, piece: str) -> None:
        """One more."""
        self._small.append(piece)
        if len(self._small) == MANY:
            self._large.append("".join(self._small))
            self._small.clear()

    @property
    def text(self) -> str:
        """All pieces, halves of surrogate pairs joined."""
        return whole_text("".join(self._large + self._small))


def join(values: dict[str, Any], key: str, value: Any) -> None:
    """Take a further value of ``key``: strings are joined, another value replaces."""
    pieces = values.get(key)
    if not isinstance(value, str):
        values[key] = value
        return
    if not isinstance(pieces, Pieces):
        pieces = values[key] = Pieces()
    pieces.append(value)


def joined(values: dict[str, Any]) -> dict[str, Any]:
    """The values with every string in one piece."""
    return {
        key: value.text if isinstance(value, Pieces) else value for key, value in values.items()
    }


def merge_block(blocks: list[dict[str, Any]], block: dict[str, Any]) -> int:
    """Take a further block of ``reasoning_details``; how many values more are kept.

    OpenRouter (2025) sends a block in pieces: pieces of one type in a row are one block; a
    signature comes with the last piece; encrypted data (``data``) is never in pieces.
    """
    kept = 0
    last = blocks[-1] if blocks else None
    if last is None or not _continues(last, block):
        last = {}
        blocks.append(last)
    for key, value in block.items():
        kept += key not in last
        if key in ("text", "summary") and isinstance(value, str):
            join(last, key, value)
        elif value is not None or key not in last:
            last[key] = value
            if isinstance(value, dict | list):
                kept += weight_of(value)
    return kept


def joins_block(blocks: list[dict[str, Any]], block: dict[str, Any]) -> bool:
    """Whether a block is a piece of the last one that brings no key, and keeps no more."""
    last = blocks[-1] if blocks else None
    if last is None or not _continues(last, block):
        return False
    for key, value in block.items():
        if key not in last or isinstance(value, dict | list):
            return False
    return True


def _continues(last: dict[str, Any], block: dict[str, Any]) -> bool:
    if last.get("type") != block.get("type") or last.get("index") != block.get("index"):
        return False
    return "data" not in last and "data" not in block and not last.get("signature")
