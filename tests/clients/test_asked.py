"""What is read of a request."""

from __future__ import annotations

from untorn.clients.asked import Asked, asked_by


def test_only_a_streamed_chat_completion_is_read() -> None:
    path, body = "/v1/chat/completions", b'{"stream": true, "n": 2, "model": "m"}'
    asked = asked_by("POST", path, body)
    assert asked == Asked(stream=True, n=2)
    assert not asked.wants_usage
    assert asked_by("GET", path, body) is None
    assert asked_by("POST", "/v1/completions", body) is None
    assert asked_by("POST", path, b'{"stream": false}') is None
    assert asked_by("POST", path, b"{}") is None
    assert asked_by("POST", path, b"no JSON") is None


def test_usage_and_custom_tools_are_wanted_where_they_were_asked_for() -> None:
    assert Asked(stream_options={"include_usage": True}).wants_usage
    assert not Asked(stream_options={"include_usage": False}).wants_usage
    assert Asked(tools=[{"type": "function"}, {"type": "custom"}]).wants_custom_calls
    assert not Asked(tools=[{"type": "function"}, "custom", {}]).wants_custom_calls
    assert not Asked().wants_custom_calls
