"""A real HTTP/1.1 server on the loopback interface that plays replies, whole or broken.

h11 reads the requests. What is sent is written by hand: no library for servers sends what this
one is for, such as a body without its end, or a head that promises more than comes.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import Future
from contextlib import asynccontextmanager
from functools import partial

from untorn.replay.connection import PlayerConnection, Players
from untorn.replay.errors import NotInTime, ReplayError
from untorn.replay.log import Log
from untorn.replay.routes import Playable, Routes
from untorn.replay.schedule import AS_RECORDED, Pace

HOST = "127.0.0.1"
BACKLOG = 1024
PATIENCE = 5.0
"""Seconds to wait for what should happen soon."""


class ReplayServer:
    """Plays scenarios and captures to any HTTP client, and logs what the client does.

    As a context manager it runs in a thread of its own; as an asynchronous one, in the event loop
    that enters it. Leaving the block ends every connection, whatever state it is in.

        with ReplayServer() as server:
            client = MyClient(base_url=server.url("reset-mid-text"))
    """

    def __init__(self, *, pace: Pace = AS_RECORDED) -> None:
        self.log = Log()
        """What each client did. It stays after the end."""
        self._routes = Routes()
        self._players = Players(self.log, self._routes, pace)
        self._port: int | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_closing = False
        self._changed = threading.Condition()
        self._wakers: set[Callable[[], object]] = set()
        self.log.changed = self._wake

    # Where it is, and what it plays -----------------------------------------------------------

    @property
    def base_url(self) -> str:
        """The URL for clients whose requests name a scenario as their model, or are answered as
        ``play`` was told."""
        return f"{self._origin}/v1"

    def url(self, *what: Playable) -> str:
        """A base URL under which every request is answered so. With several, the first request
        gets the first, the next the next; the last is for all that follow.

        Raises UnknownScenario.
        """
        return f"{self._origin}/{self._routes.path_of(what)}/v1"

    def play(self, *what: Playable) -> None:
        """Answer the requests to ``base_url`` with these in turn; the last is for all that follow.

        Raises UnknownScenario.
        """
        self._routes.play(what)

    @property
    def _origin(self) -> str:
        if self._port is None:
            raise ReplayError("the server does not run yet: enter it with `with` or `async with`")
        return f"http://{HOST}:{self._port}"

    # Waiting for what a client does -----------------------------------------------------------

    def wait_until(self, until: Callable[[Log], object], timeout: float = PATIENCE) -> None:
        """Wait until the log is so. Raises NotInTime after ``timeout`` seconds."""
        if self._loop is not None and self._loop is _running_loop():
            raise ReplayError("this would wait for itself: await until() or closed() in its place")
        with self._changed:
            if not self._changed.wait_for(lambda: until(self.log), timeout):
                raise NotInTime(timeout, str(self.log))

    def wait_closed(self, timeout: float = PATIENCE) -> None:
        """Wait until no connection is open any more, and one has been. Raises NotInTime."""
        self.wait_until(lambda log: log.all_closed, timeout)

    async def until(self, until: Callable[[Log], object], timeout: float = PATIENCE) -> None:
        """As ``wait_until``, in any event loop."""
        changed = asyncio.Event()
        waker = partial(asyncio.get_running_loop().call_soon_threadsafe, changed.set)
        self._wakers.add(waker)
        try:
            async with asyncio.timeout(timeout):
                while not until(self.log):
                    await changed.wait()
                    changed.clear()
        except TimeoutError as exc:
            raise NotInTime(timeout, str(self.log)) from exc
        finally:
            self._wakers.discard(waker)

    async def closed(self, timeout: float = PATIENCE) -> None:
        """As ``wait_closed``, in any event loop."""
        await self.until(lambda log: log.all_closed, timeout)

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()
        for waker in tuple(self._wakers):
            waker()

    # In an event loop -------------------------------------------------------------------------

    async def __aenter__(self) -> ReplayServer:
        self._listening = self._listen(self._bind())
        await self._listening.__aenter__()
        return self

    async def __aexit__(self, *_exc: object) -> None:
        await self._listening.__aexit__(None, None, None)
        self._raise_failures()

    @asynccontextmanager
    async def _listen(self, sock: socket.socket) -> AsyncGenerator[None, None]:
        self._loop = asyncio.get_running_loop()
        with sock, socket.socket() as knocking:
            accepting = self._loop.create_task(self._accept(self._loop, sock))
            try:
                yield
            finally:
                self._is_closing = True
                knocking.setblocking(False)
                knocking.connect_ex(sock.getsockname())  # so that it has something to accept
                await accepting
                await self._players.close()

    async def _accept(self, loop: asyncio.AbstractEventLoop, sock: socket.socket) -> None:
        """Take in connections until it is time to close.

        In place of asyncio's own server: when that is closed, it may forget a connection that it
        has just accepted, and never close it.
        """
        try:
            while True:
                accepted, _ = await loop.sock_accept(sock)
                if self._is_closing:
                    accepted.close()
                    return
                new_connection = partial(PlayerConnection, self._players)
                await loop.connect_accepted_socket(new_connection, accepted)
        except OSError as exc:  # such as too many open files
            self._players.failures.append(exc)

    def _bind(self) -> socket.socket:
        if self._port is not None:
            raise ReplayError("a server runs once: make another one")
        sock = socket.create_server((HOST, 0), backlog=BACKLOG)
        sock.setblocking(False)
        self._port = sock.getsockname()[1]
        return sock

    # In a thread ------------------------------------------------------------------------------

    def __enter__(self) -> ReplayServer:
        running: Future[Callable[[], object]] = Future()
        run = partial(self._run, self._bind(), running)
        self._thread = threading.Thread(target=run, name="untorn.replay", daemon=True)
        self._thread.start()
        self._stop = running.result(PATIENCE)
        return self

    def __exit__(self, *_exc: object) -> None:
        self._stop()
        self._thread.join(PATIENCE)
        if self._thread.is_alive():
            raise ReplayError(f"the server did not end within {PATIENCE:g} s: {self.log}")
        self._raise_failures()

    def _run(self, sock: socket.socket, running: Future[Callable[[], object]]) -> None:
        async def serve() -> None:
            stopped = asyncio.Event()
            stop = partial(asyncio.get_running_loop().call_soon_threadsafe, stopped.set)
            async with self._listen(sock):
                running.set_result(stop)
                await stopped.wait()

        asyncio.run(serve())

    def _raise_failures(self) -> None:
        if self._players.failures:
            raise ReplayError("the replay server itself failed") from self._players.failures[0]


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
