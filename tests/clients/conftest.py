"""Settings of the tests of clients."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jitter is chance between nothing and a pause; here it is nothing. And no key or proxy of
    the machine is used."""
    monkeypatch.setattr("random.random", lambda: 0.0)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
