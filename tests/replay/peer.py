"""A client without manners: bytes over a real socket, whole or not."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

TIMEOUT = 10.0


class Peer:
    """One connection to a server."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock

    def send(self, data: bytes) -> None:
        self.sock.sendall(data)

    def until(self, mark: bytes) -> bytes:
        """What comes, up to the read that ends with ``mark``."""
        data = b""
        while not data.endswith(mark):
            more = self.sock.recv(65536)
            assert more, f"the server closed after {data!r}"
            data += more
        return data

    def rest(self) -> tuple[bytes, str]:
        """All that comes, and how it ends: ``fin`` or ``reset``."""
        reads: list[bytes] = []
        end = "fin"
        try:
            while more := self.sock.recv(65536):
                reads.append(more)
        except ConnectionResetError:
            end = "reset"
        return b"".join(reads), end

    def reset(self) -> None:
        """Close with an RST."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.sock.close()


@contextmanager
def connected(url: str) -> Iterator[Peer]:
    parts = urlsplit(url)
    assert parts.hostname is not None
    with socket.create_connection((parts.hostname, parts.port or 80), TIMEOUT) as sock:
        yield Peer(sock)


def request(url: str, headers: bytes = b"", body: bytes = b"{}") -> bytes:
    """The bytes of a request."""
    return b"POST %b/chat/completions HTTP/1.1\r\nHost: here\r\n%bContent-Length: %d\r\n\r\n%b" % (
        urlsplit(url).path.encode(),
        headers,
        len(body),
        body,
    )


def asked(url: str) -> tuple[bytes, str]:
    """All that the server answers, and how the connection ends."""
    with connected(url) as peer:
        peer.send(request(url, b"Connection: close\r\n"))
        return peer.rest()
