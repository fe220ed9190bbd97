"""Which endpoint gets which key, and what hides one."""

from __future__ import annotations

import pytest

from untorn.clients.addresses import DEFAULT
from untorn.clients.client import Client
from untorn.clients.keys import (
    HIDDEN,
    Echo,
    Secret,
    Secrets,
    key_for,
    secret_values,
    without_tracebacks,
)
from untorn.options import Target

KEY = "canary-0123456789"
OWN = ["https://api.openai.com"]


@pytest.mark.parametrize(
    ("origin", "api_key", "key"),
    [
        ("https://api.openai.com", None, "env"),
        ("https://api.openai.com", "own", "own"),
        ("http://api.openai.com", None, None),
        ("https://api.openai.com.example", None, None),
        ("https://api.example", None, None),
        ("https://api.example", "own", "own"),
        ("https://api.openai.com", "", ""),
    ],
)
def test_the_key_of_the_environment_goes_only_where_it_belongs(
    origin: str, api_key: str | None, key: str | None
) -> None:
    assert key_for(origin, api_key, OWN, "env") == key


def sent_by(client: Client) -> list[str | None]:
    """The Authorization header for each target."""
    found = []
    for one in client._endpoints:
        headers = {name.lower(): value.reveal() for name, value in one.headers}
        found.append(headers.get("authorization"))
    return found


@pytest.mark.parametrize(
    ("env_url", "base_url", "sent"),
    [
        (None, None, f"Bearer {KEY}"),
        (None, DEFAULT, f"Bearer {KEY}"),
        (None, "https://api.example/v1", None),
        ("https://api.example/v1", None, f"Bearer {KEY}"),
        ("https://api.example/v1", "https://api.example/other", f"Bearer {KEY}"),
        ("https://api.example/v1", DEFAULT, f"Bearer {KEY}"),
        ("https://api.example/v1", "https://api.example:8443/v1", None),
    ],
)
def test_a_client_takes_it_from_the_environment(
    env_url: str | None, base_url: str | None, sent: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    if env_url is not None:
        monkeypatch.setenv("OPENAI_BASE_URL", env_url)
    with Client(base_url) as client:
        assert sent_by(client) == [sent]


def test_targets_inherit_no_key_and_no_header(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    targets = [
        Target(base_url="https://api.example/v1"),
        Target(base_url=DEFAULT),
        Target(base_url="https://api.example/v1", api_key="their-own"),
    ]
    with Client(api_key="mine", headers={"X-Mine": "1"}, targets=targets) as client:
        assert sent_by(client) == ["Bearer mine", None, None, "Bearer their-own"]
        names = [{name for name, _ in one.headers} for one in client._endpoints]
        assert ["X-Mine" in named for named in names] == [True, False, False, False]


def test_openai_without_a_key_is_told_before_anything_is_sent() -> None:
    with pytest.raises(ValueError, match="OPENAI_API_KEY"):
        Client()
    with Client(headers={"authorization": "Bearer own"}) as client:
        assert sent_by(client) == ["Bearer own"]


def test_a_secret_is_shown_by_nothing_but_its_own_method() -> None:
    secret = Secret(KEY)
    assert {str(secret), repr(secret), f"{secret}", str([secret])} == {HIDDEN, f"[{HIDDEN}]"}
    assert secret.reveal() == KEY
    assert secret == Secret(KEY) != Secret("other")
    assert len({secret, Secret(KEY)}) == 1


def test_secrets_are_found_in_exceptions_and_in_what_they_came_from() -> None:
    secrets = Secrets([KEY, "none"])
    inner = ValueError(f"bad header {KEY}")
    outer = RuntimeError("failed")
    outer.__cause__ = inner
    assert secrets.are_in(outer)
    assert not secrets.are_in(RuntimeError("none"))
    assert not secrets.are_in(None)
    assert repr(secrets) == HIDDEN
    long = RuntimeError("0")
    for _ in range(9):
        long, long.__cause__ = RuntimeError("more"), long
    assert secrets.are_in(long)


@pytest.mark.parametrize("size", range(1, 40))
def test_an_echo_is_hidden_however_the_reads_are_cut(size: int) -> None:
    echo = Echo(Secrets([KEY]))
    body = f'{{"message": "canary can {KEY} and {KEY[:-1]}"}}{KEY[:5]}'.encode()
    heard = [echo.receive_data(body[at : at + size]) for at in range(0, len(body), size)]
    assert b"".join([*heard, echo.receive_eof()]) == body.replace(KEY.encode(), HIDDEN.encode())


def test_public_headers_are_no_secrets_and_an_authorization_is_one_without_its_scheme_too() -> None:
    pairs = {"User-Agent": "agent", "Authorization": "Bearer b", "api-version": "1", "X": "x"}
    assert secret_values(pairs.items()) == ["Bearer b", "b", "x"]


def test_a_secret_is_hidden_as_json_may_write_it() -> None:
    assert Secrets(["canary/of/slashes"]).hide(r"canary\/of\/slashes") == HIDDEN


def test_the_beginning_of_a_secret_at_a_cut_is_hidden() -> None:
    hide = Secrets([KEY, "other-secret"]).hide
    assert hide(f'"it is {KEY[:12]}…" and more') == f'"it is {HIDDEN}…" and more'
    assert hide(f"{KEY[:5]}… and {KEY[:9]}") == f"{KEY[:5]}… and {KEY[:9]}"


def test_secrets_are_hidden_in_what_was_json() -> None:
    value = {"a": [KEY, 1, None], KEY: {"b": f"<{KEY}>"}}
    hidden = {"a": [HIDDEN, 1, None], HIDDEN: {"b": f"<{HIDDEN}>"}}
    assert Secrets([KEY]).hide_in(value) == hidden


def test_secrets_can_be_added() -> None:
    assert Secrets([KEY]).and_more(["another-one"]).texts == [KEY, "another-one"]


def test_an_exception_forgets_where_it_came_by() -> None:
    try:
        try:
            raise ValueError("inner")
        except ValueError as exc:
            raise OSError("outer") from exc
    except OSError as exc:
        outer = exc
    without_tracebacks(outer)
    assert outer.__traceback__ is None
    assert outer.__cause__ is not None
    assert outer.__cause__.__traceback__ is None
    without_tracebacks(None)
