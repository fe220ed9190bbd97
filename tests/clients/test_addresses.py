"""From the base URL that people have to the URL to ask."""

from __future__ import annotations

import pytest

from untorn.clients.addresses import address_of, secrets_of_login


@pytest.mark.parametrize(
    ("base_url", "url"),
    [
        ("https://api.example", "https://api.example/v1/chat/completions"),
        ("https://api.example/", "https://api.example/v1/chat/completions"),
        ("https://api.example/v1", "https://api.example/v1/chat/completions"),
        ("https://api.example/v1//", "https://api.example/v1/chat/completions"),
        ("https://api.example:443/v1", "https://api.example/v1/chat/completions"),
        ("HTTP://LocalHost:11434", "http://localhost:11434/v1/chat/completions"),
        ("https://api.example/api/v3", "https://api.example/api/v3/chat/completions"),
        (
            "https://api.example/v1/chat/completions",
            "https://api.example/v1/chat/completions",
        ),
        (
            "https://r.azure.example/openai/deployments/d/?api-version=2024-10-21",
            "https://r.azure.example/openai/deployments/d/chat/completions?api-version=2024-10-21",
        ),
        ("https://api.example?a=b", "https://api.example/v1/chat/completions?a=b"),
        ("http://[::1]:8000/v1", "http://[::1]:8000/v1/chat/completions"),
        ("https://bücher.example", "https://xn--bcher-kva.example/v1/chat/completions"),
        (" https://api.example/v1\n", "https://api.example/v1/chat/completions"),
    ],
)
def test_the_url_that_is_asked(base_url: str, url: str) -> None:
    assert address_of(base_url).url == url


@pytest.mark.parametrize(
    "base_url",
    [
        "",
        "localhost:11434",
        "//api.example",
        "ftp://api.example",
        "https://",
        "https://api.example:port",
        "https://[api",
        "https://a b.example",
        "https://api.example/v 1",
        "https://api.example/ö",
        "https://" + "ö" * 80 + ".example",
    ],
)
def test_what_is_no_base_url_is_refused_without_being_shown(base_url: str) -> None:
    with pytest.raises(ValueError, match="base_url") as caught:
        address_of(base_url)
    assert len(base_url) < 9 or base_url not in str(caught.value)


def test_a_login_becomes_a_header_and_leaves_the_url() -> None:
    address = address_of("https://user:pa%3Ass@api.example/v1?key=canary-of-the-query")
    assert address.login == "Basic dXNlcjpwYTpzcw=="
    assert address.shown == "https://api.example/v1/chat/completions"
    assert "canary" not in repr(address)
    assert set(address.secrets) == {"canary-of-the-query", "dXNlcjpwYTpzcw==", "pa:ss"}


def test_a_query_is_secret_as_it_stands_and_decoded_but_for_the_version() -> None:
    address = address_of("https://api.example?api-version=2024-10-21&key=a%2Fb%2Fcanary")
    assert set(address.secrets) == {"a/b/canary", "a%2Fb%2Fcanary"}


def test_the_password_of_a_proxy_is_secret() -> None:
    assert secrets_of_login("http://me:can%41ry@proxy:3128") == [
        "can%41ry",
        "canAry",
        "bWU6Y2FuQXJ5",
    ]
    assert secrets_of_login("http://proxy:3128") == []
