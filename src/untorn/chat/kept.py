"""How much is kept as it came, and for no other reason: unknown keys, annotations, content parts.

A key counts once however often it comes. What it held at most counts, so that it makes no
difference whether the plain way or the fast one, which weighs nothing, took its last value.
"""

from __future__ import annotations

from typing import Any, Literal

from untorn.chat.json_scan import weight_of

Level = Literal["chunk", "choice", "delta", "call"]

USUAL_WEIGHT = 16
"""So many values inside of what is kept, as ``Limits.values`` counts them, count as one."""


NO_WEIGHTS: dict[tuple[Level, int], dict[str, int]] = {}
"""Stands for those of a stream that keeps nothing. Nobody adds to it: streams share it."""


class Kept:
    """Counts keys and values. A choice, or a call, keeps its own under the keys of others, too."""

    __slots__ = ("_count", "_values", "_weights")

    def __init__(self) -> None:
        self._count = 0
        self._values = 0
        # By level and owner, by key: what the largest value of a key holds.
        self._weights = NO_WEIGHTS

    @property
    def count(self) -> int:
        """How many there are."""
        return self._count + self._values // USUAL_WEIGHT

    def take_keys(self, level: Level, owner: int, values: dict[str, Any]) -> None:
        """Unknown keys of a choice or a call, of this number, have come; 0 for those of a chunk."""
        self._weights = self._weights or {}
        weights = self._weights.setdefault((level, owner), {})
        for key, value in values.items():
            known = weights.get(key)
            if known is None:
                self._count += 1
            elif not isinstance(value, dict | list):
                continue
            weights[key] = max(known or 0, self._weigh(value))
            self._values += weights[key] - (known or 0)

    def covers(self, level: Level, choice: int, key: str, value: Any) -> bool:
        """Whether it makes no difference to take ``value`` again under a key."""
        return self._weights[level, choice][key] >= self._weigh(value)

    def take_items(self, items: list[Any]) -> None:
        """Items have come that are kept beside those before them."""
        self._count += len(items)
        self._values += sum(map(self._weigh, items))

    @staticmethod
    def _weigh(value: Any) -> int:
        return weight_of(value) if isinstance(value, dict | list) else 0
