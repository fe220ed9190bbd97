"""Which reply a request gets."""

from __future__ import annotations

import json

import pytest

from untorn.capture import Capture, Close, Read
from untorn.replay.errors import UnknownScenario
from untorn.replay.reply import Reply, reply_of
from untorn.replay.requests import Request
from untorn.replay.routes import Routes, named_scenario
from untorn.replay.scenarios import SCENARIOS

BASE = "/v1/chat/completions"
CAPTURE = Capture(status=200, events=[Read(0.0, b"data: a\n\n"), Close(0.0)])
REPLY = Reply(status=418)


def request(path: str = BASE, model: object = "gpt-x") -> Request:
    body = json.dumps({"model": model}).encode()
    return Request(method="POST", path=path, headers=(), body=body, keep_alive=True)


def names(routes: Routes, path: str, count: int) -> list[str]:
    return [routes.reply_to(request(path))[0] for _ in range(count)]


@pytest.mark.parametrize(
    "path", ["/text", "/text/v1", "/text/v1/chat/completions", "/text/?a=b", "/text?a=/b"]
)
def test_the_path_names_a_scenario(path: str) -> None:
    assert Routes().reply_to(request(path)) == ("text", SCENARIOS["text"].reply)


@pytest.mark.parametrize("path", [BASE, "/v1", "/chat/completions", "/"])
@pytest.mark.parametrize("model", ["no-done", "openai/no-done"])
def test_the_model_names_a_scenario_where_the_path_does_not(path: str, model: str) -> None:
    assert Routes().reply_to(request(path, model))[0] == "no-done"


def test_the_path_counts_more_than_the_model() -> None:
    assert Routes().reply_to(request("/text/v1", "no-done"))[0] == "text"


def test_what_is_queued_counts_more_than_the_model() -> None:
    routes = Routes()
    routes.play(["status-503", "text"])
    assert names(routes, BASE, 3) == ["status-503", "text", "text"]
    assert names(routes, "/no-done/v1", 1) == ["no-done"]


def test_a_queue_replaces_the_one_before() -> None:
    routes = Routes()
    routes.play(["status-503", "text"])
    routes.play(["no-done"])
    assert names(routes, BASE, 2) == ["no-done", "no-done"]


def test_one_scenario_has_its_name_as_path() -> None:
    assert Routes().path_of(("text",)) == "text"


def test_several_have_a_path_of_their_own_and_come_in_turn() -> None:
    routes = Routes()
    first = routes.path_of(("status-503", "status-429", "text"))
    second = routes.path_of((SCENARIOS["no-done"], "text"))
    assert names(routes, f"/{first}/v1", 2) == ["status-503", "status-429"]
    assert names(routes, f"/{second}/v1", 3) == ["no-done", "text", "text"]
    assert names(routes, f"/{first}/v1", 2) == ["text", "text"]


def test_captures_and_replies_can_be_played() -> None:
    routes = Routes()
    path = routes.path_of((CAPTURE, REPLY))
    assert routes.reply_to(request(f"/{path}/v1")) == ("capture", reply_of(CAPTURE))
    assert routes.reply_to(request(f"/{path}/v1")) == ("reply", REPLY)


def test_nothing_cannot_be_played() -> None:
    with pytest.raises(ValueError, match="nothing to play"):
        Routes().play([])
    with pytest.raises(ValueError, match="nothing to play"):
        Routes().path_of(())


@pytest.mark.parametrize("ask", [Routes().path_of, Routes().play])
def test_an_unknown_name_is_an_error_at_once(ask: type[object]) -> None:
    with pytest.raises(UnknownScenario):
        ask(("tex",))  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("path", "model", "name"),
    [
        ("/tex/v1", "text", "tex"),
        (BASE, "gpt-x", "gpt-x"),
        (BASE, 3, ""),
        (BASE, "provider/gpt-x", "gpt-x"),
    ],
)
def test_a_request_that_names_none_is_refused_by_its_name(
    path: str, model: object, name: str
) -> None:
    with pytest.raises(UnknownScenario) as caught:
        Routes().reply_to(request(path, model))
    assert caught.value.name == name


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"model"', b"\xff"])
def test_a_body_without_model_names_none(body: bytes) -> None:
    asked = Request(method="GET", path="/v1", headers=(), body=body, keep_alive=True)
    with pytest.raises(UnknownScenario, match="no scenario was named"):
        Routes().reply_to(asked)


def test_a_scenario_is_found_by_its_name() -> None:
    assert named_scenario("text") is SCENARIOS["text"]
    with pytest.raises(UnknownScenario, match="did you mean text"):
        named_scenario("tex")
