"""What gateways do to every chunk of a stream: keys of their own, and habits of their own."""

from __future__ import annotations

from random import Random
from typing import Any

from fuzz.json_tree import Object, tree_of

Tree = Any

KEYS = (
    "provider native_finish_reason seed x_vendor text message code detail success base_resp"
    " content_filter_results"
).split()
"""Some of them mean something elsewhere, or where there are no choices."""

VALUES: list[list[Tree]] = [
    [None, "v", "w", ""],
    [None, 7, 0.5, True],
    [tree_of(value) for value in ({}, {"hate": {"filtered": False}}, {"hate": [1, 2, 3]})],
    [tree_of(value) for value in ([], [1], [{"a": "b"}, None])],
    [tree_of({"status_code": 1004}), tree_of({"usage": {"total_tokens": 7}})],
]
"""By the habit of a key: what it holds."""

EMPTY: list[Tree] = []


class Gateway:
    """One gateway: the same keys in every chunk, nearly."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._keys = {level: rng.sample(KEYS, rng.randrange(3)) for level in ("chunk", "choice")}
        self._keys["delta"] = rng.sample(KEYS, rng.choice([0, 0, 1, 2]))
        self._habits = {key: rng.choice(VALUES) for key in KEYS}
        self._names_its_role = rng.random() < 0.5
        self._has_empty_content = rng.random() < 0.3
        self._explains = rng.choice(["", "", "twice", "details", "no details"])
        self._block = rng.choice([0, 0, None])

    def add(self, level: str, to: Object) -> None:
        """Add its keys to a chunk, a choice or a delta."""
        rng = self._rng
        for key in self._keys[level]:
            if rng.random() < 0.9:
                habit = rng.choice(VALUES) if rng.random() < 0.03 else self._habits[key]
                to.append((key, rng.choice(habit)))

    def retell(self, delta: Object) -> None:
        """Say in its own way what a delta says."""
        said = dict(delta)
        if self._names_its_role and "role" not in said:
            delta.insert(0, ("role", "assistant"))
        if self._has_empty_content and "content" not in said:
            delta.append(("content", ""))
        text = said.get("reasoning")
        if isinstance(text, str) and self._explains == "twice":
            delta.append(("reasoning_content", text))
        if isinstance(text, str) and self._explains == "details":
            block = Object([("type", "reasoning.text"), ("text", text), ("index", self._block)])
            delta.append(("reasoning_details", [block]))
        elif self._explains == "no details":
            delta.append(("reasoning_details", EMPTY))
