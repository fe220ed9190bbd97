"""A first fragment ``{}`` before the real arguments.

On the wire   "arguments": "{}"   then   "{\\"city\\":"   then   "\\"Oslo\\"}"
Seen at       translators of Anthropic's empty input block; BerriAI/litellm#4537
We            drop it, if the whole is no JSON and the rest is
"""

from __future__ import annotations

from collections.abc import Callable


def repair(fragments: list[str], is_json: Callable[[str], bool]) -> str | None:
    """The real arguments; None if this is not what happened."""
    if fragments[0].strip() != "{}":
        return None
    rest = "".join(fragments[1:])
    return rest if is_json(rest) else None
