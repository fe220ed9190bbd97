"""One connection of a client: requests in, replies out, and a record of both."""

from __future__ import annotations

import asyncio
import socket
import struct
import sys
import time
from http import HTTPStatus
from typing import cast

import msgspec

from untorn.capture import Read
from untorn.options import MIB
from untorn.replay.errors import UnknownScenario
from untorn.replay.log import Exchange, Log
from untorn.replay.reply import NEVER, End, Reply
from untorn.replay.requests import BadRequest, Request, RequestReader
from untorn.replay.routes import Routes
from untorn.replay.schedule import Pace, schedule

MOST_AHEAD = MIB
"""Bytes that a client may send ahead while it is answered."""
LINGER = 1.0
"""Seconds in which a client may still send what was refused. To close at once would make the
system send RST, and the client would not see the refusal."""
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"

# l_onoff and l_linger, which Windows keeps in shorts: close() then sends RST.
_RST_ON_CLOSE = struct.pack("hh" if sys.platform == "win32" else "ii", 1, 0)


class Players:
    """What all connections of a server share."""

    def __init__(self, log: Log, routes: Routes, pace: Pace) -> None:
        self.log = log
        self.routes = routes
        self.pace = pace
        self.connections: set[PlayerConnection] = set()
        self.failures: list[Exception] = []
        """Faults of our own, which nobody should take for one that was asked for."""
        self._start = time.monotonic()

    def now(self) -> float:
        """Seconds since the server's start."""
        return time.monotonic() - self._start

    async def close(self) -> None:
        """End every connection at once."""
        tasks = [connection.abort() for connection in self.connections]
        while self.connections:
            await asyncio.sleep(0)
        await asyncio.gather(*tasks, return_exceptions=True)


class PlayerConnection(asyncio.Protocol):
    """Reads requests from one connection, and plays the reply to each before it reads the next."""

    def __init__(self, players: Players) -> None:
        self._players = players
        self._log = players.log
        self._requests = RequestReader()
        self._arrived = asyncio.Event()
        self._writable = asyncio.Event()
        self._is_busy = False
        self._is_refused = False

    # What asyncio calls -----------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._sock: socket.socket = transport.get_extra_info("socket")
        # Not done by asyncio, which does not see that this is TCP. Without it, a small send waits
        # until the one before is acknowledged, and both arrive as one read.
        self._sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # Each send is done before the next begins, so that they are sends of their own; and a
        # client that does not read holds up its own connection, not memory.
        self._transport.set_write_buffer_limits(high=0)
        self._writable.set()
        self._record = self._log.connected(self._players.now())
        self._players.connections.add(self)
        self._task = asyncio.get_running_loop().create_task(self._serve())

    def data_received(self, data: bytes) -> None:
        if self._is_refused:
            return
        self._requests.receive_data(data)
        self._arrived.set()
        if self._is_busy and self._requests.held > MOST_AHEAD:
            self._refuse(f"the client sent more than {MOST_AHEAD} bytes ahead")
            self._end("reset")

    def eof_received(self) -> None:
        # HTTP allows to close one half and listen on. HTTP libraries close both.
        self._log.closed(self._record, "client", self._players.now())
        self._task.cancel()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self._log.closed(self._record, "client", self._players.now(), reset=exc is not None)
        self._players.connections.discard(self)
        self._task.cancel()

    def abort(self) -> asyncio.Task[None]:
        """End it at once; the task is done when all is over."""
        self._log.closed(self._record, "server", self._players.now())
        self._transport.abort()
        self._task.cancel()
        return self._task

    # Requests and replies ---------------------------------------------------------------------

    async def _serve(self) -> None:
        try:
            while await self._answer(await self._next_request()):
                pass
        except BadRequest as exc:
            self._is_refused = True
            self._refuse(str(exc))
            await self._send_reply(_own_error(exc.status, str(exc)), keep_alive=False)
            self._transport.write_eof()
            await asyncio.sleep(LINGER)
            self._end("fin")
        except Exception as exc:
            self._players.failures.append(exc)
            self._end("reset")

    async def _next_request(self) -> Request:
        self._is_busy = False
        while (request := self._requests.next_request()) is None:
            if self._requests.wants_continue():
                await self._send(CONTINUE)
            await self._arrived.wait()
            self._arrived.clear()
        self._is_busy = True
        return request

    async def _answer(self, request: Request) -> bool:
        """Play the reply to a request; whether the connection can be used again."""
        name: str | None = None
        try:
            name, reply = self._players.routes.reply_to(request)
        except UnknownScenario as exc:
            self._refuse(str(exc))
            reply = _own_error(404, str(exc))
        exchange = self._log.asked(self._record, request, name, self._players.now())
        stays = reply.end == "whole" and reply.framing != "close" and request.keep_alive
        # A connection that breaks is not announced.
        await self._send_reply(reply, exchange, keep_alive=stays or reply.end != "whole")
        if not stays:
            self._end(reply.end)
        return stays

    async def _send_reply(
        self, reply: Reply, exchange: Exchange | None = None, *, keep_alive: bool
    ) -> None:
        pace, phrase = self._players.pace, _phrase(reply.status)
        for step in schedule(reply, pace, time.time(), phrase, keep_alive=keep_alive):
            await _wait(step.wait)
            await self._send(step.data)
            if exchange is not None and step.body_bytes:
                self._log.sent(exchange, step.body_bytes)
        if exchange is not None:
            self._log.finished(exchange)

    async def _send(self, data: bytes) -> None:
        if data:
            self._transport.write(data)
        await self._writable.wait()

    # The end ----------------------------------------------------------------------------------

    def _refuse(self, why: str) -> None:
        self._log.refuse(f"connection {self._record.number}: {why}")

    def _end(self, end: End) -> None:
        reset = end == "reset"
        self._log.closed(self._record, "server", self._players.now(), reset=reset)
        if reset:
            self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RST_ON_CLOSE)
            self._transport.abort()
        else:
            self._transport.close()


async def _wait(seconds: float) -> None:
    if seconds == NEVER:
        await asyncio.get_running_loop().create_future()
    # Also where there is nothing to wait for: another connection may have its turn.
    await asyncio.sleep(seconds)


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:  # as 529, which is in no standard
        return ""


def _own_error(status: int, message: str) -> Reply:
    data = {"error": {"message": message, "type": "replay_server", "code": None}}
    body = msgspec.json.encode(data)
    return Reply(
        status=status,
        headers=(("Content-Type", "application/json"),),
        reads=(Read(0.0, body),),
        framing="content-length",
    )
