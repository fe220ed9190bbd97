"""A choice with ``message``, the key of the API without streaming, in place of ``delta``.

On the wire   {"choices": [{"index": 0, "message": {"content": "All at once."}}]}
Seen at       perplexityai/api-discussion#209 (beside delta), Amm1rr/WebAI-to-API#55 (alone)
We            take delta where it is there (message-and-delta), else the message; one that begins
              with the text so far brings only the rest
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Said(NamedTuple):
    """What a choice says, and under which key."""

    delta: dict[str, Any] | None
    """None if it has neither key."""
    is_message: bool
    both: bool


def what_is_said(choice: dict[str, Any]) -> Said:
    """The delta of a choice, or the message that stands in its place."""
    delta, message = choice.get("delta"), choice.get("message")
    if isinstance(delta, dict):
        return Said(delta, is_message=False, both=isinstance(message, dict))
    if isinstance(message, dict):
        return Said(message, is_message=True, both=False)
    return Said(None, is_message=False, both=False)


def holds_messages(body: dict[str, Any]) -> bool:
    """Whether a JSON object has the shape of a completion that was not streamed."""
    choices = body.get("choices")
    entries = choices if isinstance(choices, list) else [body]
    said = [what_is_said(entry) for entry in entries if isinstance(entry, dict)]
    return any(one.is_message for one in said) and not any(
        one.delta is not None and not one.is_message for one in said
    )
