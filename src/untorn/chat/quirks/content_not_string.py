"""Content as a list of typed parts.

On the wire   {"delta": {"content": [{"type": "thinking", "thinking": [{"type": "text", ...}]}]}}
Seen at       Mistral's reasoning models (capture mistral-thinking-1), openclaw#68418
We            text parts are content, thinking parts are reasoning, the others are kept as sent
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct


class Parts(Struct):
    """What a list of parts holds."""

    content: str | None = None
    """None without a text part."""
    reasoning: str | None = None
    """None without a thinking part."""
    others: list[Any] = []
    """Parts of other types."""


def read_parts(value: Any) -> Parts:
    """The texts in a content that is no string: a list of parts, or one part."""
    parts = Parts()
    for part in value if isinstance(value, list) else [value]:
        if isinstance(part, str):
            parts.content = (parts.content or "") + part
        elif isinstance(part, dict) and "thinking" in part:
            parts.reasoning = (parts.reasoning or "") + _text(part["thinking"])
            if part.keys() - {"type", "thinking"}:  # its signature
                parts.others.append({key: part[key] for key in part if key != "thinking"})
        elif isinstance(part, dict) and isinstance(part.get("text"), str):
            parts.content = (parts.content or "") + part["text"]
        else:
            parts.others.append(part)
    return parts


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    items = value if isinstance(value, list) else [value]
    texts = [item.get("text") if isinstance(item, dict) else item for item in items]
    return "".join(text for text in texts if isinstance(text, str))
