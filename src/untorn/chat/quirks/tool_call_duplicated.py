"""The same call again at another index.

On the wire   index 0: id call_1, name exec, "{\\"cmd\\":\\"date\\"}"   then   index 1: all the same
Seen at       mudler/LocalAI#9722
We            keep one: the same id, name and arguments are the same call, which must run once
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar


class Call(Protocol):
    """What makes two calls the same."""

    @property
    def id(self) -> str | None: ...
    @property
    def name(self) -> str | None: ...
    @property
    def arguments(self) -> str: ...


C = TypeVar("C", bound=Call)


def without_copies(
    calls: Sequence[C], normal_form: Callable[[str], str]
) -> tuple[list[C], int, int]:
    """The calls without their copies; how many were dropped; how many others share an id.

    ``normal_form`` of arguments is the same for arguments that mean the same. It is asked for
    only where an id is shared.
    """
    times = Counter(call.id for call in calls)
    kept: list[C] = []
    seen: set[tuple[str, str | None, str]] = set()
    ids: set[str] = set()
    dropped = shared = 0
    for call in calls:
        if call.id is not None and times[call.id] > 1:
            whole = (call.id, call.name, normal_form(call.arguments))
            if whole in seen:
                dropped += 1
                continue
            shared += call.id in ids
            seen.add(whole)
            ids.add(call.id)
        kept.append(call)
    return kept, dropped, shared
