"""Rows × ways → cells: what became of each stream in each library."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal, NamedTuple, cast

import openai

from frameworks.rows import Row
from frameworks.seen import TIMEOUT, Asked, Seen, Way
from untorn.clients.openai import async_http_client, http_client
from untorn.options import Clocks
from untorn.replay.server import ReplayServer

Word = Literal["right", "raises", "crashes", "loses", "LIES", "RUNS", "hangs"]

CLOCKS = Clocks(first_byte=1.0, idle=1.0, content_idle=1.5)
AT_ONCE = 8
AFTER_A_CALL = "text"
"""What is answered to the request that brings the results of tools."""
END = 60
"""Seconds after which a connection should have ended."""

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
        self._http = _http_client(way, row) if with_ours else _bare_client(way)
        tools = dict.fromkeys(call.name for call in row.calls)
        self._asked = Asked(
            server.url(row.reply, AFTER_A_CALL), self._http, row.choices, list(tools)
        )

    def run(self) -> Cell:
        """For a synchronous way."""
        error = None
        try:
            self.way.ask(self._asked, self._seen)
        except Exception as exc:
            error = exc
        if not self.way.has_async_client:
            self._http.close()
        self._server.wait_until(lambda _log: self._is_over, END)
        return self._cell(error)

    async def arun(self) -> Cell:
        """For one under asyncio."""
        error = None
        try:
            await cast("Awaitable[None]", self.way.ask(self._asked, self._seen))
        except Exception as exc:
            error = exc
        await self._http.aclose()
        await self._server.until(lambda _log: self._is_over, END)
        return self._cell(error)

    @property
    def _connections(self) -> list[Any]:
        log = self._server.log
        mine = [one for one in log.exchanges if self._asked.base_url.endswith(_base_of(one))]
        return [log.connections[one.connection - 1] for one in mine]

    @property
    def _is_over(self) -> bool:
        return not any(connection.is_open for connection in self._connections)

    def _cell(self, error: Exception | None) -> Cell:
        waited = self._row.clock is not None and self._connections[0].closed_by == "server"
        word = "hangs" if waited else word_for(self._row, self._seen, error, self.way.errors)
        return Cell(self.way, self._row, word, self._seen, error)


def _base_of(exchange: Any) -> str:
    path: str = exchange.request.path
    return path.removesuffix("/chat/completions")


def _http_client(way: Way, row: Row) -> Any:
    make: Any = async_http_client if way.has_async_client else http_client
    return make(clocks=CLOCKS, options=row.options, timeout=TIMEOUT, **ALONE)


def _bare_client(way: Way) -> Any:
    kind = openai.DefaultAsyncHttpxClient if way.has_async_client else openai.DefaultHttpxClient
    return kind(timeout=TIMEOUT, **ALONE)


def word_for(
    row: Row, seen: Seen, error: Exception | None, errors: tuple[type[Exception], ...]
) -> Word:
    """What became of a stream, in one word."""
    whole = [plain(call.name, call.arguments) for call in row.whole_calls]
    if any(plain(*call) not in whole for call in seen.ran):
        return "RUNS"
    if isinstance(error, openai.LengthFinishReasonError):
        return "right" if row.outcome == "truncated" else "raises"
    if isinstance(error, openai.ContentFilterFinishReasonError):
        return "right" if row.outcome == "filtered" else "raises"
    if error is not None:
        return "raises" if isinstance(error, errors) else "crashes"
    if not row.is_right:
        return "LIES"
    is_right = seen.text == row.text and [plain(*call) for call in seen.calls] == whole
    return "right" if is_right else "loses"


def plain(name: str, arguments: Any) -> tuple[str, Any]:
    """A call to be compared: libraries give its arguments as text or decoded."""
    if isinstance(arguments, str):
        try:
            return name, json.loads(arguments or "{}")
        except ValueError:
            return name, arguments
    return name, {} if arguments is None else arguments


def cells_of(
    ways: Sequence[Way], rows: Iterable[Row], server: ReplayServer, *, with_ours: bool
) -> list[Cell]:
    """Fill all cells: many at a time, since most of the time some wait."""
    rows = list(rows)

    async def run_all() -> list[Cell]:
        turns = asyncio.Semaphore(AT_ONCE)

        async def run(way: Way, row: Row) -> Cell:
            async with turns:
                return await Job(way, row, server, with_ours=with_ours).arun()

        jobs = [run(way, row) for way in ways for row in rows if way.is_async]
        return await asyncio.gather(*jobs)

    jobs = [(way, row) for way in ways for row in rows if not way.is_async]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        cells = [*pool.map(lambda job: Job(*job, server, with_ours=with_ours).run(), jobs)]
    return [*cells, *asyncio.run(run_all())]
