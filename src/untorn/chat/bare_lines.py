"""Lines ``{...}`` without ``data:``. What they are is told apart only by what follows (rule 6).

With SSE lines around them they lack their prefix; as the whole body they are NDJSON, or one JSON
document that was not streamed.
"""

from __future__ import annotations

from typing import Any

from untorn.chat.chunks import code_of_messages, is_chunk
from untorn.chat.payload import Note


class BareLines:
    """Counts the bare lines of a body until they are told apart."""

    __slots__ = ("count", "first", "have_company", "is_one_line", "place")

    def __init__(self) -> None:
        self.count = 0
        self.place = 0
        """Where the first one is; see Framing."""
        self.first: Any = None
        """The value of the first, if nothing stood before it."""
        self.is_one_line = True
        """Whether the first was a single line."""
        self.have_company = False
        """Whether there are lines that are neither bare nor SSE."""

    def add(self, place: int) -> None:
        """One more."""
        if not self.count:
            self.place = place
        self.count += 1

    def in_a_stream(self) -> list[Note]:
        """SSE lines have come: what there is to say about those before them."""
        if not self.count:
            return []
        detail = "a JSON line stands without data:"
        return [
            Note("missing-data-prefix", detail, self.place, self.count),
            *self._as_an_event(),
        ]

    def alone(self, *, failed: bool) -> list[Note]:
        """The body has ended without any SSE line: what there is to say."""
        if self.have_company:
            return self.in_a_stream()
        if not self.is_document:
            detail = "the chunks came one JSON a line, without SSE"
            return [Note("ndjson-framing", detail, self.place, self.count), *self._as_an_event()]
        if isinstance(self.first, list) and any(map(_is_chunk, self.first)):
            return [Note("json-array-body", "the body is one array of chunks", self.place)]
        if failed:
            return []
        return [Note("not-streamed", "the body is one JSON document", self.place)]

    @property
    def is_document(self) -> bool:
        """Whether the body is one JSON document: one value that is no bare line with a chunk."""
        if self.count != 1 or self.have_company or not isinstance(self.first, dict | list):
            return False
        if not self.is_one_line or isinstance(self.first, list) or not is_chunk(self.first):
            return True
        return code_of_messages(self.first) is not None

    def _as_an_event(self) -> list[Note]:
        # The first line was read as a document's, for which messages are usual.
        if not isinstance(self.first, dict) or not is_chunk(self.first):
            return []
        code = code_of_messages(self.first)
        return [] if code is None else [Note(code, "a bare line holds messages", self.place)]


def _is_chunk(value: Any) -> bool:
    return isinstance(value, dict) and is_chunk(value)
