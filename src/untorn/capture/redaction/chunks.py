"""The JSON texts of one stream, in order: what is replaced at once, and what only at the end."""

from __future__ import annotations

from typing import Any

from untorn.capture.redaction.arguments import ArgumentNames
from untorn.capture.redaction.choices import Choice
from untorn.capture.redaction.json_tree import Array, Object, tree_of
from untorn.capture.redaction.places import Payload
from untorn.capture.redaction.strings import Strings
from untorn.chat.chunks import Chunk, is_chunk, read_chunk
from untorn.chat.json_text import NotJson, decode, value_of
from untorn.options import Limits

CHOICES = b'"choices"'
"""A text with it is a chunk that was lost, wherever it stands in it."""


class Chunks:
    """Takes payloads; ``finish`` comes once, when there are no more."""

    def __init__(self, limits: Limits) -> None:
        self.strings = Strings()
        self._limits = limits
        self._choices: dict[int, Choice] = {}
        self._arguments = ArgumentNames()

    def is_whole(self, data: bytes) -> bool:
        """Whether ``data`` is a JSON object or an array."""
        return isinstance(value_of(data, self._limits), dict | list)

    def receive(self, payload: Payload) -> bool:
        """Take a JSON text and replace what can be replaced by itself; False if it is neither an
        object nor an array."""
        try:
            value = decode(payload.data, self._limits, repeated_keys=True).value
        except NotJson:
            return False
        if not isinstance(value, dict | list):
            return False
        root = tree_of(payload.data)
        self.strings.redact(root, payload)
        values: list[Any] = value if isinstance(value, list) else [value]
        nodes = root.items if isinstance(root, Array) else [root]
        for one, node in zip(values, nodes, strict=True):
            if isinstance(node, Object) and is_chunk(one):
                self._receive_chunk(read_chunk(one, is_document=False), node, payload)
        return True

    def blank(self, payload: Payload) -> bool:
        """Replace what is no chunk, be it JSON or not; True, since that can always be done."""
        payload.write(0, self.strings.blank(payload.data))
        at = payload.data.find(CHOICES)
        while at >= 0:
            payload.write(at, CHOICES)
            at = payload.data.find(CHOICES, at + len(CHOICES))
        return True

    def finish(self) -> None:
        """Replace the texts and arguments, of which all has been seen."""
        for choice in self._choices.values():
            choice.finish(self._limits)

    def _receive_chunk(self, chunk: Chunk, node: Object, payload: Payload) -> None:
        entries = node.get("choices", payload.data)
        nodes = entries.items if isinstance(entries, Array) else [node]
        objects = [entry for entry in nodes if isinstance(entry, Object)]
        # A chunk without choices has no object of its own for one, if it is none itself.
        for choice, entry in zip(chunk.choices, objects, strict=False):
            known = self._choices.get(choice.index)
            if known is None:
                known = Choice(self._limits, self._arguments, self.strings.names)
                self._choices[choice.index] = known
            if choice.delta is not None:
                known.receive(choice.delta, entry, payload)
