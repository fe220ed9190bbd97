"""httpx2, made to keep the deadline of the thread that it is used in."""

from __future__ import annotations

from typing import Any

import httpcore2

from untorn.clients.deadline import time_left


def keep_deadlines(client: Any) -> None:
    """See ``deadline``, for all that an ``httpx2.Client`` reads from now on.

    httpcore2 takes a network backend, but httpx2 has no argument for it, hence the private names.
    """
    for transport in (client._transport, *client._mounts.values()):
        pool = getattr(transport, "_pool", None)
        if pool is not None:
            pool._network_backend = DeadlineBackend(pool._network_backend)


class DeadlineBackend(httpcore2.NetworkBackend):
    """Opens connections whose reads and writes keep the deadline of their thread."""

    def __init__(self, backend: httpcore2.NetworkBackend) -> None:
        self._backend = backend

    def connect_tcp(self, *args: Any, **kwargs: Any) -> httpcore2.NetworkStream:
        return DeadlineStream(self._backend.connect_tcp(*args, **kwargs))

    def connect_unix_socket(self, *args: Any, **kwargs: Any) -> httpcore2.NetworkStream:
        return DeadlineStream(self._backend.connect_unix_socket(*args, **kwargs))

    def sleep(self, seconds: float) -> None:
        self._backend.sleep(seconds)


class DeadlineStream(httpcore2.NetworkStream):
    """One of these connections."""

    def __init__(self, stream: httpcore2.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, time_left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, time_left(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(self, *args: Any, **kwargs: Any) -> httpcore2.NetworkStream:
        return DeadlineStream(self._stream.start_tls(*args, **kwargs))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
