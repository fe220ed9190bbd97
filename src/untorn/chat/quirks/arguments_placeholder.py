"""A first fragment ``{}`` before the real arguments.

On the wire   "arguments": "{}"   then   "{\\"city\\":"   then   "\\"Oslo\\"}"
Seen at       translators of Anthropic's empty input block; BerriAI/litellm#4537
We            drop it, if the whole is no JSON and the rest is
"""

from __future__ import annotations

from collections.abc import Callable


def repair(arguments: str, first: int, is_json: Callable[[str], bool]) -> str | None:
    """The real arguments after a first fragment of so many characters; None if this is not what
    happened."""
    if arguments[:first].strip() != "{}":
        return None
    rest = arguments[first:]
    return rest if is_json(rest) else None
