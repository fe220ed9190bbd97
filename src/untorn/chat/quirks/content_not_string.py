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
    content: list[str] = []
    reasoning: list[str] = []
    others: list[Any] = []
    for part in value if isinstance(value, list) else [value]:
        if isinstance(part, str):
            content.append(part)
        elif isinstance(part, dict) and "thinking" in part:
            reasoning += _texts(part["thinking"])
            if part.keys() - {"type", "thinking"}:  # its signature
                others.append({key: part[key] for key in part if key != "thinking"})
        elif isinstance(part, dict) and isinstance(part.get("text"), str):
            content.append(part["text"])
        else:
            others.append(part)
    return Parts(_joined(content), _joined(reasoning), others)


def _texts(value: Any) -> list[str]:
    items = value if isinstance(value, list) else [value]
    texts = [item.get("text") if isinstance(item, dict) else item for item in items]
    return [text for text in texts if isinstance(text, str)]


def _joined(texts: list[str]) -> str | None:
    return "".join(texts) if texts else None
