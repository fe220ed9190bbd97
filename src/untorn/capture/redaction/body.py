"""A body → its redaction, line by line and event by event. What stays is the framing."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable

from untorn.capture.redaction.chunks import Chunks
from untorn.capture.redaction.places import Payload
from untorn.capture.redaction.vocabulary import EVENTS
from untorn.chat.payload import is_done
from untorn.options import Limits
from untorn.sse.lines import BOM

GZIP = b"\x1f\x8b"
BARE = (b"{", b"[")
_LINE = re.compile(rb"([^\r\n]*)(?:\r\n|\r|\n|\Z)")
_SSE_LINE = re.compile(rb"(?:data|event|id|retry)?:")
_FIELD = re.compile(rb"([^:]*)(?:: ?)?")
_AGAIN = re.compile(rb"(?:data: ?)*")
_HTML = re.compile(rb"<(?:html|!doctype|\?xml)", re.IGNORECASE)

Span = tuple[int, int]


def redact_body(body: bytes) -> bytes:
    """``body`` with the same lines, events and shapes, and none of its words."""
    if body.startswith(GZIP):
        # Nobody reads it without decompressing it, so nothing of it is needed.
        return GZIP + bytes(len(body) - len(GZIP))
    return _Body(without_bad_bytes(body)).redacted()


# The begin of a character that is cut counts as one; nothing that follows completes these.
_BAD = {1: "\udcff", 2: "\udce1\udc80", 3: "\udcf1\udc80\udc80"}


def _say_nothing(exc: UnicodeError) -> tuple[str, int]:
    assert isinstance(exc, UnicodeDecodeError)
    return _BAD[exc.end - exc.start], exc.end


codecs.register_error("untorn-redaction", _say_nothing)


def without_bad_bytes(data: bytes) -> bytes:
    """``data`` in which bytes that are no UTF-8 say nothing, but are as many for every decoder."""
    return data.decode("utf-8", "untorn-redaction").encode("utf-8", "surrogateescape")


class _Body:
    """One body while it is redacted."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._out = bytearray(body)
        self._chunks = Chunks(Limits())
        # The data lines of the event at hand, and whether each is of one named error.
        self._block: list[tuple[Span, bool]] = []
        self._is_error = False
        # Events of several lines, and where the lines go.
        self._joined: list[tuple[Payload, list[Span]]] = []

    def redacted(self) -> bytes:
        for line in _LINE.finditer(self._body, self._document()):
            self._receive_line(*line.span(1))
        self._end_block()
        self._chunks.finish()
        for payload, spans in self._joined:
            at = 0
            for start, end in spans:
                self._out[start:end] = payload.out[at : at + end - start]
                at += end - start + 1
        return bytes(self._out)

    def _document(self) -> int:
        """Replace the JSON document that the body is, or begins with; where it ends."""
        end = len(self._body)
        for line in _LINE.finditer(self._body):
            text = line[1].removeprefix(BOM)
            if _SSE_LINE.match(text) or _HTML.match(text):
                end = line.start()
                break
        start = len(BOM) if self._body.startswith(BOM) else 0
        document = Payload(self._body[start:end], self._out, start)
        begins_json = document.data.lstrip()[:1] in BARE
        return end if begins_json and self._chunks.receive(document) else 0

    # Lines ------------------------------------------------------------------------------------

    def _receive_line(self, start: int, end: int) -> None:
        while self._body.startswith(BOM, start, end):
            start += len(BOM)
        field = _FIELD.match(self._body, start, end)
        name, value = (field[1], field.end()) if field else (b"", end)
        if start == end:
            self._end_block()
            self._is_error = False
        elif name == b"data":
            again = _AGAIN.match(self._body, value, end)
            self._block.append(((again.end() if again else value, end), self._is_error))
        elif self._body[start : start + 1] in BARE:
            self._receive_bare((start, end))
        elif name == b"error":
            self._chunks.blank(self._payload((value, end)))
        else:
            self._receive_other(name, start, value, end)

    def _receive_bare(self, span: Span) -> None:
        if self._is_whole(span):
            self._end_block()
            self._receive_event([(span, self._is_error)])
        else:
            self._block.append((span, self._is_error))

    def _receive_other(self, name: bytes, start: int, value: int, end: int) -> None:
        text = self._body[value:end]
        if name == b"event":
            self._is_error = text == b"error"
            if text.decode("utf-8", "surrogateescape") not in EVENTS:
                self._name((value, end))
        elif name == b"id":
            self._name((value, end))
        elif name == b"retry" and text.isdigit():
            pass
        elif name in (b"retry", b""):
            self._chunks.blank(self._payload((value, end)))
        else:
            html = _HTML.match(self._body, start, end)
            if html:
                self._end_block()
            self._chunks.blank(self._payload((html.end() if html else start, end)))

    def _name(self, span: Span) -> None:
        text = self._body[slice(*span)].decode("utf-8", "surrogateescape")
        name = self._chunks.strings.names.of(text)
        self._out[slice(*span)] = name.encode("utf-8", "surrogateescape")

    # Events -----------------------------------------------------------------------------------

    def _end_block(self) -> None:
        """The data lines that were collected: one event, or as many as there are whole lines."""
        block, self._block = self._block, []
        event: list[tuple[Span, bool]] = []
        for span, is_error in block:
            if not self._body[slice(*span)].strip():
                continue
            # JSON permits nothing after a whole text, so another line is another event.
            if len(event) == 1 and self._is_whole(event[0][0]):
                self._receive_event(event)
                event = []
            event.append((span, is_error))
        if event:
            self._receive_event(event)

    def _receive_event(self, lines: list[tuple[Span, bool]]) -> None:
        spans = [span for span, _ in lines]
        if self._receive_joined(spans, self._chunks.receive):
            return
        if len(spans) > 1 and not any(map(self._is_whole, spans)):
            # Those of an event named error are its message.
            named = [span for span, is_error in lines if is_error]
            if self._receive_joined(named, self._chunks.blank):
                spans = [span for span, is_error in lines if not is_error]
        for span in spans:
            self._receive_payload(self._payload(span))

    def _receive_joined(self, spans: list[Span], receive: Callable[[Payload], bool]) -> bool:
        """Have several lines replaced as one text."""
        if len(spans) < 2:
            return False
        data = b"\n".join([self._body[slice(*span)] for span in spans])
        payload = Payload(data, bytearray(data), 0)
        if not receive(payload):
            return False
        self._joined.append((payload, spans))
        return True

    def _receive_payload(self, payload: Payload) -> None:
        text = payload.data.strip()
        if text != b"null" and not is_done(text) and not self._chunks.receive(payload):
            self._chunks.blank(payload)

    def _is_whole(self, span: Span) -> bool:
        data = self._body[slice(*span)]
        return is_done(data) or self._chunks.is_whole(data)

    def _payload(self, span: Span) -> Payload:
        return Payload(self._body[slice(*span)], self._out, span[0])
