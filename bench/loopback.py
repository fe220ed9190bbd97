"""A server in a process of its own, which streams one answer to each request.

The path says how: ``/CHUNKS/PAUSE/...`` are the chunks of the answer, and the milliseconds between
two of its events. With a pause each event arrives alone, as it does from a model; with none, a
client that is slow gets many at once. It prints its origin, and ends when its input does.
"""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from functools import cache
from resource import RLIMIT_NOFILE, getrlimit, setrlimit

from bench import workloads

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
BACKLOG = 4096


@contextmanager
def running() -> Generator[str, None, None]:
    """The origin of a server that runs meanwhile."""
    command = [sys.executable, "-m", "bench.loopback"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield process.stdout.readline().decode().strip()
        finally:
            process.stdin.close()


@cache
def framed(chunks: int) -> list[bytes]:
    """An answer, each of whose events is a chunk of HTTP."""
    return [b"%x\r\n%b\r\n" % (len(event), event) for event in workloads.text(chunks).events]


def allow_many_files() -> None:
    """As many sockets as the system lets this process have."""
    _, most = getrlimit(RLIMIT_NOFILE)
    setrlimit(RLIMIT_NOFILE, (most, most))


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError, asyncio.IncompleteReadError):
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            size = re.search(rb"(?i)content-length: *(\d+)", head)
            await reader.readexactly(int(size[1]) if size else 0)
            _, chunks, pause, _ = head.split(b"/", 3)
            writer.write(HEAD)
            for event in framed(int(chunks)):
                writer.write(event)
                await writer.drain()
                if pause != b"0":
                    await asyncio.sleep(int(pause) / 1000)
            writer.write(b"0\r\n\r\n")
    writer.close()


async def main() -> None:
    allow_many_files()
    server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=BACKLOG)
    port = server.sockets[0].getsockname()[1]
    print(f"http://127.0.0.1:{port}", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(main())
