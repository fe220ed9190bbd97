"""What is sent: headers and body. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from untorn.clients.addresses import Address
from untorn.clients.keys import Secret, Secrets, secret_values
from untorn.options import Clocks

FIXED = (
    ("Accept", "text/event-stream"),
    # A body that is not compressed comes when it is sent; a compressed one may wait in a buffer.
    ("Accept-Encoding", "identity"),
    ("Content-Type", "application/json"),
)
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"([\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?)?")


class Endpoint(Struct, frozen=True):
    """One target, ready to be asked."""

    address: Address
    headers: list[tuple[str, Secret]]
    secrets: Secrets
    model: str | None
    """The model to ask for here; None: the one that the call names."""


class Request(Struct, frozen=True):
    """One POST."""

    address: Address
    headers: list[tuple[str, Secret]]
    body: bytes
    clocks: Clocks

    @property
    def revealed(self) -> dict[str, str]:
        """The headers as they are sent."""
        return {name: value.reveal() for name, value in self.headers}

    @property
    def longest_wait(self) -> float | None:
        """Seconds that an HTTP library may wait for a part of the head; None: as long as it
        takes."""
        waits = [one for one in (self.clocks.first_byte, self.clocks.total) if one is not None]
        return min(waits, default=None)

    def __repr__(self) -> str:
        return f"Request({self.address.shown!r}, {len(self.body)} bytes)"


def endpoint(
    address: Address, api_key: str | None, headers: Mapping[str, str], model: str | None = None
) -> Endpoint:
    """An endpoint with its headers. Raises ValueError for a header that cannot be sent; the
    message does not hold its value."""
    named = dict(FIXED)
    if address.login is not None:
        named["Authorization"] = address.login
    if api_key is not None:
        named["Authorization"] = f"Bearer {api_key}"
    sent = merged(hidden(named), hidden(headers))
    secrets = [*address.secrets, *secret_values(headers.items())]
    secrets += [] if api_key is None else [api_key]
    return Endpoint(address, sent, Secrets(secrets), model)


def snapshot(fields: Mapping[str, Any]) -> dict[str, msgspec.Raw]:
    """The fields of a body as JSON, as they are now; pydantic's models may stand in them. Raises
    TypeError for what is no JSON."""
    return {
        name: msgspec.Raw(msgspec.json.encode(value, enc_hook=_plain))
        for name, value in fields.items()
    }


def request(
    endpoint: Endpoint,
    fields: Mapping[str, msgspec.Raw],
    headers: Iterable[tuple[str, Secret]],
    clocks: Clocks,
    *,
    include_usage: bool,
) -> Request:
    """The request for one attempt. ``headers`` are those of the call."""
    body: dict[str, Any] = {**fields, "stream": True}
    if endpoint.model is not None:
        body["model"] = endpoint.model
    if include_usage and "stream_options" not in body:
        body["stream_options"] = {"include_usage": True}
    data = msgspec.json.encode(body)
    return Request(endpoint.address, merged(endpoint.headers, headers), data, clocks)


def _plain(value: Any) -> Any:
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", exclude_unset=True)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence):
        return list(value)
    raise TypeError(f"a {type(value).__name__} cannot be sent as JSON")


def hidden(headers: Mapping[str, str]) -> list[tuple[str, Secret]]:
    """Headers whose values nothing shows. Raises ValueError for what cannot be sent."""
    for name, value in headers.items():
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is no name of a header")
        if not _VALUE.fullmatch(value):
            raise ValueError(f"the value of the header {name} has letters that cannot be sent")
    return [(name, Secret(value)) for name, value in headers.items()]


def merged(
    sent: Iterable[tuple[str, Secret]], more: Iterable[tuple[str, Secret]]
) -> list[tuple[str, Secret]]:
    """Headers whose names differ in letter case are the same one; the later one is sent."""
    return list({name.lower(): (name, value) for name, value in [*sent, *more]}.values())
