"""A server that plays streams to any HTTP client, whole or damaged, and logs what the client does.

    reads → faults → reply → schedule → server

``ReplayServer`` needs h11: ``pip install "untorn[testing]"``.
"""

from __future__ import annotations

from untorn.replay import scenarios
from untorn.replay.server import ReplayServer

__all__ = ["ReplayServer", "scenarios"]
