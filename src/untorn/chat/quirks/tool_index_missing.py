"""Tool call fragments without an index.

On the wire   {"tool_calls": [{"id": "call_1", "function": {"arguments": "[1,"}}]}
Seen at       Mistral, Gemini, Ollama (captures mistral-tool-parallel-1, gemini-compat-tool-1);
              jin-bo/agentao#117, openai-python#2806
We            take the call whose id it names, else the call of the fragment before; a new id with
              a name, or a name when that call has one, opens a new call
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, TypeVar


class Named(Protocol):
    """A call that may have its name."""

    @property
    def name(self) -> str | None: ...


C = TypeVar("C", bound=Named)


def call_of(by_id: Mapping[str, C], last: C | None, id: str | None, name: str | None) -> C | None:
    """The call that a fragment with this id and name continues; None if it opens one."""
    if id is not None and id in by_id:
        return by_id[id]
    if last is None or name is None:
        return last
    if id is not None or last.name is not None:
        return None
    return last
