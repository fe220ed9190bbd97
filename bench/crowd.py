# mypy: ignore-errors
# uvloop is not installed where types are checked.
"""Many streams at once through one AsyncClient: ``python -m bench.crowd BACKEND ORIGIN STREAMS``.

In a process of its own, so that the memory is that of these streams alone. It prints, as JSON, how
many were right, the CPU seconds, and the bytes that they took when all were open.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import uvloop

from bench import workloads
from bench.loopback import allow_many_files
from untorn import AsyncClient, Clocks

CHUNKS = 20
PAUSE = 200
"""Milliseconds: long enough for all of them to be open at once."""


CLOCKS = Clocks(connect=60, first_byte=60)
"""All connect at once, and who comes last waits for the work of the others."""


def memory() -> int:
    """Bytes that this process has in memory."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


async def crowd(backend: Any, origin: str, streams: int) -> dict[str, float]:
    expected = workloads.text(CHUNKS).said.texts[0]
    open_now = most_memory = 0

    async def read(client: AsyncClient) -> bool:
        nonlocal open_now, most_memory
        texts = []
        async for text in client.chat(model="m", messages=[]).text:
            if not texts:
                open_now += 1
                if open_now == streams:
                    most_memory = memory()
            texts.append(text)
        return "".join(texts) == expected

    url = f"{origin}/{CHUNKS}/{PAUSE}"
    async with AsyncClient(url, backend=backend, clocks=CLOCKS) as client:
        await client.chat(model="m", messages=[]).result()
        before, start = memory(), time.process_time()
        right = await asyncio.gather(*(read(client) for _ in range(streams)))
        spent = time.process_time() - start
    return {
        "right": sum(right),
        "open": open_now if most_memory else 0,
        "bytes": (most_memory - before) / streams,
        "seconds": spent / streams / len(workloads.text(CHUNKS).events),
    }


if __name__ == "__main__":
    allow_many_files()
    backend, origin, streams = sys.argv[1:]
    print(json.dumps(uvloop.run(crowd(backend, origin, int(streams)))))
