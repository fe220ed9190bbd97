"""Certificates of an authority that nobody knows, or only who is told."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime
from pathlib import Path

import trustme

from tests.clients.raw_server import HOST

LONG_AGO = datetime(2001, 1, 1, tzinfo=UTC)


def context_of(
    authority: trustme.CA,
    name: str = HOST,
    *,
    has_expired: bool = False,
    protocols: list[str] | None = None,
) -> ssl.SSLContext:
    """For a server that shows a certificate of this authority."""
    until = LONG_AGO if has_expired else None
    certificate = authority.issue_cert(name, not_after=until)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    if protocols is not None:
        context.set_alpn_protocols(protocols)
    return context


def trusting(authority: trustme.CA, folder: Path) -> dict[str, str]:
    """The environment in which Python trusts this authority, and no other."""
    path = folder / "authority.pem"
    authority.cert_pem.write_to_path(str(path))
    return {"SSL_CERT_FILE": str(path)}
