"""A server that does to a connection whatever a test says, for what no HTTP server would do."""

from __future__ import annotations

import re
import socket
import ssl
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress

HOST = "127.0.0.1"
PATIENCE = 10.0

Serve = Callable[[socket.socket], object]


@contextmanager
def raw_server(serve: Serve, tls: ssl.SSLContext | None = None) -> Generator[str, None, None]:
    """Its origin. Each connection is served in a thread, and closed after that. What goes wrong
    with a connection that the client closes is what it is for."""
    scheme = "http" if tls is None else "https"
    stopped = threading.Event()
    threads: list[threading.Thread] = []

    def connected(sock: socket.socket) -> None:
        sock.settimeout(PATIENCE)
        with suppress(OSError), sock:
            if tls is None:
                serve(sock)
            else:
                with tls.wrap_socket(sock, server_side=True) as secured:
                    serve(secured)

    def accept(listening: socket.socket) -> None:
        while True:
            sock, _ = listening.accept()
            if stopped.is_set():
                sock.close()
                return
            threads.append(threading.Thread(target=connected, args=(sock,)))
            threads[-1].start()

    with socket.create_server((HOST, 0)) as listening:
        address = listening.getsockname()
        acceptor = threading.Thread(target=accept, args=(listening,))
        acceptor.start()
        try:
            yield f"{scheme}://{HOST}:{address[1]}"
        finally:
            stopped.set()
            socket.create_connection(address).close()  # so that it has something to accept
            for thread in (acceptor, *threads):
                thread.join(PATIENCE)


def request_of(sock: socket.socket) -> bytes:
    """A whole request; who closes without reading it would reset the connection."""
    data = b""
    while (missing := _missing(data)) > 0:
        more = sock.recv(missing)
        if not more:
            break
        data += more
    return data


def _missing(data: bytes) -> int:
    """How many bytes more to ask for."""
    head, end, body = data.partition(b"\r\n\r\n")
    if not end:
        return 65536
    size = re.search(rb"(?i)content-length: *(\d+)", head)
    return 0 if size is None else int(size[1]) - len(body)
