"""Texts that come in fragments: shapes that are prefixes of each other where the texts are.

The core tells snapshots and repeated messages from fragments by that alone (corpus rules 8 and
12), so here it must come out the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from untorn.capture.redaction.places import Literal, text_of, write_all
from untorn.capture.redaction.shapes import LETTERS, another, shape_of
from untorn.chat.quirks.content_cumulative import FEWEST, FEWEST_LONGER, SHORTEST

TAG = re.compile("</?think>")
"""The core counts these; they stay."""
LONGEST_TAG = len("</think>")
_TAG_OR_BEGIN = re.compile(r"</?think>|</?(?:t(?:h(?:in?)?)?)?\Z|</?think\Z")

Sources = list[list[Literal]]
"""Where one fragment came from: the same text may stand under several keys."""


class Row(Struct):
    """One fragment that was taken."""

    known_shape: str
    """Of the begin of a whole message, as far as that had come before."""
    text: str
    """What is new."""
    shape: str
    sources: Sources


class GrowingText:
    """One text of one choice. Fragments in; ``finish`` replaces them all."""

    def __init__(self, *, may_be_cumulative: bool) -> None:
        self._rows: list[Row] = []
        self._size = 0
        # Row and place of the last characters.
        self._tail: list[tuple[int, int]] = []
        self._snapshots = Snapshots(may_go_on=may_be_cumulative)

    def add(self, sources: Sources, *, whole: bool) -> None:
        """Take a fragment; ``whole``: it is the text of a whole message."""
        texts = list(dict.fromkeys(text_of(source) for source in sources))
        text = "".join(texts)
        if not text:
            return
        known, known_shape = self._known(text) if whole else ("", "")
        text = text[len(known) :]
        shape = self._snapshots.shape(text) if text else ""
        if whole and not known:
            shape = unlike(shape, text, *self._so_far(len(text)))
        if not known:
            shape = _told_apart(texts, shape)
        self._rows.append(Row(known_shape, text, shape, sources))
        self._keep_tags_at_the_edge()
        self._size += len(text)
        if text:
            self._snapshots.take(text, self._rows[-1].shape)

    def finish(self) -> None:
        """Replace what was taken."""
        for row in self._rows:
            _write(row.known_shape + row.shape, row.sources)

    def _known(self, text: str) -> tuple[str, str]:
        """How much of a whole message came before, and its shape."""
        so_far, shape = self._so_far(len(text))
        return (so_far, shape) if text.startswith(so_far) else ("", "")

    def _so_far(self, most: int) -> tuple[str, str]:
        """The text and its shape; nothing, where it is longer than ``most`` characters."""
        if self._snapshots.are_confirmed:
            return self._snapshots.last
        if self._size > most:
            return "", ""
        text = "".join([row.text for row in self._rows])
        shape = "".join([row.shape for row in self._rows])
        # Half a pair at the end waits for the other half, and is no part of the text yet.
        size = len(text) - ("\ud800" <= text[-1:] <= "\udbff")
        return text[:size], shape[:size]

    def _keep_tags_at_the_edge(self) -> None:
        """The last row may go on with a tag that began before it."""
        number = len(self._rows) - 1
        size = len(self._rows[number].text)
        places = [*self._tail, *[(number, at) for at in range(min(size, LONGEST_TAG))]]
        text = "".join([self._rows[row].text[at] for row, at in places])
        for tag in TAG.finditer(text):
            for (row_number, at), char in zip(places[tag.start() :], tag[0], strict=False):
                row = self._rows[row_number]
                row.shape = row.shape[:at] + char + row.shape[at + 1 :]
        ends = [(number, at) for at in range(max(0, size - LONGEST_TAG), size)]
        self._tail = [*self._tail, *ends][-LONGEST_TAG:]


class Snapshots:
    """Fragments of which each begins with the one before, so far."""

    def __init__(self, *, may_go_on: bool) -> None:
        self.last = ("", "")
        """The text and the shape of the last fragment."""
        self._may_go_on = may_go_on
        self._count = 0
        self._longer = 0

    @property
    def are_confirmed(self) -> bool:
        """Whether they are snapshots."""
        return (
            self._may_go_on
            and self._count >= FEWEST
            and self._longer >= FEWEST_LONGER
            and len(self.last[0]) >= SHORTEST
        )

    def shape(self, text: str) -> str:
        """The shape of the next fragment."""
        shape = with_tags(text)
        known, known_shape = self.last
        if not self._may_go_on:
            return shape
        if text.startswith(known):
            return known_shape + shape[len(known) :]
        return unlike(shape, text, known, known_shape)

    def take(self, text: str, shape: str) -> None:
        """That fragment has come, with this shape."""
        known = self.last[0]
        self._may_go_on = self._may_go_on and text.startswith(known)
        self._longer += bool(known) and len(text) > len(known)
        self._count += 1
        self.last = (text, shape)


def with_tags(text: str) -> str:
    """The shape of ``text``, but for think tags in it, and the begin of one at its end."""
    shape = shape_of(text)
    for tag in _TAG_OR_BEGIN.finditer(text):
        shape = shape[: tag.start()] + tag[0] + shape[tag.end() :]
    return shape


def unlike(shape: str, text: str, other_text: str, other_shape: str) -> str:
    """``shape`` that does not begin with ``other_shape``, since ``text`` does not begin with
    ``other_text``."""
    if not other_shape or not shape.startswith(other_shape):
        return shape
    pairs = zip(text, other_text, strict=False)
    at = next((at for at, (char, other) in enumerate(pairs) if char != other), None)
    if at is None:
        return shape
    return shape[:at] + another(text[at], other_shape[at]) + shape[at + 1 :]


def _told_apart(texts: list[str], shape: str) -> str:
    """``shape`` of different texts joined, in which they are different, too."""
    seen: set[str] = set()
    at = 0
    for text in texts:
        own = shape[at : at + len(text)]
        if own in seen:
            own = next((other for other in _others(own, text) if other not in seen), own)
        seen.add(own)
        shape = shape[:at] + own + shape[at + len(text) :]
        at += len(text)
    return shape


def _others(shape: str, text: str) -> Iterator[str]:
    """Shapes of ``text`` that differ from this one in a letter, the last one first."""
    for place in range(len(text) - 1, -1, -1):
        for letter in LETTERS[ord(text[place])]:
            yield shape[:place] + letter + shape[place + 1 :]


def _write(shape: str, sources: Sources) -> None:
    """The same text has the same shape, wherever it stands."""
    shapes: dict[str, str] = {}
    at = 0
    for source in sources:
        text = text_of(source)
        if text not in shapes:
            shapes[text] = shape[at : at + len(text)]
            at += len(text)
        write_all(source, shapes[text])
