"""Usage in a vendor's field.

On the wire   {"x_groq": {"id": "req_1", "usage": {"prompt_tokens": 23, ...}}}
Seen at       Groq (capture groq-text-1), vercel/ai#1651
We            take it as any other usage; it comes first in its chunk
"""

from __future__ import annotations

from typing import Any


def usages_in_extensions(body: dict[str, Any]) -> list[dict[str, Any]]:
    """The usage objects in fields whose name starts with ``x_``."""
    return [
        field["usage"]
        for name, field in body.items()
        if name.startswith("x_") and isinstance(field, dict) and isinstance(field.get("usage"), dict)
    ]
