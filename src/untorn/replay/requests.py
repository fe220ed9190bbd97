"""Bytes of a connection → requests. The rules of HTTP are h11's."""

from __future__ import annotations

import re

from msgspec import Struct

from untorn.options import KIB, MIB

try:
    import h11
except ModuleNotFoundError as exc:
    raise ModuleNotFoundError('untorn.replay needs h11: pip install "untorn[testing]"') from exc

MOST_HEAD = 64 * KIB
"""Bytes of a request's head. Clients send a key and a handful of names; nginx takes 32 KiB."""
MOST_BODY = 64 * MIB
"""Bytes of a request's body: a conversation with some images in it."""

HIDDEN = "[hidden]"
_SECRET_NAME = re.compile(r"auth|cookie|credential|key|password|secret|session|token", re.I)
_BEARER = re.compile(r"(?:basic|bearer) ", re.I)
# In a body, tokens are counted and a cache has a key: fewer names are secrets there.
_SECRET_KEY = re.compile(rb"api.?key|authorization|credential|password|secret", re.I)
_IN_QUOTES = rb'"([^"\\]*+(?:\\.[^"\\]*+)*+)"'
_JSON_PAIR = re.compile(rb"(?<!\\)(%b\s*+:\s*+)%b" % (_IN_QUOTES, _IN_QUOTES), re.DOTALL)


class Request(Struct, frozen=True):
    """One request as it came, without its secrets."""

    method: str
    """``POST``, as sent."""
    path: str
    """Path and query; values of the query that look like keys are hidden."""
    headers: tuple[tuple[str, str], ...]
    """Names in lower case, and values, in their order. A value under a name that sounds like a
    secret is hidden, but for the word ``Bearer`` before it."""
    body: bytes
    """The whole body; values of JSON under names like ``api_key`` are hidden."""
    keep_alive: bool
    """Whether the client allows another request on its connection."""

    def header(self, name: str) -> str | None:
        """The first value under a name in any letter case; None if there is none."""
        return next((value for key, value in self.headers if key == name.lower()), None)


class BadRequest(Exception):
    """What came is no request that can be answered as asked."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class RequestReader:
    """Takes the bytes of one connection, gives the requests in them."""

    def __init__(self) -> None:
        self._http = _new_connection()
        self._request: h11.Request | None = None
        self._body = bytearray()

    @property
    def held(self) -> int:
        """How many bytes are held that belong to no request yet."""
        return len(self._http.trailing_data[0])

    def receive_data(self, data: bytes) -> None:
        """Take what came."""
        self._http.receive_data(data)

    def wants_continue(self) -> bool:
        """Whether the client waits for ``100 Continue`` before it sends the body. Said once."""
        if not self._http.they_are_waiting_for_100_continue:
            return False
        self._http.send(h11.InformationalResponse(status_code=100, headers=[]))
        return True

    def next_request(self) -> Request | None:
        """The next request; None if it is not whole yet. Raises BadRequest."""
        try:
            return self._next()
        except h11.RemoteProtocolError as exc:
            too_long = f"the head has more than {MOST_HEAD} bytes"
            why = too_long if exc.error_status_hint == 431 else str(exc)
            raise BadRequest(exc.error_status_hint, why) from exc

    def _next(self) -> Request | None:
        while True:
            event = self._http.next_event()
            if isinstance(event, h11.Request):
                self._request = event
                _check(event)
            elif isinstance(event, h11.Data):
                self._body += event.data
                if len(self._body) > MOST_BODY:
                    raise BadRequest(413, f"the body has more than {MOST_BODY} bytes")
            elif isinstance(event, h11.EndOfMessage):
                return self._finish()
            else:
                return None

    def _finish(self) -> Request:
        assert self._request is not None
        request = _redacted(self._request, bytes(self._body))
        rest, _ = self._http.trailing_data
        # A connection of its own for each request: h11 would have to send the reply, too, to
        # begin the next cycle, and it sends none that is broken.
        self._http = _new_connection()
        self._http.receive_data(rest) if rest else None
        self._request = None
        self._body.clear()
        return request


def _new_connection() -> h11.Connection:
    return h11.Connection(h11.SERVER, max_incomplete_event_size=MOST_HEAD)


def _check(request: h11.Request) -> None:
    if request.http_version != b"1.1":
        version = request.http_version.decode()
        raise BadRequest(505, f"this is a server of HTTP/1.1, the request is HTTP/{version}")
    if request.method not in (b"POST", b"GET"):
        raise BadRequest(405, f"POST or GET was expected, not {request.method.decode()}")


def _redacted(request: h11.Request, body: bytes) -> Request:
    pairs = [(name.decode(), value.decode("latin-1")) for name, value in request.headers]
    closes = any(name == "connection" and "close" in value.lower() for name, value in pairs)
    return Request(
        method=request.method.decode(),
        path=_hide_query(request.target.decode("latin-1")),
        headers=tuple((name, _hide(name, value)) for name, value in pairs),
        body=_JSON_PAIR.sub(_hide_pair, body),
        keep_alive=not closes,
    )


def _hide(name: str, value: str) -> str:
    if not _SECRET_NAME.search(name):
        return value
    scheme = _BEARER.match(value)
    return f"{scheme[0] if scheme else ''}{HIDDEN}"


def _hide_query(target: str) -> str:
    path, mark, query = target.partition("?")
    parts = [part.partition("=") for part in query.split("&")]
    shown = [f"{name}{eq}{_hide(name, value) if value else ''}" for name, eq, value in parts]
    return f"{path}{mark}{'&'.join(shown)}"


def _hide_pair(pair: re.Match[bytes]) -> bytes:
    return b'%b"%b"' % (pair[1], HIDDEN.encode()) if _SECRET_KEY.search(pair[2]) else pair[0]
