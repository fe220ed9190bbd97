"""Reasoning under one of four keys, or under several at once.

On the wire   {"delta": {"reasoning": "The", "reasoning_content": "The"}}
Seen at       OpenRouter (captures openrouter-reasoning-1, avian-tool-1), MoonshotAI/kimi-code#3928
We            append what is under each, in a fixed order; the same text counts once
"""

from __future__ import annotations

from typing import Any, NamedTuple

DUPLICATED = "reasoning-duplicated", "the same reasoning under two keys"
"""The code of the defect, and the sentence."""


class Reasoning(NamedTuple):
    """The reasoning of one delta."""

    text: str | None
    """None if no key held a string."""
    duplicated: bool


def read_reasoning(delta: dict[str, Any], thinking: str | None) -> Reasoning:
    """The reasoning of a delta; ``thinking`` is that of its content parts."""
    details = delta.get("reasoning_details")
    sources = [
        delta.get("reasoning_content"),
        delta.get("reasoning"),
        text_of_details(details) if isinstance(details, list) else None,
        thinking,
    ]
    texts = [text for text in sources if isinstance(text, str)]
    different = list(dict.fromkeys(texts))
    duplicated = len(list(filter(None, texts))) > len(list(filter(None, different)))
    return Reasoning("".join(different) if texts else None, duplicated)


def text_of_details(details: list[Any]) -> str | None:
    """The readable text of ``reasoning_details``; None where no block has any."""
    texts = [
        block[key]
        for block in details
        if isinstance(block, dict)
        for key in ("text", "summary")
        if isinstance(block.get(key), str)
    ]
    return "".join(texts) if texts else None
