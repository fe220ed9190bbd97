"""The record of what each client did."""

from __future__ import annotations

from untorn.replay.log import Connection, Exchange, Log
from untorn.replay.requests import Request

REQUEST = Request(method="POST", path="/text/v1", headers=(), body=b"{}", keep_alive=True)


def asked(log: Log) -> tuple[Connection, Exchange]:
    connection = log.connected(1.0)
    return connection, log.asked(connection, REQUEST, "text", 2.0)


def test_a_log_begins_empty() -> None:
    log = Log()
    assert (log.connections, log.exchanges, log.refused, log.open) == ([], [], [], [])
    assert not log.all_closed
    assert str(log) == "0 connections, 0 open"


def test_connections_and_exchanges_are_in_order() -> None:
    log = Log()
    first, one = asked(log)
    second, two = asked(log)
    three = log.asked(first, REQUEST, None, 3.0)
    assert [connection.number for connection in log.connections] == [1, 2]
    assert log.exchanges == [one, two, three]
    assert log.requests == [REQUEST] * 3
    assert (first.exchanges, second.exchanges) == ([one, three], [two])
    assert [exchange.connection for exchange in log.exchanges] == [1, 2, 1]


def test_what_was_sent_is_counted() -> None:
    log = Log()
    _, exchange = asked(log)
    log.sent(exchange, 7)
    log.sent(exchange, 5)
    assert (exchange.reads_sent, exchange.body_sent, exchange.finished) == (2, 12, False)
    log.finished(exchange)
    assert exchange.finished


def test_only_the_first_side_to_close_counts() -> None:
    log = Log()
    connection, _ = asked(log)
    assert connection.is_open
    log.closed(connection, "server", 3.0, reset=True)
    log.closed(connection, "client", 4.0)
    assert (connection.closed_by, connection.closed_at, connection.was_reset) == (
        "server",
        3.0,
        True,
    )


def test_all_are_closed_when_there_was_one_and_none_is_open() -> None:
    log = Log()
    first, _ = asked(log)
    second, _ = asked(log)
    log.closed(first, "client", 3.0)
    assert (log.open, log.all_closed) == ([second], False)
    log.closed(second, "client", 3.0)
    assert (log.open, log.all_closed) == ([], True)


def test_each_change_is_told() -> None:
    log, told = Log(), []
    log.changed = lambda: told.append(str(log))
    connection, exchange = asked(log)
    log.sent(exchange, 7)
    log.finished(exchange)
    log.refuse("no")
    log.closed(connection, "client", 3.0)
    log.closed(connection, "client", 3.0)
    assert len(told) == 6


def test_a_log_reads_like_a_sentence() -> None:
    log = Log()
    connection, exchange = asked(log)
    log.connected(1.0)
    log.sent(exchange, 7)
    log.refuse("connection 2: no scenario is named 'tex'")
    assert str(log) == (
        "2 connections, 2 open; connection 1 (POST /text/v1: 7 bytes in 1 read, not all), open; "
        "connection 2 (no request), open; connection 2: no scenario is named 'tex'"
    )
    log.finished(exchange)
    log.closed(connection, "client", 3.0, reset=True)
    assert str(connection) == (
        "connection 1 (POST /text/v1: 7 bytes in 1 read, all sent), reset by the client"
    )


def test_the_sentence_stays_short_and_tells_of_open_ones_first() -> None:
    log = Log()
    for _ in range(1000):
        log.closed(asked(log)[0], "server", 3.0)
    assert str(log).count("closed by the server") == 5
    asked(log)
    assert str(log) == (
        "1001 connections, 1 open; "
        "connection 1001 (POST /text/v1: 0 bytes in 0 reads, not all), open"
    )
