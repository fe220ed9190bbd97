"""A usage that counts nothing, before or beside the real one.

On the wire   {"usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}}
Seen at       router-for-me/CLIProxyAPI#4053
We            ignore it; it neither replaces nor is replaced
"""

from __future__ import annotations

from typing import Any


def is_placeholder(usage: dict[str, Any]) -> bool:
    """Whether no count in ``usage`` is other than zero."""
    return not any(
        isinstance(count, int | float) and not isinstance(count, bool) and count
        for count in usage.values()
    )
