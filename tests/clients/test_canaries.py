"""No key is seen: not in what we keep, say, log, write or raise, also if the server repeats it."""

from __future__ import annotations

import asyncio
import gc
import logging
import signal
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.clients.colours import TIMEOUT, WAYS, Answer, ask
from tests.clients.situations import refusal
from tests.colours import bounded
from untorn import Completion, DefectFound, ErrorReported, StreamEnded
from untorn.capture import Read
from untorn.clients import AsyncClient, Client
from untorn.options import Clocks, Target
from untorn.replay import streams
from untorn.replay.reply import Reply
from untorn.testing import ReplayServer

KEY = "canary-01/23456789"
ESCAPED = KEY.replace("/", r"\/")
PLACES: dict[str, dict[str, Any]] = {
    "api_key": {"api_key": KEY},
    "header": {"headers": {"api-key": KEY}},
    "authorization": {"headers": {"Authorization": f"Token {KEY}"}},
    "call": {"call": {"headers": {"api-key": KEY}}},
    "query": {"query": f"?key={KEY}"},
    "login": {"login": f"user:{KEY.replace('/', '%2F')}@"},
    "environment": {"env": KEY},
}


def in_stream(*events: bytes) -> Reply:
    """A good status, and these events after the first content."""
    return Reply(reads=(*streams.stream(streams.contents())[:3], *(Read(0.0, e) for e in events)))


ERROR = streams.error(f"Incorrect API key provided: {KEY}", "invalid_api_key")
FAILS: dict[str, Any] = {
    "text": "text",
    "stall": "stall-mid-text",
    "not HTTP": "not-http",
    "refused": "refused",
    "error": refusal(401, f"Incorrect API key provided: {KEY}", "invalid_api_key"),
    "error, escaped": Reply(status=401, reads=(Read(0.0, ERROR.replace(b"/", rb"\/")),)),
    "error in the stream": in_stream(b"data: " + ERROR + b"\n\n"),
    "error field": in_stream(b"error: " + ERROR + b"\n\n"),
    "header": Reply(
        headers=(("Content-Type", "text/event-stream"), ("X-Request-Id", f"for {KEY}")),
        reads=streams.stream(streams.contents()),
    ),
    "bad JSON": in_stream(b'data: {"key": "' + KEY.encode() + b'\n\ndata: {"x": 1}\n\n'),
    "bad JSON, cut": in_stream(
        b'data: {"a key that stands at the end": "' + KEY.encode() + b"\n\n"
    ),
    "stray line": in_stream(f"what is {KEY}?\n\n".encode()),
    "torn": in_stream(f'data: {{"key": "{KEY}'.encode()),
    "comment": in_stream(f": {KEY}\n\n".encode(), *(one.data for one in streams.stream([]))),
}


CELLS = [("api_key", what) for what in FAILS]
CELLS += [(place, what) for place in PLACES for what in ("error", "error in the stream", "refused")]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("place", "what"), dict.fromkeys(CELLS))
def test_no_key_is_seen_anywhere(
    way: str,
    place: str,
    what: str,
    stream_server: ReplayServer,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.DEBUG, "untorn.wire")
    where = dict(PLACES[place])
    url = stream_server.url("text" if what == "refused" else FAILS[what])
    if what == "refused":
        url = "http://127.0.0.1:1/v1"
    url = url.replace("://", f"://{where.pop('login', '')}") + where.pop("query", "")
    if (key := where.pop("env", None)) is not None:
        monkeypatch.setenv("OPENAI_API_KEY", key)
        monkeypatch.setenv("OPENAI_BASE_URL", url)
    path = tmp_path / "answer"
    call = {"record": path, **where.pop("call", {})}
    (answer,) = ask(way, call, base_url=url, clocks=Clocks(idle=0.2), max_retries=0, **where)
    records = caplog.records
    if what == "header":  # httpcore2 logs all headers of responses
        records = [one for one in records if one.name.startswith("untorn")]
    shown = [*said_of(answer), *(f"{one.getMessage()} {one.args!r}" for one in records)]
    shown += [path.read_text("utf-8"), *shown_by(answer.error)]
    found = [text for text in shown for form in (KEY, ESCAPED, KEY[:12]) if form in text]
    assert found == []


def said_of(answer: Answer) -> Iterator[str]:
    """All that is said about an answer, and not the answer itself."""
    completion = answer.completion
    yield str(completion)
    yield from map(repr, (completion.head, completion.attempts, completion.to_dict()["error"]))
    yield from map(str, answer.events)
    verdict = completion.verdict
    yield from map(repr, (str(verdict), verdict.reason, verdict.error, verdict.defects))
    for event in answer.events:
        if isinstance(event, ErrorReported | DefectFound):
            yield repr(event)
        elif isinstance(event, StreamEnded):
            yield repr((event.verdict.error, event.verdict.defects, event.verdict.reason))


def shown_by(error: BaseException | None) -> Iterator[str]:
    """What tools show of an exception: the traceback, and variables of all but the test itself."""
    if error is None:
        return
    found = traceback.TracebackException.from_exception(error, capture_locals=True)
    yield from traceback.TracebackException.from_exception(error).format()
    one: traceback.TracebackException | None = found
    while one is not None:
        for frame in one.stack:
            if "/tests/" not in frame.filename and frame.locals is not None:
                # The answer is given as it came, the tail of a cut event too.
                yield str({**frame.locals, "completion": ""})
        one = one.__cause__ or one.__context__


@pytest.mark.parametrize("way", WAYS)
def test_what_the_model_says_is_given_as_it_came(
    way: str, stream_server: ReplayServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "untorn.wire")
    url = stream_server.url(Reply(reads=streams.stream(streams.contents([f"It is {KEY}."]))))
    path = tmp_path / "answer"
    (answer,) = ask(way, {"record": path}, base_url=url, api_key=KEY)
    assert answer.completion.content == f"It is {KEY}."
    assert KEY not in path.read_text("utf-8")
    assert KEY not in caplog.text


@pytest.mark.parametrize("backend", ["httpx2", "urllib3"])
def test_no_key_is_in_the_traceback_of_control_c(backend: Any, stream_server: ReplayServer) -> None:
    def press() -> None:
        stream_server.wait_until(lambda log: log.exchanges, TIMEOUT)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    url = stream_server.url("stall-before-head")
    with Client(url, KEY, headers={"api-key": KEY}, backend=backend) as client:
        stream = client.chat(model="m", messages=[])
        presser = threading.Thread(target=press)
        presser.start()
        with pytest.raises(KeyboardInterrupt) as caught:
            stream.result()
        presser.join(TIMEOUT)
    assert [shown for shown in shown_by(caught.value) if KEY in shown] == []


@pytest.mark.parametrize("backend", ["httpx2", "aiohttp"])
@bounded
async def test_no_key_is_in_the_traceback_of_a_cancelled_task(backend: Any) -> None:
    async with (
        ReplayServer() as server,
        AsyncClient(
            server.url("stall-before-head"), KEY, headers={"api-key": KEY}, backend=backend
        ) as client,
    ):
        task = asyncio.create_task(client.chat(model="m", messages=[]).result())
        await server.until(lambda log: log.exchanges)
        task.cancel()
        with pytest.raises(asyncio.CancelledError) as caught:
            await task
    assert [shown for shown in shown_by(caught.value) if KEY in shown] == []


@pytest.mark.parametrize("way", WAYS)
def test_the_password_of_a_proxy_is_not_seen(way: str, stream_server: ReplayServer) -> None:
    proxy = f"http://user:{KEY.replace('/', '%2F')}@127.0.0.1:1"
    (answer,) = ask(way, base_url="http://api.example/v1", proxy=proxy, max_retries=0)
    shown = [*said_of(answer), *shown_by(answer.error)]
    assert [text for text in shown for form in (KEY, "%2F") if form in text] == []


def test_no_key_is_in_a_repr() -> None:
    url = f"https://user:{KEY.replace('/', '%2F')}@api.example/v1?key={KEY}"
    target = Target(base_url=url, api_key=KEY, headers={"api-key": KEY})
    with Client(url, KEY, headers={"api-key": KEY}, targets=[target]) as client:
        stream = client.chat(model="m", messages=[], headers={"x": KEY})
        for thing in (client, target, stream, vars(client), stream._asking._call, *gc_of(client)):
            assert KEY not in repr(thing)


def gc_of(client: Client) -> list[object]:
    """What a client holds of ours."""
    return [one for one in gc.get_referents(client) if type(one).__module__.startswith("untorn")]


def test_a_completion_is_the_same_whether_its_client_has_a_key(stream_server: ReplayServer) -> None:
    def choices(key: str | None) -> Completion:
        (answer,) = ask("Client httpx2", base_url=stream_server.url("tool-calls"), api_key=key)
        return answer.completion

    assert choices(KEY).choices == choices(None).choices
