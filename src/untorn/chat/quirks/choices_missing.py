"""A chunk without a list of choices; perhaps the delta stands there alone.

On the wire   {"delta": {"content": "Bare"}}   or   {"choices": null, "id": ...}
Seen at       gateways that forward the bare delta; pydantic-ai#5165 (null)
We            take an object with a delta or message for choice 0, and go on
"""

from __future__ import annotations

from typing import Any


def bare_choice(body: dict[str, Any]) -> dict[str, Any] | None:
    """The choice that the chunk itself is; None if it is none."""
    is_choice = isinstance(body.get("delta"), dict) or isinstance(body.get("message"), dict)
    return body if is_choice else None
