"""After each kind of failure the next target is asked, and its answer is whole."""

from __future__ import annotations

import socket
import struct
from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from typing import Any

import pytest
import trustme

from tests.clients.certificates import context_of
from tests.clients.colours import WAYS, ask
from tests.clients.raw_server import raw_server
from tests.http_clients import no_thread_left
from untorn import NoConnection, StreamInterrupted
from untorn.options import Clocks, Target
from untorn.replay import streams
from untorn.testing import ReplayServer

LARGE = [{"role": "user", "content": "x" * (16 << 20)}]
RESET = struct.pack("ii", 1, 0)


def reset(sock: socket.socket) -> None:
    """Read a little of the request, and reset the connection."""
    sock.recv(1000)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)


@contextmanager
def silent() -> Generator[str, None, None]:
    """Its queue of connections is full, so that none is made."""
    with socket.socket() as listening, socket.socket() as first, socket.socket() as second:
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        for one in (first, second):
            one.setblocking(False)
            one.connect_ex(listening.getsockname())
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


KINDS: dict[str, tuple[Any, str]] = {
    "name": (nullcontext("http://untorn.invalid"), "the name of the host is not known"),
    "refused": (nullcontext("http://127.0.0.1:1"), "the connection was refused"),
    "no connection": (silent, "no connection within 0.3 seconds (clock connect)"),
    "certificate": (
        lambda: raw_server(lambda sock: sock, context_of(trustme.CA())),
        "TLS failed, the certificate is refused: ",
    ),
    "reset while the request is sent": (lambda: raw_server(reset), "before the response began"),
}
CLOCKS = Clocks(connect=0.3)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_next_target_answers(way: str, kind: str, stream_server: ReplayServer) -> None:
    made, why = KINDS[kind]
    other = Target(base_url=stream_server.url("text"))
    with made() if callable(made) else made as url:
        call = {"messages": LARGE if "sent" in kind else []}
        (answer,) = ask(way, call, base_url=url, targets=[other], max_retries=1, clocks=CLOCKS)
    completion = answer.completion
    assert completion.verdict.outcome == "complete"
    assert completion.content == streams.TEXT
    *failed, last = completion.attempts
    assert last.target.startswith(stream_server.base_url.removesuffix("/v1"))
    again = 1 if kind in ("certificate", "no connection") else 2
    assert len(failed) == again
    for attempt in failed:
        assert (attempt.status, attempt.said) == (None, False)
        assert why in attempt.why
    stream_server.wait_closed()
    no_thread_left()


@pytest.mark.parametrize("way", WAYS)
def test_a_reset_while_the_request_is_sent_is_an_interruption(way: str) -> None:
    with raw_server(reset) as url:
        (answer,) = ask(way, {"messages": LARGE}, base_url=url, max_retries=0)
    assert isinstance(answer.error, StreamInterrupted)
    assert not isinstance(answer.error, NoConnection)
    assert answer.completion.verdict.ending == "cut"
