"""Payload → what it says, the plain way: the end mark, a heartbeat, an error, a chunk (rule 4)."""

from __future__ import annotations

from typing import Any

from untorn.chat.builder import CompletionBuilder
from untorn.chat.chunks import (
    Chunk,
    is_chunk,
    is_finite_without_logprobs,
    keep_logprobs_as_sent,
    read_chunk,
)
from untorn.chat.error_object import error_of, find_error, hides_no_error
from untorn.chat.json_scan import HALF_ESCAPE
from untorn.chat.json_text import NotJson, TooManyValues, decode, has_repeated_keys, value_of
from untorn.chat.payload import Item, Kind, Note, Payload, is_done
from untorn.chat.quirks.message_for_delta import what_is_said
from untorn.chat.quirks.surrogate_split import scrub, scrub_extras
from untorn.chat.verdict import ErrorObject
from untorn.chat.wide import WideChunk, read_wide
from untorn.options import Limits

BACKSLASH = 92
LARGE = 64 * 1024
"""Bytes; the values of a longer payload may weigh much."""
PINGS: tuple[Any, ...] = ({}, {"type": "ping"})

TEXT_KEYS = frozenset(
    "content reasoning reasoning_content refusal arguments input text summary thinking"
    " transcript".split()
)
"""Strings in which half a surrogate pair may wait for its other half."""


ALLOWED = {
    "duplicate-key": "an object holds a key twice",
    "invalid-utf8": "bytes are no UTF-8",
    "json-control-char": "a string holds an unescaped control character",
    "json-nonfinite": "a number is NaN or infinite",
}


class PayloadReader:
    """Reads one item at a time and tells the builder what it says."""

    __slots__ = ("_builder", "_few", "_has_halves", "_limits", "_repeated_keys")

    def __init__(self, builder: CompletionBuilder, limits: Limits) -> None:
        self._builder = builder
        self._limits = limits
        self._few = 2 * min(limits.choices, limits.tool_calls)
        self._repeated_keys = False
        # Whether halves of surrogate pairs may be in the payload at hand.
        self._has_halves = False

    def receive(self, item: Item, wide: WideChunk | None = None) -> None:
        """Take an item; ``wide`` is what it was decoded to, if it was."""
        builder = self._builder
        builder.item = item
        if isinstance(item, bytes):
            if wide is None or not self._receive_wide(wide, item):
                self._receive_data(item, "event")
        elif isinstance(item, Payload):
            if wide is None or not self._receive_wide(wide, item.data):
                self._receive_payload(item)
        elif isinstance(item, Note):
            builder.receive_note(item)
        else:
            builder.receive_heartbeat()

    def _receive_payload(self, payload: Payload) -> None:
        data, kind = payload.data, payload.kind
        if kind == "error field":
            said = value_of(data, self._limits)
            self._receive_object({"error": said}, data, kind, in_array=False)
        elif kind == "text":
            self._receive_error_text(data)
        else:
            self._receive_data(data, kind)

    def _receive_data(self, data: bytes, kind: Kind) -> None:
        """The data of an event."""
        if data[:1] == b"{":
            self._receive_json(data, kind)
            return
        builder = self._builder
        text = data.strip()
        if is_done(text):
            builder.receive_done(data)
        elif kind == "error event" and text[:1] not in (b"{", b"["):
            self._receive_error_text(b"" if text == b"null" else data)
        elif not text or text == b"null" or text[:1] == b":":
            self._receive_ping(data)
        elif text[:1] in (b"{", b"["):
            self._receive_json(data, kind)
        elif b'"choices"' in text:
            builder.found("bad-json", "text with choices in it is lost", data)
        else:
            builder.found("not-json", "text came as data and was ignored", data)

    def _receive_wide(self, wide: WideChunk, data: bytes) -> bool:
        """Take a chunk that has no keys but those that are known; False if it may have more."""
        if self._repeated_keys:
            return False
        chunk = read_wide(wide, data, self._builder, self._limits)
        if chunk is not None:
            self._builder.receive_chunk(chunk)
        return chunk is not None

    def _receive_json(self, data: bytes, kind: Kind) -> None:
        builder = self._builder
        in_array = data[:1] != b"{" and data.lstrip()[:1] == b"["
        try:
            # An error hidden by a second key would be a failure hidden.
            search = self._repeated_keys or in_array or _may_hide_an_error(data)
            decoded = decode(data, self._limits, repeated_keys=search)
            self._has_halves = BACKSLASH in data and HALF_ESCAPE.search(data) is not None
            scrubbed = scrub(decoded.value, TEXT_KEYS) if self._has_halves else None
        except TooManyValues:
            builder.over = f"an event of more than {self._limits.values} values"
            return
        except (NotJson, RecursionError) as exc:
            builder.found("bad-json", f"an event is lost, {exc}", data)
            if kind == "error event":
                self._receive_error_text(data)
            return
        if "json-nonfinite" in decoded.allowed and is_finite_without_logprobs(data):
            decoded.allowed.remove("json-nonfinite")
        for code in decoded.allowed:
            self._allow(code, data)
        if "json-nonfinite" in decoded.allowed and b'"arguments"' in data:
            # Arguments that came as an object may now say null where a number was.
            builder.distrust_calls()
        value = decoded.value
        if scrubbed is not None:
            value = scrubbed.value
            if scrubbed.lone:
                builder.found("lone-surrogate", "half a surrogate pair stands alone", data)
        if kind == "event" and not in_array:
            self._receive_object(value, data, kind, in_array=False)
            return
        values = value if in_array else [value]
        if kind == "error event" and not any(isinstance(one, dict) for one in values):
            self._receive_error_text(data if values else b"")
            return
        if not values:
            builder.found("unrecognised-event", "an empty array came as an event", data)
        for value in values:
            if isinstance(value, dict):
                self._receive_object(value, data, kind, in_array=in_array)
            else:
                builder.found("unrecognised-event", "an array holds what is no object", data)

    def _allow(self, code: str, data: bytes) -> None:
        self._builder.found(code, ALLOWED[code], data)
        if code == "duplicate-key":
            self._repeated_keys = True
            self._builder.is_plain = True

    def _receive_object(
        self, value: dict[str, Any], data: bytes, kind: Kind, *, in_array: bool
    ) -> None:
        builder = self._builder
        error = find_error(value)
        # In so few bytes there is no room for too many choices or calls.
        too_many = None if len(data) < self._few else self._has_too_many(value)
        if too_many is not None or builder.over is not None:
            builder.over = builder.over or too_many
            return
        if is_chunk(value):
            is_document = kind == "line" and not in_array
            chunk = self._read_chunk(value, data, is_document, in_array)
            if error is not None:
                # Nobody expects choices beside an error.
                chunk.findings = [one for one in chunk.findings if one.code != "choices-missing"]
            builder.receive_chunk(chunk)
        elif error is None and kind == "error event":
            said = error_of(value, message=None if value else "")
            builder.receive_error(said, canonical=False)
        elif error is None and value in PINGS:
            self._receive_ping(data)
        elif error is None:
            builder.found("unrecognised-event", "an event was ignored", data)
        if error is not None:
            builder.receive_error(error.error, canonical=error.canonical and not in_array)

    def _has_too_many(self, body: dict[str, Any]) -> str | None:
        """The limit that a chunk passes all by itself, as a sentence: it is not even read."""
        choices = body.get("choices")
        if not isinstance(choices, list):
            return None
        if len(choices) > self._limits.choices:
            return f"more than {self._limits.choices} choices in one chunk"
        for choice in choices:
            if not isinstance(choice, dict):
                continue
            said = choice.get("delta")
            if not isinstance(said, dict):
                said = what_is_said(choice).delta or {}
            calls = said.get("tool_calls")
            if isinstance(calls, list) and len(calls) > self._limits.tool_calls:
                return f"more than {self._limits.tool_calls} tool calls in one delta"
        return None

    def _read_chunk(
        self, value: dict[str, Any], data: bytes, is_document: bool, in_array: bool
    ) -> Chunk:
        chunk = read_chunk(value, is_document=is_document)
        searched = self._repeated_keys or in_array
        if (
            not searched
            and self._builder.is_first_of_a_kind(chunk)
            and has_repeated_keys(data, value)
        ):
            del chunk
            searched = self._read_again(value, data)
            chunk = read_chunk(value, is_document=is_document)
        if self._has_halves:
            _scrub_what_is_kept(chunk)
        if not searched and _has_logprobs(chunk):
            keep_logprobs_as_sent(chunk, data)
        return chunk

    def _read_again(self, value: dict[str, Any], data: bytes) -> bool:
        """Make ``value`` what it is by the rule of repeated keys; whether there are any."""
        so_far = dict(value) if len(data) < LARGE else None
        value.clear()  # a large one need not be there twice
        try:
            decoded = decode(data, self._limits, repeated_keys=True)
            if self._has_halves:
                scrub(decoded.value, TEXT_KEYS)
        except (NotJson, RecursionError) as exc:  # the caller's stack is nearly full
            if so_far is None:
                self._builder.found("bad-json", f"an event is lost, {exc}", data)
            value.update(so_far or {})
            return False
        value.update(decoded.value)
        # None are repeated where only halves of pairs made two keys one.
        found = "duplicate-key" in decoded.allowed
        if found:
            self._allow("duplicate-key", data)
        return found

    def _receive_ping(self, data: bytes) -> None:
        self._builder.found("heartbeat-data", "a keep-alive came as data", data)
        self._builder.receive_heartbeat()

    def _receive_error_text(self, text: bytes) -> None:
        try:
            message = text.decode("utf-8").strip()
        except UnicodeDecodeError:
            message = text.decode("utf-8", "replace").strip()
            self._allow("invalid-utf8", text)
        self._builder.receive_error(ErrorObject(message, raw=message), canonical=False)


def _may_hide_an_error(data: bytes) -> bool:
    return data.count(b'"error"') > 1 and not hides_no_error(data)


def _has_logprobs(chunk: Chunk) -> bool:
    for choice in chunk.choices:  # noqa: SIM110  # any() takes three times as long
        if choice.logprobs is not None:
            return True
    return False


def _scrub_what_is_kept(chunk: Chunk) -> None:
    """What is kept as it came can't wait for another half, but for strings that grow."""
    scrub(chunk.extra)
    scrub(chunk.usages)
    for choice in chunk.choices:
        scrub(choice.extra)
        if choice.delta is not None:
            scrub(choice.delta.annotations)
            scrub(choice.delta.parts)
            scrub_extras(choice.delta.extra)
            for block in choice.delta.reasoning_details:
                scrub_extras(block)
            for fragment in choice.delta.fragments:
                scrub(fragment.extra)
