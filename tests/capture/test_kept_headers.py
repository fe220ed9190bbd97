"""Which headers a capture keeps."""

from __future__ import annotations

import pytest

from untorn.capture.kept_headers import keep_headers

SECRET = (
    "Authorization Proxy-Authorization Proxy-Authenticate WWW-Authenticate Cookie Set-Cookie"
    " X-Api-Key Api-Key X-Amz-Security-Token OpenAI-Organization OpenAI-Project Via Location"
    " X-Forwarded-For X-Nobody-Thought-Of"
).split()


@pytest.mark.parametrize("name", SECRET)
def test_what_is_not_allowed_stays_out(name: str) -> None:
    assert keep_headers([(name, "v"), (name.lower(), "v"), (name.upper(), "v")]) == []


@pytest.mark.parametrize(
    "name",
    "Content-Type DATE retry-after retry-after-ms X-Request-Id openai-processing-ms server"
    " x-ratelimit-remaining-tokens ratelimit-policy content-encoding transfer-encoding".split(),
)
def test_what_is_needed_to_read_and_to_ask_for_support_is_kept(name: str) -> None:
    assert keep_headers([(name, "v")]) == [(name, "v")]


def test_the_order_and_repeated_names_are_kept() -> None:
    pairs = [("server", "a"), ("cookie", "c"), ("date", "d"), ("server", "b")]
    assert keep_headers(pairs) == [("server", "a"), ("date", "d"), ("server", "b")]


def test_a_mapping_and_bytes_will_do() -> None:
    assert keep_headers({"Server": "a", "Cookie": "c"}) == [("Server", "a")]
    assert keep_headers([(b"server", b"caf\xe9")]) == [("server", "café")]


def test_no_value_has_a_line_end() -> None:
    pairs = [("server", "a\nb\r\0c")]
    assert keep_headers(pairs) == [("server", "a, bc")]
