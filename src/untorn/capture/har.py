"""HAR 1.2, the HTTP archives of browsers and proxies, to and from captures.

http://www.softwareishard.com/blog/har-12-spec/. A HAR holds bodies and how long they took, no
reads.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, NoReturn

import msgspec

from untorn.capture.capture import INTERRUPTED, Capture, CaptureEvent, Close, RawHead, Read
from untorn.capture.errors import CaptureError
from untorn.capture.kept_headers import keep_headers
from untorn.capture.limits import FORMAT_VERSION, MOST_HAR, MOST_SECONDS, READ_SIZE
from untorn.head import EVENT_STREAM
from untorn.readable import one_line_of_bytes, plain
from untorn.sse.lines import BOM

UNKNOWN_URL = "https://unknown.invalid/v1/chat/completions"
"""A capture does not know what was asked; .invalid is nobody's (RFC 2606)."""


class Header(msgspec.Struct, frozen=True):
    name: str
    value: str


class Content(msgspec.Struct, frozen=True, rename="camel"):
    size: float = -1
    mime_type: str = ""
    text: str | None = None
    encoding: str | None = None


class Response(msgspec.Struct, frozen=True):
    status: int
    headers: list[Header] = []
    content: Content = Content()
    error: str | None = msgspec.field(default=None, name="_error")
    """Chrome's: what failed."""


class Request(msgspec.Struct, frozen=True):
    url: str = ""


class Timings(msgspec.Struct, frozen=True):
    """Milliseconds; -1, or nothing, for what does not apply. That of ssl is part of connect."""

    blocked: float | None = None
    dns: float | None = None
    connect: float | None = None
    send: float | None = None
    wait: float | None = None
    receive: float | None = None


class Entry(msgspec.Struct, frozen=True, rename="camel"):
    """One request and its response, as far as a capture has use for it."""

    response: Response
    request: Request = Request()
    started_date_time: str = ""
    timings: Timings = Timings()


class Log(msgspec.Struct, frozen=True):
    entries: list[msgspec.Raw]


class Archive(msgspec.Struct, frozen=True):
    log: Log


ARCHIVE = msgspec.json.Decoder(Archive)
ENTRY = msgspec.json.Decoder(Entry)


class HarReader:
    """Holds a HAR until its end: it is one JSON document."""

    def __init__(self, name: str = "") -> None:
        self.started: float | None = None
        """The Unix time at which the request began; None where the HAR does not say."""
        self._name = name
        self._held = bytearray()

    def receive_data(self, data: bytes) -> list[CaptureEvent]:
        """Nothing yet. Raises CaptureError for more than ``MOST_HAR`` bytes."""
        self._held += data
        if len(self._held) > MOST_HAR:
            raise CaptureError(f"a HAR has {MOST_HAR} bytes at most; this is more", name=self._name)
        return []

    def receive_eof(self) -> list[CaptureEvent]:
        """The first answer in it that is an event stream or of chat completions."""
        capture = har_captures(bytes(self._held), self._name)[0]
        self.started = capture.started
        head: list[CaptureEvent] = []
        if capture.status is not None:
            head = [RawHead(capture.status, capture.headers, capture.head_interval)]
        return [*head, *capture.events]


def har_captures(data: bytes, name: str = "") -> list[Capture]:
    """All answers in a HAR that are event streams or of chat completions, one at least.

    Raises CaptureError where there is none, or none whose body was kept.
    """
    archive = _Archive(data, name)
    captures = list(archive.captures())
    if not captures:
        archive.refuse()
    return captures


class _Archive:
    """Looks through the entries of a HAR, and remembers why it passed some over."""

    def __init__(self, data: bytes, name: str) -> None:
        self._data = data
        self._name = name
        self._entries = 0
        self._lost: str | None = None
        """The first answer that cannot be read."""
        self._odd: str | None = None
        """The first entry that is none."""

    def captures(self) -> Iterable[Capture]:
        for raw in self._raw_entries():
            self._entries += 1
            try:
                entry = ENTRY.decode(raw)
            except (msgspec.DecodeError, RecursionError) as exc:
                self._odd = self._odd or f"entry {self._entries} is no entry of HAR 1.2: {exc}"
                continue
            if _is_answer(entry):
                body = self._body(entry.response.content)
                if body is not None:
                    yield _capture(entry, body)

    def refuse(self) -> NoReturn:
        raise CaptureError(
            self._lost
            or self._odd
            or f"none of its {self._entries} entries is an event stream, or has a URL that ends"
            " with /completions",
            name=self._name,
        )

    def _raw_entries(self) -> list[msgspec.Raw]:
        try:
            return ARCHIVE.decode(self._data.removeprefix(BOM)).log.entries
        except (msgspec.DecodeError, RecursionError) as exc:
            start = one_line_of_bytes(self._data)
            problem = f'expected HAR 1.2, {{"log": {{"entries": [...]}}}}, got {start} ({exc})'
            raise CaptureError(problem, name=self._name) from exc

    def _body(self, content: Content) -> bytes | None:
        if content.text is None:
            if content.size == 0 and not _is_event_stream(content.mime_type):
                return b""
            # Chrome drops bodies of streams, and such as were read before its tools were open.
            self._remember(
                "has no body, since whoever wrote the HAR did not keep it: record the response"
            )
            return None
        if not content.encoding:
            return content.text.encode()
        try:
            if content.encoding.lower() == "base64":
                return base64.b64decode(content.text, validate=True)
        except (binascii.Error, ValueError):
            pass
        self._remember(f"has a body that cannot be decoded as {plain(content.encoding)}")
        return None

    def _remember(self, problem: str) -> None:
        self._lost = self._lost or f"entry {self._entries} {problem}"


def _is_answer(entry: Entry) -> bool:
    path = entry.request.url.partition("?")[0]
    return _is_event_stream(entry.response.content.mime_type) or path.endswith("/completions")


def _is_event_stream(mime_type: str) -> bool:
    return mime_type.partition(";")[0].strip().lower() == EVENT_STREAM


def _capture(entry: Entry, body: bytes) -> Capture:
    response, timings = entry.response, entry.timings
    pieces = [body[start : start + READ_SIZE] for start in range(0, len(body), READ_SIZE)]
    before = (timings.blocked, timings.dns, timings.connect, timings.send, timings.wait)
    close = Close(_seconds(timings.receive), response.error)
    headers = keep_headers([(header.name, header.value) for header in response.headers])
    return Capture(
        status=response.status if 100 <= response.status <= 999 else None,
        headers=headers,
        events=[*[Read(0.0, piece) for piece in pieces], close],
        head_interval=sum(map(_seconds, before)),
        started=_unix_time(entry.started_date_time),
    )


def _seconds(milliseconds: float | None) -> float:
    seconds = (milliseconds or 0.0) / 1000
    return seconds if 0 < seconds <= MOST_SECONDS / 10 else 0.0


def _unix_time(date_time: str) -> float | None:
    try:
        moment = datetime.fromisoformat(date_time)
    except ValueError:
        return None
    seconds = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return seconds if 0 <= seconds <= MOST_SECONDS else None


def to_har(capture: Capture) -> bytes:
    """``capture`` as a HAR 1.2 with one entry. What was asked is not known, so its request has
    the least that the format wants. Of the headers only those are written that docs/captures.md
    lists."""
    wait = capture.head_interval
    receive = sum(event.interval for event in capture.events)
    entry = {
        "startedDateTime": _date_time(capture.started or 0.0),
        "time": _milliseconds(wait + receive),
        "request": {
            "method": "POST",
            "url": UNKNOWN_URL,
            "httpVersion": "HTTP/1.1",
            "cookies": [],
            "headers": [],
            "queryString": [],
            "headersSize": -1,
            "bodySize": -1,
        },
        "response": _response(capture),
        "cache": {},
        "timings": {"send": 0, "wait": _milliseconds(wait), "receive": _milliseconds(receive)},
    }
    creator = {"name": "untorn", "version": f"capture {FORMAT_VERSION}"}
    log = {"version": "1.2", "creator": creator, "entries": [entry]}
    return msgspec.json.format(msgspec.json.encode({"log": log}), indent=2) + b"\n"


def _response(capture: Capture) -> dict[str, Any]:
    headers = keep_headers(capture.headers)
    types = [value for name, value in headers if name.lower() == "content-type"]
    body, close = capture.body, capture.close
    response: dict[str, Any] = {
        "status": capture.status or 0,
        "statusText": "",
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": [{"name": name, "value": value} for name, value in headers],
        "content": {"size": len(body), "mimeType": types[0] if types else "x-unknown"},
        "redirectURL": "",
        "headersSize": -1,
        "bodySize": -1,
    }
    response["content"] |= _text(body)
    if close is None or close.reason is not None:
        response["_error"] = INTERRUPTED if close is None else close.reason
    return response


def _text(body: bytes) -> dict[str, str]:
    try:
        return {"text": body.decode()}
    except UnicodeDecodeError:
        return {"text": base64.b64encode(body).decode(), "encoding": "base64"}


def _milliseconds(seconds: float) -> float:
    return round(seconds * 1000, 3)


def _date_time(unix_time: float) -> str:
    moment = datetime.fromtimestamp(unix_time, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
