"""The pytest plugin of untorn: the fixture ``stream_server``. See docs/testing.md.

It lives beside the package, and imports that only where the fixture is used: pytest loads plugins
at every start, also in projects that never ask for this one, and before coverage begins to look.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from untorn.testing import ReplayServer


@pytest.fixture
def stream_server() -> Iterator[ReplayServer]:
    """A server that plays chat completions, whole or broken, and logs what the client does.

    ``stream_server.url("reset-mid-text")`` is a base URL for any client. See untorn.testing.
    """
    from untorn.testing import ReplayServer

    with ReplayServer() as server:
        yield server
