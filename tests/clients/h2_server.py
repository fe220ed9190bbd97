"""A server that speaks HTTP/2 over TLS, and ends its streams as a test says."""

from __future__ import annotations

import queue
import socket
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Literal

import h2.config
import h2.connection
import h2.events
import trustme
from h2.exceptions import ProtocolError

from tests.clients.certificates import context_of
from tests.clients.raw_server import raw_server

End = Literal["end", "reset", "close", "hold"]
HEADERS = [(":status", "200"), ("content-type", "text/event-stream")]


class Log:
    """What clients did, as it happens: ``request``, ``reset``, ``closed``."""

    def __init__(self) -> None:
        self.seen: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.connections = 0

    def wait_for(self, what: str) -> None:
        """Wait until it has happened. Raises queue.Empty if it does not."""
        while self.seen.get(timeout=5) != what:
            pass


@contextmanager
def h2_server(
    authority: trustme.CA, *replies: tuple[bytes, End]
) -> Generator[tuple[str, Log], None, None]:
    """Its origin, and its log. Each request gets the next of the replies: a body, and how its
    stream ends; the last one is for all that follow."""
    log = Log()
    left = list(replies)

    def serve(sock: socket.socket) -> None:
        log.connections += 1
        try:
            _speak(sock, left, log)
        finally:
            log.seen.put("closed")

    with raw_server(serve, context_of(authority, protocols=["h2"])) as url:
        yield url, log


def _speak(sock: socket.socket, left: list[tuple[bytes, End]], log: Log) -> None:
    connection = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
    connection.initiate_connection()
    sock.sendall(connection.data_to_send())
    while data := sock.recv(65536):
        for event in connection.receive_data(data):
            if isinstance(event, h2.events.RequestReceived):
                body, end = left.pop(0) if len(left) > 1 else left[0]
                log.seen.put("request")
                _answer(connection, event.stream_id, body, end)
                if end == "close":
                    sock.sendall(connection.data_to_send())
                    sock.shutdown(socket.SHUT_WR)
                    while sock.recv(65536):
                        pass
                    return
            elif isinstance(event, h2.events.StreamReset):
                log.seen.put("reset")
            elif isinstance(event, h2.events.DataReceived):
                connection.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        sock.sendall(connection.data_to_send())


def _answer(connection: h2.connection.H2Connection, stream_id: int, body: bytes, end: End) -> None:
    with suppress(ProtocolError):  # it was reset before it was answered
        connection.send_headers(stream_id, HEADERS)
        connection.send_data(stream_id, body, end_stream=end == "end")
        if end == "reset":
            connection.reset_stream(stream_id, 2)  # INTERNAL_ERROR
