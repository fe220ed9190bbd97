"""HTTP libraries, each as a program uses it: one client that posts, and gives the response."""

from __future__ import annotations

import asyncio
import http.client
import json
import threading
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
    contextmanager,
)
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import httpx
import httpx2
import requests
import urllib3

TIMEOUT = 60
"""Seconds that any of them waits at most, so that a test that hangs ends."""
BODY = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "Hello"}]}

Post = Callable[[str], Any]
"""From a base URL to the response, whose body is still to come."""
AsyncPost = Callable[[str], Awaitable[Any]]


@contextmanager
def _httpx2() -> Iterator[Post]:
    with httpx2.Client(trust_env=False, verify=False, timeout=TIMEOUT) as client:
        yield lambda url: client.send(client.build_request("POST", url, json=BODY), stream=True)


@contextmanager
def _httpx() -> Iterator[Post]:
    with httpx.Client(trust_env=False, verify=False, timeout=TIMEOUT) as client:
        yield lambda url: client.send(client.build_request("POST", url, json=BODY), stream=True)


@contextmanager
def _requests() -> Iterator[Post]:
    with requests.Session() as session:
        session.trust_env = False
        yield lambda url: session.post(url, json=BODY, stream=True, timeout=TIMEOUT)


@contextmanager
def _urllib3() -> Iterator[Post]:
    with urllib3.PoolManager(retries=False, timeout=TIMEOUT) as pool:
        yield lambda url: pool.request("POST", url, json=BODY, preload_content=False)


@contextmanager
def _urllib() -> Iterator[Post]:
    def post(url: str) -> Any:
        request = urllib.request.Request(url, json.dumps(BODY).encode())
        try:
            return urllib.request.urlopen(request, timeout=TIMEOUT)
        except urllib.error.HTTPError as exc:
            return exc  # it is the response, too

    yield post


@contextmanager
def _http_client() -> Iterator[Post]:
    connections: dict[str, http.client.HTTPConnection] = {}

    def post(url: str) -> http.client.HTTPResponse:
        parts = urlsplit(url)
        if parts.netloc not in connections:
            connections[parts.netloc] = http.client.HTTPConnection(parts.netloc, timeout=TIMEOUT)
        connection = connections[parts.netloc]
        connection.request("POST", parts.path, json.dumps(BODY))
        return connection.getresponse()

    try:
        yield post
    finally:
        for connection in connections.values():
            connection.close()


@asynccontextmanager
async def _async_httpx2() -> AsyncIterator[AsyncPost]:
    async with httpx2.AsyncClient(trust_env=False, verify=False, timeout=TIMEOUT) as client:
        yield lambda url: client.send(client.build_request("POST", url, json=BODY), stream=True)


@asynccontextmanager
async def _async_httpx() -> AsyncIterator[AsyncPost]:
    async with httpx.AsyncClient(trust_env=False, verify=False, timeout=TIMEOUT) as client:
        yield lambda url: client.send(client.build_request("POST", url, json=BODY), stream=True)


@asynccontextmanager
async def _aiohttp() -> AsyncIterator[AsyncPost]:
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(TIMEOUT)) as session:
        yield lambda url: session.post(url, json=BODY)


SYNC: dict[str, Callable[[], AbstractContextManager[Post]]] = {
    "httpx2": _httpx2,
    "httpx": _httpx,
    "requests": _requests,
    "urllib3": _urllib3,
    "urllib": _urllib,
}
ASYNC: dict[str, Callable[[], AbstractAsyncContextManager[AsyncPost]]] = {
    "httpx2": _async_httpx2,
    "httpx": _async_httpx,
    "aiohttp": _aiohttp,
}
KEEPING_ALIVE = {**SYNC, "urllib": _http_client}
"""urlopen asks the server to close; the connection under it can be used again."""


async def no_task_left() -> None:
    """Wait until every other task has ended.

    httpx leaves its generators to the garbage collector, which ends each of them in a task.
    """
    others = asyncio.all_tasks() - {asyncio.current_task()}
    if others:
        _, pending = await asyncio.wait(others, timeout=TIMEOUT)
        assert not pending


def no_thread_left() -> None:
    """Wait until the thread that watches readers has ended."""
    for thread in threading.enumerate():
        if thread.name == "untorn":
            thread.join(TIMEOUT)
            assert not thread.is_alive()
