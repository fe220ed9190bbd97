"""A new call at the index of another one.

On the wire   index 0: id call_a, name f, "{}"   then   index 0: id call_b, name f, "{}"
Seen at       ollama/ollama#15457
We            open a new call if the fragment has a name and its id says that it is another; where
              an id is missing, if the call has arguments and the fragment can't belong to it
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class OpenCall(Protocol):
    """The call that stands at the index."""

    @property
    def id(self) -> str | None: ...
    @property
    def name(self) -> str | None: ...
    @property
    def arguments(self) -> str: ...
    @property
    def has_arguments(self) -> bool: ...
    def is_whole(self) -> bool: ...


def is_another_call(
    call: OpenCall, id: str | None, name: str | None, arguments: str, normal: Callable[[str], str]
) -> bool:
    """Whether a fragment with this id, name and arguments opens a new call."""
    if name is None:
        return False
    if id is not None and call.id is not None:
        if id == call.id:
            return False
        broken_off = call.has_arguments and not call.is_whole()
        return not (name == call.name and broken_off)
    if not call.has_arguments:
        return False
    if call.name is not None and name != call.name:
        return True
    if not arguments.strip() or not call.is_whole():
        return False
    return normal(arguments) != normal(call.arguments)
