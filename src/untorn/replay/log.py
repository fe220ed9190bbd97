"""What each client did: a record for each connection, and one for each request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from untorn.readable import amount, plain
from untorn.replay.requests import Request

MOST_TOLD = 5
"""How many connections, and requests on each, a sentence about the log tells of: the last ones."""

Side = Literal["client", "server"]


@dataclass
class Exchange:
    """One request, and what was sent for it."""

    connection: int
    """The number of its connection."""
    request: Request
    """What was asked, without its secrets."""
    scenario: str | None
    """The name of what is played; ``capture`` or ``reply`` where it has none of its own; None where
    the request named no scenario that exists."""
    at: float
    """When the request was whole: seconds since the server's start."""
    reads_sent: int = 0
    """How many pieces of the body were handed to the system."""
    body_sent: int = 0
    """How many bytes of the body."""
    finished: bool = False
    """Whether the whole reply was sent. A stall never is."""

    def __str__(self) -> str:
        sent = f"{amount(self.body_sent, 'byte')} in {amount(self.reads_sent, 'read')}"
        state = "all sent" if self.finished else "not all"
        return f"{self.request.method} {plain(self.request.path)}: {sent}, {state}"


@dataclass
class Connection:
    """One connection."""

    number: int
    """From 1, in order of connecting."""
    at: float
    """When it was made: seconds since the server's start."""
    exchanges: list[Exchange] = field(default_factory=list)
    """The requests on it, in order."""
    closed_by: Side | None = None
    """Who ended it; None while it is open."""
    closed_at: float | None = None
    """When: seconds since the server's start."""
    was_reset: bool = False
    """Whether it ended with an RST instead of a FIN."""

    @property
    def is_open(self) -> bool:
        """Whether nobody has closed it."""
        return self.closed_by is None

    def __str__(self) -> str:
        asked = ", ".join(map(str, self.exchanges[-MOST_TOLD:])) or "no request"
        how = "reset" if self.was_reset else "closed"
        state = "open" if self.closed_by is None else f"{how} by the {self.closed_by}"
        return f"connection {self.number} ({asked}), {state}"


class Log:
    """All that clients did, in order. It grows while the server runs, and stays after that."""

    def __init__(self) -> None:
        self.connections: list[Connection] = []
        """In order of connecting."""
        self.exchanges: list[Exchange] = []
        """In order of asking, over all connections."""
        self.refused: list[str] = []
        """What was answered with an error of the server's own, and why: no scenario has the name
        that was asked for, or what came is no request."""
        self.changed: Callable[[], None] = lambda: None
        """Called after each change."""

    @property
    def requests(self) -> list[Request]:
        """The requests of all exchanges."""
        return [exchange.request for exchange in self.exchanges]

    @property
    def open(self) -> list[Connection]:
        """The connections that nobody has closed."""
        return [connection for connection in self.connections if connection.is_open]

    @property
    def all_closed(self) -> bool:
        """Whether there were connections, and all are closed."""
        return bool(self.connections) and not self.open

    def connected(self, at: float) -> Connection:
        """A client has connected."""
        connection = Connection(len(self.connections) + 1, at)
        self.connections.append(connection)
        self.changed()
        return connection

    def asked(
        self, connection: Connection, request: Request, scenario: str | None, at: float
    ) -> Exchange:
        """A request has come."""
        exchange = Exchange(connection.number, request, scenario, at)
        connection.exchanges.append(exchange)
        self.exchanges.append(exchange)
        self.changed()
        return exchange

    def refuse(self, why: str) -> None:
        """Something was answered with an error of our own."""
        self.refused.append(why)
        self.changed()

    def sent(self, exchange: Exchange, body_bytes: int) -> None:
        """A piece of the body was handed to the system."""
        exchange.reads_sent += 1
        exchange.body_sent += body_bytes
        self.changed()

    def finished(self, exchange: Exchange) -> None:
        """The whole reply was sent."""
        exchange.finished = True
        self.changed()

    def closed(self, connection: Connection, by: Side, at: float, *, reset: bool = False) -> None:
        """A connection has ended. Only the first side to end it counts."""
        if connection.closed_by is None:
            connection.was_reset = reset
            connection.closed_at = at
            connection.closed_by = by
            self.changed()

    def __str__(self) -> str:
        open_ones = self.open
        count = f"{amount(len(self.connections), 'connection')}, {len(open_ones)} open"
        told = [*(open_ones or self.connections)[-MOST_TOLD:], *self.refused[-MOST_TOLD:]]
        return "; ".join([count, *map(str, told)])
