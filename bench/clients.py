# mypy: ignore-errors
# openai and uvloop are not installed where types are checked.
"""Clients from end to end, over a socket: CPU time per event, and many streams at once."""

from __future__ import annotations

import asyncio
import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import NamedTuple

from bench import loopback, workloads
from bench.markdown import table
from bench.measure import Samples, measure, ratio, short
from untorn import AsyncClient, Client, parse


class Way(NamedTuple):
    """How the answers come."""

    name: str
    streams: int
    """How many at once; what is not asynchronous reads one."""
    chunks: int
    """Of each."""
    pause: int
    """Milliseconds between two events."""


WAYS = [
    Way("one stream", 1, 1000, 1),
    Way("32 streams at once", 32, 100, 10),
    Way("as fast as they come", 1, 4000, 0),
]
STREAMS = 2_000
OPENAI, OPENAI_SYNC = "openai, async", "openai, sync"
DROP_IN, DROP_IN_SYNC = "openai with the drop-in, async", "openai with the drop-in, sync"
TARGETS = {
    "AsyncClient, httpx2": 2.4,
    "AsyncClient, aiohttp": 6.0,
    DROP_IN: 1 / 1.1,
    DROP_IN_SYNC: 1 / 1.1,
}
"""How many times as long openai-python's stream has to take."""
ALONE = {name: f"{name} alone, async" for name in ("aiohttp", "httpx2")}
"""The library gives its bytes, and nobody reads them until all have come."""
ASYNC = ("AsyncClient, aiohttp", "AsyncClient, httpx2", *ALONE.values(), DROP_IN)
LIBRARIES = ("openai", "httpx2", "aiohttp", "urllib3", "uvloop")
PAGE = Path(__file__).parent.parent / "docs" / "clients.md"
SECTION = re.compile(r"^## What it costs\n.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)

SECTION_TEXT = """\
## What it costs

`make bench ARGS="--clients --report"` writes this section. CPU time of the client's process per
event, the connection and the verdict included, over loopback, beside openai-python in the same run;
medians of {rounds} rounds, and in brackets the quartiles of each round's ratio. {where}.

{times}

- **One stream**: an event each millisecond. Between two of them the process sleeps, and to wake up
  costs everybody the same: most of what is measured here.
- **32 streams at once**: an event each 10 ms in each of them, so that there is always one to read.
- **As fast as they come**: a read has many events.

Of what is alone the bytes are read at once when the last has come: less than that its client
cannot cost. openai-python gives chunks, and says nothing of the end. It was to take so many times
as long, at least: {targets}.
The load was {load:.1f} on {cores} cores; the higher it is, the more it costs to wake up.

{streams:,} streams at once through one AsyncClient:

{crowds}

Versions: {versions}.
"""

Run = Callable[[], list[str]]
ASKED = {"model": "m", "messages": [{"role": "user", "content": "Say something."}]}


def report(rounds: int, *, write: bool) -> int:
    """Measure, print, and write the section if asked to; 1 if an answer was wrong."""
    with loopback.running() as origin:
        samples = {way: measured(origin, way, rounds) for way in WAYS}
        crowds = {backend: crowd(backend, origin) for backend in ("httpx2", "aiohttp")}
    text = SECTION_TEXT.format(
        rounds=rounds,
        where=f"Python {platform.python_version()} on {platform.system()}, {platform.machine()}; "
        "uvloop for all that is asynchronous",
        times=times_table(samples),
        streams=STREAMS,
        load=os.getloadavg()[0],
        cores=os.cpu_count(),
        targets="; ".join(f"{name} {times:.2g}" for name, times in TARGETS.items()),
        crowds=crowds_table(crowds),
        versions=", ".join(f"{name} {version(name)}" for name in LIBRARIES),
    )
    print(text)
    if write:
        page = PAGE.read_text(encoding="utf-8")
        # Not as a pattern: a backslash in it would mean something.
        PAGE.write_text(SECTION.sub(lambda _: text, page), encoding="utf-8")
    wrong = [name for name, found in crowds.items() if found["right"] != STREAMS]
    for name in wrong:
        print(f"not all streams were right: {name}")
    return 1 if wrong else 0


def measured(origin: str, way: Way, rounds: int) -> Samples:
    """CPU seconds of each client for one event."""
    expected = workloads.text(way.chunks).said.texts[0]
    with clients(f"{origin}/{way.chunks}/{way.pause}", way.streams) as runs:
        for name, run in runs.items():
            if set(run()) != {expected}:
                raise AssertionError(f"{name} does not say what the server says")
        samples = measure(runs, rounds)
    events = way.streams * len(workloads.text(way.chunks).events)
    return {name: [one / events for one in found] for name, found in samples.items()}


@contextmanager
def clients(url: str, streams: int) -> Iterator[dict[str, Run]]:
    """What each of them does for one answer."""
    import aiohttp
    import httpx2
    import openai
    import uvloop

    from untorn.clients.openai import async_http_client, http_client

    with ExitStack() as stack:
        runner = stack.enter_context(asyncio.Runner(loop_factory=uvloop.new_event_loop))

        def in_loop(make: Callable[[], Awaitable[str]]) -> Run:
            async def all_at_once() -> list[str]:
                return await asyncio.gather(*(make() for _ in range(streams)))

            return lambda: runner.run(all_at_once())

        def ours(backend: str) -> Run:
            client = stack.enter_context(Client(url, backend=backend))
            return lambda: ["".join(client.chat(**ASKED).text)]

        def ours_async(backend: str) -> Run:
            client = AsyncClient(url, backend=backend)
            stack.callback(lambda: runner.run(client.close()))

            async def run() -> str:
                chat = client.chat(**ASKED)
                return "".join([text async for text in chat.text])

            return in_loop(run)

        aiohttp_session = runner.run(in_it(aiohttp.ClientSession))
        stack.callback(lambda: runner.run(aiohttp_session.close()))
        httpx2_client = httpx2.AsyncClient()
        stack.callback(lambda: runner.run(httpx2_client.aclose()))

        async def aiohttp_alone() -> str:
            async with aiohttp_session.post(f"{url}/chat/completions", json=ASKED) as response:
                return parsed([data async for data in response.content.iter_any()])

        async def httpx2_alone() -> str:
            address = f"{url}/chat/completions"
            async with httpx2_client.stream("POST", address, json=ASKED) as response:
                return parsed([data async for data in response.aiter_raw()])

        at = {"base_url": url, "api_key": "none"}

        def openai_sync(http_client: object = None) -> Run:
            client = stack.enter_context(openai.OpenAI(**at, http_client=http_client))
            return lambda: [
                "".join(map(said, client.chat.completions.create(**ASKED, stream=True)))
            ]

        def openai_async(http_client: object = None) -> Run:
            client = openai.AsyncOpenAI(**at, http_client=http_client)
            stack.callback(lambda: runner.run(client.close()))

            async def run() -> str:
                stream = await client.chat.completions.create(**ASKED, stream=True)
                return "".join([said(chunk) async for chunk in stream])

            return in_loop(run)

        runs = {
            "AsyncClient, aiohttp": ours_async("aiohttp"),
            ALONE["aiohttp"]: in_loop(aiohttp_alone),
            "AsyncClient, httpx2": ours_async("httpx2"),
            ALONE["httpx2"]: in_loop(httpx2_alone),
            OPENAI: openai_async(),
            DROP_IN: openai_async(async_http_client()),
        }
        if streams == 1:
            runs |= {
                "Client, urllib3": ours("urllib3"),
                "Client, httpx2": ours("httpx2"),
                OPENAI_SYNC: openai_sync(),
                DROP_IN_SYNC: openai_sync(http_client()),
            }
        yield runs


async def in_it(make: Callable[[], object]) -> object:
    """What is made in a running loop."""
    return make()


def parsed(reads: list[bytes]) -> str:
    """The content of a body that has come."""
    return parse(b"".join(reads)).content or ""


def said(chunk: object) -> str:
    """The text in a chunk of openai's."""
    return "".join(choice.delta.content or "" for choice in chunk.choices)


def crowd(backend: str, origin: str) -> dict[str, float]:
    """See bench.crowd."""
    command = [sys.executable, "-m", "bench.crowd", backend, origin, str(STREAMS)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def times_table(samples: dict[Way, Samples]) -> str:
    """Rows by client: microseconds per event, and how many times as long openai takes."""
    head = [cell for way in WAYS for cell in (f"{way.name}, µs", "openai takes")]
    rows = [
        [name, *(cell for way in WAYS for cell in cells_of(samples[way], name))]
        for name in samples[WAYS[0]]
    ]
    return table(["", *head], rows)


def cells_of(samples: Samples, name: str) -> list[str]:
    """Of one client and one way."""
    if name not in samples:
        return ["", ""]
    base = OPENAI if name in (*ASYNC, OPENAI) else OPENAI_SYNC
    time = short(median(samples[name]) * 1e6)
    if name == base:
        return [time, ""]
    times = ratio(samples[base], samples[name])
    missed = ", missed" if times.middle < TARGETS.get(name, 0) else ""
    return [time, f"{times}{missed}"]


def crowds_table(crowds: dict[str, dict[str, float]]) -> str:
    """Rows by backend."""
    rows = []
    for name, found in crowds.items():
        assert found["open"] == STREAMS, "they were not all open at once"
        cells = [f"{found['right']:,.0f}", short(found["bytes"] / 1000)]
        rows.append([name, *cells, short(found["seconds"] * 1e6)])
    return table(["", "right", "KB a stream", "µs an event"], rows)
