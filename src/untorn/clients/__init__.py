"""The client: asks an endpoint, asks again where that helps, and reads the answer."""

from __future__ import annotations

from untorn.clients.client import AsyncClient, Client

__all__ = ["AsyncClient", "Client"]
