"""Rows and ways → cells: what became of each stream in each library."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Literal, NamedTuple, cast

import openai
from msgspec import structs

from frameworks.rows import Row
from frameworks.seen import TIMEOUT, Asked, Seen, Way
from untorn.clients.openai import async_http_client, http_client
from untorn.options import Clocks
from untorn.replay.log import Connection
from untorn.replay.server import ReplayServer

Word = Literal["right", "raises", "asks again", "loses", "crashes", "hangs", "LIES", "RUNS"]

SOON = 1.0
"""Seconds of the clock that ends a stream."""
AT_ONCE = 8
AFTER_A_CALL = "text"
"""What is answered to the request that brings the results of tools."""
END = 60.0
"""Seconds after which a connection should have ended, and a busy machine done anything."""

# The machine's proxies and certificates are not the matter.
ALONE: dict[str, Any] = {"trust_env": False, "verify": False}


class Cell(NamedTuple):
    """What became of one stream in one library."""

    way: Way
    row: Row
    word: Word
    seen: Seen
    error: Exception | None
    """What came in place of the end."""


class Job:
    """One stream, to be asked for in one way."""

    def __init__(self, way: Way, row: Row, server: ReplayServer, *, with_ours: bool) -> None:
        self.way = way
        self._row = row
        self._server = server
        self._seen = Seen()
        self._url = server.url(row.reply, AFTER_A_CALL)
        self._with_ours = with_ours
        self._looked_at = 0
        self._mine: list[Connection] = []

    def run(self) -> Cell:
        """For a synchronous way."""
        asked, error = self._asked(), None
        try:
            self.way.ask(asked, self._seen)
        except Exception as exc:
            error = exc
        if not self.way.has_async_client:
            asked.http_client.close()
        self._server.wait_until(lambda _log: self._is_over, END)
        return self._cell(error)

    async def arun(self) -> Cell:
        """For one under asyncio."""
        asked, error = self._asked(), None
        try:
            await cast("Awaitable[None]", self.way.ask(asked, self._seen))
        except Exception as exc:
            error = exc
        await asked.http_client.aclose()
        await self._server.until(lambda _log: self._is_over, END)
        return self._cell(error)

    def _asked(self) -> Asked:
        client = _http_client(self.way, self._row) if self._with_ours else _bare_client(self.way)
        tools = dict.fromkeys(call.name for call in self._row.calls)
        return Asked(self._url, client, self._row.choices, list(tools))

    @property
    def _connections(self) -> list[Connection]:
        """Those on which it has asked: looked for in what is new of the log."""
        log = self._server.log
        new = log.exchanges[self._looked_at :]
        self._looked_at += len(new)
        self._mine += [
            log.connections[one.connection - 1]
            for one in new
            if self._url.endswith(one.request.path.removesuffix("/chat/completions"))
        ]
        return self._mine

    @property
    def _is_over(self) -> bool:
        return not any(connection.is_open for connection in self._connections)

    def _cell(self, error: Exception | None) -> Cell:
        if not self._connections:
            raise RuntimeError(f"{self.way.name} has asked for nothing") from error
        word = word_for(self._row, self.way, self._seen, error)
        first, *later = self._connections
        if self._row.clock is not None and first.closed_by == "server":
            word = "hangs"
        elif later and not self._seen.ran and word in ("LIES", "loses"):
            word = "asks again"
        return Cell(self.way, self._row, word, self._seen, error)


def clocks_for(row: Row) -> Clocks:
    """The clock that is meant is short; the others only end what hangs."""
    clocks = Clocks(first_byte=END, idle=END, content_idle=END, after_end=END)
    return clocks if row.clock is None else structs.replace(clocks, **{row.clock: SOON})


def _http_client(way: Way, row: Row) -> Any:
    make: Any = async_http_client if way.has_async_client else http_client
    return make(clocks=clocks_for(row), options=row.options, timeout=END, **ALONE)


def _bare_client(way: Way) -> Any:
    kind = openai.DefaultAsyncHttpxClient if way.has_async_client else openai.DefaultHttpxClient
    return kind(timeout=TIMEOUT, **ALONE)


def word_for(row: Row, way: Way, seen: Seen, error: Exception | None) -> Word:
    """What became of a stream, in one word."""
    whole = [plain(call.name, call.arguments) for call in row.whole_calls]
    if any(plain(*call) not in whole for call in seen.ran):
        return "RUNS"
    if row.is_stopped and isinstance(error, way.stopped):
        return "right"
    if error is not None:
        return "raises" if isinstance(error, way.errors) else "crashes"
    if not row.is_right:
        return "LIES"
    is_right = seen.text == row.text and [plain(*call) for call in seen.calls] == whole
    return "right" if is_right else "loses"


def plain(name: str, arguments: Any) -> tuple[str, Any]:
    """A call to be compared: libraries give its arguments as text or decoded, and who encoded them
    twice meant the object."""
    value = arguments
    for _ in range(2):
        if isinstance(value, str):
            with suppress(ValueError):
                value = json.loads(value or "{}")
    return name, {} if value is None else value


def cells_of(
    ways: Sequence[Way], rows: Iterable[Row], server: ReplayServer, *, with_ours: bool
) -> list[Cell]:
    """Fill all cells: many at a time, since most of the time some wait."""
    jobs = [
        Job(way, row, server, with_ours=with_ours)
        for row in rows
        for way in ways
        if way.has_choices or row.choices == 1
    ]

    with ThreadPoolExecutor(AT_ONCE) as pool:
        cells = [*pool.map(Job.run, [job for job in jobs if not job.way.is_async])]
    return [*cells, *asyncio.run(_run([job for job in jobs if job.way.is_async]))]


async def _run(jobs: Iterable[Job]) -> list[Cell]:
    turns = asyncio.Semaphore(AT_ONCE)

    async def run(job: Job) -> Cell:
        async with turns:
            return await job.arun()

    return await asyncio.gather(*map(run, jobs))
