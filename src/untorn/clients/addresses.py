"""A base URL → the URL to ask. Pure."""

from __future__ import annotations

import base64
import re
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from msgspec import Struct

from untorn.clients.keys import secret_values

DEFAULT = "https://api.openai.com/v1"
PATH = "/chat/completions"
BASIC = "Basic "
PORTS = {"http": 80, "https": 443}
_HOST = re.compile(r"[\w.-]+|\[[0-9a-fA-F:.]+\]")


class Address(Struct, frozen=True):
    """Where requests go."""

    origin: str
    """Scheme, host and port, if that is not the usual one."""
    path: str
    """The path to ask."""
    query: str
    """What follows the question mark; ``""`` if there is nothing. It may hold a key."""
    login: str | None
    """The value of an Authorization header, from a user's name and password in the URL."""

    @property
    def shown(self) -> str:
        """What may be shown to people."""
        return self.origin + self.path

    @property
    def url(self) -> str:
        """All of it."""
        return f"{self.shown}?{self.query}" if self.query else self.shown

    @property
    def secrets(self) -> list[str]:
        """What must not be seen."""
        values = secret_values(parse_qsl(self.query))
        # Who repeats the URL repeats them as they stand in it.
        pairs = [pair.partition("=") for pair in self.query.split("&")]
        values += secret_values((name, value) for name, _, value in pairs)
        if self.login is not None:
            encoded = self.login.removeprefix(BASIC)
            values += [encoded, base64.b64decode(encoded).decode().partition(":")[2]]
        return values

    def __repr__(self) -> str:
        return f"Address({self.shown!r})"


def address_of(base_url: str) -> Address:
    """The address of the chat completions under a base URL.

    ``/v1`` is added where the URL has no path. A query stays, after the path. Raises ValueError
    for what is no such URL; the message does not hold it, since a key may stand in it.
    """
    try:
        parts = urlsplit(base_url.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise ValueError("base_url is no URL: its host or port cannot be read") from None
    if parts.scheme not in PORTS or not host:
        raise ValueError('base_url is a URL that begins with "http://" or "https://" and a host')
    host = _ascii(host)
    if ":" in host:
        host = f"[{host}]"
    if not _HOST.fullmatch(host):
        raise ValueError("base_url is no URL: its host has letters that no host has")
    if re.search(r"[\x00-\x20\x7f-\U0010ffff]", parts.path + parts.query):
        raise ValueError("base_url has a letter that has to be percent-encoded")
    usual = port is None or port == PORTS[parts.scheme]
    login = None if parts.username is None else _basic(parts)
    return Address(
        origin=f"{parts.scheme}://{host}" + ("" if usual else f":{port}"),
        path=_path(parts.path),
        query=parts.query,
        login=login,
    )


def secrets_of_login(url: str) -> list[str]:
    """The password in a URL, such as a proxy's: as it stands there, decoded, and as it is sent."""
    parts = urlsplit(url)
    if parts.password is None:
        return []
    return [parts.password, unquote(parts.password), _basic(parts).removeprefix(BASIC)]


def _basic(parts: SplitResult) -> str:
    user = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    return BASIC + base64.b64encode(user.encode()).decode()


def _ascii(host: str) -> str:
    try:
        return host if host.isascii() else host.encode("idna").decode()
    except UnicodeError:
        raise ValueError("base_url is no URL: its host is no name of a host") from None


def _path(path: str) -> str:
    path = path.rstrip("/")
    return path if path.endswith(PATH) else (path or "/v1") + PATH
