"""Usage in a vendor's field.

On the wire   {"x_groq": {"id": "req_1", "usage": {"prompt_tokens": 23, ...}}}
Seen at       Groq (capture groq-text-1), vercel/ai#1651
We            take it as any other usage; it comes first in its chunk
"""

from __future__ import annotations

from typing import Any


def usages_in_extensions(body: dict[str, Any]) -> list[dict[str, Any]]:
    """The usage objects in fields whose name starts with ``x_``."""
    if not body:
        return []
    fields = [body[name] for name in body if name.startswith("x_")]
    usages = [field.get("usage") for field in fields if isinstance(field, dict)]
    return [usage for usage in usages if isinstance(usage, dict)]
