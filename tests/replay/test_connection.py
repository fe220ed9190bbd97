"""One connection, seen from the other end of a real socket."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import pytest

from tests.replay.peer import asked, connected, request
from untorn.capture import Read
from untorn.options import KIB, MIB
from untorn.replay import ReplayServer, faults
from untorn.replay.errors import ReplayError
from untorn.replay.reply import NEVER, Reply
from untorn.replay.scenarios import SCENARIOS

END = b"0\r\n\r\n"
TEXT = SCENARIOS["text"].reply
HALF = SCENARIOS["stall-mid-text"].reply


@pytest.fixture
def server() -> Iterator[ReplayServer]:
    with ReplayServer() as server:
        yield server


def body(answer: bytes) -> bytes:
    return answer.partition(b"\r\n\r\n")[2]


def unchunked(data: bytes) -> list[bytes]:
    """The pieces of a chunked body, and what stands in place of the next size."""
    pieces = []
    while data:
        size, _, rest = data.partition(b"\r\n")
        length = int(size, 16)
        pieces.append(rest[:length])
        data = rest[length + 2 :]
    return pieces


# Bodies ---------------------------------------------------------------------------------------


def test_each_read_is_a_piece_of_the_chunked_body(server: ReplayServer) -> None:
    answer, _ = asked(server.url("text-slices"))
    reads = SCENARIOS["text-slices"].reply.reads
    assert unchunked(body(answer)) == [*(read.data for read in reads), b""]


@pytest.mark.parametrize("name", ["text-close", "text-length"])
def test_without_chunks_the_body_is_as_it_is(server: ReplayServer, name: str) -> None:
    answer, end = asked(server.url(name))
    assert (body(answer), end) == (TEXT.body, "fin")


def test_a_large_body_comes_whole_to_a_slow_reader(server: ReplayServer) -> None:
    data = bytes(range(256)) * 16 * KIB
    reply = Reply(reads=[Read(0.0, data)], framing="content-length")
    answer, _ = asked(server.url(reply))
    assert body(answer) == data


def test_a_status_that_no_standard_knows_is_sent(server: ReplayServer) -> None:
    answer, _ = asked(server.url(Reply(status=529)))
    assert answer.startswith(b"HTTP/1.1 529 \r\n")


# Ends -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "end"),
    [
        ("fin-mid-text", "fin"),
        ("fin-mid-text-length", "fin"),
        ("close-mid-text", "fin"),
        ("reset-mid-text", "reset"),
        ("reset-before-head", "reset"),
        ("fin-before-head", "fin"),
    ],
)
def test_a_connection_ends_as_the_scenario_says(server: ReplayServer, name: str, end: str) -> None:
    with connected(server.base_url) as peer:
        peer.send(request(server.url(name)))
        answer, ended = peer.rest()
    assert ended == end
    assert END not in answer
    [connection] = server.log.connections
    assert (connection.closed_by, connection.was_reset) == ("server", end == "reset")


def test_all_that_was_sent_before_a_reset_has_arrived(server: ReplayServer) -> None:
    with connected(server.base_url) as peer:
        peer.send(request(server.url("reset-mid-text")))
        answer, _ = peer.rest()
    assert b"".join(unchunked(body(answer))) == HALF.body


def test_another_protocol_is_spoken_without_a_head(server: ReplayServer) -> None:
    assert asked(server.url("not-http")) == (b"SSH-2.0-bridge_1.0\r\n", "fin")


def test_a_stall_lasts_until_the_client_closes(server: ReplayServer) -> None:
    with connected(server.base_url) as peer:
        peer.send(request(server.url("stall-mid-text")))
        peer.until(HALF.reads[-1].data + b"\r\n")
        server.wait_until(lambda log: log.exchanges[0].reads_sent == 5)
        assert server.log.connections[0].is_open
    server.wait_closed()
    [connection] = server.log.connections
    assert (connection.closed_by, connection.was_reset) == ("client", False)
    assert not connection.exchanges[0].finished


def test_a_reset_by_the_client_is_told_from_a_close(server: ReplayServer) -> None:
    with connected(server.base_url) as peer:
        peer.send(request(server.url("stall-mid-text")))
        peer.until(HALF.reads[-1].data + b"\r\n")
        peer.reset()
        server.wait_closed()
    [connection] = server.log.connections
    assert (connection.closed_by, connection.was_reset) == ("client", True)


def test_heartbeats_end_when_the_client_closes(server: ReplayServer) -> None:
    with connected(server.base_url) as peer:
        peer.send(request(server.url("heartbeats-for-ever")))
        for _ in range(3):
            peer.until(faults.COMMENT + b"\r\n")
    server.wait_closed()
    assert server.log.connections[0].closed_by == "client"


# Requests -------------------------------------------------------------------------------------


def test_five_requests_use_one_connection(server: ReplayServer) -> None:
    with connected(server.base_url) as peer:
        for name in ("text", "no-done", "text-length", "json-error", "status-500"):
            reply = SCENARIOS[name].reply
            peer.send(request(server.url(name)))
            peer.until(END if reply.framing == "chunked" else reply.body)
    server.wait_closed()
    [connection] = server.log.connections
    assert [exchange.finished for exchange in connection.exchanges] == [True] * 5


def test_pipelined_requests_are_answered_in_order(server: ReplayServer) -> None:
    with connected(server.base_url) as peer:
        peer.send(
            request(server.url("no-done"))
            + request(server.url("text"))
            + request(server.url("status-500"), b"Connection: close\r\n")
        )
        answer, end = peer.rest()
    assert end == "fin"
    assert answer.count(b"HTTP/1.1 200 OK") == 2
    assert b"\r\nConnection: close\r\n" in answer
    assert [exchange.scenario for exchange in server.log.exchanges] == [
        "no-done",
        "text",
        "status-500",
    ]


def test_a_request_may_come_in_pieces(server: ReplayServer) -> None:
    data = request(server.url("text"), b"Connection: close\r\n")
    with connected(server.base_url) as peer:
        for at in range(len(data)):
            peer.send(data[at : at + 1])
        answer, _ = peer.rest()
    assert b"".join(unchunked(body(answer))) == TEXT.body


def test_a_client_that_waits_before_it_sends_the_body_is_told_to_go_on(
    server: ReplayServer,
) -> None:
    head, _, content = request(server.url("text"), b"Expect: 100-continue\r\n").partition(b"{")
    with connected(server.base_url) as peer:
        peer.send(head)
        assert peer.until(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        peer.send(b"{" + content)
        assert peer.until(END).startswith(b"HTTP/1.1 200 OK\r\n")


def test_half_a_request_is_no_request(server: ReplayServer) -> None:
    with connected(server.base_url) as peer:
        peer.send(request(server.url("text"))[:-1])
    server.wait_closed()
    assert server.log.requests == []
    assert (server.log.connections[0].closed_by, server.log.refused) == ("client", [])


def test_what_was_asked_is_in_the_log(server: ReplayServer) -> None:
    with connected(server.base_url) as peer:
        peer.send(request(server.url("text"), b"Authorization: Bearer canary\r\n", b'{"n": 1}'))
        peer.until(END)
    [exchange] = server.log.exchanges
    assert exchange.request.method == "POST"
    assert exchange.request.path == "/text/v1/chat/completions"
    assert exchange.request.header("authorization") == "Bearer [hidden]"
    assert exchange.request.body == b'{"n": 1}'
    assert (exchange.scenario, exchange.connection) == ("text", 1)
    assert (exchange.body_sent, exchange.reads_sent) == (len(TEXT.body), len(TEXT.reads))


# What is wrong with a client ------------------------------------------------------------------


def test_an_unknown_scenario_is_a_404_that_says_what_to_do(server: ReplayServer) -> None:
    with connected(server.base_url) as peer:
        for _ in range(2):
            peer.send(request(server.base_url, body=b'{"model": "tex"}'))
            answer = peer.until(b"}}")
            assert answer.startswith(b"HTTP/1.1 404 Not Found\r\n")
            assert b"no scenario is named 'tex'; did you mean text" in answer
    assert [exchange.scenario for exchange in server.log.exchanges] == [None, None]
    assert len(server.log.refused) == 2


def test_a_refusal_arrives_though_the_client_is_still_sending(server: ReplayServer) -> None:
    with connected(server.base_url) as peer:
        peer.send(b"POST / HTTP/1.1\r\nHost: a\r\nx: " + b"y" * MIB)
        answer, end = peer.rest()
    assert answer.startswith(b"HTTP/1.1 431 ")
    assert end == "fin"
    assert server.log.refused == ["connection 1: the head has more than 65536 bytes"]


def test_bytes_after_a_refusal_are_not_kept(server: ReplayServer) -> None:
    with connected(server.base_url) as peer:
        peer.send(b"no request\r\n\r\n")
        answer, _ = peer.rest()
        peer.send(b"x" * MIB)
    server.wait_closed()
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert len(server.log.refused) == 1


def test_a_client_that_does_not_go_after_a_refusal_is_thrown_out(
    server: ReplayServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("untorn.replay.connection.LINGER", 0.0)
    with connected(server.base_url) as peer:
        peer.send(b"no request\r\n\r\n")
        server.wait_closed()
    assert server.log.connections[0].closed_by == "server"


def test_a_client_that_sends_too_much_ahead_is_cut_off(server: ReplayServer) -> None:
    with connected(server.base_url) as peer:
        peer.send(request(server.url("stall-mid-text")))
        server.wait_until(lambda log: log.exchanges)
        with suppress(ConnectionError):
            peer.send(b"x" * 16 * MIB)
    server.wait_closed()
    assert server.log.connections[0].was_reset
    assert server.log.refused == ["connection 1: the client sent more than 1048576 bytes ahead"]


def test_a_client_that_does_not_read_holds_up_only_itself(server: ReplayServer) -> None:
    endless = Reply(repeat=[Read(0.0, b"x" * 256 * KIB)])
    with connected(server.base_url) as deaf:
        deaf.send(request(server.url(endless)))
        server.wait_until(lambda log: log.exchanges and log.exchanges[0].reads_sent)
        answer, _ = asked(server.url("text"))
    assert b"".join(unchunked(body(answer))) == TEXT.body
    server.wait_closed()


def test_a_fault_of_our_own_resets_the_connection() -> None:
    with pytest.raises(ReplayError), ReplayServer() as server:
        assert asked(server.url(Reply(headers=[("x", "橋")]))) == (b"", "reset")


def test_a_stall_ends_with_the_server() -> None:
    with ReplayServer() as server:
        peers = [connected(server.base_url) for _ in range(2)]
        stalled, idle = (peer.__enter__() for peer in peers)
        stalled.send(request(server.url("stall-before-head")))
        server.wait_until(lambda log: log.exchanges and len(log.connections) == 2)
    assert (stalled.rest(), idle.rest()) == ((b"", "fin"), (b"", "fin"))
    assert [connection.closed_by for connection in server.log.connections] == ["server", "server"]
    for peer in peers:
        peer.__exit__(None, None, None)


def test_a_wait_before_the_head_is_kept(server: ReplayServer) -> None:
    with connected(server.base_url) as peer:
        peer.send(request(server.url(Reply(wait=NEVER))))
        server.wait_until(lambda log: log.exchanges)
        peer.sock.setblocking(False)
        with pytest.raises(BlockingIOError):
            peer.sock.recv(1)
